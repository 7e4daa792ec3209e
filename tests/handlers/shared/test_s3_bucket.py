"""A bucket: reads after writes, conditions, actionable error messages."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from pydantic import SecretStr

from shared.errors import PermanentError, PolicyDenied, Unavailable
from shared.s3.bucket import S3Bucket
from shared.s3.features import has_conditional_writes, prepare_bucket
from shared.s3.location import POINTER_TYPE, Pointer, S3Location, parse_location, parse_pointer
from shared.s3.opening import make_duckdb_secret, open_bucket
from shared.testing.settings import isolated_settings
from tests.memory_s3 import MemoryS3
from tests.ports import free_port
from tests.s3_servers import S3Server

SHA = hashlib.sha256(b"x").hexdigest()


@pytest.fixture
def bucket(server: S3Server | MemoryS3) -> S3Bucket:
    bucket = server.bucket(f"s3://test-{uuid4().hex[:20]}/some/prefix")
    prepare_bucket(bucket)
    return bucket


def test_the_bucket_is_made_with_versions_and_object_lock_and_found_again(server):
    bucket = server.bucket(f"s3://made-by-us-{uuid4().hex[:8]}")
    guards = prepare_bucket(bucket)
    assert (guards.versioning, guards.object_lock) == (True, True)
    assert prepare_bucket(bucket) == guards


def test_what_is_written_is_read_with_its_type_and_metadata(bucket):
    bucket.write("run_1/A/result.json", b"{}", "application/json")
    stat, data = bucket.read("run_1/A/result.json")
    assert (stat.media_type, stat.size_bytes, data) == ("application/json", 2, b"{}")
    pointer = Pointer(SHA, 1)
    assert bucket.write_new("run_1/A/01.png", pointer.text, POINTER_TYPE, pointer.metadata)
    there = bucket.stat("run_1/A/01.png")
    assert parse_pointer(there.media_type, there.metadata) == pointer
    assert parse_pointer(stat.media_type, stat.metadata) is None


def test_the_first_of_two_that_write_anew_stays(bucket):
    assert has_conditional_writes(bucket, ".asked") is True
    assert list(bucket.list_objects("", versions=True)) == [], "to ask leaves nothing behind"
    assert bucket.write_new("name", b"first") is True
    assert bucket.write_new("name", b"second") is False
    assert bucket.read("name")[1] == b"first"
    bucket.remove("name")
    assert bucket.write_new("name", b"third") is True


def test_listing_tells_files_from_folders_and_stays_below_the_prefix(bucket, server):
    for key in ("run_1/b", "run_1/a", "run_1/A-1/result.json", "run_10/c"):
        bucket.write(key, b"1")
    server.bucket(f"s3://{bucket.location.bucket}/some/prefix2").write("x", b"")
    assert {(one.key, one.is_folder) for one in bucket.list_objects("run_1")} == {
        ("run_1/A-1", True),
        ("run_1/a", False),
        ("run_1/b", False),
    }
    assert [one.key for one in bucket.list_objects(recursive=True)] == [
        "run_1/A-1/result.json", "run_1/a", "run_1/b", "run_10/c",
    ]  # fmt: skip


def test_more_than_a_thousand_names_are_listed(real_server):
    """So many are in a page of the list."""
    bucket = real_server.bucket("s3://many")
    prepare_bucket(bucket)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: bucket.write(f"many/{number:04}", b""), range(1003)))
    assert len(list(bucket.list_objects("many"))) == 1003


def test_a_copy_has_type_and_metadata_of_its_source(bucket):
    pointer = Pointer(SHA, 1)
    bucket.write_new("a", pointer.text, POINTER_TYPE, pointer.metadata)
    bucket.copy("a", "ä ö+%/名前 ☃.png")
    stat, data = bucket.read("ä ö+%/名前 ☃.png")
    assert (parse_pointer(stat.media_type, stat.metadata), data) == (pointer, pointer.text)
    assert [one.key for one in bucket.list_objects("ä ö+%")] == ["ä ö+%/名前 ☃.png"]


def test_a_version_is_kept_when_it_is_replaced(bucket):
    bucket.write("x", b"before")
    bucket.write("x", b"after")
    versions = [one for one in bucket.list_objects("", versions=True) if one.key == "x"]
    assert {bucket.read("x", one.version)[1] for one in versions} == {b"before", b"after"}
    assert [bucket.read("x", one.version)[1] for one in versions if one.is_latest] == [b"after"]


@pytest.mark.parametrize("key", ["../x", "run_1/../../x", "/etc/x", "a//b", "run_1/"])
def test_no_key_leads_out(key):
    with pytest.raises(PolicyDenied):
        S3Location("evidence", "below").name_of(key)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"s3_secret_key": SecretStr("wrong-but-long-enough")}, "EXHIBIT_S3_SECRET_KEY"),
        ({"s3_access_key": SecretStr("nobody-we-know")}, "does not know this access key"),
    ],
)
def test_a_wrong_key_says_so(real_server, wrong, words):
    with pytest.raises(Unavailable, match=words) as caught:
        prepare_bucket(open_bucket(real_server.settings("s3://anything", **wrong)))
    assert caught.value.code == "store_credentials"
    assert "wrong-but-long-enough" not in str(caught.value)


def test_a_bucket_that_is_taken_away_says_so(server):
    with pytest.raises(Unavailable, match="there is no such bucket") as caught:
        server.bucket("s3://never-made").write("x", b"")
    assert caught.value.code == "no_bucket"


def test_no_credentials_say_what_to_set(monkeypatch):
    monkeypatch.delenv("AWS_ACCESS_KEY_ID", raising=False)
    with pytest.raises(Unavailable, match="EXHIBIT_S3_ACCESS_KEY"):
        open_bucket(isolated_settings(evidence_bucket="s3://bucket"))


def test_the_credentials_of_other_s3_programs_are_found_for_sql_too(real_server, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", real_server.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", real_server.secret_key)
    settings = real_server.settings("s3://from-the-environment", s3_access_key=None, s3_secret_key=None)
    assert prepare_bucket(open_bucket(settings)).versioning
    secret = make_duckdb_secret(settings)
    assert (secret["KEY_ID"], secret["SECRET"]) == (real_server.access_key, real_server.secret_key)
    assert secret["SCOPE"] == "s3://from-the-environment/"


def test_a_server_that_is_not_there_says_so():
    settings = isolated_settings(s3_endpoint=f"http://127.0.0.1:{free_port()}", s3_access_key="a", s3_secret_key="b")
    with pytest.raises(Unavailable, match="does not answer") as caught:
        prepare_bucket(open_bucket(settings, "s3://bucket"))
    assert caught.value.code == "store_unavailable"


@pytest.mark.parametrize("endpoint", ["127.0.0.1:9000", "ftp://x", "http://x/path", ""])
def test_an_endpoint_that_is_none_says_so(endpoint):
    settings = isolated_settings(s3_access_key="a", s3_secret_key="b").model_copy(update={"s3_endpoint": endpoint})
    with pytest.raises(PermanentError, match="EXHIBIT_S3_ENDPOINT"):
        open_bucket(settings, "s3://bucket")


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("s3://evidence", S3Location("evidence")),
        ("s3://evidence/", S3Location("evidence")),
        ("s3://evi.dence/2026/audits/", S3Location("evi.dence", "2026/audits")),
    ],
)
def test_a_place_is_read(url, place):
    assert parse_location(url) == place
    assert parse_location(str(place)) == place


@pytest.mark.parametrize(
    "url",
    ["evidence", "s3://", "s3://X", "s3://a", "s3://a..b", "s3://10.0.0.1", "s3://bucket/../x", "s3://bucket/a//b"],
)
def test_what_is_no_place_says_so(url):
    with pytest.raises(PermanentError, match="s3://") as caught:
        parse_location(url)
    assert caught.value.code == "bad_place"


@pytest.mark.parametrize(
    "metadata", [{}, {"exhibit-sha256": "../x", "exhibit-size-bytes": "1"}, {"exhibit-sha256": SHA}]
)
def test_a_pointer_that_names_nothing_is_an_error(metadata):
    with pytest.raises(PermanentError, match="points at nothing"):
        parse_pointer(POINTER_TYPE, metadata)

"""A query can only read the views, of a folder or a bucket, and can write nothing.

Each escape is tried twice: as a query, and directly in the process that executes queries.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from pathlib import Path

import duckdb
import pytest
import pytest_asyncio

from services.evidence.sql.catalogue import TABLES
from services.evidence.sql.query_guard import REVIEWED_DUCKDB
from services.evidence.sql_sandbox.child import SqlSandbox
from services.evidence.sql_sandbox.pool import bucket_access
from shared.s3.opening import open_bucket, prepare_bucket
from shared.settings import Settings
from tests.handlers.evidence.sql_room import Room, opened
from tests.s3_servers import SERVERS, S3Server, s3_server

pytestmark = pytest.mark.asyncio(loop_scope="module")
PLACES = ("folder", *SERVERS)


@pytest.fixture(scope="module", params=PLACES)
def settings(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    folder = tmp_path_factory.mktemp("place")
    own = Settings(evidence_dir=folder / "evidence", state_dir=folder / "state")
    with ExitStack() as stack:
        if request.param != "folder":
            server: S3Server = stack.enter_context(s3_server(request.param, tmp_path_factory.mktemp("s3")))
            own = server.settings("s3://evidence/kept", own)
        yield own


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def room(settings: Settings) -> AsyncIterator[Room]:
    async with opened(settings) as room:
        yield room


async def test_the_same_answers_wherever_evidence_lies(room):
    assert await room.rows("SELECT run_id, state, read_from, samples FROM runs ORDER BY 1") == [
        ("run_1", "finished", "tables", 5),
        ("run_2", "unfinished", "files", 5),
    ]
    assert await room.rows(
        "SELECT sample_id, value FROM fields WHERE field = 'amount' AND state = 'value'", "run_1"
    ) == [("TCK-1", "1234567.89")]
    assert await room.rows("SELECT count(*) FROM steps", "run_1") == [(13,)]


async def test_the_credentials_of_other_s3_programs_open_the_tables_too(tmp_path_factory, tmp_path, monkeypatch):
    with s3_server("versitygw", tmp_path_factory.mktemp("s3")) as server:
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", server.access_key)
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", server.secret_key)
        base = Settings(state_dir=tmp_path / "state")
        async with opened(server.settings("s3://kept", base, s3_access_key=None, s3_secret_key=None)) as room:
            assert await room.rows("SELECT count(*) FROM samples", "run_1") == [(5,)]


NOT_READ_ONLY = (
    "INSERT INTO runs SELECT * FROM runs",
    "UPDATE runs SET state = 'finished'",
    "DELETE FROM runs",
    "TRUNCATE runs",
    "DROP VIEW samples",
    "CREATE TABLE x AS SELECT 1",
    "CREATE OR REPLACE VIEW samples AS SELECT 1",
    "CREATE MACRO f() AS TABLE SELECT * FROM read_text('/etc/passwd')",
    "CREATE SECRET s (TYPE s3)",
    "ALTER TABLE runs DROP COLUMN spec",
    "ATTACH '/tmp/x.db'",
    "ATTACH ':memory:' AS other",
    "DETACH memory",
    "USE memory",
    "COPY runs TO 'out.csv'",
    "COPY (SELECT 1) TO '{folder}/out.parquet'",
    "COPY runs FROM '/etc/passwd'",
    "EXPORT DATABASE '/tmp/x'",
    "IMPORT DATABASE '/tmp/x'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET lock_configuration = false",
    "SET enable_external_access = true",
    "RESET memory_limit",
    "PRAGMA enable_profiling",
    "PRAGMA database_list",
    "CALL pragma_version()",
    "CALL enable_logging()",
    "PREPARE p AS SELECT 1",
    "EXECUTE p",
    "EXPLAIN ANALYZE SELECT 1",
    "VACUUM",
    "CHECKPOINT",
    "BEGIN TRANSACTION",
    "WITH x AS (DELETE FROM runs RETURNING *) FROM x",
    "MERGE INTO runs USING (SELECT 1) ON true WHEN MATCHED THEN DELETE",
)
READS = (
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_csv_auto('/etc/passwd', delim=':')",
    "SELECT * FROM READ_TEXT('/etc/passwd')",
    "SELECT * FROM read_blob('/etc/passwd')",
    "SELECT * FROM read_json('/etc/passwd')",
    "SELECT * FROM read_ndjson_objects('/etc/passwd')",
    "SELECT * FROM read_parquet('{table}')",
    "SELECT * FROM parquet_scan('{table}')",
    "SELECT * FROM parquet_metadata('{table}')",
    "SELECT * FROM parquet_kv_metadata('{table}')",
    "SELECT * FROM read_duckdb('/tmp/x.db')",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    "SELECT * FROM glob('*')",
    "SELECT * FROM glob('/**')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM '../../../etc/passwd'",
    'SELECT * FROM "/etc/passwd.csv"',
    "SELECT * FROM '{table}'",
    "SELECT * FROM 'https://example.com/x.parquet'",
    "SELECT * FROM 's3://other/secret.parquet'",
    "SELECT * FROM 's3://evidence/other/secret.parquet'",
    "SELECT * FROM read_text('s3://other/secret.txt')",
    "SELECT * FROM read_parquet('s3://evidence/kept/run_1/tables/../../../other/secret.parquet')",
    "SELECT (SELECT content FROM read_text('/etc/passwd'))",
    "SELECT 1 WHERE EXISTS (FROM read_text('/etc/passwd'))",
    "SELECT 1 UNION ALL SELECT content FROM read_text('/etc/passwd')",
    "WITH a AS (FROM read_text('/etc/passwd')) SELECT * FROM a",
    "SELECT * FROM samples JOIN read_text('/etc/passwd') ON true",
    "SELECT * FROM samples, LATERAL (SELECT * FROM read_text(samples.url))",
    "SELECT * FROM query('SELECT * FROM read_text(''/etc/passwd'')')",
    "SELECT * FROM query_table('/etc/passwd')",
    "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
    "DESCRIBE (SELECT * FROM read_text('/etc/passwd'))",
    "SUMMARIZE (FROM '/etc/passwd')",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM duckdb_secrets(redact=false)",
    "SELECT * FROM which_secret('s3://evidence/x', 's3')",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM duckdb_views()",
    "SELECT * FROM duckdb_views",
    "SELECT * FROM sqlite_master",
    "SELECT * FROM pg_catalog.pg_class",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM main.samples",
    "SELECT * FROM aside.answer",
    "SELECT * FROM duckdb_logs",
    "SELECT * FROM duckdb_external_file_cache()",
    "SELECT * FROM pragma_database_list",
    "SHOW DATABASES",
    "SHOW ALL TABLES",
    "SELECT * FROM enable_logging(level='trace', storage='file', storage_path='/tmp/x')",
    "SELECT * FROM checkpoint()",
    "SELECT * FROM arrow_scan(1, 2, 3)",
    "SELECT * FROM seq_scan('x')",
    "SELECT current_setting('s3_secret_access_key')",
    "SELECT getenv('HOME')",
    "SELECT getvariable('x')",
    "SELECT sum(x) OVER (ORDER BY current_setting('memory_limit')) FROM (SELECT 1 AS x)",
    "SELECT list_transform([1], lambda x: current_setting('memory_limit'))",
    "SELECT * FROM samples ORDER BY pg_get_viewdef(1)",
    "SELECT write_log('x')",
    "SELECT nextval('x')",
    "SELECT json_serialize_plan('FROM ''/etc/passwd''')",
    'WITH "/etc/passwd" AS (SELECT 1) SELECT * FROM "/etc/passwd"',
    "SELECT * FROM duckdb_views WHERE EXISTS (WITH duckdb_views AS (SELECT 1) FROM duckdb_views)",
    "WITH a AS (FROM sqlite_master), sqlite_master AS (SELECT 1) FROM a",
    "SELECT $x",
)


@pytest.mark.parametrize("query", [*NOT_READ_ONLY, *READS])
async def test_it_is_refused(room, query):
    table = room.deps.store.location("run_1/tables/samples.parquet")
    refused = await room.refused(query.format(table=table, folder=room.settings.state_dir), "run_1")
    assert refused.code in ("not_read_only", "not_allowed", "no_such_view", "syntax", "wrong", "several_statements")
    assert query in READS or refused.code in ("not_read_only", "syntax"), refused


async def test_what_is_refused_has_changed_nothing(room):
    async def hashes() -> dict[str, str]:
        names = await room.deps.store.names("run_1/tables")
        read = {name: await room.deps.store.read(f"run_1/tables/{name}") for name in names}
        return {name: hashlib.sha256(data or b"").hexdigest() for name, data in read.items()}

    before = await hashes()
    table = room.deps.store.location("run_1/tables/samples.parquet")
    for query in (f"COPY (SELECT 1) TO '{table}'", f"COPY runs TO '{table}' (FORMAT parquet)"):
        await room.refused(query, "run_1")
    assert await hashes() == before
    assert len(before) == len(TABLES)


# --- beyond what a query may say: what the process itself can do


@pytest.fixture
async def cell(room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SqlSandbox:
    """The database as a query meets it, in this process, so that statements reach it that no query could be."""
    table = room.deps.store.location("run_1/tables/samples.parquet")
    (tmp_path / "runs.jsonl").write_bytes(b"")
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path)
    return SqlSandbox(
        {
            "folder": "out",
            "runs": "runs.jsonl",
            "files": [table],
            "views": [f"CREATE VIEW samples AS FROM read_parquet('{table}')"],
            "bucket": bucket_access(room.settings),
            "memory": "500MB",
            "threads": 1,
        }
    )


async def test_even_what_gets_past_the_parser_opens_no_other_file(cell, room, tmp_path):
    (tmp_path / "secret.csv").write_text("password\n")
    (tmp_path / "link.parquet").symlink_to(tmp_path / "secret.csv")
    place = room.deps.store.location("run_1")
    other = room.deps.store.location("run_1/tables/fields.parquet")
    for query in (
        "FROM read_text('secret.csv')",
        f"FROM read_text('{tmp_path}/secret.csv')",
        "FROM read_text('out/../secret.csv')",
        "FROM 'link.parquet'",
        f"FROM read_parquet('{other}')",
        f"FROM read_text('{place}/TCK-1/result.json')",
        f"FROM glob('{place}/*')",
        "FROM read_text('s3://other/secret.txt')",
        "FROM read_csv('http://127.0.0.1:9/x.csv')",
        f"COPY (SELECT 1) TO '{place}/tables/new.parquet'",
        f"COPY (SELECT 1) TO '{other}'",
        f"ATTACH '{tmp_path}/x.db'",
        "INSTALL spatial",
        "LOAD '/tmp/x.duckdb_extension'",
        "SET enable_external_access = true",
        "SET allowed_paths = ['/etc/passwd']",
        "SET lock_configuration = false",
        "SET allow_unredacted_secrets = true",
        "FROM duckdb_secrets(redact=false)",
        "CREATE PERSISTENT SECRET s (TYPE s3)",
    ):
        with pytest.raises(duckdb.Error):
            cell._db.execute(query).fetchall()
    assert cell._db.execute("SELECT count(*) FROM samples").fetchall() == [(5,)]


async def test_the_key_to_the_bucket_is_nowhere_to_be_read(cell, room):
    secret = room.settings.s3_secret_key
    shown = cell._db.execute("SELECT * FROM duckdb_secrets()").fetchall()
    shown += cell._db.execute("SELECT name, value FROM duckdb_settings()").fetchall()
    assert secret is None or secret.get_secret_value() not in str(shown)
    assert (secret is None) == (len(bucket_access(room.settings) or {}) == 0)


async def test_a_bucket_of_other_things_is_closed(cell, room):
    """On the same server too, where evidence lies in a bucket."""
    if room.settings.evidence_bucket is not None:
        other = open_bucket(room.settings.model_copy(update={"evidence_bucket": "s3://other"}))
        prepare_bucket(other)
        other.write("secret.txt", b"x")
    with pytest.raises(duckdb.Error, match="disabled by configuration"):
        cell._db.execute("FROM read_text('s3://other/secret.txt')")


async def test_the_functions_of_this_duckdb_were_gone_through():
    assert duckdb.__version__ == REVIEWED_DUCKDB, "go through its functions for what tells of the process, then say so"

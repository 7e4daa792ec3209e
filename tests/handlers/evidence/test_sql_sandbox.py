"""A query can only read the views, of a folder or a bucket, and can write nothing.

Each escape is tried as a query, and some directly in the database that executes queries.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import duckdb
import psutil
import pytest
import pytest_asyncio

from services.evidence.sql.query_guard import REVIEWED_DUCKDB
from services.evidence.sql_sandbox.child import NICENESS, SqlSandbox
from services.evidence.sql_sandbox.pool import PROGRAM, bucket_access
from shared.errors import Unavailable
from shared.s3.features import prepare_bucket
from shared.s3.opening import open_bucket
from shared.settings import Settings
from tests.certificates import Authority
from tests.handlers.conftest import REAL, any_server
from tests.handlers.evidence.sql_room import Room, opened
from tests.s3_servers import S3Server, s3_server

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture(scope="module", params=["folder", *REAL])
def settings(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    folder = tmp_path_factory.mktemp("place")
    own = Settings(evidence_dir=folder / "evidence", state_dir=folder / "state")
    if request.param == "folder":
        yield own
        return
    with any_server(request.param, tmp_path_factory.mktemp("s3")) as server:
        assert isinstance(server, S3Server)
        yield server.settings("s3://evidence/kept", own)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def room(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Room]:
    folder = tmp_path_factory.mktemp("room")
    async with opened(Settings(evidence_dir=folder / "evidence", state_dir=folder / "state")) as room:
        yield room


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def filed(settings: Settings) -> AsyncIterator[Room]:
    """Runs in a folder and in buckets, of which no query is asked."""
    async with opened(settings) as filed:
        yield filed


@pytest.mark.system
async def test_the_same_answers_wherever_evidence_lies(settings):
    """In the process of the sandbox."""
    async with opened(settings, process=True) as room:
        assert await room.rows("SELECT run_id, state, read_from, samples FROM runs ORDER BY 1") == [
            ("run_1", "finished", "tables", 5),
            ("run_2", "unfinished", "files", 5),
        ]
        amount = "SELECT sample_id, value FROM fields WHERE field = 'amount' AND state = 'value'"
        assert await room.rows(amount, "run_1") == [("TCK-1", "1234567.89")]
        assert await room.rows("SELECT count(*) FROM steps", "run_1") == [(13,)]


@pytest.mark.system
async def test_a_bucket_behind_tls_is_read_and_one_of_another_authority_is_not(tmp_path):
    ours, others = Authority(tmp_path / "ours"), Authority(tmp_path / "others")
    own = Settings(evidence_dir=tmp_path / "evidence", state_dir=tmp_path / "state")
    with s3_server("versitygw", tmp_path, tls=ours.issue("s3")) as server:
        trusting = server.settings("s3://evidence/kept", own, s3_ca=ours.pem)
        async with opened(trusting, process=True) as room:
            assert await room.rows("SELECT count(*) FROM steps", "run_1") == [(13,)]
        table = room.deps.store.location("run_1/tables/steps.parquet")
        for settings in (server.settings("s3://evidence/kept", own), trusting.model_copy(update={"s3_ca": others.pem})):
            with pytest.raises(Unavailable, match="certificate"):
                prepare_bucket(open_bucket(settings))
            with pytest.raises(duckdb.Error, match=r"(?i)ssl|certificate"):
                reads(tmp_path, settings, table)
        assert reads(tmp_path, trusting, table) == 13


def reads(folder: Path, settings: Settings, table: str) -> int:
    """Count the rows of a table in the database of a query, in this process."""
    (folder / "runs.jsonl").write_bytes(b"")
    own = {"folder": str(folder), "runs": str(folder / "runs.jsonl"), "files": [table], "views": []}
    cell = SqlSandbox({**own, "bucket": bucket_access(settings), "memory": "500MB", "threads": 1})
    return cell._scalar(f"SELECT count(*) FROM read_parquet('{table}')", {})


@pytest.mark.system
async def test_a_query_that_wants_too_much_ends_its_process_and_evidence_goes_on(tmp_path):
    """Its folder bears a name that DuckDB would take for a pattern."""
    own = Settings(evidence_dir=tmp_path / "evidence [2026] *", state_dir=tmp_path / "state")
    async with opened(own, process=True) as room:
        for query in (
            "select sum(length(repeat('x', 2000000000))) from range(8)",
            "select repeat('x', 1000000) from range(400)",
        ):
            refused = await room.refused(query, "run_1", timeout_s=120)
            assert refused.code in ("too_large", "failed"), refused
            assert await room.rows("select 1", "run_1") == [(1,)]
            sandboxes = [one for one in psutil.Process().children(recursive=True) if PROGRAM in one.cmdline()]
            assert {one.nice() for one in sandboxes} == {NICENESS}


NOT_READ_ONLY = (
    "INSERT INTO runs SELECT * FROM runs",
    "DELETE FROM runs",
    "DROP VIEW samples",
    "CREATE TABLE x AS SELECT 1",
    "CREATE MACRO f() AS TABLE SELECT * FROM read_text('/etc/passwd')",
    "CREATE SECRET s (TYPE s3)",
    "ATTACH '/tmp/x.db'",
    "USE memory",
    "COPY runs TO '{table}' (FORMAT parquet)",
    "COPY (SELECT 1) TO '{folder}/out.parquet'",
    "COPY runs FROM '/etc/passwd'",
    "EXPORT DATABASE '/tmp/x'",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "PRAGMA database_list",
    "CALL pragma_version()",
    "PREPARE p AS SELECT 1",
    "EXPLAIN ANALYZE SELECT 1",
    "BEGIN TRANSACTION",
    "WITH x AS (DELETE FROM runs RETURNING *) FROM x",
    "MERGE INTO runs USING (SELECT 1) ON true WHEN MATCHED THEN DELETE",
)
READS = (
    # Functions that are tables, wherever they stand.
    "SELECT * FROM read_csv_auto('/etc/passwd', delim=':')",
    "SELECT * FROM READ_TEXT('/etc/passwd')",
    "SELECT * FROM read_parquet('{table}')",
    "SELECT * FROM glob('/**')",
    "SELECT * FROM read_text('s3://other/secret.txt')",
    "SELECT (SELECT content FROM read_text('/etc/passwd'))",
    "SELECT 1 WHERE EXISTS (FROM read_text('/etc/passwd'))",
    "SELECT 1 UNION ALL SELECT content FROM read_text('/etc/passwd')",
    "WITH a AS (FROM read_text('/etc/passwd')) SELECT * FROM a",
    "SELECT * FROM samples JOIN read_text('/etc/passwd') ON true",
    "SELECT * FROM samples, LATERAL (SELECT * FROM read_text(samples.url))",
    "SELECT * FROM query('SELECT * FROM read_text(''/etc/passwd'')')",
    "SELECT * FROM query_table('/etc/passwd')",
    "DESCRIBE (SELECT * FROM read_text('/etc/passwd'))",
    "SELECT * FROM duckdb_secrets(redact=false)",
    "SELECT * FROM enable_logging(level='trace', storage='file', storage_path='/tmp/x')",
    "SELECT * FROM arrow_scan(1, 2, 3)",
    # Names that are no views.
    "SELECT * FROM '/etc/passwd'",
    'SELECT * FROM "/etc/passwd.csv"',
    "SELECT * FROM '{table}'",
    "SELECT * FROM 'https://example.com/x.parquet'",
    "SELECT * FROM 's3://evidence/other/secret.parquet'",
    "SUMMARIZE (FROM '/etc/passwd')",
    "SELECT * FROM duckdb_views",
    "SELECT * FROM sqlite_master",
    "SELECT * FROM pg_catalog.pg_class",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM main.samples",
    "SELECT * FROM aside.answer",
    "SHOW DATABASES",
    "SHOW ALL TABLES",
    # Functions that tell of the process, wherever they stand.
    "SELECT current_setting('s3_secret_access_key')",
    "SELECT getenv('HOME')",
    "SELECT sum(x) OVER (ORDER BY current_setting('memory_limit')) FROM (SELECT 1 AS x)",
    "SELECT list_transform([1], lambda x: current_setting('memory_limit'))",
    "SELECT * FROM samples ORDER BY pg_get_viewdef(1)",
    "SELECT write_log('x')",
    "SELECT json_serialize_plan('FROM ''/etc/passwd''')",
    # Names that a query gives to its own parts, and that are something else outside of them.
    'WITH "/etc/passwd" AS (SELECT 1) SELECT * FROM "/etc/passwd"',
    "SELECT * FROM duckdb_views WHERE EXISTS (WITH duckdb_views AS (SELECT 1) FROM duckdb_views)",
    "WITH a AS (FROM sqlite_master), sqlite_master AS (SELECT 1) FROM a",
    "SELECT $x",
)


async def codes(room: Room, queries: tuple[str, ...]) -> dict[str, str]:
    """Of each query why it was refused."""
    table = room.deps.store.location("run_1/tables/samples.parquet")
    asked = {query: query.format(table=table, folder=room.settings.state_dir) for query in queries}
    answers: dict[str, Any] = {query: await room.ask(text, "run_1") for query, text in asked.items()}
    return {query: getattr(answer, "code", "answered") for query, answer in answers.items()}


async def test_what_is_no_read_is_refused_and_has_changed_nothing(room):
    folder = room.settings.evidence_dir / "run_1" / "tables"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for query, code in (await codes(room, NOT_READ_ONLY)).items():
        assert code in ("not_read_only", "syntax"), query
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


async def test_what_reads_something_else_is_refused(room):
    for query, code in (await codes(room, READS)).items():
        assert code in ("not_read_only", "not_allowed", "no_such_view", "syntax", "wrong"), query


# --- beyond what a query may say: what the process itself can do


@pytest.fixture
async def cell(filed: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SqlSandbox:
    """The database as a query meets it, in this process, so that statements reach it that no query could be."""
    table = filed.deps.store.location("run_1/tables/samples.parquet")
    (tmp_path / "runs.jsonl").write_bytes(b"")
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path)
    return SqlSandbox(
        {
            "folder": "out",
            "runs": "runs.jsonl",
            "files": [table],
            "views": [f"CREATE VIEW samples AS FROM read_parquet('{table}')"],
            "bucket": bucket_access(filed.settings),
            "memory": "500MB",
            "threads": 1,
        }
    )


async def test_even_what_gets_past_the_parser_opens_no_other_file(cell, filed, tmp_path):
    (tmp_path / "secret.csv").write_text("password\n")
    (tmp_path / "link.parquet").symlink_to(tmp_path / "secret.csv")
    place = filed.deps.store.location("run_1")
    other = filed.deps.store.location("run_1/tables/fields.parquet")
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


async def test_the_key_to_the_bucket_is_nowhere_to_be_read(cell, filed):
    secret = filed.settings.s3_secret_key
    shown = cell._db.execute("SELECT * FROM duckdb_secrets()").fetchall()
    shown += cell._db.execute("SELECT name, value FROM duckdb_settings()").fetchall()
    assert secret is None or secret.get_secret_value() not in str(shown)
    assert (secret is None) == (len(bucket_access(filed.settings) or {}) == 0)


async def test_a_bucket_of_other_things_is_closed(cell, filed):
    """On the same server too, where evidence lies in a bucket."""
    if filed.settings.evidence_bucket is not None:
        other = open_bucket(filed.settings.model_copy(update={"evidence_bucket": "s3://other"}))
        prepare_bucket(other)
        other.write("secret.txt", b"x")
    with pytest.raises(duckdb.Error, match="disabled by configuration"):
        cell._db.execute("FROM read_text('s3://other/secret.txt')")


async def test_the_functions_of_this_duckdb_were_gone_through():
    assert duckdb.__version__ == REVIEWED_DUCKDB, "go through its functions for what tells of the process, then say so"

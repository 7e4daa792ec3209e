"""Names and paths of all files below the evidence folder.

run_2026-03-01_101500/
  run.json  samples.csv (or discovered_samples.csv, where they were found by navigating)  report.html
  combined.csv  combined.parquet  combined.xlsx  the table, one row a sample
  enriched.csv  the rows of the input with what was found, where there was an input
  reconciliation/register_0f3a....csv  what the population was compared with, where it was compared, named by its hash
  reconciliation/reconciliation.json  the comparison, record by record
  memory/patterns.json, failures.json  what samples have taught, where a model decided
  manifest.json, seal.json  all of the above and the manifests of all samples, hashed and signed
  rounds/1/  what an earlier round had sealed, before the run was resumed
  seal.timestamps/1.tsr  the token of a time-stamping authority for the seal of round 1; in no manifest
  review.rounds/1/000001.json  a decision of a person who reviews the run, each sealed and chained to the one before
  _discovery/  how the samples were found: as for a sample
  TCK-1001/
    sample.json  01_ticket.png  action_log.json  result.json  manifest.json
    01_ticket.mhtml.zst, 01_ticket.observation.json.zst  the page that a picture shows, and what was read of it; of a
      picture in parts they bear the number of the first: 02_list_1of3.png, 02_list.mhtml.zst
    step_003.jpg  the page at step 3, small;  flow.json  the version of the flow that ran
    page_01_my_ticket.mhtml.zst, .observation.json.zst  a page that values were taken from and no picture was taken of,
      under its title; the next is page_02
    _log/steps.jsonl  the steps while the attempt is at work, one a line; then they stand in action_log.json. In a
      bucket, and in runs of earlier versions, each is a file: _log/000001.json
    attempt_1/  what an earlier attempt left behind
    pressed_3.json  which attempt has claimed the irreversible step 3; pressed_3_again_1.json after a person released it
    doubted_1/  result.json and manifest.json of attempt 1 as they were before other samples of the run refuted a value
    settled_1/  settlement.json: what a person said of a press whose outcome was not known; result.json and
      manifest.json as they were before
.quarantine/run_2026-03-01_101500/  events that were refused, by their hashes: no part of the run
run.tags/run_2026-03-01_101500.json  the tags that people have set: no part of the run, and in no seal
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from shared.contracts.results import Artifact
from shared.errors import PolicyDenied
from shared.text.names import DISCOVERY, RESERVED, safe_label

# The form of what `shared.text.names.safe_id` returns. Calling it again would add a second hash to the name.
_SAFE = re.compile(r"[A-Za-z0-9_-]{1,100}")
_FILENAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,120}")
RUN, SAMPLES, COMBINED = "run.json", "samples.csv", "combined.csv"
REPORT = "report.html"
MEMORY = "memory"
DISCOVERED = "discovered_samples.csv"
ENRICHED = "enriched.csv"
SAMPLE, RESULT, ACTION_LOG = "sample.json", "result.json", "action_log.json"
MANIFEST, SEAL, ROUNDS = "manifest.json", "seal.json", "rounds"
OBJECTS, TABLES = "objects", "tables"
REVIEWS = "review.rounds"
"""No sample can have this name, in runs of earlier versions neither: it has a dot."""
TIMESTAMPS = "seal.timestamps"
"""No sample can have this name either."""
RECONCILIATION = "reconciliation"
RECONCILED = f"{RECONCILIATION}/reconciliation.json"
PUBLIC_KEY, VERIFY = "public_key.pem", "VERIFY.txt"
"""Added by an export; neither is sealed, and both follow from the seal."""
POPULATIONS = (SAMPLES, DISCOVERED)
LOG_PIECES = "_log"
"""No artifact can have this name: their names begin with a letter or a digit."""
LOG_LINES = f"{LOG_PIECES}/steps.jsonl"
LOG_BEGUN = f"{LOG_PIECES}/attempt.json"
"""Holds the number of the current attempt, unless it is the first."""
FLOW_FILE = "flow.json"
"""The version of the flow that did a sample, filed with its first step."""
SETTLED, SETTLEMENT = "settled_", "settlement.json"
DOUBTED = "doubted_"
QUARANTINE = ".quarantine"
"""Beside the runs. No run can have this name."""
TAGS = "run.tags"
"""Beside the runs as well. No run can have this name: it has a dot."""
OWN_FILES = frozenset({SAMPLE, RESULT, ACTION_LOG, MANIFEST, SETTLEMENT})


def run_key(run_id: str, name: str = "") -> str:
    return _join(_safe(run_id), name)


def sample_key(run_id: str, sample_id: str, name: str = "") -> str:
    return _join(_safe(run_id), _safe(sample_id), name)


def quarantine_key(run_id: str, name: str = "") -> str:
    return _join(QUARANTINE, _safe(run_id), name)


def tags_key(run_id: str) -> str:
    return f"{TAGS}/{_safe(run_id)}.json"


def no_run(run_id: str, place: str) -> str:
    """Return the message that ``place`` holds no such run."""
    return f"there is no run {run_id!r} in {place}"


def is_filename(name: str) -> bool:
    """Whether an artifact may have this name: a plain file name, and none that we write ourselves."""
    return _FILENAME.fullmatch(name) is not None and name not in OWN_FILES


def artifact_key(run_id: str, sample_id: str, filename: str) -> str:
    """Return the path of an artifact. Raises PolicyDenied for a name that no artifact may have."""
    if not is_filename(filename):
        raise PolicyDenied(f"an artifact cannot be named {filename!r}", code="unsafe_name")
    return sample_key(run_id, sample_id, filename)


REGISTER_SUFFIXES = ("csv", "tsv", "xlsx", "xls", "json")


def register_path(sha256: str, name: str) -> str:
    """Return the path of a register in the run's folder. It has the hash in it, so that another register, which a later
    round is compared with, never takes its place. ``name``: as it was given; of an unknown kind it is text."""
    suffix = name.rpartition(".")[2].lower()
    return f"{RECONCILIATION}/register_{sha256[:12].lower()}.{suffix if suffix in REGISTER_SUFFIXES else 'txt'}"


def attempt_folder(attempt: int) -> str:
    return f"attempt_{attempt}"


def log_piece(step: int) -> str:
    """Return the path of a step during its attempt, where each is a file. The names sort in the order of the steps, and
    before :data:`LOG_LINES`."""
    return f"{LOG_PIECES}/{step:06d}.json"


def pressed_file(step: int, released: int = 0) -> str:
    """Return the name of the file with the claim of an irreversible action; ``step`` of the route counts from 1.

    ``released``: how many times a person has released the claims of the sample. A released claim stays where it is.
    """
    return f"pressed_{step}_again_{released}.json" if released else f"pressed_{step}.json"


def settlement_folder(number: int) -> str:
    return f"{SETTLED}{number}"


def doubt_folder(attempt: int) -> str:
    return f"{DOUBTED}{attempt}"


def stays(name: str) -> bool:
    """Whether a name in a sample's folder belongs to the sample, and not to its current attempt."""
    return name == SAMPLE or name.startswith(("attempt_", "pressed_", SETTLED, DOUBTED))


def attempts_put_aside(names: Iterable[str]) -> list[int]:
    """Return the attempts that have folders of their own, from the names in a sample's folder."""
    return _numbers(names, "attempt_")


def settlements_in(names: Iterable[str]) -> list[int]:
    """Return the numbers of the settlements of a sample in their order, from the names in its folder."""
    return sorted(_numbers(names, SETTLED))


def _numbers(names: Iterable[str], prefix: str) -> list[int]:
    digits = [name.removeprefix(prefix) for name in names if name.startswith(prefix)]
    return [int(digit) for digit in digits if digit.isascii() and digit.isdecimal()]


def is_ours(path: str) -> bool:
    """Whether a file was written by us and not captured; ``path`` is relative to the run's folder."""
    name = path.rpartition("/")[2]
    own = name in OWN_FILES or name == SEAL or name.startswith("pressed_")
    return own or path.split("/")[0] in (ROUNDS, MEMORY, TABLES, RECONCILIATION, REVIEWS, TIMESTAMPS)


def is_of_round(path: str) -> bool:
    """Whether a file at the root of a run belongs to one round, such as its tables; other files are continued."""
    if path.startswith(f"{RECONCILIATION}/"):
        return path == RECONCILED
    return not path.startswith(f"{MEMORY}/") and path not in (RUN, *POPULATIONS)


def is_review(path: str) -> bool:
    """Whether a file is a decision of the review. It is written once and stays where it is, in every round of the
    run."""
    return path.startswith(f"{REVIEWS}/")


def review_path(round_: int, number: int) -> str:
    """Return where a decision is, by the round of the review and its number in the run."""
    return f"{REVIEWS}/{round_}/{number:06d}.json"


def timestamp_path(round_: int) -> str:
    """Return where the timestamp token of the seal of a round is. It is written once, later than the seal, and stays
    where it is in every round of the run."""
    return f"{TIMESTAMPS}/{round_}.tsr"


def is_safe(name: str) -> bool:
    return _SAFE.fullmatch(name) is not None and (name == DISCOVERY or name.lower() not in RESERVED)


def _safe(name: str) -> str:
    """Names are made safe where they are created, so an unsafe one does not come from us."""
    if not is_safe(name):
        raise PolicyDenied(f"{name!r} cannot be the name of a folder", code="unsafe_name")
    return name


def _join(*parts: str) -> str:
    return "/".join(part for part in parts if part)


# --- captured files

SUFFIXES = {"page": "mhtml.zst", "observation": "observation.json.zst"}
MAX_SUFFIX_CHARS = 10


def artifact_filename(number: int, artifact: Artifact) -> str:
    """Return a file name such as `01_ticket.png`, or `02_ticket_2of3.png` if there are several parts."""
    suffix = _clean_suffix(artifact)
    part = f"_{artifact.part}of{artifact.parts}" if artifact.parts > 1 else ""
    suffix = SUFFIXES.get(artifact.kind, suffix)
    return f"{number:02d}_{safe_label(artifact.label)}{part}" + (f".{suffix}" if suffix else "")


def response_name(suffix: str) -> str:
    """Return the file name of what the API of the task has answered; an attempt asks it once."""
    return f"response.{'json' if suffix == 'json' else 'txt'}"


def prompt_name(step: int) -> str:
    """Return the file name of what a model was asked at a step."""
    return f"prompt_{step:03}.json.zst"


def step_picture_name(step: int, artifact: Artifact) -> str:
    """Return the file name of the picture of a step, from 1: `step_003.jpg`."""
    return f"step_{step:03d}.{_clean_suffix(artifact)}"


def _clean_suffix(artifact: Artifact) -> str:
    """Return the suffix without what a site could have put into that of a download."""
    return "".join(c for c in artifact.suffix.lower() if c.isascii() and c.isalnum())[:MAX_SUFFIX_CHARS]

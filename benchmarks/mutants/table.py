"""All mutants: the modules that decide, each with the changes that some fast test must notice."""

from __future__ import annotations

from benchmarks.mutants.table_browser import HOSTS, POOL, PRESSES
from benchmarks.mutants.table_evidence import ADMIT, CHAIN, SIGNATURES
from benchmarks.mutants.table_flows import COMPILING, ELEMENTS, EXTRACTION, HEALING, RUN
from benchmarks.mutants.table_planner import JUDGE, LIMITS, PAGE
from benchmarks.mutants.table_texts import TEXTS

MODULES = (
    *(*JUDGE, *PAGE, *LIMITS),
    *(*EXTRACTION, *COMPILING, *ELEMENTS, *HEALING, *RUN),
    *(*CHAIN, *SIGNATURES, *ADMIT),
    *(*HOSTS, *PRESSES, *POOL),
    *TEXTS,
)

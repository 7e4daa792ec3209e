"""Write task_specs/schema.json from the model."""

from __future__ import annotations

import json
from pathlib import Path

from shared.task.spec import json_schema

if __name__ == "__main__":
    Path("task_specs/schema.json").write_text(json.dumps(json_schema(), indent=2) + "\n", encoding="utf-8")

"""The endpoint that plays back a model's answers is the one the planner's tests use."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "planner"))

"""The file of a drafted task, and its display: all text in it comes from a model."""

import shlex

import pytest

from services.console.commands.ask import DraftFiles, run_command, save_draft
from shared.contracts.planner import TaskDrafted
from shared.errors import RunRejectedError

DRAFT = TaskDrafted(spec={"task_id": "members"}, samples=({"name": "ann"},), drafted_by="m")


@pytest.mark.parametrize("name", ["members.json", "members.csv"])
def test_no_file_that_is_there_is_written_over(tmp_path, name):
    (tmp_path / name).write_text("mine", encoding="utf-8")
    with pytest.raises(RunRejectedError) as caught:
        save_draft(DRAFT, tmp_path, force=False)
    assert [problem.where for problem in caught.value.problems] == [str(tmp_path / name)]
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert save_draft(DRAFT, tmp_path, force=True).spec == tmp_path / "members.json"


def test_what_is_told_to_be_typed_is_one_command_of_a_shell(tmp_path):
    row = {"org": "acme; rm -rf ~", "team": "$(id)"}
    saved = DraftFiles(tmp_path / "a b.json", tmp_path / "l.json", row, (), lists_only=False)
    words = shlex.split(run_command(saved))
    assert words[-4:] == ["--with", "org=acme; rm -rf ~", "--with", "team=$(id)"]
    assert words[2] == str(tmp_path / "a b.json")

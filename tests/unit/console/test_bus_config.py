"""`exhibit bus-config`: what it writes, for whom, and what it never says."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner

from services.console.cli import app
from shared.bus.access.credentials import BusAccess, connect_options, read_seed, seed_file
from shared.bus.access.keys import new_seed, public_key
from shared.errors import PermanentError

USERS = {"evidence", "browser_pool", "workflows", "vision", "planner", "discovery", "client", "operator", "reviewer"}
URL = "nats://127.0.0.1:1"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("bus") / "keys"
    made = CliRunner().invoke(app, ["bus-config", str(folder)])
    assert made.exit_code == 0, made.output
    return folder, made.output


def seeds_in(folder: Path) -> dict[str, str]:
    return {path.stem: path.read_text().strip() for path in folder.rglob("*.seed")}


def public_files(folder: Path) -> list[str]:
    return [(folder / name).read_text() for name in ("users.conf", "signers.json")]


def test_each_user_has_a_seed_that_only_its_owner_can_read(written: tuple[Path, str]):
    folder, _ = written
    seeds = seeds_in(folder)
    assert set(seeds) == USERS
    assert len({*seeds.values()}) == len(USERS)
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*.seed")} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (folder, folder / "services")} == {0o700}


def test_the_server_is_told_public_keys_and_nothing_secret_is_said(written: tuple[Path, str]):
    folder, said = written
    config = (folder / "users.conf").read_text() + (folder / "nats.conf").read_text()
    seeds = seeds_in(folder)
    assert set(re.findall(r'"nkey": "(\w+)"', config)) == {public_key(seed) for seed in seeds.values()}
    assert not any(seed in config + said for seed in seeds.values())


def test_the_public_keys_of_who_signs_may_be_read_by_all(written: tuple[Path, str]):
    folder, said = written
    public = json.loads((folder / "signers.json").read_text())
    assert set(public["services"]) == {"discovery", "planner", "evidence"}
    assert len({key for keys in public["services"].values() for key in keys}) == 3
    assert stat.S_IMODE((folder / "signers.json").stat().st_mode) == 0o644
    assert "signers.json" in said


def test_keys_stay_until_new_ones_are_asked_for(tmp_path: Path):
    folder = tmp_path / "keys"
    said = [CliRunner().invoke(app, ["bus-config", str(folder)]).output]
    first, config = seeds_in(folder), public_files(folder)
    said.append(CliRunner().invoke(app, ["bus-config", str(folder)]).output)
    assert (seeds_in(folder), public_files(folder)) == (first, config)
    (folder / "client.seed").unlink()
    said.append(CliRunner().invoke(app, ["bus-config", str(folder)]).output)
    assert {name for name, seed in seeds_in(folder).items() if seed != first[name]} == {"client"}
    said.append(CliRunner().invoke(app, ["bus-config", str(folder), "--new-keys"]).output)
    assert {name for name, seed in seeds_in(folder).items() if seed != first[name]} == USERS
    assert [re.findall(r"(\d+) of the seeds are new", one) for one in said] == [["9"], ["0"], ["1"], ["9"]]


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    made = CliRunner().invoke(app, ["bus-config", str(tmp_path / "file" / "keys")])
    assert made.exit_code == 2
    assert "cannot be written" in made.output


def test_a_process_takes_its_own_seed_of_a_folder(written: tuple[Path, str]):
    folder, _ = written
    assert seed_file(folder, "evidence") == folder / "services" / "evidence.seed"
    assert seed_file(folder, "operator") == folder / "operator.seed"
    assert seed_file(folder / "client.seed", "evidence") == folder / "client.seed"


def test_a_connection_says_no_seed_in_its_options(written: tuple[Path, str]):
    folder, _ = written
    options = connect_options(URL, "planner", BusAccess(seeds=folder))
    assert options.is_user
    assert seeds_in(folder)["planner"] not in repr(options)


def test_a_seed_that_everybody_can_read_is_refused_and_not_said(tmp_path: Path):
    seed, file = new_seed(), tmp_path / "client.seed"
    file.write_text(seed)
    file.chmod(0o644)
    with pytest.raises(PermanentError, match=f"{file} is open to all users: chmod 0600") as caught:
        read_seed(file)
    assert caught.value.code == "bus_refused"
    assert seed not in repr(caught.value)


@pytest.mark.parametrize("broken", ["", "hunter2", "SUAAAA", "é", "{seed}X"])
def test_what_is_no_seed_is_refused_and_not_said(tmp_path: Path, broken: str):
    file = tmp_path / "client.seed"
    file.write_text(broken.format(seed=new_seed()))
    file.chmod(0o600)
    with pytest.raises(PermanentError, match=re.escape(str(file))) as caught:
        read_seed(file)
    said = f"{caught.value!r} {caught.value.__cause__!r}"
    assert caught.value.code == "bus_refused"
    assert file.read_text() == "" or file.read_text() not in said.replace(str(file), "")


def test_a_seed_that_is_not_there_is_said(tmp_path: Path):
    with pytest.raises(PermanentError, match=r"client\.seed cannot be read: No such file"):
        connect_options(URL, "client", BusAccess(seeds=tmp_path))

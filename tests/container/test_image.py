"""The image's own steps, on an empty root: what they make is the product alone, and its pool works in the jail."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Generator
from pathlib import Path

import pytest

from scripts.write_sbom import read_lock
from tests.container.image import Image, build_image, missing
from tests.container.jail import UID
from tests.container.jailed import POOL, ROOT, jailed, pool_profile
from tests.container.pool import assert_sandboxed, pool_in_jail, show_a_page

pytestmark = pytest.mark.long
BOUND_S = 60
ENVIRONMENT = "opt/exhibit/lib"


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Generator[Image]:
    if why := missing():
        pytest.skip(why)
    folder = tmp_path_factory.mktemp("image")
    built = build_image(ROOT, folder)
    for step, megabytes in built.megabytes:
        print(f"{megabytes:8.1f} MB  {step}")
    yield built
    shutil.rmtree(folder)


@pytest.mark.timeout(1800)
def test_it_holds_what_is_locked_for_the_product_and_no_more(image: Image):
    named = {
        one.name.partition("-")[0].lower().replace("_", "-")
        for one in image.root.glob(f"{ENVIRONMENT}/*/site-packages/*.dist-info")
    }
    locked = {one.name for one in read_lock(ROOT / "requirements.lock")}
    assert named - locked == {"exhibit"}
    assert {"playwright", "duckdb"} <= named


def test_its_user_is_the_one_that_owns_what_is_written(image: Image):
    told = subprocess.run(
        ["chroot", image.root, "id", "--user", image.user], capture_output=True, text=True, timeout=BOUND_S, check=True
    )
    assert int(told.stdout) == UID
    written = [image.root / "var/lib/exhibit" / name for name in ("", "state", "evidence", "tools")]
    assert {one.stat().st_uid for one in written} == {UID}
    assert [one for one in (image.root / "opt/exhibit").rglob("*") if one.lstat().st_uid != 0] == []


@pytest.mark.usefixtures("namespaces")
async def test_its_pool_shows_a_page_in_the_jail(tmp_path: Path, keys: Path, image: Image):
    def start(url: str, seed: Path) -> tuple[list[str], dict[str, str]]:
        env = {**image.env, "HOME": "/var/lib/exhibit", "EXHIBIT_NATS_URL": url, "EXHIBIT_NATS_SEED": str(seed)}
        return jailed(pool_profile(), [*image.entrypoint, *POOL["command"]], [seed], image.root), env

    async with pool_in_jail(keys, tmp_path, start) as pool:
        assert_sandboxed(await show_a_page(pool))

"""Whether a text is told to look like the box after it: then which of the two names the other is not told."""

from __future__ import annotations

from tests.browser.conftest import Look

HEADS = "<tr><td>Owner</td><td>Backup</td></tr><tr><td>Ann</td><td>Bo</td></tr>"


async def alike(look: Look, html: str) -> set[str]:
    return {one.name for one in (await look(html)).elements if one.like_next}


async def test_siblings_that_are_printed_alike_are_of_one_kind(look: Look) -> None:
    assert await alike(look, "<p>Owner</p><p>Backup</p><p>Ann</p>") == {"Owner", "Backup"}
    assert await alike(look, "<p><b>Owner</b></p><p>Ann</p>") == set()
    assert await alike(look, "<div class=k>Owner</div><div>Ann</div>") == set()
    assert await alike(look, "<div style='color:#777'>Owner</div><div>Ann</div>") == set()
    assert await alike(look, "<p>Owner</p><div>Ann</div>") == set()
    assert await alike(look, "<div class=f><span>Owner</span></div><div class=v><span>Ann</span></div>") == set()


async def test_labels_without_a_value_are_like_the_next_label(look: Look) -> None:
    lines = "<div><span>Owner</span></div><div><span>Backup</span><span style='float:right'>Bo</span></div>"
    assert await alike(look, lines) == {"Owner"}
    fields = "<div><div class=k>Owner</div></div><div><div class=k>Backup</div><div>Bo</div></div>"
    assert await alike(look, fields) == {"Owner"}
    groups = "<fieldset><legend>Owner</legend></fieldset><fieldset><legend>Backup</legend>Bo</fieldset>"
    assert await alike(look, groups) == {"Owner"}


async def test_what_stands_below_its_value_ends_a_box_of_both(look: Look) -> None:
    async def ending(html: str) -> set[str]:
        return {one.name for one in (await look(html)).elements if one.ends_group}

    box = "<div><span>{}</span><div><small>{}</small></div></div>"
    assert await ending(box.format("Ann", "Owner") + box.format("Bo", "Backup")) == {"Owner"}
    assert await ending("<table><tr><td>Ann<td>Owner<tr><td>Bo<td>Backup</table>") == {"Owner"}
    assert await ending("<p>Owner</p><p>Ann</p><p>Backup</p><p>Bo</p>") == set()
    assert "Owner" not in await ending(box.format("Owner", "Ann") + box.format("Backup", "Bo"))


async def test_cells_that_look_like_heads_of_columns_are_of_one_kind(look: Look) -> None:
    odd = "<tr><td>Owner<td>Backup<td>Team<tr><td>Ann<td>Bo<td>Blue"
    assert await alike(look, f"<table>{odd}</table>") == {"Owner", "Backup"}
    assert await alike(look, "<table><tr><td>Owner<td>Backup<tr><td><td>Bo</table>") == {"Owner"}
    assert await alike(look, "<table><tr><td>Owner:<td>Ann<tr><td><td>Bo</table>") == set()
    assert await alike(look, f"<table>{HEADS}</table>") == set()
    assert await alike(look, f"<style>tr:first-child {{ font-weight: 700 }}</style><table>{HEADS}</table>") == {"Owner"}
    assert await alike(look, f"<style>tr:first-child {{ background: #ddd }}</style><table>{HEADS}</table>") == {"Owner"}
    assert await alike(look, f"<style>td:first-child {{ font-weight: 700 }}</style><table>{HEADS}</table>") == set()

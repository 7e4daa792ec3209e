"""What is told of widgets: one line per control, with the name, value, state and limits that a person would see."""

from __future__ import annotations

import pytest

from services.browser_pool.adapters.session import PageSession
from shared.contracts.actions import ByRef, Click
from shared.contracts.browser_pool import Element, PageObserved
from tests.browser.action_steps import listed
from tests.browser.conftest import Look

UNSEEN = "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)"

CHOSEN = "<b role=option aria-selected=true>Blue</b>"


def one(page: PageObserved, role: str, name: str | None = None) -> Element:
    found = [element for element in page.elements if element.role == role and (name is None or element.name == name)]
    assert len(found) == 1, page.text
    return found[0]


def told(page: PageObserved) -> list[tuple[str, str]]:
    return [(element.role, element.name) for element in page.elements]


# --- fields


@pytest.mark.parametrize(
    "field",
    [
        "<input role=combobox aria-label=Country aria-describedby=d><span id=d>Choose where you live</span>",
        "<input role=combobox aria-label=Country><span class=select__placeholder>Choose where you live</span>",
        "<div role=combobox tabindex=0 aria-label=Country aria-describedby=d><i id=d>Choose where you live</i></div>",
        "<div role=combobox tabindex=0 aria-label=Country><b class=p-placeholder>Choose where you live</b></div>",
        "<button role=combobox aria-label=Country data-placeholder><span>Choose where you live</span></button>",
        "<div contenteditable aria-label=Country><i class=editor-placeholder>Choose where you live</i></div>",
        "<input aria-label=Country placeholder='Choose where you live'>",
    ],
)
async def test_a_hint_of_an_empty_field_is_not_its_value(look: Look, field: str) -> None:
    page = await look(f"<div>{field}</div>")
    element = next(element for element in page.elements if element.name == "Country")
    assert element.value == ""
    assert '= ""' in page.text


async def test_the_choice_beside_a_hint_is_the_value(look: Look) -> None:
    page = await look(
        """<div><input role=combobox aria-label=Country aria-describedby=d><span>Peru</span><i id=d>Any land</i></div>
        <div role=combobox tabindex=0 aria-label=Town><b class=has-placeholder>Lima</b></div>"""
    )
    assert [element.value for element in page.elements if element.role == "combobox"] == ["Peru", "Lima"]


@pytest.mark.parametrize(
    ("beside", "value"),
    [
        (f"<div role=listbox>{CHOSEN} {CHOSEN}</div>", "Blue Blue"),
        (f"<div role=listbox>{CHOSEN} <b role=option>Red</b></div>", ""),
        (f"<div role=listbox style='position:absolute'>{CHOSEN}</div>", ""),
        (f"<div role=listbox id=l>{CHOSEN}</div>", ""),
        ("<div role=listbox></div>", ""),
    ],
    ids=["all chosen", "one of several", "over the page", "controlled", "empty"],
)  # fmt: skip
async def test_what_is_chosen_in_a_list_beside_a_field_is_its_value_and_what_is_offered_is_not(
    look: Look, beside: str, value: str
) -> None:
    field = "<input role=combobox aria-label=Colours aria-controls=l>"
    page = await look(f"<div role=combobox><div><select hidden></select>{beside}{field}</div></div>")
    assert one(page, "combobox", "Colours").value == value


@pytest.mark.parametrize(
    "wrapper",
    [
        "<div role=combobox aria-expanded=false aria-haspopup=listbox aria-label=Owner><input></div>",
        "<div role=combobox aria-expanded=false aria-haspopup=listbox><input aria-label=Owner></div>",
        "<div role=combobox aria-expanded=false><input aria-label=Owner><button tabindex=-1>Open</button></div>",
    ],
)
async def test_a_wrapper_with_the_role_of_its_field_is_the_same_control(look: Look, wrapper: str) -> None:
    page = await look(wrapper)
    assert [(e.role, e.name, e.tag) for e in page.elements if e.name != "Open"] == [("combobox", "Owner", "input")]
    assert "collapsed" in one(page, "combobox").states


async def test_chosen_tags_in_a_wrapper_are_told_and_its_field_keeps_its_ref(look: Look, session: PageSession) -> None:
    page = await look(
        """<div role=combobox aria-label=Tags id=w><span id=c></span><input aria-label=Add
        onclick="c.textContent = 'urgent'"></div>"""
    )
    click = Click(target=ByRef(ref=one(page, "combobox", "Add").ref, snapshot_id=page.snapshot_id))
    assert (await session.act(click)).result.ok
    assert (await session.act(click)).result.ok
    assert [e.value for e in (await look()).elements if e.name == "Tags"] == ["urgent"]


async def test_a_frame_that_listens_for_its_field_is_no_button(look: Look) -> None:
    page = await look(
        """<div onclick="1"><span>EUR</span><input aria-label=Amount></div>
        <div tabindex=0><label>Search <input></label><button>Clear</button></div>
        <div style="cursor:pointer"><span>A record that has a name of its own</span><input aria-label=Note></div>"""
    )
    assert listed([(e.role, e.name) for e in page.elements if e.role != "text"]) == (
        "textbox Amount; textbox Search; button Clear; button A record that has a name of its own Note; textbox Note"
    )


async def test_what_only_draws_a_part_of_a_control_is_no_control(look: Look) -> None:
    page = await look(
        """<div role=listbox aria-label=Sizes><div role=option><input type=checkbox checked> Small</div>
        </div><div role=checkbox tabindex=0 aria-checked=true><input type=checkbox checked> Paid</div>
        <span role=combobox aria-label=State tabindex=0><span role=textbox aria-readonly=true>Open</span></span>"""
    )
    assert told(page) == [("listbox", "Sizes"), ("option", "Small"), ("checkbox", "Paid"), ("combobox", "State")]
    assert one(page, "combobox").value == "Open"


async def test_an_operator_that_nothing_names_is_told_by_what_it_is_sent_as(look: Look) -> None:
    page = await look(
        """<select aria-label=Field><option>Total</select><select name=rule_0_operator><option>greater than</select>
        <input aria-label=Value>"""
    )
    operator = one(page, "combobox", "rule operator")
    assert operator.value == "greater than"


async def test_limits_of_values(look: Look) -> None:
    page = await look(
        """<div role=slider aria-label=Size aria-valuemin=1 aria-valuemax=5 aria-valuenow=3 aria-valuetext=Medium
        style="height:9px"></div>
        <input type=range aria-label=Volume max=11 value=4><input type=number aria-label=Seats min=2>
        <div role=spinbutton aria-label=Year aria-valuemax=2030 aria-valuenow=2026>2026</div>
        <div role=progressbar aria-label=Done aria-valuemin=0 aria-valuemax=8 aria-valuenow=6 style="height:9px"></div>
        <div role=slider aria-label=Odd aria-valuemin="1) (checked" aria-valuenow=1 style="height:9px">.</div>"""
    )
    assert {e.name: (e.value, e.states) for e in page.elements} == {
        "Size": ("Medium", ("from 1 to 5", "at 3")),
        "Volume": ("4", ("from 0 to 11",)),
        "Seats": ("", ("at least 2",)),
        "Year": ("2026", ("at most 2030",)),
        "Done": ("6", ("from 0 to 8",)),
        "Odd": ("1", ()),
    }


# --- names


async def test_names_from_titles_and_from_elements_that_label_themselves(look: Look) -> None:
    page = await look(
        """<button><i title=Delete class=bin style="display:inline-block;width:9px;height:9px"></i></button>
        <button id=open aria-labelledby="open which">Open</button><span id=which>invoice 7</span>
        <button id=more aria-label=More aria-labelledby="more which">...</button>
        <button id=self aria-labelledby=self title="By itself"></button>
        <input id=sum aria-labelledby="sum which" title=Ignored><a href=/x id=x aria-labelledby="x gone">Read</a>
        <span id=gone hidden>the unseen rest</span>"""
    )
    assert listed([name for role, name in told(page) if role != "text"]) == (
        "Delete; Open invoice 7; More invoice 7; By itself; invoice 7; Read the unseen rest"
    )


async def test_the_name_of_an_item_ends_where_the_items_in_it_begin(look: Look) -> None:
    page = await look(
        """<ul role=tree aria-label=Food><li role=treeitem aria-expanded=true tabindex=0><span>Fruit</span>
        <ul role=group><li role=treeitem tabindex=-1>Apple<li role=treeitem tabindex=-1>Pear</ul></ul>
        <div role=treeitem aria-level=3 tabindex=0>Deep</div>
        <ul><li onclick="1"><span>Section</span><ul><li><a href=/a>Page</a></ul></ul>"""
    )
    items = [(e.name, e.level) for e in page.elements if e.role == "treeitem"]
    assert items == [("Fruit", 1), ("Apple", 2), ("Pear", 2), ("Deep", 3)]
    assert one(page, "button").name == "Section"
    assert '"Apple" (level 2)' in page.text


async def test_groups_of_choices_are_lines_of_their_own(look: Look) -> None:
    page = await look(
        """<select aria-label=Food><optgroup label=Fruit><option>Apple<option>Pear</optgroup>
        <optgroup label=Roots disabled><option>Beet</optgroup></select>
        <div role=listbox aria-label=Towns><div role=group aria-labelledby=g><span id=g>Peru</span>
        <div role=option>Lima</div></div></div>
        <div role=menu><div role=group aria-labelledby=h><span id=h>Sort</span><div role=menuitemradio>By name</div>
        </div></div>
        <div role=radiogroup aria-label=Speed aria-required=true><div role=radio tabindex=0>Slow</div>
        <div role=radio tabindex=0 aria-checked=true>Fast</div></div>
        <div role=group aria-label=Nothing><p>to choose</p></div>"""
    )
    assert listed(told(page)) == (
        "combobox Food; group Fruit; option Apple; option Pear; group Roots; option Beet; listbox Towns; group "
        "Peru; option Lima; group Sort; menuitemradio By name; radiogroup Speed; radio Slow; radio Fast; text to "
        "choose"
    )
    speed = one(page, "radiogroup")
    assert (speed.value, speed.states) == ("Fast", ("required",))
    assert one(page, "group", "Roots").states == ("disabled",)


# --- states


async def test_how_a_table_is_sorted_and_what_sorts_it(look: Look) -> None:
    page = await look(
        """<table><thead><tr><th aria-sort=ascending onclick="1">Name<th aria-sort=none style="cursor:pointer">Age
        <th id=l>Town<th>Note<th aria-sort=descending><button>Born</button></thead><tr><td>a<td>b<td>c<td>d<td>e</table>
        <script>l.addEventListener('click', () => 0)</script>"""
    )
    assert {e.name: e.states for e in page.elements if e.role == "columnheader"} == {
        "Name": ("sorted ascending", "clickable"),
        "Age": ("clickable",),
        "Town": ("clickable",),
        "Note": (),
        "Born": ("sorted descending",),
    }


async def test_what_can_be_dragged(look: Look) -> None:
    page = await look(
        """<ul><li draggable=true>First<li draggable=false>Second</ul><div draggable=true>Card</div>
        <div draggable=true><p>Task <a href=/7>7</a></p></div><button draggable=true>Tile</button>
        <div role=button tabindex=0 aria-roledescription=sortable>Row</div>
        <div><span style="cursor:grab">Handle</span></div>"""
    )
    dragged = [(e.role, e.name) for e in page.elements if "draggable" in e.states]
    assert listed(dragged) == "listitem First; text Card; group Task 7; button Tile; button Row; text Handle"
    assert {"Second", "Task", "7"} <= {element.name for element in page.elements}


@pytest.mark.parametrize(
    "tabs",
    [
        "<button role=tab aria-selected=true>A</button><button role=tab aria-selected=false>B</button>",
        "<button role=tab aria-selected=true>A</button><button role=tab>B</button>",
        "<ul role=presentation><li class=active><a role=tab href=#a>A</a><li><a role=tab href=#b>B</a></ul>",
        "<button role=tab class='tab tab--selected'>A</button><button role=tab class='tab not-selected'>B</button>",
        "<button role=tab data-state=active>A</button><button role=tab data-state=inactive>B</button>",
        "<div aria-selected=true role=tab tabindex=0>A</div><div role=tab tabindex=0 aria-selected=false>B</div>",
    ],
)
async def test_the_open_tab(look: Look, tabs: str) -> None:
    page = await look(f"<div role=tablist>{tabs}</div>")
    assert [(e.name, e.states) for e in page.elements if e.role == "tab"] == [
        ("A", ("selected",)),
        ("B", ("unselected",)),
    ]


async def test_tabs_that_do_not_say_which_is_open(look: Look) -> None:
    page = await look("<div role=tablist><button role=tab>A</button><button role=tab>B</button></div>")
    assert [e.states for e in page.elements] == [(), ()]


async def test_the_state_of_an_icon_in_a_row(look: Look) -> None:
    page = await look(
        """<style>.fa {display:inline-block;width:12px;height:12px} .fa::before {content:'\\f111'}
        .good::before {color:rgb(0, 128, 0)} .bad::before {color:rgb(200, 0, 0)}</style>
        <table><tr><th>Host<th>Up<th>Seen<th>Paid</tr>
        <tr><td>a<td><i class="fa fa-circle good"></i><td><i class="fa fa-circle" title=Online></i>
        <td role=gridcell aria-checked=true><svg width=9 height=9></svg>
        <tr><td>b<td><i class="fa fa-circle bad"></i><td><i class="fa fa-circle" title=Offline></i>
        <td role=gridcell aria-checked=false><svg width=9 height=9></svg></table>"""
    )
    icons = [(e.name, e.header, e.states) for e in page.elements if e.role == "img"]
    assert icons == [
        ("icon circle", "Up", ("colour rgb(0, 128, 0)",)),
        ("Online", "Seen", ()),
        ("icon circle", "Up", ("colour rgb(200, 0, 0)",)),
        ("Offline", "Seen", ()),
    ]
    assert [e.states for e in page.elements if e.role == "gridcell"] == [("checked",), ("unchecked",)]


# --- told to some only


async def test_what_is_seen_though_screen_readers_pass_over_it(look: Look) -> None:
    page = await look(
        f"""<p><span aria-hidden=true>3 / 5</span><span style="{UNSEEN}">3 of 5 stars</span></p>
        <table><tr><th>Score<th>Stars<th>Name</tr><tr><td><span aria-hidden=true>7.5</span>
        <td><span aria-hidden=true>★★☆</span><td>Ann <span aria-hidden=true>(lead)</span></table>
        <ul><li>Rank <b aria-hidden=true>4</b></ul><p><i aria-hidden=true>JD</i> Jane Doe</p>
        <nav>Home <span aria-hidden=true>›</span></nav>
        <i aria-hidden=true style="font-family:'Material Icons'">delete</i>
        <p aria-hidden=true style="display:none">gone</p><p aria-hidden=true style="opacity:0">faint</p>
        <div aria-hidden=true>Behind <button>it</button></div><button><b aria-hidden=true>x 1</b>Close</button>"""
    )
    assert listed([name for role, name in told(page) if role != "columnheader"]) == (
        "3 / 5; 7.5; ★★☆; Ann; (lead); Rank; 4; Jane Doe; Home; Close"
    )


@pytest.mark.parametrize(
    ("region", "role"),
    [
        (f"<div id=o role=alert style='{UNSEEN}'></div>", "alert"),
        (f"<div style='{UNSEEN}'><div id=o role=status></div></div>", "status"),
        (f"<div id=o aria-live=assertive style='{UNSEEN}'></div>", "alert"),
        ("<div id=o aria-live=polite style='position:absolute;left:-9999px;width:50px'></div>", "status"),
        ("<div id=o role=log style='position:absolute;clip-path:inset(50%)'></div>", "status"),
    ],
)
async def test_a_message_for_screen_readers_is_told(look: Look, session: PageSession, region: str, role: str) -> None:
    page = await look(
        f"""<button onclick="o.textContent = 'Two rows were removed'; for (let n = 0; n < 9; n++) list.append(
        Object.assign(document.createElement('li'), {{ textContent: 'Line ' + n }}), ' ')">Remove</button>
        <ul id=list></ul>{region}<span style="{UNSEEN}">never</span><p role=status style="{UNSEEN}">Loading…</p>"""
    )
    assert told(page) == [("button", "Remove")]
    result = (await session.act(Click(target=ByRef(ref=1, snapshot_id=page.snapshot_id)))).result
    assert "Two rows were removed" in result.change.appeared
    after = await look()
    assert one(after, role).name == "Two rows were removed"
    assert one(after, role).states == ("for screen readers",)

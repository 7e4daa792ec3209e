"""The pages of `make bench-observe`, each with its truth. Each function writes one."""

from __future__ import annotations

from benchmarks.observe_truth import Page, Truth

ROWS = 200
BLOCKS = 1000
OTHER = "__OTHER__"
"""Placeholder of the same server under another host name: another site, with its own renderer process."""


def pages() -> list[Page]:
    return [
        form(),
        table(),
        large(),
        frames(),
        shadow_roots(),
        modal(),
        covering(),
        banner(),
        hidden_parts(),
        styled_inputs(),
        svg_shapes(),
        delegated(),
        bare_listeners(100),
        bare_listeners(101),
        canvas(),
        values(),
    ]


def workbench() -> Page:
    """Return a small page for actions."""
    t = Truth()
    html = (
        f"<body><h1>Workbench</h1><button id=hit onclick='count.textContent = +count.textContent + 1'"
        f" {t.control('Hit')}>Hit</button><output id=count>0</output>"
        f"<input id=field aria-label=Field {t.control('Field')}>"
    )
    return t.page("workbench", "a page to act on", html)


def form() -> Page:
    """Return 13 controls with labels. The password has a value that must not be reported."""
    t = Truth()
    fields = [
        ("Full name", '<input id="c{n}" {a} value="Ann Example">'),
        ("Email", '<input id="c{n}" {a} type="email" value="ann@example.org">'),
        ("Password", '<input id="c{n}" {a} type="password" value="hunter2secret">'),
        ("Phone", '<input id="c{n}" {a} type="tel" placeholder="digits only">'),
        ("Seats", '<input id="c{n}" {a} type="number" value="42">'),
        ("Start", '<input id="c{n}" {a} type="date" value="2026-03-14">'),
        ("Country", '<select id="c{n}" {a}><option>Norway<option selected>Peru<option>Japan</select>'),
        ("Remarks", '<textarea id="c{n}" {a}>Window seat, please</textarea>'),
        ("Newsletter", '<input id="c{n}" {a} type="checkbox" checked>'),
        ("By post", '<input id="c{n}" {a} type="radio" name="by">'),
        ("By courier", '<input id="c{n}" {a} type="radio" name="by" checked>'),
        ("Passport scan", '<input id="c{n}" {a} type="file">'),
    ]
    rows = [
        f'<p><label for="c{n}">{t.text(label)}</label> {html.format(n=n, a=t.control(label))}</p>'
        for n, (label, html) in enumerate(fields, 1)
    ]
    for value in ("Ann Example", "ann@example.org", "42", "Peru", "Window seat, please"):
        t.text(value)
    t.hidden("hunter2secret")
    save = f"<button type=button {t.control('Send booking')}>{t.text('Send booking')}</button>"
    return t.page("form", "form of 13 controls", f"<body><h1>Booking</h1><form>{''.join(rows)}{save}</form>", aim_ms=10)


def table() -> Page:
    """Return 200 rows with a link and two buttons each; all cells are data."""
    t = Truth()
    heads = "".join(f"<th>{t.text(head)}</th>" for head in ("Ticket", "Subject", "Owner", "State", "Actions"))
    rows: list[str] = []
    for n in range(ROWS):
        number = t.text(f"TCK-{5000 + n}")
        rows.append(
            f'<tr><td><a href="/tickets/{5000 + n}" {t.control(number)}>{number}</a></td>'
            f"<td>{t.text(f'Printer {n * 7919 % 9973} jams')}</td><td>{t.text(f'Owner{n * 31 % 997} Li')}</td>"
            f"<td>{('open', 'closed')[n % 2]}</td>"
            f"<td><button {t.control('Edit')}>Edit</button><button {t.control('Delete')}>Delete</button></td></tr>"
        )
    return t.page(
        "table",
        f"table of {ROWS} rows",
        f"<body><h1>Tickets</h1><table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>",
        aim_ms=30,
    )


def large() -> Page:
    """Return 20,000 elements, 2,000 of which are controls."""
    t = Truth()
    blocks = [_block(t, n) for n in range(BLOCKS)]
    return t.page("large", "20,000 elements", f"<body><main>{''.join(blocks)}</main>", aim_ms=120)


def _block(t: Truth, n: int) -> str:
    """Return 20 elements."""
    words = "".join(f"<span><b>{t.text(f'w{n}x{i}')}</b> </span>" for i in range(4))
    facts = "".join(f"<li>{t.text(f'fact {n}-{i} stands')}</li>" for i in range(3))
    return (
        f"<article><h3>{t.text(f'Block number {n}')}</h3><p>{words}</p><ul>{facts}</ul><div><div><em>note</em></div>"
        f'<a href="/b/{n}" {t.control(f"Open {n}")}>Open {n}</a>'
        f"<button {t.control(f'Keep {n}')}>Keep {n}</button></div></article>"
    )


FRAME = 'style="border:0;width:600px;height:{h}px;display:block"'


def frames() -> Page:
    """Return frames of the same site, of another site, nested, and without an address of their own."""
    t = Truth()

    def inside(word: str, more: str = "") -> str:
        return (
            f"<!doctype html><meta charset=utf-8><body><p>{t.text(f'Text of {word}')}</p>"
            f"<button {t.control(f'Press {word}')}>Press {word}</button>"
            f"<a href='#x' {t.control(f'Link {word}')}>Link {word}</a>"
            f"<input aria-label='Field {word}' {t.control(f'Field {word}')}>{more}</body>"
        )

    def frame(path: str, height: int, site: str = "") -> str:
        return f'<iframe src="{site}/frames/{path}" {FRAME.format(h=height)}></iframe>'

    parts = {
        "same": inside("same", frame("nested", 100)),
        "nested": inside("nested"),
        "other": inside("other", frame("back", 100, OTHER) + frame("deep", 100)),
        "back": inside("back"),
        "deep": inside("deep"),
    }
    in_line = inside("srcdoc").replace('"', "&quot;")
    html = (
        f"<body><h1>Frames</h1><button {t.control('Press main')}>Press main</button>{frame('same', 250)}"
        f'{frame("other", 350, OTHER)}<iframe srcdoc="{in_line}" {FRAME.format(h=120)}></iframe>'
    )
    return t.page("frames", "frames, nested and of other sites", html, parts=parts)


def shadow_roots() -> Page:
    """Return open and closed shadow roots, scripted and declarative, also nested."""
    t = Truth()

    def inside(word: str) -> str:
        return (
            f"<p>{t.text(f'Text of {word}')}</p><button {t.control(f'Press {word}')}>Press {word}</button>"
            f"<input aria-label='Field {word}' {t.control(f'Field {word}')}>"
        )

    slotted = f"<button {t.control('Press slotted')}>Press slotted</button>"
    html = (
        "<body><h1>Shadows</h1><div id=open></div><div id=closed></div><div id=nested></div>"
        f"<div><template shadowrootmode=open>{inside('declared')}<slot></slot></template>{slotted}</div>"
        f"<div><template shadowrootmode=closed>{inside('sealed')}</template></div>"
        "<script>const make = (id, mode, html) => { const root = document.getElementById(id).attachShadow({mode});"
        " root.innerHTML = html; return root; };"
        f"make('open', 'open', `{inside('open')}`); make('closed', 'closed', `{inside('closed')}`);"
        f"const outer = make('nested', 'closed', `{inside('outer')}<div></div>`).querySelector('div');"
        f"outer.attachShadow({{mode: 'open'}}).innerHTML = `{inside('inner')}`;</script>"
    )
    return t.page("shadow", "shadow roots, open and closed", html)


def modal() -> Page:
    """Return a native modal dialog: everything behind it is inert until it is closed."""
    t = Truth()
    behind = "".join(f"<p><button {t.control(f'Behind {n}', 'covered')}>Behind {n}</button></p>" for n in range(6))
    html = (
        f"<body>{behind}<dialog><p>{t.text('Delete the record for ever?')}</p>"
        f"<input aria-label='Type DELETE' {t.control('Type DELETE')}>"
        f"<button {t.control('Delete it')}>Delete it</button><button {t.control('Cancel')}>Cancel</button></dialog>"
        "<script>document.querySelector('dialog').showModal()</script>"
    )
    return t.page("modal", "a modal dialog", html)


def covering() -> Page:
    """Return a dialog made of divs. Its backdrop takes every click, so what is under it is covered."""
    t = Truth()
    behind = "".join(
        f"<p><a href='/r/{n}' {t.control(f'Under {n}', 'covered')}>Under {n}</a> <button"
        f" {t.control(f'Press under {n}', 'covered')}>Press under {n}</button></p>"
        for n in range(6)
    )
    html = (
        f"<body>{behind}<div style='position:fixed;inset:0;background:rgba(0,0,0,.5);z-index:9'>"
        "<div role=dialog aria-modal=true aria-label=Session style='background:#fff;width:400px;margin:100px auto'>"
        f"<p>{t.text('Your session ends in 60 s')}</p><button {t.control('Stay')}>Stay</button>"
        f"<button {t.control('Log out')}>Log out</button><button aria-label=Close {t.control('Close')}>&times;</button>"
        "</div></div>"
    )
    return t.page("covering", "a dialog of divs over the page", html)


def banner() -> Page:
    """Return a cookie banner at the end of a page that does not scroll: two links are fully covered."""
    t = Truth()
    free = "".join(f"<p><a href='/n/{n}' {t.control(f'News {n}')}>{t.text(f'News {n}')}</a></p>" for n in range(5))
    under = "".join(
        f"<a href='/f/{n}' {t.control(f'Legal {n}', 'covered')} style='position:absolute;bottom:40px;left:{100 * n}px'>"
        f"Legal {n}</a>"
        for n in range(1, 3)
    )
    html = (
        f"<body style='margin:0;height:100vh;overflow:hidden;position:relative'>{free}{under}"
        "<div style='position:fixed;left:0;right:0;bottom:0;height:120px;background:#eee;z-index:99'>"
        f"<p>{t.text('We use cookies to improve this site')}</p><button {t.control('Accept')}>Accept</button>"
        f"<button {t.control('Reject')}>Reject</button><a href='/c' {t.control('Details')}>Details</a></div>"
    )
    return t.page("banner", "a cookie banner", html)


SR_ONLY = "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0);margin:-1px"

HIDDEN = (
    ("display none", "<div style='display:none'>{}</div>"),
    ("hidden attribute", "<div hidden>{}</div>"),
    ("invisible", "<div style='visibility:hidden'>{}</div>"),
    ("transparent", "<div style='opacity:0'>{}</div>"),
    ("no height", "<div style='height:0;overflow:hidden'>{}</div>"),
    ("no size", "<div style='width:0;height:0;overflow:hidden'>{}</div>"),
    # Positions left of a page or above it are unreachable by scrolling.
    ("far left", "<div style='position:absolute;left:-9999px;top:0'>{}</div>"),
    ("far up", "<div style='position:absolute;left:0;top:-9999px'>{}</div>"),
    ("inert", "<div inert style='opacity:0'>{}</div>"),
    ("closed details", "<details><summary {summary}>More</summary>{}</details>"),
    ("content hidden", "<div style='content-visibility:hidden'>{}</div>"),
    ("scaled to nothing", "<div style='transform:scale(0)'>{}</div>"),
    ("clipped away", "<div style='clip-path:inset(100%)'>{}</div>"),
    ("one clipped pixel", f"<div style='{SR_ONLY}'>{{}}</div>"),
    ("closed popover", "<div popover>{}</div>"),
    ("closed dialog", "<dialog>{}</dialog>"),
)


def hidden_parts() -> Page:
    """Return one button for each way to hide it, between visible buttons."""
    t = Truth()
    out: list[str] = []
    for how, html in HIDDEN:
        out.append(f"<p><button {t.control(f'Seen {how}')}>{t.text(f'Seen {how}')}</button></p>")
        summary = t.control("More") if "summary" in html else ""
        # Reporting text for screen readers is optional; it is no control in any case.
        word = f"Lost {how}" if SR_ONLY in html else t.hidden(f"Lost {how}")
        inside = f"<button>{word}</button><input aria-label='Lost'><a href='/x'>Lost</a>"
        out.append(html.format(inside, summary=summary))
    out += [
        f"<p><button disabled {t.control('Off', 'disabled')}>Off</button></p>",
        f"<fieldset disabled><input aria-label=Locked {t.control('Locked', 'disabled')}></fieldset>",
        # Reachable by mouse, not by a screen reader.
        f"<p aria-hidden=true><button {t.control('Mute', 'optional')}>Mute</button></p>",
        # Visible, but the browser allows no input.
        f"<p inert><button {t.control('Dim', 'optional')}>Dim</button></p>",
        f"<button tabindex=-1 {t.control('No tab stop')}>{t.text('No tab stop')}</button>",
        # Below the fold: reachable by scrolling.
        f"<div style='height:3000px'></div><button {t.control('Far down')}>{t.text('Far down')}</button>",
        "<div style='height:60px;overflow:auto;width:300px'><div style='height:200px'></div>"
        f"<button {t.control('In the scroller')}>{t.text('In the scroller')}</button></div>",
    ]
    return t.page("hidden", "hidden, inert and disabled parts", f"<body>{''.join(out)}")


def styled_inputs() -> Page:
    """Return hidden check boxes and radios behind visible labels.

    Label, input and painted replacement are one control and must be reported once.
    """
    t = Truth()
    out: list[str] = []
    beside = "<input type={k} name=o id={i} {a} style='%s'><label for={i} {a} class=look>{n}</label>"
    around = "<label {a} class=look><input type={k} name=o {a} style='%s'><i {a} class=knob></i>{n}</label>"
    ways = (
        beside % "display:none",
        beside % SR_ONLY,
        beside % "position:absolute;left:-9999px",
        beside % "visibility:hidden;width:0",
        beside % "appearance:none;width:0;height:0;margin:0",
        around % "opacity:0;position:absolute",
        around % "display:none",
    )
    for kind in ("checkbox", "radio"):
        for n, way in enumerate(ways):
            name = t.text(f"{kind.title()} way {n}")
            out.append(f"<p>{way.format(k=kind, i=f'{kind}{n}', a=t.control(name), n=name)}</p>")
    upload = t.control("Choose picture")
    out.append(
        f"<div style='position:relative;width:160px;height:40px;background:#ddd' {upload}>{t.text('Choose picture')}"
        f"<input type=file aria-label='Choose picture' {upload}"
        " style='opacity:0;position:absolute;inset:0;width:160px;height:40px'></div>"
    )
    look = (
        "<style>.look{display:inline-block;padding:6px 12px;border:1px solid}"
        ".knob{display:inline-block;width:20px;height:20px;background:#08f}</style>"
    )
    return t.page("styled", "hidden inputs behind styled labels", f"<body>{look}{''.join(out)}")


def svg_shapes() -> Page:
    """Return SVG shapes: with listeners (half of them without another hint), a group as control, a link, decoration."""
    t = Truth()
    shapes: list[str] = []
    for n in range(12):
        style = "style='cursor:pointer'" if n % 2 else ""
        shape = ("rect width=40 height=40 x={x} y=10", "circle r=20 cx={x} cy=90", "path d='M{x} 130h40v40h-40z'")[
            n % 3
        ]
        tag = shape.split()[0]
        title = f"<title>{t.text(f'Region {n}')}</title>"
        shapes.append(f"<{shape.format(x=30 + 60 * n)} class=acts {style} {t.control(f'Region {n}')}>{title}</{tag}>")
    group = t.control("Bars")
    shapes.append(
        f"<g class=acts {group}><title>{t.text('Bars')}</title><rect {group} x=30 y=200 width=30 height=60 />"
        f"<rect {group} x=70 y=200 width=30 height=60 /></g>"
    )
    shapes.append(f"<a href='/legend' {t.control('Legend')}><text x=200 y=230>{t.text('Legend')}</text></a>")
    shapes.append("<rect x=300 y=200 width=50 height=50 /><circle cx=400 cy=225 r=20 />")
    html = (
        f"<body><h1>Map</h1><svg width=900 height=300>{''.join(shapes)}</svg>"
        "<script>for (const el of document.querySelectorAll('.acts')) el.addEventListener('click', () => {})</script>"
    )
    return t.page("svg", "SVG shapes with listeners", html)


def delegated() -> Page:
    """Return lists with delegated listeners.

    A click on an item is handled by its list. A listener on the whole document identifies no control; there only the
    cursor does. If the items hold buttons, the listener is for these, and it is unknown whether the item itself is a
    control.
    """
    t = Truth()

    def items(count: int, tag: str, word: str, more: str = "", *, marked: bool = True) -> str:
        return "".join(
            f"<{tag} {more} {t.control(f'{word} {n}') if marked else ''}>{t.text(f'{word} {n}')}</{tag}>"
            for n in range(count)
        )

    rows = "".join(f"<tr {t.control(f'Order {n}')}><td>{t.text(f'Order {n}')}</td></tr>" for n in range(6))
    held = "".join(
        f"<li {t.control(f'Holder {n}', 'optional')}>{t.text(f'Holder {n}')} "
        f"<button {t.control(f'Drop {n}')}>Drop {n}</button></li>"
        for n in range(6)
    )
    html = (
        f"<body><h1>Lists</h1><ul class=acts>{items(20, 'li', 'Item')}</ul>"
        f"<table><tbody class=acts>{rows}</tbody></table>"
        f"<ul class=acts>{held}</ul><ul>{items(5, 'li', 'Plain', marked=False)}</ul>"
        f"{items(10, 'div', 'Hand', 'class=hand')}{items(10, 'div', 'Quiet', marked=False)}"
        "<style>.hand{cursor:pointer}</style>"
        "<script>document.addEventListener('click', () => {});"
        "for (const el of document.querySelectorAll('.acts')) el.addEventListener('click', () => {})</script>"
    )
    return t.page("delegated", "delegated lists", html)


def bare_listeners(count: int) -> Page:
    """Return divs with a click listener as the only hint, between divs without."""
    t = Truth()
    divs = "".join(
        f"<div class=acts {t.control(f'Tile {n}')}>{t.text(f'Tile {n}')}</div><div>{t.text(f'Caption {n}')}</div>"
        for n in range(count)
    )
    html = (
        f"<body>{divs}<script>for (const el of document.querySelectorAll('.acts'))"
        " el.addEventListener('click', () => {})</script>"
    )
    return t.page(f"bare{count}", f"{count} divs with listeners", html)


def canvas() -> Page:
    """Return one canvas with a listener, one without, and tools beside them."""
    t = Truth()
    html = (
        f"<body><h1>Chart</h1><button {t.control('Zoom in')}>Zoom in</button>"
        f"<button {t.control('Zoom out')}>Zoom out</button>"
        f"<canvas id=acts width=600 height=300 aria-label=Sales {t.control('Sales')}></canvas>"
        f"<canvas width=300 height=100></canvas><p>{t.text('Sales by quarter')}</p>"
        "<script>document.getElementById('acts').addEventListener('click', () => {})</script>"
    )
    return t.page("canvas", "a canvas", html)


def values() -> Page:
    """Return texts of one character, and values that are only in fields."""
    t = Truth()
    letters = "QZXJKVWYF"
    cells = "".join(f"<td>{t.text(letter)}</td>" for letter in letters)
    loose = "".join(f"<div>{t.text(sign)}</div>" for sign in "7✓№§9") + "".join(
        f"<span>{t.text(sign)}</span> " for sign in "ΩЖ"
    )
    fields = (
        f"<input aria-label=Depth {t.control('Depth')} value='{t.text('3')}'>"
        f"<input aria-label=Owner {t.control('Owner')} value='{t.text('Berta Quist')}'>"
        f"<input readonly aria-label=Serial {t.control('Serial')} value='{t.text('SN-40771')}'>"
        f"<select aria-label=Grade {t.control('Grade')}><option>A<option selected>{t.text('B')}</select>"
        f"<textarea aria-label=Log {t.control('Log')}>{t.text('rebooted twice')}</textarea>"
        f"<div contenteditable aria-label=Memo {t.control('Memo')}>{t.text('call back Monday')}</div>"
        f"<input id=late aria-label=Late {t.control('Late')}><script>late.value = '{t.text('set by script')}'</script>"
    )
    return t.page(
        "values", "values in fields, one-character texts", f"<body><table><tr>{cells}</tr></table>{loose}{fields}"
    )

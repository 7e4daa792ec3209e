"""Pages of labels and values whose truth is what a person sees: made at random, in many layouts, with and without what
makes the document and the picture differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

REFUSED = "(nothing that can be read)"
"""Of a value that no reader may take for certain."""

SIGN = "<svg xmlns='http://www.w3.org/2000/svg' width='8' height='3'><rect width='8' height='3'/></svg>"
STYLE = f"""<style>
body {{ font: 16px sans-serif }} .k {{ color: #667; font-size: 14px }} .grid {{ display: grid; width: 500px }}
.grid {{ grid-template-columns: 200px 300px }} .pair {{ display: flex; gap: 20px }} td, th {{ padding: 3px 12px }}
.minus::before {{ content: '\\2212' }} .around::before {{ content: '(' }} .around::after {{ content: ')' }}
.prefix::before {{ content: 'OLD-' }} .data::before {{ content: attr(data-v) }} .white {{ color: #fff }}
.painted {{ background: url("data:image/svg+xml,{SIGN}") no-repeat 0 9px; padding-left: 10px }}
.cover {{ position: relative; display: inline-block }} .cover i {{ position: absolute; inset: 0; background: #fff }}
.back {{ unicode-bidi: bidi-override; direction: rtl }} .turned {{ display: inline-flex; flex-direction: row-reverse }}
.moved {{ display: inline-flex }} .last {{ order: 1 }} .struck {{ text-decoration: line-through }}
.up {{ position: relative; top: -6px; font-size: 11px }} .nothing {{ font-size: 0 }} .gone {{ display: none }}
.badge {{ background: #253; color: #fff; padding: 2px 8px; border-radius: 9px }}
</style>"""


@dataclass(frozen=True)
class Made:
    """A value: what is written, and what a person reads. ``harmless``: the document says what is seen."""

    html: str
    truth: str
    harmless: bool


@dataclass(frozen=True)
class DrawnPage:
    """A page with a value for each label."""

    html: str
    values: dict[str, Made]


LABELS = ("Owner", "Amount", "Region", "Invoice", "Reporter", "Total", "Branch", "Contract", "Reviewer", "Balance")
NAMES = ("Ann Lee", "Bo Diaz", "Cy Okafor", "Zoë Brandt")
PLAIN: tuple[Callable[[str], str], ...] = (
    str,
    "<b>{}</b>".format,
    "<span>{}</span>".format,
    "<a href=/x>{}</a>".format,
    "<em>{}</em>".format,
    "<span class=badge>{}</span>".format,
    "<svg width=12 height=12><circle cx=6 cy=6 r=5 /></svg> {}".format,
    lambda text: f"{text[:2]}<span>{text[2:]}</span>",
    lambda text: f"{text[:1]}<span class=gone>9</span>{text[1:]}",
    lambda text: f"{text[:2]}\u200b{text[2:]}",
)


def amount(random: Random) -> str:
    return f"{random.randint(1, 9)},{random.randint(100, 999)}.{random.randint(10, 99)}"


def plain_value(random: Random) -> Made:
    text = random.choice((random.choice(NAMES), amount(random), f"INV-{random.randint(100, 999)}"))
    return Made(random.choice(PLAIN)(text), text, harmless=True)


def tricky_value(random: Random) -> Made:
    text, key = amount(random), f"INV-{random.randint(100, 999)}"
    head, tail = text[:-3], text[-3:]
    html, truth = random.choice(
        (
            (f"<span class=minus>{text}</span>", f"−{text}"),
            (f"<span class=around>{text}</span>", f"({text})"),
            (f"<span class=prefix>{key}</span>", f"OLD-{key}"),
            (f"<span class=data data-v='{text}'></span>", text),
            (f"{text}<sup>2</sup>", text),
            (f"{key}<span class=up>1</span>", key),
            (f"12<small>{tail[1:]}</small>", f"12 {tail[1:]}"),
            (f"{head}<span class=white>{tail}</span>", head),
            (f"<span class=cover>{text}<i></i></span>", REFUSED),
            (f"<span class=painted>{text}</span>", f"−{text}"),
            (f"<span class=back>{text[::-1]}</span>", text),
            (f"<span class=turned><span>{tail}</span><span>{head}</span></span>", text),
            (f"<span class=moved><span class=last>{tail}</span><span>{head}</span></span>", text),
            (f"<span class=struck>{amount(random)}</span> {text}", text),
            (f"{text[:1]}<span class=nothing>9</span>{text[1:]}", text),
        )
    )
    return Made(html, truth, harmless=False)


LAYOUTS: tuple[Callable[[dict[str, str]], str], ...] = (
    lambda pairs: "<dl>" + "".join(f"<dt>{k}</dt><dd>{v}</dd>" for k, v in pairs.items()) + "</dl>",
    lambda pairs: "<table>" + "".join(f"<tr><th>{k}</th><td>{v}</td></tr>" for k, v in pairs.items()) + "</table>",
    lambda pairs: "<table>" + "".join(f"<tr><td>{k}</td><td>{v}</td></tr>" for k, v in pairs.items()) + "</table>",
    lambda pairs: (
        "<table><tr>"
        + "".join(f"<th>{k}</th>" for k in pairs)
        + "</tr><tr>"
        + "".join(f"<td>{v}</td>" for v in pairs.values())
        + "</tr></table>"
    ),
    lambda pairs: "".join(f"<div class=pair><div class=k>{k}</div><div>{v}</div></div>" for k, v in pairs.items()),
    lambda pairs: "".join(f"<p><b>{k}:</b> {v}</p>" for k, v in pairs.items()),
    lambda pairs: (
        "<div class=grid>" + "".join(f"<div class=k>{k}</div><div>{v}</div>" for k, v in pairs.items()) + "</div>"
    ),
    lambda pairs: (
        "<ul>" + "".join(f"<li><span class=k>{k}</span><div>{v}</div></li>" for k, v in pairs.items()) + "</ul>"
    ),
    lambda pairs: "".join(f"<h4>{k}</h4><p>{v}</p>" for k, v in pairs.items()),
    lambda pairs: "".join(f"<div class=k>{k}</div><div>{v}</div>" for k, v in pairs.items()),
    lambda pairs: (
        "<table>"
        + "".join(f"<tr><td class=k>{k}</td><td><div>{v}</div></td></tr>" for k, v in pairs.items())
        + "</table>"
    ),
    lambda pairs: "<section>" + "".join(f"<p class=k>{k}</p><p>{v}</p>" for k, v in pairs.items()) + "</section>",
)


def made_page(seed: int) -> DrawnPage:
    """Return a page with all labels in one layout; half of its values are tricky."""
    random = Random(seed)
    makers = (plain_value, tricky_value)
    values = {label: random.choice(makers)(random) for label in LABELS}
    html = LAYOUTS[seed % len(LAYOUTS)]({label: made.html for label, made in values.items()})
    return DrawnPage(f"{STYLE}<h1>Record R-{seed}</h1>{html}", values)

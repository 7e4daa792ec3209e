// Draws the labels and values of a page in another layout, as a new template of the site would.
// ``layout``: one of LAYOUTS of redesigns.py. Values keep their own nodes; only what stands around them changes.
"use strict";
((layout) => {
  const SHORT = 40;
  const text = (node) => (node.textContent || "").replace(/\s+/g, " ").trim();

  const make = (tag, ...children) => {
    const node = document.createElement(tag);
    node.append(...children.flat());
    return node;
  };

  const cellsOf = (row) => [...row.children].filter((one) => /^T[HD]$/.test(one.tagName));
  const pair = (label, from) => ({ label: text(label), value: [...from.childNodes] });

  const ofTable = (table) => {
    const rows = [...table.rows];
    const head = rows.find((row) => cellsOf(row).every((one) => one.tagName === "TH"));
    const body = rows.filter((row) => row !== head);
    if (head && body.length === 1 && cellsOf(head).length > 2) {
      const cells = cellsOf(body[0]);
      return cellsOf(head).map((one, at) => pair(one, cells[at]));
    }
    const own = body.map(cellsOf);
    const isRecord = own.length > 2 && own.every(([label, value, ...more]) =>
      label && value && !more.length && text(label) && text(label).length <= SHORT);
    return isRecord ? own.map(([label, value]) => pair(label, value)) : [];
  };

  const ofList = (list) => [...list.querySelectorAll("dt")]
    .filter((one) => one.nextElementSibling?.tagName === "DD")
    .map((one) => pair(one, one.nextElementSibling));

  // A label and its value in one text, such as <p>Published: Nov 26, 2022</p>
  const ofText = (node) => {
    const words = /^([^:\d]{2,30}):\s*(\S[^]*)?$/.exec(text(node));
    const first = [...node.childNodes].find((one) => text(one));
    if (!words || first?.nodeType !== Node.TEXT_NODE || text(node).length > 200) return null;
    first.textContent = first.textContent.slice(first.textContent.indexOf(":") + 1);
    return { label: words[1], value: [...node.childNodes] };
  };

  const groups = () => {
    const found = [];
    for (const table of document.querySelectorAll("table")) {
      const pairs = ofTable(table);
      if (pairs.length) found.push({ at: table, pairs, removed: [table] });
    }
    for (const list of document.querySelectorAll("dl")) {
      const pairs = ofList(list);
      if (pairs.length > 1) found.push({ at: list, pairs, removed: [list] });
    }
    if (found.length) return found;
    const nodes = [...document.querySelectorAll("p, span, div, li")]
      .filter((one) => !one.querySelector("p, div, li, ul, table, form") && !one.closest("nav, header, footer"))
      .filter((one) => !one.parentElement.closest("p, span, li"));
    const texts = nodes.map((node) => ({ node: node.querySelector(":scope > span") || node }))
      .map(({ node }) => ({ node, pair: ofText(node) })).filter((one) => one.pair);
    if (!texts.length) return [];
    return [{ at: texts[0].node, pairs: texts.map((one) => one.pair), removed: texts.map((one) => one.node) }];
  };

  const slug = (label) => "s-" + label.toLowerCase().replace(/\W+/g, "-");
  const rows = (pairs, label) => make("table", make("tbody", pairs.map((one) =>
    make("tr", make("th", label(one)), make("td", one.value)))));
  const layouts = {
    "a definition list": (pairs) => make("dl", pairs.flatMap((one) => [make("dt", one.label), make("dd", one.value)])),
    "rows of a table": (pairs) => rows(pairs, (one) => one.label),
    "columns of a table": (pairs) => make("table",
      make("thead", make("tr", pairs.map((one) => make("th", one.label)))),
      make("tbody", make("tr", pairs.map((one) => make("td", one.value))))),
    "labels above values": (pairs) => make("div", pairs.map((one) =>
      make("div", make("div", one.label), make("div", one.value)))),
    "labels as headings": (pairs) => make("section", pairs.flatMap((one) =>
      [make("h4", one.label), make("p", one.value)])),
    "label and value in one text": (pairs) => make("div", pairs.map((one) => make("p", one.label + ": ", one.value))),
    "labels in bold in one text": (pairs) => make("ul", pairs.map((one) =>
      make("li", make("b", one.label + ":"), " ", one.value))),
    "labels with a mark": (pairs) => rows(pairs, (one) => one.label + " *"),
    "labels with a colon": (pairs) => make("dl", pairs.flatMap((one) =>
      [make("dt", one.label + ":"), make("dd", one.value)])),
    "a menu that repeats the labels": (pairs) => make("div",
      make("nav", make("ul", pairs.map((one) => {
        const link = make("a", one.label);
        link.href = "#" + slug(one.label);
        return make("li", link);
      }))),
      pairs.map((one) => {
        const part = make("section", make("h3", one.label), make("div", one.value));
        part.id = slug(one.label);
        return part;
      })),
  };

  // Values of another record, of the kind of the record's own.
  const otherwise = (value) => {
    const words = value.map(text).join(" ").trim();
    if (/^\d{4}-\d\d-\d\d$/.test(words)) return "2001-02-03";
    if (/^[\d.,]+$/.test(words)) return "17";
    return words.replace(/\d/g, "7").split("").reverse().join("") || "Nobody";
  };
  const another = (pairs, title) => make("section", make("h3", title),
    layouts["a definition list"](pairs.map((one) => ({ label: one.label, value: [otherwise(one.value)] }))));
  layouts["another record above"] = (pairs) => make("div", another(pairs, "Previous record"), layouts["a definition list"](pairs));
  layouts["another record below"] = (pairs) => make("div", layouts["labels above values"](pairs), another(pairs, "See also"));
  layouts["labels in capitals"] = (pairs) => make("dl", pairs.flatMap((one) =>
    [make("dt", one.label.toUpperCase()), make("dd", one.value)]));

  for (const { at, pairs, removed } of groups()) {
    const drawn = layouts[layout](pairs);
    at.before(drawn);
    for (const one of removed) one.remove();
  }
  document.documentElement.dataset.redesigned = layout;
})(LAYOUT);

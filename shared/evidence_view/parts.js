// Parts that pages about samples have in common: remarks, tables, statuses.

// The sample shown. It is null where none is; what is about one is only called while there is one.
const NOTHING = /** @type {ShownSample} */ (/** @type {unknown} */ (null));
let open = NOTHING;

const note = (icon, head, body, kind) => el("div", { class: `note ${kind || ""}` }, glyph(icon), el("div", null, el("strong", null, head), " ", body));

function table(kind, heads, rows) {
  return el("div", { class: "scroll-x" }, el("table", { class: kind },
    el("thead", null, el("tr", null, heads.map((head) => el("th", { scope: "col", class: head.startsWith("#") ? "number" : null }, head.replace(/^#/, ""))))),
    el("tbody", null, rows)));
}

const status = (code) => el("span", { class: `status st-${code}` }, glyph(code), STATUSES[code] || sentence(code));

const fieldWord = (name) => words(name);

function remarks(detail) {
  const list = [];
  if (detail.message) list.push(note(detail.status, "", said(detail.message), detail.status === "done" ? "" : "bad"));
  for (const problem of detail.files ? detail.files.filter((file) => file.problem) : []) list.push(note("failed", "File in trouble:", said(problem.problem), "bad"));
  if (detail.review) list.push(note("flag", "Review:", reviewed(detail.review)));
  const differs = detail.differs || [];
  const other = detail.notes || [];
  if (differs.length) list.push(note("needs_review", "Not as recorded:", el("ul", null, differs.map((line) => el("li", null, said(line)))), "bad"));
  if (other.length) list.push(note("flag", other.length > 1 ? "Remarks:" : "Remark:", other.length > 1 ? el("ul", null, other.map((line) => el("li", null, said(line)))) : said(other[0])));
  return list;
}

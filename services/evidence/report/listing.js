// The list of samples. It is virtualised: only the visible rows are in the document, so 10,000 samples scroll smoothly.

const MOST_COLUMNS = 4;
let COLUMNS = (RUN.columns || []).slice(0, MOST_COLUMNS);
const OVERSCAN = 5;
const ALL_DRAWN = 80; // up to this many samples, all rows are in the document, so that the browser's own search finds them
const drawn = new Map(); // rows in the document, by list index
const spare = new Map(); // rows removed from the document that may be reused at another index: by sample
let rowHeight = 76;
let listTop = 0;
let list, counted, controls, heads;

function samplesPage() {
  controls = {};
  counted = el("p", { class: "counted", role: "status" });
  list = el("div", { class: "rows", role: "rowgroup", id: "rows-drawn" });
  fill(byId("samples"),
    el("div", { class: "toolbar", role: "search", "aria-label": "Samples" },
      el("h2", { id: "samples-title", tabindex: "-1" }, "Samples"), counted, el("span", { class: "spacer" }),
      searchBox(), choices(), sorting(), columnChooser(),
    ),
    leftOut(),
    el("div", { role: "table", "aria-label": "Samples", "aria-rowcount": ROWS.length + 1, class: "listing", vars: { "--columns": String(COLUMNS.length) } },
      el("div", { role: "rowgroup", class: "head-group" }, (heads = el("div", { class: "row heads", role: "row", "aria-rowindex": 1 }, headCells()))),
      list),
    el("p", { class: "empty", hidden: true }),
  );
}

function searchBox() {
  controls.q = el("input", { type: "search", id: "search", placeholder: "Search ids and values", "aria-label": "Search ids, values, judgments and remarks", autocomplete: "off", spellcheck: "false" });
  controls.q.addEventListener("input", () => narrowTo({ q: controls.q.value }));
  return el("div", { class: "search" }, controls.q, el("kbd", { "aria-hidden": "true" }, "/"));
}

function choices() {
  const states = [];
  FIELDS.forEach((field, at) => ["n", "p", "v"].forEach((state, i) => {
    const number = field.states[2 - i];
    if (number && number < ROWS.length) states.push([`${at}:${state}`, `${sentence(field.name)}: ${FIELD_STATES[state]} (${number})`]);
  }));
  const counts = tally((row) => row[STATUS]);
  const reasons = tally((row) => row[REASON]);
  const answers = tally((row) => row[ANSWER]);
  const common = [...answers].sort((a, b) => b[1] - a[1]).slice(0, 200);
  controls.flagged = el("input", { type: "checkbox", id: "flagged" });
  controls.flagged.addEventListener("change", () => narrowTo({ flagged: controls.flagged.checked }));
  return [
    picker("status", "Any status", Object.keys(STATUSES).filter((code) => counts.has(code)).map((code) => [code, `${STATUSES[code]} (${counts.get(code)})`])),
    picker("reason", "Any reason", [...reasons].map(([code, number]) => [code, `${sentence(code)} (${number})`])),
    picker("field", "Any field state", states),
    picker("answer", "Any judgment", common.map(([answer, number]) => [answer, `${answer} (${number})`])),
    RUN.flagged ? el("label", { class: "check" }, controls.flagged, glyph("flag"), `Flagged (${RUN.flagged})`) : null,
  ];
}

function picker(name, any, options) {
  controls[name] = el("select", { "aria-label": any.replace("Any", "Filter by") }, el("option", { value: "" }, any), options.map(([value, shownAs]) => el("option", { value }, shownAs.slice(0, 80))));
  controls[name].addEventListener("change", () => narrowTo({ [name]: controls[name].value }));
  return options.length > (name === "status" ? 1 : 0) ? controls[name] : null;
}

function sorting() {
  controls.sort = el("select", { "aria-label": "Sort by" }, Object.entries(SORTS).map(([key, [name]]) => el("option", { value: key }, `Sort: ${name}`)));
  controls.sort.addEventListener("change", () => narrowTo({ sort: controls.sort.value, down: false }));
  controls.clear = el("button", { type: "button", class: "link clear", onclick: () => clearAll() }, "Clear");
  return [controls.sort, controls.clear];
}

// Which fields the list shows, in the order in which they were chosen.
function columnChooser() {
  if (FIELDS.length < 2) return null;
  const boxes = FIELDS.map((field, at) => {
    const box = el("input", { type: "checkbox", checked: COLUMNS.includes(at) });
    box.addEventListener("change", () => chooseColumns(box.checked ? [...COLUMNS, at] : COLUMNS.filter((one) => one !== at)));
    return el("label", { class: "check" }, box, sentence(field.name));
  });
  controls.columns = boxes.map((label) => label.querySelector("input"));
  controls.shown = el("span", { class: "muted" });
  const all = el("details", { class: "columns" }, el("summary", null, "Fields ", controls.shown), el("div", { class: "column-boxes", role: "group", "aria-label": `Fields in the list, ${MOST_COLUMNS} at most` }, boxes));
  all.addEventListener("keydown", (event) => event.key === "Escape" && (all.open = false));
  limitColumns();
  return all;
}

function chooseColumns(chosen) {
  COLUMNS = chosen;
  heads.parentNode.parentNode.style.setProperty("--columns", String(COLUMNS.length));
  fill(heads, headCells());
  limitColumns();
  for (const row of list.querySelectorAll(".row")) row.remove();
  drawn.clear();
  spare.clear();
  showControls();
  redraw(true);
}

function limitColumns() {
  controls.shown.textContent = `${COLUMNS.length} of ${FIELDS.length}`;
  controls.columns.forEach((box) => (box.disabled = !box.checked && COLUMNS.length >= MOST_COLUMNS));
}

function headCells() {
  const head = (key, name, kind) => el("div", { role: "columnheader", class: kind, "data-sort": key, "aria-sort": "none" }, SORTS[key] ? el("button", { type: "button", class: "sorter", onclick: () => sortBy(key) }, said(name), el("span", { class: "arrow", "aria-hidden": "true" })) : name);
  return [
    el("div", { role: "columnheader", class: "c-thumb" }, el("span", { class: "unseen" }, "Picture")),
    head("id", "Sample", "c-id"),
    COLUMNS.map((at, i) => head(`f${at}`, sentence(FIELDS[at].name), `c-value v${i}`)),
    RUN.judgment_question ? head("sure", "Judgment", "c-answer") : null,
    head("status", "Status", "c-status"),
  ];
}

function sortBy(key) {
  const down = wanted.sort === key ? !wanted.down : false;
  narrowTo({ sort: key, down });
}

function leftOut() {
  if (!RUN.pictures.left_out) return null;
  return el("p", { class: "muted left-out" }, `So that this page opens at once, ${count(RUN.pictures.shown)} samples bring a small picture along; those of the other ${count(RUN.pictures.left_out)} are shown from the folder once a sample is opened.`);
}

/** @param {string} selector of an element that this part has made @returns {HTMLElement} */
const found = (selector) => /** @type {HTMLElement} */ (document.querySelector(selector));

// --- filters

function narrowTo(change) {
  Object.assign(wanted, change);
  choose();
  showControls();
  redraw(true);
}

function narrow(change) {
  Object.assign(wanted, { q: "", status: "", reason: "", flagged: false, field: "", answer: "" });
  narrowTo(change);
  byId("samples").scrollIntoView();
  byId("samples-title").focus({ preventScroll: true });
}

const clearAll = () => narrowTo({ q: "", status: "", reason: "", flagged: false, field: "", answer: "", sort: "row", down: false });

function showControls() {
  for (const name of ["status", "reason", "field", "answer", "sort"]) if (controls[name]) controls[name].value = wanted[name];
  if (controls.q.value !== wanted.q) controls.q.value = wanted.q;
  controls.flagged.checked = wanted.flagged;
  controls.clear.hidden = !narrowed() && wanted.sort === "row" && !wanted.down;
  for (const head of document.querySelectorAll("[data-sort]")) {
    const sorted = head.dataset.sort === wanted.sort ? (wanted.down ? "descending" : "ascending") : "none";
    head.setAttribute("aria-sort", sorted);
  }
}

// --- rendering

function redraw(anew) {
  if (anew) {
    for (const row of drawn.values()) spare.set(Number(row.dataset.at), row);
    drawn.clear();
    counted.textContent = narrowed() ? `${count(shown.length)} of ${count(ROWS.length)}` : count(ROWS.length);
    const empty = found(".empty");
    empty.hidden = shown.length > 0;
    empty.textContent = ROWS.length ? "No sample fits. Clear the search to see all of them." : "This run has no samples.";
    list.parentNode.setAttribute("aria-rowcount", String(shown.length + 1));
  }
  measure();
  draw();
  for (const row of spare.values()) row.remove();
  spare.clear();
}

function measure() {
  const style = getComputedStyle(document.documentElement);
  rowHeight = parseFloat(style.getPropertyValue("--row"));
  document.documentElement.style.setProperty("--toolbar", `${found(".toolbar").offsetHeight}px`);
  list.style.height = `${shown.length * rowHeight}px`;
  listTop = list.getBoundingClientRect().top + scrollY;
}

function draw() {
  if (byId("overview").hidden) return;
  const above = scrollY - listTop;
  const few = ROWS.length <= ALL_DRAWN;
  const first = few ? 0 : Math.max(0, Math.floor(above / rowHeight) - OVERSCAN);
  const last = few ? shown.length : Math.min(shown.length, Math.ceil((above + innerHeight) / rowHeight) + OVERSCAN);
  for (const [place, row] of drawn) {
    if ((place < first || place >= last) && !row.contains(document.activeElement)) {
      row.remove();
      drawn.delete(place);
    }
  }
  let before = null;
  for (let place = last - 1; place >= first; place -= 1) {
    if (!drawn.has(place)) drawn.set(place, placed(place));
    const row = drawn.get(place);
    if (row.parentNode !== list || row.nextSibling !== before) list.insertBefore(row, before);
    before = row;
  }
}

let asked = false;
function drawSoon() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    draw();
  });
}

// Return the row for a list index: the existing row of this sample, or a new one.
function placed(place) {
  const at = shown[place];
  const row = spare.get(at) || rowOf(at);
  spare.delete(at);
  row.dataset.place = place;
  row.setAttribute("aria-rowindex", place + 2);
  row.style.setProperty("--y", `${place * rowHeight}px`);
  return row;
}

function rowOf(at) {
  const row = ROWS[at];
  const name = row[KEY] || row[ID];
  return el("div", { class: "row", role: "row", "data-at": at },
    el("div", { role: "cell", class: "c-thumb" }, thumb(at)),
    el("div", { role: "cell", class: "c-id" }, el("a", { href: `#sample=${encodeURIComponent(row[ID])}`, class: "open" }, said(name)), el("small", null, el("span", { class: "row-number" }, `row ${row[AT]}`), row[FLAG] ? el("span", { class: "flagged" }, glyph("flag"), "flagged") : null)),
    valueCells(row),
    RUN.judgment_question ? el("div", { role: "cell", class: "c-answer" }, row[ANSWER] ? [said(row[ANSWER]), el("small", null, row[SURE] === null ? "" : `${Math.round(row[SURE] * 100)} % sure`)] : el("span", { class: "muted" }, "–")) : null,
    el("div", { role: "cell", class: "c-status" }, status(row[STATUS]), row[REASON] ? el("small", null, sentence(row[REASON])) : null),
  );
}

// The values of a sample; if there are none, the reason.
function valueCells(row) {
  const nothing = row[MESSAGE] && /^-*$/.test(row[STATES]) && COLUMNS.length;
  if (nothing) return el("div", { role: "cell", class: "c-message", "aria-colspan": COLUMNS.length }, said(row[MESSAGE]));
  return COLUMNS.map((field, i) => el("div", { role: "cell", class: `c-value v${i}` }, el("span", { class: "label" }, said(fieldWord(FIELDS[field].name))), valueCell(row, field)));
}

function valueCell(row, field) {
  const state = row[STATES][field];
  if (state === "n") return el("span", { class: "state n" }, "not found");
  if (state === "p") return el("span", { class: "state p" }, "none", row[VALUES][field] ? el("span", { class: "muted" }, " “", said(row[VALUES][field]), "”") : null);
  if (state === "-") return el("span", { class: "muted" }, "–");
  return said(row[VALUES][field] || "(empty)", { class: "value" });
}

function thumb(at) {
  const pictures = smallPictures(at);
  if (pictures && pictures.length) return el("img", { src: pictures[0], alt: "", width: 88, height: 58, decoding: "async" });
  return el("span", { class: "no-picture", "aria-hidden": "true" });
}

// --- navigation

const current = () => {
  const row = /** @type {HTMLElement | null | undefined} */ (document.activeElement?.closest(".rows .row"));
  return row ? Number(row.dataset.place) : -1;
};

function moveTo(place) {
  if (!shown.length) return;
  const to = Math.min(Math.max(place, 0), shown.length - 1);
  const top = listTop + to * rowHeight;
  const head = stuck();
  if (top < scrollY + head) scrollTo({ top: top - head - 8 });
  else if (top + rowHeight > scrollY + innerHeight) scrollTo({ top: top + rowHeight - innerHeight + 8 });
  draw();
  if (drawn.has(to)) drawn.get(to).querySelector("a").focus({ preventScroll: true });
}

const stuck = () => [".toolbar", ".bar", ".row.heads"].reduce((sum, one) => sum + found(one).offsetHeight, 0);
const firstInView = () => Math.max(0, Math.ceil((scrollY + stuck() - listTop) / rowHeight));

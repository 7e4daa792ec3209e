// The fields of a sample: values and their provenance.

function fieldList() {
  if (!open.fields.length) return el("section", { class: "card" }, el("h2", null, "Fields"), el("p", { class: "muted" }, "Nothing was read."));
  return el("section", { class: "card fields", "aria-labelledby": "fields-head" }, el("h2", { id: "fields-head" }, "Fields"), el("ol", null, open.fields.map((field, i) => fieldItem(field, i))));
}

function fieldItem(field, i) {
  const where = placeOf(field);
  const head = where
    ? el("button", { type: "button", class: "mark-button", "aria-pressed": "false" }, el("b", { class: "badge", "aria-hidden": "true" }, i + 1), el("span", { class: "field-name" }, said(fieldWord(field.n))), el("span", { class: "unseen" }, "show it on the picture"))
    : el("span", { class: "mark-button" }, el("b", { class: "badge off", "aria-hidden": "true" }, i + 1), el("span", { class: "field-name" }, said(fieldWord(field.n))));
  const item = el("li", { class: `field ${where ? "placed" : ""}`, "data-field": i }, head, fieldValue(field, i), fieldOrigin(field, where), reviewed(field.review), explained(field));
  if (where) {
    item.addEventListener("click", (event) => /** @type {Element} */ (event.target).closest("a, summary, details, .copy, .candidate") || String(getSelection() || "") || chooseField(i));
    head.addEventListener("focus", () => chooseField(i));
  }
  return item;
}

const DECIDED = { accept: "Accepted", correct: "Corrected", reject: "Rejected", not_applicable: "Not applicable" };

// What people have decided of a value, a judgment or a sample, beside what the run has read.
function reviewed(review) {
  if (!review) return null;
  return el("p", { class: "reviewed" },
    el("strong", null, DECIDED[review.act] || review.act), review.value ? [" to ", el("q", null, said(review.value))] : null,
    ` by ${review.by.join(", ")}, `, moment(review.at), review.why ? [": ", said(review.why)] : null,
    review.file ? [" (", evidenceLink(open.detail, review.file), ")"] : null);
}

// The texts between which a person decides, each with its mark on the picture.
function candidateList(field, i) {
  if (!field.candidates) return null;
  return [
    el("p", { class: "muted" }, `The page shows ${field.candidates.length} values:`),
    el("ul", { class: "candidates" }, field.candidates.map((one, at) => {
      const placed = placeOf(field, at);
      const words = [el("b", { class: `badge ${placed ? "" : "off"}`, "aria-hidden": "true" }, candidateName(i, at)), el("q", null, said(one.shown || "(empty)"))];
      return el("li", null, placed ? el("button", { type: "button", class: "candidate", onclick: () => chooseField(i, at) }, words) : el("span", { class: "candidate" }, words));
    })),
  ];
}

// What nearly matched, and what in the spec would settle the field, ready to paste.
function explained(field) {
  const near = field.near || [];
  const keys = field.settled_by || [];
  if (!near.length && !keys.length) return null;
  return el("div", { class: "explained" },
    near.length ? [el("p", { class: "muted" }, "Nearly matched:"), el("ul", { class: "near" }, near.map((one) => el("li", null, one.label ? [said(one.label), ": "] : null, el("q", null, said(one.shown || "(empty)")), ` – ${one.why}`)))] : null,
    keys.length ? [el("p", { class: "muted" }, keys.length > 1 ? "In the spec, one of these would settle it:" : "In the spec, this would settle it:"), el("ul", { class: "keys" }, keys.map((one) => el("li", null, el("p", null, el("code", null, said(one.paste)), copyButton(one.paste, `Copy this entry of ${words(field.n)}`)), el("p", null, "gives ", one.gives === null ? el("span", { class: "state p" }, "none") : el("q", null, said(one.gives)), ` – ${one.why}`))))] : null);
}

function fieldValue(field, i) {
  const shownAs = field.shown && field.shown !== field.value ? el("p", { class: "as-shown" }, field.origin === "api" ? "In the response: " : "On the page: ", el("q", null, said(field.shown))) : null;
  if (field.state === "not_found") return [el("p", { class: "field-value" }, el("span", { class: "state n" }, "not found")), shownAs, candidateList(field, i), lackingRows(field)];
  if (field.state === "not_present") return [el("p", { class: "field-value" }, el("span", { class: "state p" }, "none"), el("span", { class: "muted" }, field.origin === "api" ? " – the API says so" : " – the page says so")), shownAs];
  if (field.rows) return rowTable(field);
  const long = (field.value || "").length > 600;
  return [el("p", { class: `field-value ${long ? "long" : ""}`, tabindex: long ? "0" : null, role: long ? "group" : null, "aria-label": long ? `${words(field.n)}, the whole value` : null }, said(field.value || "(empty)")), field.cut ? el("p", { class: "muted" }, `The first 20 000 of ${count(field.cut)} characters; all of it is in result.json.`) : null, shownAs];
}

// The rows of a field as a table, each with the page that shows it.
function rowTable(field) {
  const columns = Object.keys(field.rows[0].cells);
  const head = el("tr", null, el("th", { scope: "col" }, "#"), columns.map((name) => el("th", { scope: "col" }, said(name))), el("th", { scope: "col" }, "Page"));
  const line = (row, i) => el("tr", null, el("td", null, i + 1), columns.map((name) => el("td", null, rowCell(row.cells[name]))), el("td", null, row.page ? weblink(row.page, "open") : "–"));
  return [
    el("div", { class: "field-rows", tabindex: "0", role: "group", "aria-label": `${words(field.n)}, its rows` }, el("table", null, el("thead", null, head), el("tbody", null, field.rows.map(line)))),
    field.of_rows ? el("p", { class: "muted" }, `The first ${field.rows.length} of ${count(field.of_rows)} rows; all of them are in combined.xlsx and in SQL.`) : null,
    lackingRows(field),
  ];
}

function rowCell(cell) {
  if (cell.candidates) return [el("span", { class: "state n" }, "open"), cell.candidates.map((one) => [" ", el("q", null, said(one))])];
  if (cell.state === "not_present") return el("span", { class: "state p" }, "none");
  if (cell.state === "not_found") return el("span", { class: "state n" }, "not found");
  const doubt = cell.ink && cell.ink !== "seen" ? el("span", { class: "muted" }, ` – ${INK[cell.ink] || cell.ink}`) : null;
  return [said(cell.value || cell.shown || "(empty)", { title: cell.shown ? `On the page: ${cell.shown}` : null }), doubt];
}

const lackingRows = (field) => (field.lacking ? el("p", { class: "muted" }, field.rows ? "These may not be all: " : "Not read: ", said(field.lacking)) : null);

const READ = { person: "given by a person, ", derived: "worked out from what pages show, by ", vision: "read from a picture, by ", page: "read from the page, by ", api: "given by the API, read by " };

function fieldOrigin(field, where) {
  const src = field.src || {};
  if (field.state === "not_found") return null;
  const by = field.by || open.detail.decided_by;
  const element = src.role ? el("span", null, src.role, src.label ? [" “", said(src.label), "”"] : null) : null;
  const line = [by ? el("span", null, READ[field.origin] || "by ", said(by)) : null, element, where ? el("span", null, where.file.name) : null].filter(Boolean);
  return el("div", { class: "origin" },
    el("p", null, line.map((part, i) => [i ? el("span", { class: "dot", "aria-hidden": "true" }, "·") : null, part])),
    field.response ? el("details", null, el("summary", null, "Source"), responseFacts(field.response)) : src.url ? el("details", null, el("summary", null, "Source"), sourceFacts(src, where)) : field.rows ? null : el("p", null, "No element of a page is named as its source."));
}

function responseFacts(response) {
  const rows = [["Address", weblink(response.url)], ["JSON pointer", el("code", null, said(response.pointer || "(the whole response)"))], ["Stored response", hash(response.sha256, "the stored response")]];
  return el("dl", { class: "source" }, rows.map(([name, value]) => el("div", null, el("dt", null, name), el("dd", null, value))));
}

const INK = {
  seen: "the picture shows the text, and nothing beside it that the page does not say",
  absent: "the picture does not show all of the text",
  unexplained: "something is drawn beside it that the page does not say",
  outside: "it lies in no part of the page that can be seen",
  glyphless: "the picture shows boxes in place of characters, for which the browser had no font",
};

const inkOfBoxes = (number) => `the picture shows boxes in place of ${number === 1 ? "1 character" : `${count(number)} characters`}, for which the browser had no font`;

function sourceFacts(src, where) {
  const rows = [
    ["Address", weblink(src.url)],
    ["Element", el("span", null, src.role || "–", src.label ? [" labelled “", said(src.label), "”"] : "")],
    src.title ? ["Its markup says", said(src.title)] : null,
    src.box ? ["Box", `${round(src.box.x)}, ${round(src.box.y)}; ${round(src.box.width)} × ${round(src.box.height)} CSS px`] : null,
    ["Picture", where ? where.file.name : src.shot ? "the box lies outside of the picture" : "no picture is known to show this state of the page"],
    src.ink ? ["Ink", src.glyphless ? inkOfBoxes(src.glyphless) : INK[src.ink] || said(src.ink)] : null,
    src.frame && src.frame !== "main" ? ["Frame", said(src.frame)] : null,
    src.locators ? ["Found by", el("ul", null, src.locators.map((one) => el("li", null, el("code", null, said(one)))))] : null,
    src.fingerprint ? ["Fingerprint", el("code", null, src.fingerprint)] : null,
    src.page ? ["Stored page", hash(src.page, "the stored page")] : null,
    src.observation ? ["Observation", hash(src.observation, "the observation")] : null,
  ];
  return el("dl", { class: "source" }, rows.flatMap((row) => (row ? [row] : [])).map(([name, value]) => el("div", null, el("dt", null, name), el("dd", null, value))));
}

const round = (number) => Math.round(number * 10) / 10;

// Print layout: the cover, a table of all samples shown, and each sample on its own page.

const AT_ONCE = 60; // up to this many samples are laid out in advance, so that the browser's own print command includes them
const FULL_PICTURES = 120; // with more pictures, thumbnails are printed
let laidOut = null;
let layingOut = null; // the current layout; only one runs at a time, since the filter may change meanwhile

const printKey = () => JSON.stringify(wanted); // determines which samples are shown, and their order

async function askPrint() {
  announce("Preparing the pages");
  document.body.classList.add("preparing");
  try {
    await layOut();
  } finally {
    document.body.classList.remove("preparing");
  }
  window.print();
}

async function layOut() {
  while (laidOut !== printKey()) {
    layingOut ??= layOutAnew().finally(() => (layingOut = null));
    await layingOut;
  }
  await Promise.all([...byId("printed").querySelectorAll("img")].map(loaded));
}

async function layOutAnew() {
  const places = shown.slice();
  const key = printKey();
  const parts = [printedTable(places)];
  for (const at of places) parts.push(printedSample(at, await detailOf(at), places.length <= FULL_PICTURES));
  fill(byId("printed"), parts);
  laidOut = key;
}

// Replace a missing picture by its thumbnail, which needs no loading, so that printing never waits for it.
const loaded = (img) =>
  new Promise((/** @type {(event?: Event) => void} */ done) => {
    if (img.complete && img.naturalWidth) done();
    img.addEventListener("load", done, { once: true });
    setTimeout(done, 8000);
  });

function beforePrint() {
  if (open || laidOut === printKey()) return;
  laidOut = null;
  fill(byId("printed"), printedTable(shown), el("p", { class: "note" }, "To print each sample with its picture and values, press Print in the page itself."));
}

function printedTable(places) {
  const fields = COLUMNS.slice(0, 4);
  const heads = ["Row", "Sample", ...fields.map((at) => sentence(FIELDS[at].name)), ...(RUN.judgment_question ? ["Judgment"] : []), "Status"];
  const rows = places.map((at) => {
    const row = ROWS[at];
    return el("tr", null, el("td", { class: "number" }, row[AT]), el("th", { scope: "row" }, said(row[KEY] || row[ID])), fields.map((field) => el("td", null, valueCell(row, field))), RUN.judgment_question ? el("td", null, said(row[ANSWER] || "–")) : null, el("td", null, status(row[STATUS]), row[REASON] ? el("small", null, sentence(row[REASON])) : null, row[FLAG] ? el("small", null, "flagged") : null));
  });
  return el("section", { class: "printed-table" }, el("h2", null, "Samples", el("small", null, narrowed() ? `${places.length} of ${ROWS.length}` : `all ${ROWS.length}`)), table("printed", heads, rows));
}

function printedSample(at, detail, full) {
  const was = open;
  const sample = { at, detail, fields: detail.fields || [], files: detail.files || [], chosen: -1 };
  open = sample; // the cards are made for the open sample
  const shots = sample.files.filter((file) => file.kind === "screenshot");
  const shot = mostTelling(shots);
  const made = el("article", { class: "printed-sample" },
    el("header", null, el("h2", null, said(detail.key || detail.id)), el("p", null, status(detail.status || "no_result"), detail.reason ? ` ${sentence(detail.reason)}` : "", ` · row ${detail.row} · `, el("code", null, detail.id))),
    remarks(detail),
    el("div", { class: "printed-grid" }, printedFields(sample), shot ? el("figure", null, full ? sheet(sample, shot, false) : smallSheet(sample, shot), el("figcaption", null, said(shot.name), el("br"), said(shot.url), el("br"), moment(shot.at))) : null),
    judgmentCard(detail), printedSteps(detail), printedFiles(detail));
  open = was;
  return made;
}

function smallSheet(sample, file) {
  const at = (sample.detail.small || []).findIndex((one) => one.name === file.name);
  const pictures = smallPictures(sample.at);
  if (at < 0 || !pictures) return el("p", { class: "absent" }, said(file.name), " lies in the sample’s folder.");
  const area = sample.detail.small[at].area;
  const marks = el("div", { class: "marks" });
  const made = el("div", { class: "sheet is-small" }, el("img", { src: pictures[at], alt: `Picture ${file.name}` }), marks);
  drawValues(made, marks, sample, file, area, false);
  return made;
}

function printedFields(sample) {
  const rows = sample.fields.map((field, i) => el("tr", null, el("td", null, el("b", { class: `badge ${placeOf(field) ? "" : "off"}` }, i + 1)), el("th", { scope: "row" }, said(fieldWord(field.n))), el("td", null, fieldValue(field, i), field.state === "not_found" ? null : el("small", null, READ[field.origin] || "by ", said(field.by || sample.detail.decided_by || "")))));
  return rows.length ? el("table", { class: "printed-fields" }, el("tbody", null, rows)) : el("p", null, "Nothing was read.");
}

function printedSteps(detail) {
  const rows = (detail.steps || []).map((step) => el("tr", { class: step.bad ? "went-wrong" : null }, el("td", { class: "number" }, step.n), el("td", null, step.at ? clock(step.at, true) : ""), el("td", null, said(step.act), step.bad ? " (not accepted)" : "", step.why ? el("small", null, said(step.why)) : null), el("td", null, said(step.did || "")), el("td", { class: "number" }, lasted((step.ms || 0) / 1000))));
  return rows.length ? el("section", null, el("h3", null, "Steps"), table("printed", ["#No.", "At (UTC)", "What, and why", "What came of it", "#Took"], rows)) : null;
}

function printedFiles(detail) {
  const rows = (detail.files || []).map((file) => el("tr", null, el("td", null, said(file.name)), el("td", { class: "number" }, size(file.size)), el("td", null, el("code", null, file.sha))));
  return rows.length ? el("section", null, el("h3", null, "Files"), table("printed", ["File", "#Size", "SHA-256"], rows)) : null;
}

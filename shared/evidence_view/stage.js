// The picture of a sample, with marks at the positions of its values.

/**
 * Return the picture and box of a value; null if no picture shows it. Of a field with candidates: of the first, or of the
 * one with this number.
 * @param {SampleField} field
 * @param {number} [candidate]
 */
function placeOf(field, candidate) {
  const sources = field.candidates ? field.candidates.map((one) => one.src) : [field.src];
  const wanted = candidate === undefined ? sources : [sources[candidate]];
  for (const src of wanted) {
    // A view of a part that scrolls may be the same picture, and does not say where on the page it is.
    const file = src && src.shot && (open ? open.files : []).find((one) => one.sha === src.shot && one.kind === "screenshot" && boxOn(src.box, one.area));
    if (file) return { file, box: src.box };
  }
  return null;
}

/**
 * Return what is marked of a field: the place of its value, or those of the texts between which a person decides.
 * @param {SampleField} field
 * @param {number} i
 * @returns {{ i: number, at?: number, name: string, src: Partial<ValueFrom> }[]}
 */
function marked(field, i) {
  if (!field.candidates) return [{ i, name: String(i + 1), src: field.src || {} }];
  return field.candidates.map((one, at) => ({ i, at, name: candidateName(i, at), src: one.src || {} }));
}

/** Where one field alone is shown, its candidates are numbered. @param {number} i @param {number} at */
const candidateName = (i, at) => (open && open.alone ? String(at + 1) : `${i + 1}${String.fromCharCode(97 + at)}`);

/**
 * Return the intersection of a box with the area of a picture, in per cent of the area.
 * @param {Box | null | undefined} box
 * @param {Box | null | undefined} area
 * @returns {PartOfPicture | null}
 */
function boxOn(box, area) {
  if (!area || !box || area.width <= 0 || area.height <= 0) return null;
  const left = Math.max(box.x, area.x);
  const top = Math.max(box.y, area.y);
  const right = Math.min(box.x + box.width, area.x + area.width);
  const bottom = Math.min(box.y + box.height, area.y + area.height);
  if (right <= left || bottom <= top) return null;
  return { left: (100 * (left - area.x)) / area.width, top: (100 * (top - area.y)) / area.height, width: (100 * (right - left)) / area.width, height: (100 * (bottom - top)) / area.height };
}

/** @param {StoredFile[]} shots */
function mostTelling(shots) {
  const shows = (/** @type {StoredFile} */ file) => open.fields.filter((field) => placeOf(field)?.file === file).length;
  return shots.reduce((best, file) => (best === null || shows(file) >= shows(best) ? file : best), /** @type {StoredFile | null} */ (null));
}

/** @param {StoredFile[]} shots */
function picturePane(shots) {
  const tabs = shots.map((file) => el("button", { type: "button", "aria-pressed": "false", "data-file": file.name, onclick: () => showPicture(file) }, said(file.label || file.name), file.part ? ` ${file.part[0]}/${file.part[1]}` : ""));
  open.stage = el("div", { class: "stage", tabindex: "0", role: "group", "aria-label": "Picture" });
  open.caption = el("figcaption", null);
  return el("aside", { class: "right", "aria-label": "Pictures" }, el("div", { class: "tabs", role: "group", "aria-label": "Pictures" }, tabs, el("span", { class: "spacer" }), el("button", { type: "button", class: "zoom", "aria-pressed": "false", onclick: zoom }, "Actual size")), el("figure", null, open.stage, open.caption));
}

/** @param {any} event */
function zoom(event) {
  const whole = open.stage.classList.toggle("actual");
  event.currentTarget.setAttribute("aria-pressed", String(whole));
  if (open.chosen >= 0) bringIntoView(open.chosen);
}

/** @param {StoredFile | null} file */
function showPicture(file) {
  if (!file || open.picture === file) return;
  open.picture = file;
  for (const tab of document.querySelectorAll(".tabs [data-file]")) tab.setAttribute("aria-pressed", String(tab.dataset.file === file.name));
  fill(open.stage, sheet(open, file, true));
  open.stage.scrollTop = 0;
  fill(open.caption, captionOf(file));
}

/**
 * A picture with its marks: the file beside this page or, if it is missing, the embedded thumbnail. `marksOn`: returns
 * the marks for an area of the document; without it, those of the values.
 * @param {ShownSample} sample
 * @param {StoredFile} file
 * @param {boolean} live
 * @param {(area: Box | undefined) => Child} [marksOn]
 */
function sheet(sample, file, live, marksOn) {
  const path = fileAt(sample.detail.id, file.name);
  const small = (sample.detail.small || []).findIndex((one) => one.name === file.name);
  const marks = el("div", { class: "marks", "aria-hidden": "true" });
  const img = el("img", { alt: `Picture ${file.name}${file.title ? ` of the page “${file.title}”` : ""}`, decoding: "async" });
  const made = el("div", { class: "sheet" }, img, marks);
  const draws = (/** @type {Box | undefined} */ area) => (marksOn ? fill(marks, marksOn(area)) : drawValues(made, marks, sample, file, area, live));
  const smallOne = () => {
    const pictures = smallPictures(sample.at);
    if (small < 0 || !pictures) return noPicture(made, file);
    const here = (sample.detail.small || [])[small];
    img.src = pictures[small];
    img.style.aspectRatio = `${here.w} / ${here.h}`;
    made.classList.add("is-small");
    if (live && !marksOn) open.caption.append(el("p", { class: "muted" }, "The file is not beside this page: this is the small copy that the page brings along."));
    draws(here.area);
  };
  if (sample.detail.unshown && sample.detail.unshown.includes(file.name)) made.append(el("p", { class: "warning" }, glyph("failed"), "When this report was made, this file was not as it was captured, or was no picture."));
  img.addEventListener("load", () => live && !marksOn && open && open.chosen >= 0 && bringIntoView(open.chosen), { once: true });
  if (path === null) smallOne();
  else {
    img.addEventListener("error", smallOne, { once: true });
    img.src = path;
    draws(file.area);
    if (file.area) img.style.aspectRatio = `${file.area.width} / ${file.area.height}`;
  }
  return made;
}

/** @param {HTMLElement} made @param {StoredFile} file */
function noPicture(made, file) {
  fill(made, el("p", { class: "absent" }, glyph("eye"), said(file.name), " is not beside this page, and no small copy of it is in it."));
}

/**
 * Draw the boxes of the values over the picture, and their numbers beside it: a number on the picture would cover the
 * value or what stands next to it.
 * @param {HTMLElement} made
 * @param {HTMLElement} marks
 * @param {ShownSample} sample
 * @param {StoredFile} file
 * @param {Box | undefined} area
 * @param {boolean} live
 */
function drawValues(made, marks, sample, file, area, live) {
  const found = sample.fields.flatMap((field, i) => marked(field, i)).flatMap((one) => {
    const on = one.src.shot === file.sha ? boxOn(one.src.box, area) : null;
    return on ? [{ ...one, on }] : [];
  });
  const choose = (/** @type {{ i: number, at?: number }} */ one) => (live ? () => chooseField(one.i, one.at) : null);
  const kind = (/** @type {{ i: number, at?: number }} */ one, /** @type {string} */ name) => `${name}${live && isChosen(sample, one.i, one.at) ? " chosen" : ""}`;
  fill(marks, found.map((one) => el("span", { class: kind(one, "mark"), "data-mark": one.i, "data-candidate": one.at, onclick: choose(one), vars: { left: `${one.on.left}%`, top: `${one.on.top}%`, width: `${one.on.width}%`, height: `${one.on.height}%` } })));
  for (const old of made.querySelectorAll(".numbers")) old.remove();
  made.classList.toggle("is-numbered", found.length > 0);
  if (!found.length) return;
  const ordered = found.map((one) => ({ one, middle: one.on.top + one.on.height / 2 })).sort((a, b) => a.middle - b.middle || a.one.on.left - b.one.on.left);
  const numbers = ordered.map(({ one }) => el("b", { class: kind(one, "number-of"), "data-number": one.i, "data-candidate": one.at, onclick: choose(one) }, one.name));
  made.append(el("div", { class: "numbers", "aria-hidden": "true" }, numbers));
  const place = () => spread(ordered.map(({ middle }) => middle), (100 * NUMBER_PX) / (made.clientHeight || SMALL_PX)).forEach((top, i) => numbers[i].style.setProperty("top", `${top}%`));
  place();
  if (live) new ResizeObserver(place).observe(made);
}

const NUMBER_PX = 20;
const SMALL_PX = 420; // a printed picture is about as high, and it is not known when it is made

/**
 * Return places near the wanted ones (per cent, ascending) that are at least a gap apart and within the picture.
 * @param {number[]} wanted
 * @param {number} gap
 */
function spread(wanted, gap) {
  const least = Math.min(gap, 100 / wanted.length);
  /** @type {number[]} */
  const places = [];
  for (const at of wanted) places.push(Math.max(at, least / 2, places.length ? places[places.length - 1] + least : 0));
  let most = 100 - least / 2;
  for (let i = places.length - 1; i >= 0; i -= 1) {
    places[i] = Math.min(places[i], most);
    most = places[i] - least;
  }
  return places;
}

/** @param {ShownSample} sample @param {number} i @param {number} [at] */
const isChosen = (sample, i, at) => sample.chosen === i && (sample.candidate === undefined || sample.candidate === at);

/** @param {StoredFile} file */
function captionOf(file) {
  const facts = [el("span", null, moment(file.at)), file.browser ? el("span", null, file.browser) : null, file.viewport ? el("span", null, `${file.viewport.width_px} × ${file.viewport.height_px} px`) : null, file.http ? el("span", null, `HTTP ${file.http}`) : null].filter(Boolean);
  return [
    el("p", null, fileLink(open.detail.id, file.name, said(file.name), glyph("out")), el("span", { class: "dot", "aria-hidden": "true" }, "·"), weblink(file.url)),
    el("p", { class: "muted" }, facts.map((part, i) => [i ? el("span", { class: "dot", "aria-hidden": "true" }, "·") : null, part])),
    file.of_values ? el("p", { class: "muted" }, "This picture was taken for the values that are marked on it: what scrolls was scrolled until they were in sight.") : null,
    el("p", { class: "muted" }, "SHA-256 ", hash(file.sha, file.name)),
  ].filter(Boolean);
}

/** @param {number} i @param {number} [candidate] */
function chooseField(i, candidate) {
  const field = open.fields[i];
  const where = field && placeOf(field, candidate);
  if (!where) return;
  open.chosen = i;
  open.candidate = candidate;
  for (const item of document.querySelectorAll(".field")) {
    const on = Number(item.dataset.field) === i;
    item.classList.toggle("chosen", on);
    const button = item.querySelector("button.mark-button");
    if (button) button.setAttribute("aria-pressed", String(on));
  }
  showPicture(where.file);
  for (const mark of open.stage.querySelectorAll(".mark, .number-of")) {
    const at = mark.dataset.candidate === undefined ? undefined : Number(mark.dataset.candidate);
    mark.classList.toggle("chosen", isChosen(open, Number(mark.dataset.mark || mark.dataset.number), at));
  }
  open.stage.classList.add("has-chosen");
  bringIntoView(i);
}

/** @param {number} i */
function bringIntoView(i) {
  const mark = open.stage.querySelector(`.chosen[data-mark="${i}"]`) || open.stage.querySelector(`[data-mark="${i}"]`);
  if (!mark) return;
  const box = mark.getBoundingClientRect();
  const frame = open.stage.getBoundingClientRect();
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  /** @type {ScrollToOptions} */
  const to = {};
  if (box.top < frame.top + 30 || box.bottom > frame.bottom - 30) to.top = open.stage.scrollTop + box.top - frame.top - (frame.height - box.height) / 2;
  if (box.left < frame.left || box.right > frame.right) to.left = open.stage.scrollLeft + box.left - frame.left - (frame.width - box.width) / 2;
  if ("top" in to || "left" in to) open.stage.scrollTo({ ...to, behavior: calm ? "auto" : "smooth" });
}

/** A file that a decision or a judgment rests on: a picture is shown, any other is a link. @param {SampleDetail} detail @param {string} name */
function evidenceLink(detail, name) {
  const file = (detail.files || []).find((one) => one.name === name);
  if (file && file.kind === "screenshot" && open) return el("button", { type: "button", class: "link", onclick: () => showEvidence(file) }, said(name));
  return file ? fileLink(detail.id, name) : el("span", null, said(name));
}

/** @param {StoredFile} file */
function showEvidence(file) {
  showPicture(file);
  open.stage.focus();
}

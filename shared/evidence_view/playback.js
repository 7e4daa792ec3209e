// The playback of a sample: one step after the other, with its picture, what it did, and the line of the flow.

const FLOWS = JSON.parse(byId("flows").textContent);
const PLAY_MS = 1800;
let playing = null;

const playingBack = () => Boolean(open && open.playback && !open.playback.hidden);
const stepsOf = () => open.detail.steps || [];

function playbackPane() {
  const steps = stepsOf();
  if (!steps.length) return null;
  open.parts = {
    line: el("ol", { class: "playback-line", "aria-label": "Steps" }, steps.map(stepMark)),
    where: el("p", { class: "playback-where", "aria-live": "polite" }),
    stage: el("div", { class: "stage", tabindex: "0", role: "group", "aria-label": "Picture of the step" }),
    caption: el("figcaption", null),
    facts: el("section", { class: "card playback-step", "aria-label": "The step" }),
    source: sourceCard(),
  };
  const { line, where, stage, caption, facts, source } = open.parts;
  const button = (step, name, icon) => el("button", { type: "button", class: "quiet", "data-move": step, onclick: () => toStep(open.step + step) }, step < 0 ? glyph(icon) : null, name, step > 0 ? glyph(icon) : null);
  open.parts.play = el("button", { type: "button", class: "quiet", "aria-pressed": "false", onclick: play }, "Play");
  const tools = el("div", { class: "playback-tools" }, button(-1, "Previous", "back"), button(1, "Next", "next"), open.parts.play, where);
  open.playback = el("section", { class: "playback", "aria-label": "Playback", hidden: true }, line, el("div", { class: "playback-grid" }, el("figure", null, tools, stage, caption), el("div", { class: "playback-side" }, facts, source)));
  return open.playback;
}

function stepMark(step, i) {
  const state = step.bad ? "bad" : step.heals ? "healed" : "plain";
  const told = [`Step ${step.n}: ${step.act}`, step.bad ? "not accepted" : "", step.heals ? "found in another way than recorded" : ""].filter(Boolean).join(", ");
  return el("li", null, el("button", { type: "button", class: `step-mark ${state}`, title: told, "aria-label": told, "data-step": i, onclick: () => toStep(i) }, el("b", null, step.n), el("span", null, words(step.tag || ""))));
}

// --- moving

function viewSwitch() {
  const view = (name, back) => el("button", { type: "button", "aria-pressed": "false", "data-view": back ? "playback" : "values", onclick: () => playingBack() === back || switchView() }, name);
  return el("div", { class: "view-switch", role: "group", "aria-label": "What is shown" }, view("Values", false), view(`Playback of ${many(stepsOf().length, "step")}`, true));
}

function switchView() {
  setAddress(playingBack() ? undefined : stepsOf()[open.step || 0].n);
}

// `number`: of a step, from 1, as the address has it; without it the values are shown.
function showPlayback(number) {
  if (!open.playback) return;
  const on = number !== undefined;
  if (!on) stop();
  open.playback.hidden = !on;
  open.values.hidden = on;
  for (const button of document.querySelectorAll("[data-view]")) button.setAttribute("aria-pressed", String((button.dataset.view === "playback") === on));
  if (!on) return;
  const at = stepsOf().findIndex((step) => String(step.n) === number);
  showStep(Math.max(at, 0));
}

function setAddress(number) {
  const id = encodeURIComponent(open.detail.id);
  history.replaceState(null, "", `#sample=${id}${number === undefined ? "" : `&step=${number}`}`);
  showPlayback(number === undefined ? undefined : String(number));
}

function toStep(i) {
  const step = stepsOf()[i];
  if (step) setAddress(step.n);
}

function play() {
  if (playing) return stop();
  if (open.step === stepsOf().length - 1) toStep(0);
  open.parts.play.textContent = "Pause";
  open.parts.play.setAttribute("aria-pressed", "true");
  playing = setInterval(() => {
    if (!playingBack() || open.step >= stepsOf().length - 1) return stop();
    toStep(open.step + 1);
  }, PLAY_MS);
}

function stop() {
  clearInterval(playing);
  playing = null;
  if (open && open.parts) {
    open.parts.play.textContent = "Play";
    open.parts.play.setAttribute("aria-pressed", "false");
  }
}

/** @type {Record<string, number>} */
const MOVES = { ArrowRight: 1, ArrowLeft: -1 };

function inPlayback(event) {
  const to = event.key === "Home" ? 0 : event.key === "End" ? stepsOf().length - 1 : event.key in MOVES ? open.step + MOVES[event.key] : -1;
  if (to < 0 || to >= stepsOf().length) return;
  event.preventDefault();
  stop();
  toStep(to);
}

// --- one step

function showStep(i) {
  const steps = stepsOf();
  const step = steps[i];
  open.step = i;
  const { line, where, stage, caption, facts } = open.parts;
  for (const mark of line.querySelectorAll("[data-step]")) {
    const at = Number(mark.dataset.step);
    mark.toggleAttribute("data-past", at < i);
    if (at === i) mark.setAttribute("aria-current", "step");
    else mark.removeAttribute("aria-current");
  }
  const mark = line.children[i];
  if (mark instanceof HTMLElement) line.scrollLeft = mark.offsetLeft - line.offsetLeft - (line.clientWidth - mark.clientWidth) / 2;
  for (const button of open.playback.querySelectorAll("[data-move]")) button.disabled = !steps[i + Number(button.dataset.move)];
  fill(where, el("b", null, `Step ${step.n}`), ` of ${steps.length}`, step.at ? [el("span", { class: "dot", "aria-hidden": "true" }, "·"), time(step.at)] : null);
  const shot = pictureAt(i);
  fill(stage, shot ? sheet(open, shot.file, true, (area) => marksAt(step, shot, area)) : el("p", { class: "absent" }, glyph("eye"), "No picture was taken at this step."));
  fill(caption, shot ? pictureWords(step, shot) : null);
  stage.scrollTop = 0;
  fill(facts, stepFacts(step));
  markLine(step);
  bringStepIntoView(stage);
}

const fileNamed = (name) => (name ? open.files.find((one) => one.name === name) || null : null);

// Return the picture that tells most of a step, and in what sense it does.
function pictureAt(i) {
  const step = stepsOf()[i];
  const own = fileNamed(step.shot);
  if (own) return { file: own, own: true, told: own.kind === "screenshot" ? "the picture that this step took" : step.box ? "the page right before the step, with the element that was acted on" : "the page at this step" };
  const read = open.fields.filter((field) => (step.saved || []).includes(field.n)).flatMap((field) => placeOf(field) || []);
  if (read.length) return { file: read[0].file, own: false, told: "the picture that shows the reported values" };
  const next = fileNamed((stepsOf()[i + 1] || {}).shot);
  return next ? { file: next, own: false, told: `the page as this step left it, pictured at step ${stepsOf()[i + 1].n}` } : null;
}

function marksAt(step, shot, area) {
  const on = shot.own && boxOn(step.box, area);
  const target = on ? el("span", { class: "mark chosen target", vars: place(on) }, el("b", null, words(step.tag || ""))) : null;
  const values = open.fields.map((field, i) => {
    const src = field.src || {};
    // What was scrolled to stands elsewhere on other pictures.
    const scrolledTo = open.files.some((one) => one.of_values && one.sha === src.shot);
    const here = src.shot === shot.file.sha || (shot.own && !scrolledTo && (step.marks || []).includes(field.n));
    const at = here && boxOn(src.box, area);
    return at ? el("span", { class: "mark", vars: place(at) }, el("b", null, i + 1)) : null;
  });
  return [target, values];
}

const place = (at) => ({ left: `${at.left}%`, top: `${at.top}%`, width: `${at.width}%`, height: `${at.height}%` });

function pictureWords(step, shot) {
  const missed = shot.own && step.box && shot.file.area && !boxOn(step.box, shot.file.area);
  return [
    el("p", null, sentence(shot.told), "."),
    missed ? el("p", { class: "muted" }, "The element lies outside of what the picture shows.") : null,
    el("p", { class: "muted" }, fileLink(open.detail.id, shot.file.name, said(shot.file.name), glyph("out")), el("span", { class: "dot", "aria-hidden": "true" }, "·"), weblink(shot.file.url)),
    el("p", { class: "muted" }, "SHA-256 ", hash(shot.file.sha, shot.file.name)),
  ];
}

function bringStepIntoView(stage) {
  const target = stage.querySelector(".mark.target");
  const img = stage.querySelector("img");
  if (!target || !img) return;
  const show = () => {
    const box = target.getBoundingClientRect();
    const frame = stage.getBoundingClientRect();
    if (box.bottom > frame.bottom - 30) stage.scrollTop += box.top - frame.top - (frame.height - box.height) / 2;
  };
  if (img.complete) show();
  else img.addEventListener("load", show, { once: true });
}

function stepFacts(step) {
  const lines = (list, each) => (list && list.length ? (list.length === 1 ? each(list[0]) : el("ul", null, list.map((one) => el("li", null, each(one))))) : null);
  const detail = open.detail;
  const source = detail.flow && FLOWS[detail.flow.hash];
  const line = step.line && source ? source.split("\n")[step.line - 1] : null;
  const rows = [
    ["Call", line ? el("code", null, line.trim()) : null],
    ["Outcome", step.did ? [said(step.did), step.proof ? el("span", { class: "muted" }, step.proof === "proven" ? " (on the right record)" : " (another record was shown)") : null] : null],
    ["The page", lines(step.changes, (line) => said(line))],
    ["Healed", lines(step.heals, (line) => said(line))],
    ["Values", step.saved ? el("dl", { class: "playback-values" }, step.saved.map((name) => savedValue(name))) : null],
    ["Found by", step.found ? el("details", null, el("summary", null, many(step.found.length, "locator")), el("ul", null, step.found.map((one) => el("li", null, el("code", null, said(one)))))) : null],
    ["Kept", lines((step.files || []).filter((name) => (fileNamed(name) || {}).kind !== "step"), (name) => fileLink(detail.id, name))],
    ["Told", lines(step.told, (line) => said(line))],
    ["Remarks", lines(step.notes, (line) => said(line))],
    ["In trouble", lines(step.problems, (line) => el("span", { class: "bad-words" }, said(line)))],
    ["Reason", step.line ? null : step.why ? said(step.why) : null],
    ["Decided by", [said(step.by || "–"), step.llm_calls ? `, ${many(step.llm_calls, "model call")}, ${money(step.cost_usd)}` : ", no model call"]],
    ["Took", lasted((step.ms || 0) / 1000)],
  ];
  const tags = [step.bad ? el("span", { class: "state n" }, "not accepted") : null, step.heals ? el("span", { class: "healed-tag" }, "healed") : null, step.once ? el("span", { class: "tag" }, "made once, cannot be undone") : null];
  return [
    el("h2", null, said(step.act), tags),
    el("dl", { class: "pairs" }, rows.filter(([, value]) => value !== null).map(([name, value]) => el("div", { class: name === "Healed" ? "is-healed" : null }, el("dt", null, name), el("dd", null, value)))),
  ];
}

function savedValue(name) {
  const i = open.fields.findIndex((field) => field.n === name);
  const field = open.fields[i];
  const value = !field ? "" : field.state === "value" ? field.value || "(empty)" : field.state === "not_present" ? "none: the page says so" : "not found";
  return el("div", null, el("dt", null, i >= 0 ? el("b", { class: "badge" }, i + 1) : null, " ", said(fieldWord(name))), el("dd", null, said(value)));
}

// --- the source of the flow

function sourceCard() {
  const flow = open.detail.flow;
  if (!flow) return null;
  const source = FLOWS[flow.hash];
  const head = el("h2", null, "Source", el("small", null, said(flow.name), " ", el("code", { title: flow.hash }, flow.hash.slice(0, 12)), flow.file ? [" in ", fileLink(open.detail.id, flow.file)] : null));
  if (source === undefined) return el("section", { class: "card playback-source" }, head, el("p", { class: "muted" }, flow.file ? "The file of the flow was not as it was filed when this report was made, or has another hash than the steps name." : "The evidence has no source of this flow."));
  const used = new Map();
  stepsOf().forEach((step, i) => step.line && used.set(step.line, [...(used.get(step.line) || []), i]));
  const rows = source.replace(/\n$/, "").split("\n").map((text, i) => {
    const at = used.get(i + 1) || [];
    const marks = at.slice(0, 3).map((which) => el("button", { type: "button", class: "line-step", "data-at": which, "aria-label": `Step ${stepsOf()[which].n}`, onclick: () => toStep(which) }, stepsOf()[which].n));
    return el("li", { "data-line": i + 1 }, el("span", { class: "line-steps" }, marks, at.length > 3 ? "…" : null), el("span", { class: "line-number", "aria-hidden": "true" }, i + 1), el("code", null, text || " "));
  });
  return el("section", { class: "card playback-source", "aria-label": "Source of the flow" }, head, el("p", { class: "muted line-told" }), el("ol", { class: "source-lines", tabindex: "0", "aria-label": "Lines" }, rows));
}

function markLine(step) {
  const card = open.parts.source;
  const list = card && card.querySelector(".source-lines");
  if (!list) return;
  for (const line of list.children) {
    const here = Number(line.dataset.line) === step.line;
    line.classList.toggle("here", here);
    if (here) line.setAttribute("aria-current", "true");
    else line.removeAttribute("aria-current");
  }
  for (const mark of list.querySelectorAll(".line-step")) {
    if (Number(mark.dataset.at) === open.step) mark.setAttribute("aria-current", "step");
    else mark.removeAttribute("aria-current");
  }
  const now = list.querySelector(".here");
  if (now) list.scrollTop = now.offsetTop - (list.clientHeight - now.clientHeight) / 2;
  const section = step.section ? [", in ", el("code", null, step.section), ","] : "";
  fill(card.querySelector(".line-told"), now ? [`Line ${step.line}`, section, " asked for this step."] : step.by === "flow" ? "The flow has ended; what it has found is checked." : "No line of the flow asked for this step.");
}

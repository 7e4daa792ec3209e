// Routing by location hash, and keyboard shortcuts for all functions.

let listScroll = 0;

function route() {
  const [asked, step] = location.hash.startsWith("#sample=") ? location.hash.slice(8).split("&step=") : [null];
  if (asked !== null) {
    if (!byId("overview").hidden) listScroll = scrollY;
    openSample(decoded(asked), step).catch(() => announce("This sample cannot be opened"));
    return;
  }
  if (byId("overview").hidden) showList();
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function showList() {
  const was = open ? shown.indexOf(open.at) : -1;
  open = NOTHING;
  byId("sample").hidden = true;
  byId("overview").hidden = false;
  byId("sample").replaceChildren();
  document.title = TITLE;
  measure();
  scrollTo(0, listScroll);
  draw();
  if (was >= 0) moveTo(was);
}

const TITLE = document.title;

// --- keys

/** @type {[string[], string][]} */
const KEYS = [
  [["/"], "Search the samples"],
  [["j", "↓"], "Next sample in the list; next sample when one is open"],
  [["k", "↑"], "The one before"],
  [["Enter"], "Open the sample"],
  [["1", "…", "9"], "Show this field on the picture"],
  [["n", "p"], "Next, previous field on the picture"],
  [["s"], "Play back the steps of the sample, or show its values again"],
  [["←", "→"], "In the playback: the step before, the next one"],
  [["Esc"], "Close, clear the search, or go back to the list"],
  [["?"], "This help"],
];

const helpBox = () => /** @type {HTMLDialogElement} */ (byId("help"));

function help() {
  fill(byId("help"), el("h2", { id: "help-title" }, "Keyboard"), el("dl", null, KEYS.map(([keys, does]) => el("div", null, el("dt", null, keys.map((key) => el("kbd", null, key))), el("dd", null, does)))), el("form", { method: "dialog" }, el("button", { type: "submit" }, "Close")));
  helpBox().showModal();
}

const typing = (element) => element instanceof Element && element.matches("input[type=search], select, textarea");

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) {
    if ((event.ctrlKey || event.metaKey) && event.key === "p" && !open) {
      event.preventDefault();
      askPrint();
    }
    return;
  }
  if (helpBox().open) return;
  if (event.key === "Escape") escape();
  else if (typing(event.target)) fromSearch(event);
  else if (event.key === "?") help();
  else if (event.key === "/") toSearch(event);
  else if (open) inSample(event);
  else inList(event);
}

function escape() {
  if (playingBack()) return switchView();
  if (open || !byId("sample").hidden) return backToList();
  if (controls.q.value) {
    narrowTo({ q: "" });
    controls.q.focus();
  } else if (document.activeElement === controls.q) controls.q.blur();
}

function fromSearch(event) {
  if (event.target !== controls.q) return;
  if (event.key === "ArrowDown" || event.key === "Enter") {
    event.preventDefault();
    moveTo(0);
  }
}

function toSearch(event) {
  event.preventDefault();
  if (open) backToList();
  setTimeout(() => {
    if (scrollY < byId("samples").offsetTop - innerHeight / 2) byId("samples").scrollIntoView();
    controls.q.focus({ preventScroll: true });
    controls.q.select();
  });
}

const STEPS = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

function inList(event) {
  const step = STEPS[event.key];
  const here = current();
  if (!step || (event.key.startsWith("Arrow") && here < 0)) return; // arrows scroll until the list has the focus
  event.preventDefault();
  moveTo(here < 0 ? firstInView() : here + step);
}

function inSample(event) {
  if (event.key === "s" && open.playback) return switchView();
  if (event.key === "j" || event.key === "k") return goTo(STEPS[event.key]);
  if (playingBack()) return inPlayback(event);
  const placed = open.fields.map((field, i) => (placeOf(field) ? i : -1)).filter((i) => i >= 0);
  if (/^[1-9]$/.test(event.key)) return toField(Number(event.key) - 1);
  if ((event.key === "n" || event.key === "p") && placed.length) {
    const at = placed.indexOf(open.chosen);
    const to = at < 0 ? (event.key === "n" ? 0 : -1) : (at + (event.key === "n" ? 1 : placed.length - 1)) % placed.length;
    toField(placed.at(to));
  }
}

function toField(i) {
  const button = document.querySelector(`[data-field="${i}"] button.mark-button`);
  if (button) button.focus();
}

// --- start

coverPage();
samplesPage();
choose();
showControls();
redraw(true);
addEventListener("scroll", drawSoon, { passive: true });
addEventListener("resize", () => byId("overview").hidden || redraw(true));
addEventListener("hashchange", route);
addEventListener("keydown", key);
addEventListener("beforeprint", beforePrint);
route();
parsed.then(() => {
  for (const row of drawn.values()) row.remove(); // some thumbnails were not loaded yet
  drawn.clear();
  redraw(false);
  const idle = window.requestIdleCallback || ((work) => setTimeout(work, 200));
  if (ROWS.length <= AT_ONCE) idle(() => layOut().catch(() => null), { timeout: 2000 });
  idle(() => ROWS.forEach((_, at) => hayOf(at)), { timeout: 2000 });
});

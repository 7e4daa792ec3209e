// The grid of a run: one cell for each sample, which fills as the run works.

const CELL_PX = 30;
const ROW_PX = 30;
const OVER = 4; // rows that are drawn above and below those in sight
const CELLS_MS = 2000;
const AGAIN_MS = 2000; // a browser gives a stream up where it was answered with an error
const LEGEND = ["done", "partial_success", "needs_review", "auth_required", "failed", "no_result", "working", "waiting"];
/** @type {Record<string, string>} */
const NAMES = { ...STATUSES, no_result: "Lost", working: "At work", waiting: "Waiting" };
/** @type {Record<string, string>} */
const GROUP_OF = Object.fromEntries(Object.keys(STATUSES).map((status) => [status, status === "done" ? "done" : status === "failed" ? "failed" : ["needs_review", "partial_success"].includes(status) ? "review" : "excepted"]));

class SampleGrid extends HTMLElement {
  /** @type {[id: string, key: string, status: string, decided?: string][]} */
  #cells = [];
  /** @type {Map<string, number>} index of a sample */
  #at = new Map();
  /** @type {Map<number, HTMLElement>} rows in the document, by number */
  #rows = new Map();
  #here = 0; // the place in the grid that has the focus, or had it
  #only = ""; // the status of the cells that are shown; empty: all
  /** @type {number[] | undefined} their indexes; undefined: all are shown */
  #shown;
  /** @type {Map<string, { item: HTMLElement, button: HTMLElement, many: number }>} of the legend, by status */
  #entries = new Map();
  #across = 1;
  /** @type {EventSource | undefined} */
  source;
  /** @type {ResizeObserver | undefined} */
  watch;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  timer;
  said = "";
  last = ""; // index of the last event that was heard
  asked = false;
  counting = false;
  busy = false;
  unknown = false;
  legend = el("ul", { class: "grid-legend", "aria-label": "What the cells show. Press one to see those alone" });
  inner = el("div", { class: "grid-inner" });
  view = el("div", { class: "grid-view", role: "grid", "aria-label": "Samples, one cell each. Arrow keys move, Enter opens.", onscroll: () => this.#soon() }, this.inner);
  told = el("p", { class: "grid-told muted" });
  /** @type {Map<string, SVGElement>} one of each, to be copied */
  #signs = new Map();

  async connectedCallback() {
    const answer = await fetch(this.#path("decided" in this.dataset ? "cells?decided=1" : "cells"));
    if (!answer.ok) return;
    this.#add((await answer.json()).cells);
    this.#build();
    if ("live" in this.dataset) this.#listen();
  }

  disconnectedCallback() {
    this.source?.close();
    this.watch?.disconnect();
  }

  /** @param {string} what */
  #path(what) {
    return `/runs/${encodeURIComponent(this.dataset.run || "")}/${what}`;
  }

  /** @param {[string, string, string, string?][]} cells */
  #add(cells) {
    for (const cell of cells) {
      if (this.#at.has(cell[0])) continue;
      this.#at.set(cell[0], this.#cells.length);
      this.#cells.push(cell);
    }
  }

  /** How many cells are shown. */
  get #many() {
    return this.#shown ? this.#shown.length : this.#cells.length;
  }

  #build() {
    fill(this, this.legend, this.view, this.told);
    this.view.addEventListener("keydown", (event) => this.#key(event));
    this.view.addEventListener("focusin", (event) => this.#focused(event));
    this.watch = new ResizeObserver(() => this.#measure());
    this.watch.observe(this.view);
    this.#measure();
  }

  #measure() {
    const across = Math.max(1, Math.floor((this.view.clientWidth - 2) / CELL_PX));
    if (across !== this.#across) this.#clear();
    this.#across = across;
    const rows = Math.ceil(this.#many / across);
    this.view.setAttribute("aria-rowcount", String(rows));
    this.view.setAttribute("aria-colcount", String(across));
    this.inner.style.setProperty("height", `${rows * ROW_PX}px`);
    this.#draw();
    this.#count();
  }

  #clear() {
    for (const row of this.#rows.values()) row.remove();
    this.#rows.clear();
  }

  #soon() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.#draw();
    });
  }

  #draw() {
    const first = Math.max(0, Math.floor(this.view.scrollTop / ROW_PX) - OVER);
    const last = Math.min(Math.ceil(this.#many / this.#across), Math.ceil((this.view.scrollTop + this.view.clientHeight) / ROW_PX) + OVER);
    const kept = Math.floor(this.#here / this.#across); // the row that Tab leads to stays
    for (const [number, row] of this.#rows) {
      if ((number >= first && number < last) || number === kept) continue;
      row.remove();
      this.#rows.delete(number);
    }
    for (let number = first; number < last; number += 1) this.#row(number);
    this.#row(kept);
  }

  /** @param {number} number */
  #row(number) {
    if (this.#rows.has(number) || number * this.#across >= this.#many) return;
    const cells = [];
    for (let place = number * this.#across; place < Math.min((number + 1) * this.#across, this.#many); place += 1) cells.push(this.#cell(place));
    const row = el("div", { class: "grid-row", role: "row", "aria-rowindex": number + 1, vars: { top: `${number * ROW_PX}px` } }, cells);
    this.#rows.set(number, row);
    const after = [...this.#rows.keys()].filter((one) => one > number).sort((a, b) => a - b)[0];
    this.inner.insertBefore(row, this.#rows.get(after) ?? null);
  }

  /** @param {number} place in the grid */
  #cell(place) {
    const at = this.#shown ? this.#shown[place] : place;
    const [id, key, status, decided] = this.#cells[at];
    const told = NAMES[status] || words(status);
    const name = decided ? `${key || id}: ${decided}; the run: ${told}` : `${key || id}: ${told}`;
    const settled = this.#settled(status);
    const given = { class: settled ? "grid-cell c-decided" : `grid-cell c-${status} st-${status}`, href: this.#path(`samples/${encodeURIComponent(id)}`), "data-place": place, "data-at": at, tabindex: place === this.#here ? "0" : "-1", title: name, "aria-label": name };
    return el("div", { role: "gridcell", "aria-colindex": (place % this.#across) + 1 }, el("a", given, this.#sign(settled ? "done" : status)));
  }

  /** Whether samples of a status were for review, and are so no more. @param {string} status */
  #settled(status) {
    return "decided" in this.dataset && GROUP_OF[status] === "review";
  }

  /** @param {string} status @param {number} many */
  #entry(status, many) {
    const settled = this.#settled(status);
    return [this.#sign(settled ? "done" : status), settled ? ` Reviewed ${count(many)} (the run: ${NAMES[status]})` : ` ${NAMES[status]} ${count(many)}`];
  }

  /** @param {string} status */
  #sign(status) {
    if (status === "waiting") return el("i", { class: "grid-dot", "aria-hidden": "true" });
    const made = this.#signs.get(status) || glyph(status === "working" ? "next" : status);
    this.#signs.set(status, made);
    return /** @type {SVGElement} */ (made.cloneNode(true));
  }

  /** @param {number} place */
  #node(place) {
    return this.inner.querySelector(`[data-place="${place}"]`);
  }

  /** @param {number} at @param {string} status */
  #set(at, status) {
    if (this.#cells[at][2] === status) return;
    this.#cells[at][2] = status;
    const shown = this.inner.querySelector(`[data-at="${at}"]`);
    if (shown instanceof HTMLElement) {
      const focused = document.activeElement === shown;
      const made = this.#cell(Number(shown.dataset.place));
      shown.parentElement?.replaceWith(made);
      if (focused) made.querySelector("a")?.focus({ preventScroll: true });
    }
  }

  #count() {
    const counts = new Map();
    for (const [, , status] of this.#cells) counts.set(status, (counts.get(status) || 0) + 1);
    this.#keepLegend(counts);
    if (this.#only) this.#choose();
    if (!("live" in this.dataset)) return;
    /** @type {Record<string, number>} */
    const sums = { done: 0, review: 0, failed: 0, excepted: 0, waiting: 0 };
    for (const [status, many] of counts) sums[GROUP_OF[status] || "waiting"] += many;
    let before = 0;
    for (const [group, many] of Object.entries(sums)) {
      const shown = document.querySelector(`[data-count="${group}"]`);
      if (shown) shown.textContent = String(many);
      const rect = document.querySelector(`.population [data-bar="${group}"]`);
      if (!rect) continue;
      const part = this.#cells.length ? (100 * many) / this.#cells.length : 0;
      rect.setAttribute("x", String(before));
      rect.setAttribute("width", String(part));
      before += part;
    }
    const all = document.querySelector('[data-count="samples"]');
    if (all && Number(all.textContent) < this.#cells.length) all.textContent = String(this.#cells.length);
  }

  /** @param {Map<string, number>} counts */
  #keepLegend(counts) {
    for (const status of LEGEND) {
      const many = counts.get(status) || 0;
      const known = this.#entries.get(status);
      if (!known) {
        if (many) this.#addEntry(status, many);
      } else if (known.many !== many) {
        known.many = many;
        fill(known.button, this.#entry(status, many));
        known.item.hidden = !many && this.#only !== status;
      }
    }
  }

  /** @param {string} status @param {number} many */
  #addEntry(status, many) {
    const button = el("button", { type: "button", class: "grid-only", "aria-pressed": "false", onclick: () => this.#press(status) }, this.#entry(status, many));
    const item = el("li", { class: this.#settled(status) ? "decided" : `st-${status} c-${status}` }, button);
    const after = LEGEND.slice(LEGEND.indexOf(status) + 1).find((one) => this.#entries.has(one));
    this.legend.insertBefore(item, (after && this.#entries.get(after)?.item) || null);
    this.#entries.set(status, { item, button, many });
  }

  // --- the cells of one status alone

  /** @param {string} status */
  #press(status) {
    this.#only = this.#only === status ? "" : status;
    for (const [one, entry] of this.#entries) {
      entry.button.setAttribute("aria-pressed", String(one === this.#only));
      entry.item.hidden = !entry.many && one !== this.#only;
    }
    this.#here = 0;
    this.view.scrollTop = 0;
    if (!this.#choose()) this.#redraw();
    if (!this.#only) fill(this.told, "All are shown.");
    else fill(this.told, `${count(this.#many)} of ${count(this.#cells.length)} are shown. `, el("a", { href: `${this.#path("").slice(0, -1)}?status=${this.#only}#samples-title` }, "Show them as a list"));
  }

  /** Whether other cells are shown than before. */
  #choose() {
    const before = this.#shown;
    if (this.#only) {
      this.#shown = [];
      for (let at = 0; at < this.#cells.length; at += 1) if (this.#cells[at][2] === this.#only) this.#shown.push(at);
    } else this.#shown = undefined;
    const same = before?.length === this.#shown?.length && (before || []).every((at, place) => this.#shown?.[place] === at);
    if (!same) this.#redraw();
    return !same;
  }

  #redraw() {
    const focused = this.inner.contains(document.activeElement);
    this.#here = Math.min(this.#here, Math.max(0, this.#many - 1));
    this.#clear();
    const rows = Math.ceil(this.#many / this.#across);
    this.view.setAttribute("aria-rowcount", String(rows));
    this.inner.style.setProperty("height", `${rows * ROW_PX}px`);
    this.#draw();
    if (focused) this.#node(this.#here)?.focus({ preventScroll: true });
  }

  // --- keys

  /** @param {KeyboardEvent} event */
  #key(event) {
    const page = this.#across * Math.max(1, Math.floor(this.view.clientHeight / ROW_PX) - 1);
    /** @type {Record<string, number>} */
    const moves = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.#across, ArrowUp: -this.#across, PageDown: page, PageUp: -page, Home: -this.#many, End: this.#many };
    const move = moves[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.#go(Math.min(Math.max(this.#here + move, 0), this.#many - 1));
  }

  /** @param {number} place */
  #go(place) {
    const top = Math.floor(place / this.#across) * ROW_PX;
    if (top < this.view.scrollTop) this.view.scrollTop = top;
    if (top + ROW_PX > this.view.scrollTop + this.view.clientHeight) this.view.scrollTop = top + ROW_PX - this.view.clientHeight;
    this.#draw();
    this.#row(Math.floor(place / this.#across));
    this.#node(place)?.focus({ preventScroll: true });
  }

  /** @param {FocusEvent} event */
  #focused(event) {
    if (!(event.target instanceof HTMLElement)) return;
    const place = Number(event.target.dataset.place);
    if (Number.isNaN(place)) return;
    this.#node(this.#here)?.setAttribute("tabindex", "-1");
    this.#here = place;
    event.target.setAttribute("tabindex", "0");
    fill(this.told, said(event.target.title));
  }

  // --- what happens

  #listen() {
    const source = new EventSource(this.#path(`events?after=${this.last}`));
    this.source = source;
    source.onmessage = (message) => {
      this.last = message.lastEventId || this.last;
      this.#heard(JSON.parse(message.data));
    };
    source.onerror = () => {
      this.#say("The server does not answer. This page goes on by itself when it does.");
      if (source.readyState === EventSource.CLOSED) setTimeout(() => this.source === source && this.isConnected && this.#listen(), AGAIN_MS);
    };
    this.source.onopen = () => this.#say("");
    this.source.addEventListener("away", () => this.#say("The services do not answer. This page goes on by itself when they do."));
    this.source.addEventListener("back", () => this.#say(""));
    this.source.addEventListener("facts", (message) => this.#state(JSON.parse(message.data)));
    this.timer ??= setInterval(() => this.#refresh(), CELLS_MS);
  }

  /** @param {string} text */
  #say(text) {
    if (text !== this.said) fill(this.told, text);
    this.said = text;
  }

  /** @param {{ sample?: string, status?: string, event?: string }} event of the event log */
  #heard(event) {
    const at = this.#at.get(event.sample || "");
    if (at !== undefined && event.status) this.#set(at, event.status);
    else if (at !== undefined && event.event === "ToolCallStarted" && this.#cells[at][2] === "waiting") this.#set(at, "working");
    else if (at === undefined && event.sample) this.unknown = true;
    if (this.counting) return;
    this.counting = true;
    requestAnimationFrame(() => {
      this.counting = false;
      this.#count();
    });
  }

  // Cells of samples that were found since the page was loaded.
  async #refresh() {
    if (!this.unknown || this.busy) return;
    this.unknown = false;
    this.busy = true;
    try {
      this.#add((await (await fetch(this.#path("cells"))).json()).cells);
      this.#measure();
    } catch {
      this.unknown = true; // they are asked for again
    } finally {
      this.busy = false;
    }
  }

  /** @param {Record<string, string | number | boolean>} facts */
  #state(facts) {
    for (const [name, value] of Object.entries(facts)) {
      const shown = document.querySelector(`[data-fact="${name}"]`);
      if (shown) fill(shown, said(value));
    }
    if (Number(facts.samples) > this.#cells.length) this.unknown = true; // the rest waits, and has no event yet
    for (const name of ["stops", "asks"]) {
      const told = document.querySelector(`[data-${name}]`);
      if (told) told.hidden = !facts[name];
    }
    if (facts.state === "ended") this.#over();
  }

  #over() {
    this.source?.close();
    clearInterval(this.timer);
    announce("The run has ended");
    fill(this.told, "The run has ended. ", el("a", { href: this.#path("").slice(0, -1) }, "Load the page again"), " for its final state.");
    if (nobodyIsAtIt()) location.reload();
  }
}

/** Whether nothing on the page is held by the keyboard, and nothing was typed. */
function nobodyIsAtIt() {
  const typed = [...document.getElementsByTagName("input")].some((one) => one.value !== one.defaultValue);
  return !typed && (document.activeElement === null || document.activeElement === document.body);
}

customElements.define("sample-grid", SampleGrid);

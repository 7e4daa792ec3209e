// The grid of a run: one cell for each sample, which fills as the run works.

const CELL_PX = 30;
const ROW_PX = 30;
const OVER = 4; // rows that are drawn above and below those in sight
const FACTS_MS = 2000;
const LEGEND = ["done", "partial_success", "needs_review", "auth_required", "failed", "no_result", "working", "waiting"];
const NAMES = { ...STATUSES, no_result: "Lost", working: "At work", waiting: "Waiting" };
const GROUP_OF = Object.fromEntries(Object.keys(STATUSES).map((status) => [status, status === "done" ? "done" : status === "failed" ? "failed" : ["needs_review", "partial_success"].includes(status) ? "review" : "excepted"]));

class SampleGrid extends HTMLElement {
  #cells = []; // [id, key, status]
  #at = new Map(); // index of a sample
  #rows = new Map(); // rows in the document, by number
  #here = 0; // the cell that has the focus, or had it
  #across = 1;

  async connectedCallback() {
    const answer = await fetch(this.#path("cells"));
    if (!answer.ok) return;
    this.#add((await answer.json()).cells);
    this.#build();
    if ("live" in this.dataset) this.#listen();
  }

  disconnectedCallback() {
    this.source?.close();
    this.watch?.disconnect();
  }

  #path(what) {
    return `/runs/${encodeURIComponent(this.dataset.run)}/${what}`;
  }

  #add(cells) {
    for (const cell of cells) {
      if (this.#at.has(cell[0])) continue;
      this.#at.set(cell[0], this.#cells.length);
      this.#cells.push(cell);
    }
  }

  #build() {
    this.legend = el("ul", { class: "grid-legend", "aria-label": "What the cells show" });
    this.inner = el("div", { class: "grid-inner" });
    this.view = el("div", { class: "grid-view", role: "grid", "aria-label": "Samples, one cell each. Arrow keys move, Enter opens.", onscroll: () => this.#soon() }, this.inner);
    this.told = el("p", { class: "grid-told muted" });
    fill(this, this.legend, this.view, this.told);
    this.view.addEventListener("keydown", (event) => this.#key(event));
    this.view.addEventListener("focusin", (event) => this.#focused(event));
    this.watch = new ResizeObserver(() => this.#measure());
    this.watch.observe(this.view);
    this.#measure();
  }

  #measure() {
    const across = Math.max(1, Math.floor((this.view.clientWidth - 2) / CELL_PX));
    if (across !== this.#across) {
      for (const row of this.#rows.values()) row.remove();
      this.#rows.clear();
    }
    this.#across = across;
    const rows = Math.ceil(this.#cells.length / across);
    this.view.setAttribute("aria-rowcount", rows);
    this.view.setAttribute("aria-colcount", across);
    this.inner.style.setProperty("height", `${rows * ROW_PX}px`);
    this.#draw();
    this.#count();
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
    const last = Math.min(Math.ceil(this.#cells.length / this.#across), Math.ceil((this.view.scrollTop + this.view.clientHeight) / ROW_PX) + OVER);
    const kept = Math.floor(this.#here / this.#across); // the row that Tab leads to stays
    for (const [number, row] of this.#rows) {
      if ((number >= first && number < last) || number === kept) continue;
      row.remove();
      this.#rows.delete(number);
    }
    for (let number = first; number < last; number += 1) this.#row(number);
    this.#row(kept);
  }

  #row(number) {
    if (this.#rows.has(number) || number * this.#across >= this.#cells.length) return;
    const cells = [];
    for (let at = number * this.#across; at < Math.min((number + 1) * this.#across, this.#cells.length); at += 1) cells.push(this.#cell(at));
    const row = el("div", { class: "grid-row", role: "row", "aria-rowindex": number + 1, vars: { top: `${number * ROW_PX}px` } }, cells);
    this.#rows.set(number, row);
    const after = [...this.#rows.keys()].filter((one) => one > number).sort((a, b) => a - b)[0];
    this.inner.insertBefore(row, after === undefined ? null : this.#rows.get(after));
  }

  #cell(at) {
    const [id, key, status] = this.#cells[at];
    const name = `${key || id}: ${NAMES[status] || words(status)}`;
    const given = { class: `grid-cell c-${status} st-${status}`, href: this.#path(`samples/${encodeURIComponent(id)}`), "data-at": at, tabindex: at === this.#here ? "0" : "-1", title: name, "aria-label": name };
    return el("div", { role: "gridcell", "aria-colindex": (at % this.#across) + 1 }, el("a", given, this.#sign(status)));
  }

  #sign(status) {
    if (status === "waiting") return el("i", { class: "grid-dot", "aria-hidden": "true" });
    return glyph(status === "working" ? "next" : status);
  }

  #node(at) {
    return this.inner.querySelector(`[data-at="${at}"]`);
  }

  #set(at, status) {
    if (this.#cells[at][2] === status) return;
    this.#cells[at][2] = status;
    const shown = this.#node(at);
    if (shown) {
      const focused = document.activeElement === shown;
      const made = this.#cell(at);
      shown.parentElement.replaceWith(made);
      if (focused) made.firstElementChild.focus({ preventScroll: true });
    }
    this.changed = true;
  }

  #count() {
    const counts = new Map();
    for (const [, , status] of this.#cells) counts.set(status, (counts.get(status) || 0) + 1);
    fill(this.legend, LEGEND.filter((status) => counts.get(status)).map((status) => el("li", { class: `st-${status} c-${status}` }, this.#sign(status), ` ${NAMES[status]} ${count(counts.get(status))}`)));
    if (!("live" in this.dataset)) return;
    const sums = { done: 0, review: 0, failed: 0, excepted: 0, waiting: 0 };
    for (const [status, many] of counts) sums[GROUP_OF[status] || "waiting"] += many;
    let before = 0;
    for (const [group, many] of Object.entries(sums)) {
      const shown = document.querySelector(`[data-count="${group}"]`);
      if (shown) shown.textContent = many;
      const rect = document.querySelector(`.population [data-bar="${group}"]`);
      if (!rect) continue;
      const part = this.#cells.length ? (100 * many) / this.#cells.length : 0;
      rect.setAttribute("x", before);
      rect.setAttribute("width", part);
      before += part;
    }
    const all = document.querySelector('[data-count="samples"]');
    if (all && Number(all.textContent) < this.#cells.length) all.textContent = this.#cells.length;
  }

  // --- keys

  #key(event) {
    const page = this.#across * Math.max(1, Math.floor(this.view.clientHeight / ROW_PX) - 1);
    const moves = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.#across, ArrowUp: -this.#across, PageDown: page, PageUp: -page, Home: -this.#cells.length, End: this.#cells.length };
    const move = moves[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.#go(Math.min(Math.max(this.#here + move, 0), this.#cells.length - 1));
  }

  #go(at) {
    const top = Math.floor(at / this.#across) * ROW_PX;
    if (top < this.view.scrollTop) this.view.scrollTop = top;
    if (top + ROW_PX > this.view.scrollTop + this.view.clientHeight) this.view.scrollTop = top + ROW_PX - this.view.clientHeight;
    this.#draw();
    this.#row(Math.floor(at / this.#across));
    this.#node(at)?.focus({ preventScroll: true });
  }

  #focused(event) {
    const at = Number(event.target.dataset.at);
    if (Number.isNaN(at)) return;
    this.#node(this.#here)?.setAttribute("tabindex", "-1");
    this.#here = at;
    event.target.setAttribute("tabindex", "0");
    fill(this.told, said(event.target.title));
  }

  // --- what happens

  #listen() {
    this.source = new EventSource(this.#path("events"));
    this.source.onmessage = (message) => this.#heard(JSON.parse(message.data));
    this.source.onerror = () => this.#say("The server does not answer. This page goes on by itself when it does.");
    this.source.onopen = () => this.#say("");
    this.source.addEventListener("away", () => this.#say("The services do not answer. This page goes on by itself when they do."));
    this.timer = setInterval(() => this.#refresh(), FACTS_MS);
  }

  #say(text) {
    if (text !== this.said) fill(this.told, text);
    this.said = text;
  }

  #heard(event) {
    const at = this.#at.get(event.sample);
    if (at !== undefined && event.status) this.#set(at, event.status);
    else if (at !== undefined && event.event === "ToolCallStarted" && this.#cells[at][2] === "waiting") this.#set(at, "working");
    else if (at === undefined && event.sample) this.unknown = true;
    this.changed = true;
    if (this.counting) return;
    this.counting = true;
    requestAnimationFrame(() => {
      this.counting = false;
      this.#count();
    });
  }

  async #refresh() {
    if (!this.changed || this.busy) return;
    this.changed = false;
    this.busy = true;
    try {
      if (this.unknown) {
        this.unknown = false;
        this.#add((await (await fetch(this.#path("cells"))).json()).cells);
        this.#measure();
      }
      this.#count();
      const facts = await (await fetch(this.#path("now"))).json();
      for (const [name, value] of Object.entries(facts)) {
        const shown = document.querySelector(`[data-fact="${name}"]`);
        if (shown) fill(shown, said(value));
      }
      document.querySelector("[data-stops]").hidden = !facts.stops;
      document.querySelector("[data-asks]").hidden = !facts.asks;
      if (facts.state === "ended") this.#over();
    } catch {
      this.changed = true; // it is asked again
    } finally {
      this.busy = false;
    }
  }

  #over() {
    this.source.close();
    clearInterval(this.timer);
    announce("The run has ended");
    fill(this.told, "The run has ended. ", el("a", { href: this.#path("").slice(0, -1) }, "Load the page again"), " for its final state.");
  }
}

customElements.define("sample-grid", SampleGrid);

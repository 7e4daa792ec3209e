// The table of a run: arrows move from cell to cell as in a sheet, and what a cell has is opened beside it. The page of
// the cell is asked for whole and its part is taken; the forms in it are sent without leaving the table.

const NARROW = "(max-width: 900px)";

class EvidenceTable extends HTMLElement {
  /** @type {HTMLAnchorElement | null} */
  here = null; // the cell that Tab leads to
  /** @type {HTMLElement} */
  pane = document.createElement("aside");
  asked = 0; // the number of the last question, so that an answer that comes late is dropped
  last = ""; // what was decided last, while it is on its way
  sent = Promise.resolve();

  connectedCallback() {
    this.pane = /** @type {HTMLElement} */ (this.querySelector(".cell-pane"));
    const named = /** @type {HTMLAnchorElement | null} */ (this.querySelector(".cell:target"));
    for (const cell of this.#cells()) cell.tabIndex = -1;
    this.#at(named || this.#cells()[0]);
    if (named) named.focus({ preventScroll: true });
    this.addEventListener("click", (event) => this.#pressed(event));
    this.addEventListener("focusin", (event) => event.target instanceof HTMLAnchorElement && event.target.matches(".cell") && this.#at(event.target));
    this.addEventListener("submit", (event) => this.#submit(event));
    this.addEventListener("keydown", (event) => this.#key(event));
  }

  /** @returns {HTMLAnchorElement[]} */
  #cells() {
    return [...this.querySelectorAll(".cell")].map((one) => /** @type {HTMLAnchorElement} */ (one));
  }

  /** @param {HTMLAnchorElement | undefined} cell */
  #at(cell) {
    if (!cell || cell === this.here) return;
    this.#choose(cell);
    if (!this.pane.hidden) this.#open(cell);
  }

  /** @param {HTMLAnchorElement} cell */
  #choose(cell) {
    if (this.here) this.here.tabIndex = -1;
    cell.tabIndex = 0;
    this.here = cell;
  }

  /** @param {HTMLAnchorElement} cell */
  #mark(cell) {
    this.pane.dataset.cell = cell.id;
    for (const one of this.querySelectorAll(".cell[aria-current]")) one.removeAttribute("aria-current");
    cell.setAttribute("aria-current", "true");
  }

  // --- the pane

  /** @param {MouseEvent} event */
  #pressed(event) {
    const target = event.target instanceof Element ? event.target : null;
    if (event.ctrlKey || event.metaKey || event.shiftKey || !target) return;
    if (target.closest("[data-close]")) {
      event.preventDefault();
      return this.#close();
    }
    const turn = /** @type {HTMLAnchorElement | null} */ (target.closest(".turns a, a.choice"));
    if (turn) {
      event.preventDefault();
      return turn.matches(".choice") ? takeText(this.pane, turn) : this.#step(turn.rel === "prev" ? -1 : 1, 0);
    }
    const cell = /** @type {HTMLAnchorElement | null} */ (target.closest("a.cell"));
    if (!cell) return;
    event.preventDefault();
    cell.focus({ preventScroll: true });
    const shown = !this.pane.hidden && this.here === cell && this.pane.dataset.cell === cell.id;
    this.#at(cell);
    if (!shown) this.#open(cell);
  }

  /** @param {HTMLAnchorElement} cell */
  async #open(cell) {
    const number = ++this.asked;
    this.pane.hidden = false;
    this.#mark(cell);
    this.pane.setAttribute("aria-busy", "true");
    try {
      const answer = await ask("GET", cell.href, null);
      if (number === this.asked) this.#show(answer.page, cell);
    } catch {
      if (number === this.asked) fill(this.pane, el("p", null, "The server does not answer. Press the cell again when it does."));
    } finally {
      if (number === this.asked) this.pane.removeAttribute("aria-busy");
    }
  }

  /** Show what a page says of a cell, in the pane and in the cell itself. @param {Document} page @param {HTMLAnchorElement} cell */
  #show(page, cell) {
    const section = page.querySelector("#cell");
    if (!section) {
      fill(this.pane, el("p", { class: "note bad" }, said(page.querySelector("main")?.textContent?.trim() || "The cell cannot be shown.")));
      return;
    }
    this.#face(page, cell);
    this.pane.replaceChildren(document.adoptNode(section));
    this.pane.scrollTop = 0;
    if (matchMedia(NARROW).matches) cell.scrollIntoView({ block: "nearest" });
    announce(`${section.querySelector("#cell-title")?.textContent || ""}: ${cell.textContent?.replace(/\s+/g, " ") || ""}`);
  }

  /** @param {Document} page @param {HTMLAnchorElement} cell */
  #face(page, cell) {
    const face = page.querySelector("#cell .had .cell-face");
    if (face) cell.replaceChildren(document.importNode(face, true));
  }

  /** @returns {HTMLAnchorElement | null} the cell that the pane shows, which is not yet the chosen one while that is asked for */
  #shown() {
    const section = /** @type {HTMLElement | null} */ (this.pane.querySelector("#cell"));
    return this.#cells().find((one) => one.id === section?.dataset.cell) || null;
  }

  #close() {
    this.asked += 1;
    this.pane.hidden = true;
    this.pane.replaceChildren();
    this.here?.removeAttribute("aria-current");
    this.here?.focus();
  }

  // --- decisions: the forms of the review desk

  /** @param {SubmitEvent} event */
  #submit(event) {
    const form = event.target;
    const cell = this.#shown(); // what the person has seen, which is what the form is about
    if (!(form instanceof HTMLFormElement) || !this.pane.contains(form) || !cell || form.action.endsWith("/key")) return; // with a key all of the page is another one
    event.preventDefault();
    const asked = new URLSearchParams(/** @type {any} */ (new FormData(form, event.submitter))).toString();
    if (this.last === asked) return; // the same is on its way: a button was pressed twice
    this.last = asked;
    this.sent = this.sent.then(() => this.#send(form.action, asked, cell)); // those of a person follow from each other
  }

  /** @param {string} address @param {string} asked @param {HTMLAnchorElement} cell */
  async #send(address, asked, cell) {
    this.pane.setAttribute("aria-busy", "true");
    try {
      const answer = await ask("POST", address, asked);
      const moved = this.here !== cell || this.pane.hidden; // another cell was chosen meanwhile
      if (answer.ok && moved) return this.#face(answer.page, cell);
      if (!answer.page.querySelector("#cell") || (moved && this.#isWritten())) return this.#refused(answer.page, cell); // what is typed stays
      this.asked += 1;
      this.pane.hidden = false;
      this.#choose(cell);
      this.#mark(cell);
      this.#show(answer.page, cell);
      if (answer.ok) cell.focus({ preventScroll: true });
      else this.pane.querySelector("details[open] input:not([type=hidden])")?.focus();
    } catch {
      announce("The server does not answer. Nothing is known of what you decided: load the page again.");
      this.pane.prepend(el("p", { class: "note bad", role: "alert" }, `The server does not answer. Nothing is known of what you decided on ${cell.id}: load the page again.`));
    } finally {
      if (this.last === asked) this.last = "";
      this.pane.removeAttribute("aria-busy");
    }
  }

  /** Whether something is typed in the pane that was not sent. */
  #isWritten() {
    return [...this.pane.querySelectorAll("input:not([type=hidden], [type=checkbox]), textarea")].some((one) => /** @type {HTMLInputElement} */ (one).value && !one.closest("details:not([open])"));
  }

  /** Say above the pane that a decision was not taken. @param {Document} page @param {HTMLAnchorElement} cell */
  #refused(page, cell) {
    const why = page.querySelector("[role=alert], main")?.textContent?.trim().replace(/\s+/g, " ") || "It was not taken.";
    announce(`${cell.id}: ${why}`);
    this.pane.prepend(el("p", { class: "note bad", role: "alert" }, `${cell.id}: `, said(why)));
  }

  // --- keys

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target instanceof HTMLElement ? event.target : null;
    if (event.key === "Escape") {
      if (target?.matches("input, select, textarea")) this.here?.focus();
      else if (!this.pane.hidden) this.#close();
      return;
    }
    if (!target || target.matches("input, select, textarea")) return;
    /** @type {Record<string, [number, number]>} */
    const moves = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1], Home: [-1e6, 0], End: [1e6, 0] };
    const move = moves[event.key];
    if (move && target.matches(".cell")) {
      event.preventDefault();
      return this.#step(...move);
    }
    if (event.repeat || this.pane.hidden || !/^[a-z1-9]$/.test(event.key)) return;
    const meant = /^[1-9]$/.test(event.key) ? this.pane.querySelector(`.choice[data-candidate="${Number(event.key) - 1}"]`) : this.pane.querySelector(`[data-key="${event.key}"]`);
    if (!meant) return;
    event.preventDefault();
    if (this.#shown() !== this.here) return announce("The cell is not shown yet. Look at it, and press again."); // nothing is decided unseen
    if (meant.matches("a.choice")) return takeText(this.pane, meant);
    if (!meant.matches("summary")) return meant.click();
    const details = meant.closest("details");
    openForm(details, details?.querySelector("input:not([type=hidden])"));
  }

  /** Go so many cells to the right and down, as far as the table goes. @param {number} right @param {number} down */
  #step(right, down) {
    const row = this.here?.closest("tr");
    if (!row || !this.here) return;
    const across = [...row.querySelectorAll(".cell")];
    const rows = [...this.querySelectorAll("tbody tr")];
    const at = across.indexOf(this.here);
    const to = rows[Math.min(Math.max(rows.indexOf(row) + down, 0), rows.length - 1)];
    const cells = [...to.querySelectorAll(".cell")];
    const cell = /** @type {HTMLAnchorElement} */ (cells[Math.min(Math.max(at + right, 0), cells.length - 1)]);
    cell.focus();
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

customElements.define("evidence-table", EvidenceTable);

// The page of a review: the report's stage for the case that is shown, and the keys. What a key does is on the page as
// a link, a button or a form with the same name; without scripts these do the same.

/** @param {number} _at @returns {string[] | null} */
const smallPictures = (_at) => null; // the files themselves are asked for
filesBelow = "samples/";

const KEYS = [["j, k", "the next case of the queue, the one before"], ["1 to 9", "take that value of the page into a correction"], ["a", "accept; where nothing was read, that there is none"], ["e", "correct"], ["r", "reject"], ["x", "not applicable"], ["c", "comment"], ["u", "undo what you have decided of the case, or what you decided last"], ["g", "equal cases as one, or this one alone"], ["Esc", "out of a text"], ["?", "these keys"]];

class ReviewDesk extends HTMLElement {
  #sent = false;

  connectedCallback() {
    const data = document.getElementById("detail");
    if (data) this.#stage(JSON.parse(data.textContent));
    addEventListener("keydown", (event) => this.#key(event));
    addEventListener("submit", (event) => (this.#sent ? event.preventDefault() : (this.#sent = true)));
    addEventListener("pageshow", () => (this.#sent = false));
    this.addEventListener("click", (event) => this.#marked(/** @type {Element} */ (event.target)));
  }

  /** @param {SampleDetail} detail */
  #stage(detail) {
    const fields = detail.fields || [];
    const own = fields.filter((field) => field.n === this.dataset.field);
    const alone = "field" in this.dataset;
    open = { at: 0, detail, fields: alone ? own : fields, files: detail.files || [], chosen: -1, alone };
    const shots = open.files.filter((file) => file.kind === "screenshot");
    if (!shots.length) return;
    fill(this, picturePane(shots));
    showPicture(mostTelling(shots));
    const given = document.querySelector(".choice[aria-current]");
    if (alone) chooseField(0, given ? Number(given.dataset.candidate) : undefined);
  }

  /** @param {Element} target */
  #marked(target) {
    const mark = /** @type {HTMLElement | null} */ (target.closest("[data-candidate]"));
    if (mark) return this.#choose(Number(mark.dataset.candidate));
    const tab = /** @type {HTMLElement | null} */ (target.closest("button[data-file]"));
    if (tab) showsIn(document, tab.dataset.file || "");
  }

  /** @param {number} at */
  #choose(at) {
    const link = /** @type {HTMLElement | null} */ (document.querySelector(`.choice[data-candidate="${at}"]`));
    if (link && document.getElementById("correct") && open) chooseField(0, at);
    takeText(document, link);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || document.querySelector("dialog[open]")) return;
    if (event.target instanceof HTMLElement && event.target.matches("input, select, textarea")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (event.key === "?") return this.#help();
    if (/^[1-9]$/.test(event.key)) {
      event.preventDefault(); // what is focused next is not typed into
      return this.#choose(Number(event.key) - 1);
    }
    const meant = /^[a-z]$/.test(event.key) ? document.querySelector(`[data-key="${event.key}"]`) : null;
    if (!meant) return;
    event.preventDefault();
    if (!meant.matches("summary")) return meant.click();
    const details = meant.closest("details");
    openForm(details, details?.querySelector("input:not([type=hidden])"));
  }

  #help() {
    const rows = KEYS.map(([key, does]) => el("div", null, el("dt", null, el("kbd", null, key)), el("dd", null, does)));
    const box = el("dialog", { "aria-labelledby": "keys-title", onclose: () => box.remove() }, el("h2", { id: "keys-title" }, "Keys"), el("dl", null, rows), el("p", { class: "muted" }, "Whatever is undone or decided once more stays on record; the last decision counts."), el("p", null, el("button", { type: "button", onclick: () => box.close() }, "Close")));
    document.body.append(box);
    box.showModal();
  }
}

customElements.define("review-desk", ReviewDesk);

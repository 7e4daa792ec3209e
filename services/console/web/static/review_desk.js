// The page of a review: the report's stage for the case that is shown, and the keys. What a key does is on the page as
// a link, a button or a form with the same name; without scripts these do the same.

const smallPictures = () => null; // the files themselves are asked for
filesBelow = "samples/";

const KEYS = [["j, k", "the next case of the queue, the one before"], ["1 to 9", "take that value of the page into a correction"], ["a", "accept"], ["e", "correct"], ["r", "reject"], ["x", "not applicable"], ["c", "comment"], ["g", "equal cases as one, or this one alone"], ["Esc", "out of a text"], ["?", "these keys"]];

class ReviewDesk extends HTMLElement {
  #sent = false;

  connectedCallback() {
    const data = byId("detail");
    if (data) this.#stage(JSON.parse(data.textContent));
    addEventListener("keydown", (event) => this.#key(event));
    addEventListener("submit", (event) => (this.#sent ? event.preventDefault() : (this.#sent = true)));
    addEventListener("pageshow", () => (this.#sent = false));
    this.addEventListener("click", (event) => this.#marked(event.target));
  }

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

  #marked(target) {
    const mark = target.closest("[data-candidate]");
    if (mark) this.#choose(Number(mark.dataset.candidate));
  }

  // Take a text of the page into the form of a correction: who sends it says why.
  #choose(at) {
    const link = document.querySelector(`.choice[data-candidate="${at}"]`);
    const form = byId("correct");
    if (!link || !form) return;
    document.querySelector(".choice[aria-current]")?.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    if (open) chooseField(0, at);
    form.elements.value.value = link.dataset.value;
    const file = form.elements.where && [...form.elements.where.options].find((one) => one.dataset.file === link.dataset.where);
    if (file) file.selected = true;
    this.#into(form.closest("details"), form.elements.reason);
  }

  #into(details, control) {
    details.open = true;
    control.focus();
    control.scrollIntoView({ block: "nearest" });
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || document.querySelector("dialog[open]")) return;
    if (event.target instanceof Element && event.target.matches("input, select, textarea")) {
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
    const details = meant.parentElement;
    this.#into(details, details.querySelector("input:not([type=hidden])"));
  }

  #help() {
    const rows = KEYS.map(([key, does]) => el("div", null, el("dt", null, el("kbd", null, key)), el("dd", null, does)));
    const box = el("dialog", { "aria-labelledby": "keys-title", onclose: () => box.remove() }, el("h2", { id: "keys-title" }, "Keys"), el("dl", null, rows), el("p", { class: "muted" }, "A decision is not taken back: decide once more on the same, and the last one counts."), el("p", null, el("button", { type: "button", onclick: () => box.close() }, "Close")));
    document.body.append(box);
    box.showModal();
  }
}

customElements.define("review-desk", ReviewDesk);

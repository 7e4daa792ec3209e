// The page of a build session: its parts are replaced as something happens, and its forms are sent without leaving it.
// The server renders all of it; what is not known here is asked for whole.

const PARTS = "[data-part]";
const AGAIN_MS = 2000; // a browser gives a stream up where it was answered with an error

class BuildSession extends HTMLElement {
  base = "";
  last = ""; // what was asked for last, while it is on its way
  late = false; // the page is not as it is now, because somebody types in it
  busy = false;
  again = false;
  sent = Promise.resolve();

  connectedCallback() {
    this.base = this.dataset.base || "";
    this.#listen(this.dataset.mark || "");
    this.#toEnd();
    document.addEventListener("submit", (event) => this.#submit(event));
    document.addEventListener("focusout", () => setTimeout(() => this.late && this.#refresh(), 0));
    document.addEventListener("click", (event) => this.#pick(event));
    document.addEventListener("keydown", (event) => {
      this.#toNext(event);
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target instanceof HTMLTextAreaElement && event.target.id === "say") event.target.form?.requestSubmit();
    });
  }

  /** @param {string} mark */
  #listen(mark) {
    const source = new EventSource(`${this.base}/events?mark=${encodeURIComponent(mark)}`);
    this.source = source;
    source.onmessage = () => {
      this.#away("");
      this.#refresh();
    };
    source.onopen = () => this.#away("");
    source.onerror = () => {
      this.#away("The server does not answer. This page goes on by itself when it does.");
      if (source.readyState === EventSource.CLOSED) setTimeout(() => this.source === source && this.isConnected && this.#listen(mark), AGAIN_MS);
    };
    source.addEventListener("away", () => this.#away("The services do not answer. This page goes on by itself when they do."));
    source.addEventListener("back", () => this.#away(""));
  }

  /** @param {string} text */
  #away(text) {
    if (this.textContent !== text) fill(this, text);
  }

  // --- what is asked for

  /** @param {SubmitEvent} event */
  #submit(event) {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.action.includes(this.base)) return;
    event.preventDefault();
    const asked = new URLSearchParams(/** @type {any} */ (new FormData(form, event.submitter))).toString();
    if (this.last === asked) return; // the same is on its way: a button was pressed twice
    this.last = asked;
    this.sent = this.sent.then(() => this.#send(form, asked));
  }

  /** @param {HTMLFormElement} form @param {string} asked */
  async #send(form, asked) {
    document.body.classList.add("is-sending");
    try {
      const answer = await ask("POST", form.action, asked);
      if (answer.ok) {
        for (const field of inputs(form)) field.value = field.defaultValue;
        for (const option of form.querySelectorAll("option")) option.selected = option.defaultSelected;
      }
      this.#show(answer.page, true);
    } catch {
      announce("The server does not answer. Nothing is known of what you asked for: load the page again.");
    } finally {
      if (this.last === asked) {
        this.last = "";
        document.body.classList.remove("is-sending");
      }
    }
  }

  async #refresh() {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    try {
      do {
        this.again = false;
        const answer = await ask("GET", this.base + location.search, null);
        if (answer.ok) this.#show(answer.page, false);
      } while (this.again);
    } catch {
      this.again = false; // the next event asks again
    } finally {
      this.busy = false;
    }
  }

  // --- an element that is pointed at: its number goes into the form, as the link of it would have it

  /** @param {MouseEvent} event */
  #pick(event) {
    const link = event.target instanceof Element ? event.target.closest("a.pick") : null;
    if (!(link instanceof SVGElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const { ref = "", verb = "", words: meant = "" } = link.dataset;
    const number = /** @type {HTMLInputElement | null} */ (document.querySelector("#element-ref"));
    const verbs = /** @type {HTMLSelectElement | null} */ (document.querySelector("#element-verb"));
    if (!number || !verbs) return;
    number.value = ref;
    this.#mark(document);
    const field = verbs.dataset.next || [...verbs.options].find((one) => one.value.startsWith("read."))?.value;
    verbs.value = verb || field || verbs.value;
    announce(`Meant is ${meant}`);
    verbs.focus({ preventScroll: true });
    number.form?.scrollIntoView({ block: "nearest" });
  }

  /** Mark the element whose number stands in the form. @param {ParentNode} part */
  #mark(part) {
    const number = /** @type {HTMLInputElement | null} */ (part.querySelector("#element-ref"));
    const told = part.querySelector("#chosen-element");
    if (!number || !told) return;
    for (const one of part.querySelectorAll("a.pick[aria-current]")) one.removeAttribute("aria-current");
    const link = /^\d+$/.test(number.value) ? part.querySelector(`#pick-${number.value}`) : null;
    link?.setAttribute("aria-current", "true");
    if (link) fill(told, "Meant is ", el("strong", null, said(link.dataset.words || "")));
  }

  /** Arrow keys move between the elements of a picture, in the order of the page. @param {KeyboardEvent} event */
  #toNext(event) {
    const link = event.target instanceof Element ? event.target.closest("a.pick") : null;
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!link?.parentElement || !by) return;
    event.preventDefault();
    const all = /** @type {any[]} */ ([...link.parentElement.querySelectorAll("a.pick")]);
    all.sort((a, b) => Number(a.dataset.ref) - Number(b.dataset.ref));
    all[(all.indexOf(link) + by + all.length) % all.length].focus();
  }

  // --- what is shown

  /** @param {Document} page @param {boolean} isAnswer */
  #show(page, isAnswer) {
    if (page.querySelector("build-session") === null) {
      const told = page.querySelector("main .card p") || page.querySelector("main");
      announce(told?.textContent?.trim() || "Not done.");
      return;
    }
    this.late = false;
    const forms = [document, page].map((one) => one.querySelectorAll("form.order").length > 0);
    if (forms[0] !== forms[1]) { // it was opened or closed: other forms belong to it
      location.assign(this.base);
      return;
    }
    for (const old of document.querySelectorAll(PARTS)) {
      const made = page.querySelector(`[data-part="${old.dataset.part}"]`);
      if (made && (isAnswer || old.dataset.part !== "notes")) this.#replace(old, made, isAnswer);
    }
  }

  /** @param {HTMLElement} old @param {HTMLElement} made @param {boolean} isAnswer */
  #replace(old, made, isAnswer) {
    tellTimes(made); // as those of the page are
    if (old.isEqualNode(made)) return;
    const active = old.contains(document.activeElement) ? document.activeElement : null;
    const typing = active?.matches("input:not([type=checkbox]):not([type=radio]), textarea, select");
    if (typing && !isAnswer) {
      this.late = true;
      return;
    }
    const isTalk = old.dataset.part === "talk";
    const atEnd = isTalk && old.scrollTop + old.clientHeight > old.scrollHeight - 40;
    const open = new Map(foldable(old).map((one) => [one.dataset.key, one.open]));
    const written = new Map(inputs(old).map((one) => [one.id, one]));
    const focus = active ? mark(active, old) : null;
    const now = document.importNode(made, true);
    for (const one of foldable(now)) one.open = open.get(one.dataset.key) ?? one.open;
    // A number is of one look at the page: of another one, it would be another element.
    const sameLook = lookOf(old) === lookOf(now);
    for (const one of inputs(now)) {
      const before = one.id && (sameLook || !one.closest(".element-form")) ? written.get(one.id) : undefined;
      if (before && before.value !== before.defaultValue) one.value = before.value;
      if (before instanceof HTMLInputElement && one instanceof HTMLInputElement && before.checked !== before.defaultChecked) one.checked = before.checked;
    }
    for (const one of now.querySelectorAll("select")) {
      const before = one.id && sameLook ? old.querySelector(`#${CSS.escape(one.id)}`) : null;
      if (before instanceof HTMLSelectElement && [...one.options].some((option) => option.value === before.value)) one.value = before.value;
    }
    const top = old.scrollTop;
    this.#mark(now);
    old.replaceWith(now);
    now.scrollTop = top;
    if (isTalk) this.#told(old, now, atEnd);
    if (focus) now.querySelector(focus)?.focus({ preventScroll: true });
    if (now.dataset.part === "asked" && now.childElementCount && !old.childElementCount) announce(now.querySelector("h2")?.textContent || "A question waits");
  }

  /** @param {HTMLElement} old @param {HTMLElement} now @param {boolean} atEnd */
  #told(old, now, atEnd) {
    if (atEnd) now.scrollTop = now.scrollHeight;
    const before = old.querySelectorAll(".talk").length;
    const fresh = [...now.querySelectorAll(".talk")].slice(before);
    const last = fresh.reverse().find((one) => one.matches(".t-refused, .t-model, .t-failed"));
    if (last) announce(last.querySelector(".talk-text")?.textContent || "");
  }

  #toEnd() {
    const talk = document.querySelector('[data-part="talk"]');
    if (talk) talk.scrollTop = talk.scrollHeight;
  }
}

/** @param {ParentNode} part @returns {(HTMLInputElement | HTMLTextAreaElement)[]} what can be written into */
const inputs = (part) => /** @type {any[]} */ ([...part.querySelectorAll("input:not([type=hidden]), textarea")]);

/** @param {ParentNode} part @returns {string} the look that the numbers of a part are of */
const lookOf = (part) => /** @type {HTMLInputElement | null} */ (part.querySelector("input[name=look]"))?.value ?? "";

/** @param {ParentNode} part @returns {HTMLDetailsElement[]} */
const foldable = (part) => /** @type {any[]} */ ([...part.querySelectorAll("details[data-key]")]);

/**
 * How the element with the focus is found again: the form of the same act and number, and its button.
 * @param {Element} node
 * @param {Element} part
 */
function mark(node, part) {
  const form = node.closest("form");
  if (node.id) return `#${CSS.escape(node.id)}`;
  const key = node.matches("summary") ? node.parentElement?.dataset.key : undefined;
  if (!form || !part.contains(form)) return key ? `details[data-key="${key}"] > summary` : null;
  const hidden = /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll("input[type=hidden]")]);
  const fields = hidden.filter((one) => ["act", "number", "step"].includes(one.name));
  return `form${fields.map((one) => `:has(input[name="${one.name}"][value="${CSS.escape(one.value)}"])`).join("")} button`;
}

// The browser of the row, as it is drawn now, for as long as its part of the page is open.
class BrowserNow extends HTMLElement {
  /** @type {EventSource | undefined} */
  source;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  later;
  number = 0;
  state = el("p", { class: "muted", role: "status" });
  canvas = el("canvas", { class: "live-picture", role: "img", "aria-label": "The browser of the row", width: 1280, height: 800 });

  connectedCallback() {
    fill(this, this.state, this.canvas);
    const part = this.closest("details");
    part?.addEventListener("toggle", () => (part.open ? this.#open() : this.disconnectedCallback()));
    if (part?.open) this.#open();
  }

  disconnectedCallback() {
    this.source?.close();
    this.source = undefined;
    clearTimeout(this.later);
  }

  #open() {
    this.disconnectedCallback();
    this.number = 0;
    fill(this.state, "Waiting for the first picture.");
    const source = (this.source = new EventSource(this.dataset.at || ""));
    const on = (/** @type {string} */ name, /** @type {(told: any) => void} */ what) => source.addEventListener(name, (message) => what(JSON.parse(message.data)));
    on("frame", (frame) => this.#draw(frame));
    on("still", (told) => fill(this.state, told.why ? `No picture: ${told.why}.` : "Live: the page stands still."));
    on("nobody", () => this.#again("No browser is open now. When one is, it is shown here."));
    on("away", () => fill(this.state, "The services do not answer. This page goes on by itself when they do."));
    on("full", () => this.#again("As many live pictures are open as may be. Close one; this one then begins."));
    on("refused", (told) => (source.close(), fill(this.state, told.why)));
    source.onerror = () => fill(this.state, "The server does not answer. This page goes on by itself when it does.");
  }

  /** The browser of another row has another address: it is asked for anew. @param {string} told */
  #again(told) {
    this.disconnectedCallback();
    fill(this.state, told);
    this.later = setTimeout(() => this.#open(), 2000);
  }

  /** @param {{ number: number, picture: string, url: string, covered: number }} frame */
  async #draw(frame) {
    const picture = await pictureOf(frame);
    if (!picture || frame.number < this.number) return;
    this.number = frame.number;
    drawn(this.canvas, picture);
    fill(this.state, "Live: ", el("span", { class: "address" }, said(frame.url)), frame.covered ? ". Black parts are secrets; they are shown to nobody." : "");
  }
}

customElements.define("browser-now", BrowserNow);
customElements.define("build-session", BuildSession);

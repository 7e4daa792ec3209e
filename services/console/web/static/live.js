// The live view of a sample: pictures of the page that it is worked on with, drawn as they come, and a person's hands on
// it. A picture is bytes on a canvas, and everything else is text. What a person does is sent as a form, one act at a
// time, and becomes a step of the sample.

const QUIET_MS = 25000; // the server says every few seconds that all is well
const AGAIN_MS = 2000; // a browser gives a stream up where it was answered with an error
const KEEP_MS = 15000; // a hold that is not kept for a minute ends
const WHEEL_MS = 250;
const SENT_KEYS = ["Enter", "Escape", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "PageDown", "PageUp"];
const KEYS = ["Enter", "Tab", "Escape", "ArrowDown", "ArrowUp", "Backspace", "Space", "PageDown", "PageUp"];

/**
 * @typedef {{ ref: number, role: string, name: string, use: string, secret: boolean, box: Box }} Actable
 * @typedef {{ mine: boolean, ready: boolean, held_by: string, decides: string, snapshot_id: string, elements: Actable[],
 *   secrets: string[], dialog: string, last: { step: number, decided_by: string, action: string, on: string,
 *   message: string, ok: boolean } | null }} Work
 * @typedef {Box & { number: number }} Frame
 * @typedef {Record<string, any>} Act the fields of a form
 */

class LiveView extends HTMLElement {
  #last = 0; // when the server was heard
  /** @type {Work | null} what is done now, as the server has told it last */
  #work = null;
  /** @type {Frame | null} */
  #frame = null;
  #busy = false;
  /** @type {Act | null} */
  #next = null;
  #doing = "";
  #missed = false;
  #rolled = 0;
  drawn = false;
  /** @type {EventSource | undefined} */
  source;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  timer;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  keeper;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  rolling;
  /** @type {Actable | undefined} what is chosen, as it was known when it was */
  wanted;
  state = el("span", { class: "live-state", role: "status" }, "Waiting for the first picture");
  address = el("span", { class: "address live-address" });
  canvas = el("canvas", { class: "live-picture", role: "img", "aria-label": "The page of the sample", width: 1280, height: 800 });
  boxes = el("div", { class: "live-boxes", "aria-hidden": "true" });
  told = el("p", { class: "muted live-told" });
  step = el("p", { class: "live-step" });
  hands = el("div", { class: "live-hands" });
  answer = el("p", { class: "live-answer", role: "status" });
  /** @type {HTMLSelectElement | null} there is one while a person has the sample in hand */
  elements = null;
  text = el("input");
  secret = el("select");
  keys = el("select");
  url = el("input");
  typing = el("form");
  secretly = el("form");

  connectedCallback() {
    const stage = el("div", { class: "live-stage" }, this.canvas, this.boxes);
    fill(this,
      el("section", { class: "card live-card", "aria-label": "The page now" }, el("div", { class: "live-bar" }, this.state, this.address), stage, this.told),
      el("section", { class: "card live-side", "aria-label": "What is done" }, el("h2", null, "What is done"), this.step, this.hands, this.answer));
    this.canvas.addEventListener("click", (event) => this.#point(event));
    this.canvas.addEventListener("keydown", (event) => this.#key(event));
    this.canvas.addEventListener("wheel", (event) => this.#roll(event), { passive: false });
    this.#listen();
    this.timer = setInterval(() => this.#look(), 1000);
    this.keeper = setInterval(() => this.#work?.mine && this.#send({ steer: "keep" }, true), KEEP_MS);
  }

  disconnectedCallback() {
    this.source?.close();
    clearInterval(this.timer);
    clearInterval(this.keeper);
  }

  #listen() {
    const source = (this.source = new EventSource(`${this.dataset.at}/frames`));
    const on = (/** @type {string} */ name, /** @type {(told: any) => void} */ what) => source.addEventListener(name, (message) => { this.#last = Date.now(); what(JSON.parse(message.data)); });
    on("frame", (frame) => this.#draw(frame));
    on("still", (told) => (told.why ? this.#say("off", "No picture", `${told.why}.`) : this.#say("on", "Live", "The page stands still: this is how it looks now.")));
    on("work", (work) => this.#worked(work));
    on("nobody", () => this.#nobody());
    on("away", () => this.#say("off", "The services do not answer", "This page goes on by itself when they do."));
    on("full", () => this.#say("off", "As many live views are open as may be", "Close one; this one then begins."));
    on("refused", (told) => { source.close(); this.#say("off", "Not shown", told.why); });
    source.onerror = () => {
      this.#say("off", "The server does not answer", "This page goes on by itself when it does.");
      if (source.readyState === EventSource.CLOSED) setTimeout(() => this.source === source && this.isConnected && this.#listen(), AGAIN_MS);
    };
    this.#last = Date.now();
  }

  #nobody() {
    this.#say("off", "Nobody works on this sample now", this.drawn ? "The picture is the last one. " : "", el("a", { href: this.dataset.sample }, "What came of it"), ". When somebody does, it is shown here.");
    if (this.#work) this.#worked(null);
  }

  /** @param {Frame & { picture: string, url: string, covered: number }} frame */
  async #draw(frame) {
    const picture = await pictureOf(frame);
    if (!picture) return;
    if (this.#frame && frame.number < this.#frame.number) return;
    this.#frame = { number: frame.number, width: frame.width, height: frame.height, x: frame.x, y: frame.y };
    drawn(this.canvas, picture);
    this.drawn = true;
    this.canvas.dataset.number = String(frame.number);
    this.canvas.setAttribute("aria-label", `The page of the sample, at ${frame.url}`);
    fill(this.address, said(frame.url));
    this.#say("on", "Live", frame.covered ? "Black parts are secrets; they are shown to nobody." : "");
    this.#outline();
  }

  #look() {
    if (this.source?.readyState !== EventSource.CLOSED && Date.now() - this.#last > QUIET_MS) this.#say("off", "Pictures have stopped", "The server was not heard for a while.");
  }

  /** @param {"on" | "off"} state @param {string} short @param {...Child} more */
  #say(state, short, ...more) {
    this.state.className = `live-state ${state}`;
    if (this.state.textContent !== short) fill(this.state, short);
    fill(this.told, more);
  }

  // --- what is done, and by whom

  /** @param {Work | null} work */
  #worked(work) {
    const before = this.#work;
    this.#work = work;
    const last = work?.last;
    const who = (/** @type {string} */ name) => (name.startsWith("person:") || name.startsWith("operator:") ? name.slice(name.indexOf(":") + 1) : name);
    fill(this.step, last ? [`Step ${last.step}, by `, said(who(last.decided_by)), ": ", words(last.action), last.on ? [" ", said(last.on)] : "", last.message ? ["; ", said(last.message)] : "", last.ok ? "" : " (it did not work)"] : work ? "No step has been taken yet." : "Nothing now.");
    const shape = (/** @type {Work | null} */ one) => (one ? [one.mine, one.ready, one.held_by, one.mine && one.ready ? one.snapshot_id : "", one.decides].join("|") : "");
    if (!this.hands.firstChild || shape(before) !== shape(work)) this.#build();
    const inHand = Boolean(work?.mine && work.ready);
    this.canvas.tabIndex = inHand ? 0 : -1;
    this.canvas.setAttribute("role", inHand ? "application" : "img");
    this.classList.toggle("in-hand", inHand);
    this.#outline();
  }

  #build() {
    const work = this.#work;
    /** @type {(Element | null)[] | null} */
    const had = this.elements && [this.elements, this.text, this.secret, this.keys, this.url];
    const at = had && document.activeElement ? had.indexOf(document.activeElement) : -1;
    const written = had ? [this.text.value, this.url.value] : ["", ""];
    this.#fillHands(work);
    if (!had || !this.elements) return;
    [this.text.value, this.url.value] = written;
    const now = [this.elements, this.text, this.secret, this.keys, this.url][at];
    if (now && !now.closest("[hidden]")) now.focus();
  }

  /** @param {Work | null} work */
  #fillHands(work) {
    this.elements = null;
    if (!work) return fill(this.hands);
    if (!work.held_by) return fill(this.hands, el("p", { class: "muted" }, "Decided by ", said(work.decides), "."), this.#button("Take over", { steer: "take" }, "act"), el("p", { class: "muted" }, "It then waits for you between two steps. All that you do is in its step log, with your name."));
    if (!work.mine) return fill(this.hands, el("p", { class: "live-holder" }, said(work.held_by), " has taken it over."), el("p", { class: "muted" }, "The work goes on when it is handed back, or a minute after its holder has gone."));
    const note = el("input", { name: "note", maxlength: 1000, autocomplete: "off" });
    const back = el("form", { class: "live-form", onsubmit: (/** @type {SubmitEvent} */ event) => this.#submit(event, () => ({ steer: "back", note: note.value })) }, el("label", null, "For whoever goes on (may be empty)", note), el("button", { type: "submit" }, "Hand back"));
    if (!work.ready) return fill(this.hands, el("p", { class: "live-holder" }, "Yours, as soon as the step that is on its way has ended."), back);
    fill(this.hands, el("p", { class: "live-holder" }, "You have it, as ", said(this.dataset.person), ". Press on the picture, or choose here what to act on."), this.#acts(work), back);
  }

  /** @param {Work} work */
  #acts(work) {
    const list = el("select", { onchange: () => this.#choose(this.#chosen()) }, work.elements.map((one) => el("option", { value: one.ref }, `${one.role} ${one.name || "without a name"}`)));
    this.elements = list;
    // Numbers of elements are those of one look at the page: what was chosen is known by its name.
    const kept = work.elements.find((one) => one.role === this.wanted?.role && one.name === this.wanted.name);
    if (kept) list.value = String(kept.ref);
    this.text = el("input", { maxlength: 4000, autocomplete: "off" });
    this.secret = el("select", null, work.secrets.map((name) => el("option", { value: name }, name)));
    this.keys = el("select", null, KEYS.map((key) => el("option", { value: key }, key)));
    this.url = el("input", { type: "url", maxlength: 2000, autocomplete: "off", placeholder: "https://" });
    const form = (/** @type {string} */ name, /** @type {HTMLElement} */ control, /** @type {string} */ label, /** @type {() => Act} */ fields) => el("form", { class: "live-form", onsubmit: (/** @type {SubmitEvent} */ event) => this.#submit(event, fields) }, el("label", null, label, control), el("button", { type: "submit" }, name));
    const act = (/** @type {string} */ action, /** @type {() => Act} */ more) => () => ({ steer: "act", action, ...this.#target(), ...more() });
    this.typing = form("Type", this.text, "Text to type, or the option to choose", () => (this.#chosen()?.use === "choose" ? act("pick", () => ({ option: this.text.value })) : act("type", () => ({ text: this.text.value })))());
    this.secretly = form("Type the secret", this.secret, "A secret of the task, by its name", act("type_secret", () => ({ secret: this.secret.value })));
    const parts = [
      work.elements.length ? form("Press", list, "What to act on", act("click", () => ({}))) : el("p", { class: "muted" }, "Nothing was observed that can be acted on."),
      this.typing, work.secrets.length ? this.secretly : null,
      form("Press the key", this.keys, "A key, where the focus is", () => ({ steer: "act", action: "press", keys: this.keys.value })),
      el("div", { class: "live-buttons" }, this.#button("Back", { steer: "act", action: "back" }), this.#button("Scroll down", { steer: "act", action: "scroll", direction: "down", amount_px: 600 }), this.#button("Scroll up", { steer: "act", action: "scroll", direction: "up", amount_px: 600 })),
      el("details", null, el("summary", null, "Go to an address"), form("Go", this.url, "An address that the task may open", () => ({ steer: "act", action: "goto", url: this.url.value }))),
    ];
    if (work.dialog) parts.unshift(el("div", { class: "note warn" }, el("div", null, el("strong", null, "The page asks: "), said(work.dialog), " ", this.#button("Accept", { steer: "act", action: "dialog", answer: "accept" }), this.#button("Dismiss", { steer: "act", action: "dialog", answer: "dismiss" }))));
    const made = el("div", { class: "live-acts" }, parts);
    this.#uses();
    return made;
  }

  /** @param {Actable | undefined} one */
  #choose(one) {
    this.wanted = one;
    this.#uses();
  }

  #chosen() {
    return this.#work?.elements.find((one) => String(one.ref) === this.elements?.value);
  }

  #target() {
    const one = this.#chosen();
    return one ? { ref: one.ref, snapshot_id: this.#work?.snapshot_id } : {};
  }

  // Show what can be done with the element that is chosen.
  #uses() {
    const one = this.#chosen();
    this.typing.hidden = !one || one.secret || !["fill", "choose"].includes(one.use);
    this.secretly.hidden = !one || one.use !== "fill";
    this.#outline();
  }

  /** @param {string} name @param {Act} fields @param {string} [kind] */
  #button(name, fields, kind) {
    return el("button", { type: "button", class: kind, onclick: () => this.#send(fields) }, name);
  }

  /** @param {SubmitEvent} event @param {() => Act} fields */
  #submit(event, fields) {
    event.preventDefault();
    this.#send(fields());
  }

  /**
   * One act at a time: the page may be another one after it. To hand back is done after it; another press is not, and that is said.
   * @param {Act} fields @param {boolean} [quietly]
   */
  async #send(fields, quietly = false) {
    if (this.#busy) {
      if (fields.steer === "back") this.#next = fields;
      else if (!quietly && JSON.stringify(fields) !== this.#doing) this.#missed = true; // a double press is one
      return;
    }
    this.#busy = !quietly;
    this.#doing = JSON.stringify(fields);
    if (!quietly) this.hands.setAttribute("aria-busy", "true");
    try {
      const body = new URLSearchParams({ form_key: this.dataset.formKey || "", ...fields });
      const reply = await fetch(`${this.dataset.at}/steer`, { method: "POST", body });
      const told = reply.headers.get("content-type")?.includes("json") ? await reply.json() : { message: await reply.text() };
      if (!quietly) this.#answered(fields, told);
    } catch {
      if (!quietly) fill(this.answer, "The server does not answer. Nothing is known of what was asked for.");
    } finally {
      if (!quietly) {
        this.#busy = false;
        this.hands.removeAttribute("aria-busy");
        const next = this.#next;
        this.#next = null;
        if (next) this.#send(next);
      }
    }
  }

  /** @param {Act} fields @param {{ done?: boolean, ok?: boolean, message?: string, element?: Actable }} told */
  #answered(fields, told) {
    const done = told.done && told.ok !== false;
    this.answer.classList.toggle("bad", !done);
    const quiet = told.done && ["take", "keep", "back"].includes(fields.steer);
    fill(this.answer, quiet ? "" : [done ? "" : "Not done: ", said(told.message || "")], this.#missed ? " What was pressed meanwhile was not done: press it again." : "");
    this.#missed = false;
    if (!told.element || !this.elements) return;
    this.elements.value = String(told.element.ref);
    this.#choose(told.element);
    if (fields.steer === "press_at" && told.element.use === "fill") (told.element.secret ? this.secret : this.text).focus();
    if (fields.action === "type") this.text.value = "";
  }

  // --- the picture under a person's hands

  /** What a person who has the sample in hand acts on; null: nobody here has. */
  get #inHand() {
    return this.#work?.mine && this.#work.ready && this.#frame ? { frame: this.#frame, work: this.#work } : null;
  }

  /** @param {MouseEvent} event */
  #point(event) {
    if (!this.#inHand) return;
    const { width, height, x, y } = this.#inHand.frame;
    this.#send({ steer: "press_at", x: x + (event.offsetX * width) / this.canvas.clientWidth, y: y + (event.offsetY * height) / this.canvas.clientHeight });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (!this.#inHand || !SENT_KEYS.includes(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.#send({ steer: "act", action: "press", keys: event.key });
  }

  /** @param {WheelEvent} event */
  #roll(event) {
    if (!this.#inHand || document.activeElement !== this.canvas) return;
    event.preventDefault();
    this.#rolled += event.deltaY;
    clearTimeout(this.rolling);
    this.rolling = setTimeout(() => {
      const px = Math.round(this.#rolled);
      this.#rolled = 0;
      if (px) this.#send({ steer: "act", action: "scroll", direction: px > 0 ? "down" : "up", amount_px: Math.abs(px) });
    }, WHEEL_MS);
  }

  // The observed elements as outlines over the picture, for who holds the sample.
  #outline() {
    const inHand = this.#inHand;
    if (!inHand) return fill(this.boxes);
    const { width, height, x, y } = inHand.frame;
    const chosen = this.elements?.value;
    const made = inHand.work.elements.map((one) => {
      const place = [(one.box.x - x) / width, (one.box.y - y) / height, one.box.width / width, one.box.height / height].map((part) => `${(100 * part).toFixed(3)}%`);
      return el("span", { class: String(one.ref) === chosen ? "live-box chosen" : "live-box", vars: { "--left": place[0], "--top": place[1], "--width": place[2], "--height": place[3] } });
    });
    fill(this.boxes, made);
  }
}

customElements.define("live-view", LiveView);

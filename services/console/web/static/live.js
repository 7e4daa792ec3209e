// The live view of a sample: pictures of the page that it is worked on with, drawn as they come. A picture is bytes on a
// canvas, and everything else is text.

const QUIET_MS = 25000; // the server says every few seconds that all is well

class LiveView extends HTMLElement {
  #last = 0; // when the server was heard

  connectedCallback() {
    this.state = el("span", { class: "live-state", role: "status" }, "Waiting for the first picture");
    this.address = el("span", { class: "address live-address" });
    this.canvas = el("canvas", { class: "live-picture", role: "img", "aria-label": "The page of the sample", width: 1280, height: 800 });
    this.told = el("p", { class: "muted live-told" });
    fill(this, el("section", { class: "card live-card" }, el("div", { class: "live-bar" }, this.state, this.address), el("div", { class: "live-stage" }, this.canvas), this.told));
    this.#listen();
    this.timer = setInterval(() => this.#look(), 1000);
  }

  disconnectedCallback() {
    this.source?.close();
    clearInterval(this.timer);
  }

  #listen() {
    this.source = new EventSource(`${this.dataset.at}/frames`);
    const on = (name, what) => this.source.addEventListener(name, (message) => { this.#last = Date.now(); what(JSON.parse(message.data)); });
    on("frame", (frame) => this.#draw(frame));
    on("still", (told) => (told.why ? this.#say("off", "No picture", `${told.why}.`) : this.#say("on", "Live", "The page stands still: this is how it looks now.")));
    on("nobody", () => this.#say("off", "Nobody works on this sample now", this.drawn ? "The picture is the last one. " : "", el("a", { href: this.dataset.sample }, "What came of it"), ". If it is tried again, it is shown here."));
    on("away", () => this.#say("off", "The services do not answer", "This page goes on by itself when they do."));
    on("full", () => this.#say("off", "As many live views are open as may be", "Close one; this one then begins."));
    on("refused", (told) => { this.source.close(); this.#say("off", "Not shown", told.why); });
    this.source.onerror = () => this.#say("off", "The server does not answer", "This page goes on by itself when it does.");
    this.#last = Date.now();
  }

  async #draw(frame) {
    const bytes = Uint8Array.from(atob(frame.picture), (one) => one.charCodeAt(0));
    let picture;
    try {
      picture = await createImageBitmap(new Blob([bytes], { type: "image/jpeg" }));
    } catch {
      return; // it is no picture
    }
    if (this.number && frame.number < this.number) return;
    this.number = frame.number;
    this.canvas.width = picture.width;
    this.canvas.height = picture.height;
    this.canvas.getContext("2d").drawImage(picture, 0, 0);
    picture.close();
    this.drawn = true;
    this.canvas.dataset.number = frame.number;
    this.canvas.setAttribute("aria-label", `The page of the sample, at ${frame.url}`);
    fill(this.address, said(frame.url));
    this.#say("on", "Live", frame.covered ? "Black parts are secrets; they are shown to nobody." : "");
  }

  #look() {
    if (this.source.readyState !== EventSource.CLOSED && Date.now() - this.#last > QUIET_MS) this.#say("off", "Pictures have stopped", "The server was not heard for a while.");
  }

  #say(state, short, ...more) {
    this.state.className = `live-state ${state}`;
    if (this.state.textContent !== short) fill(this.state, short);
    fill(this.told, more);
  }
}

customElements.define("live-view", LiveView);

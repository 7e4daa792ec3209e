// The page of a build session: its parts are replaced as something happens, and its forms are sent without leaving it.
// The server renders all of it; what is not known here is asked for whole.

const PARTS = "[data-part]";

class BuildSession extends HTMLElement {
  connectedCallback() {
    this.base = this.dataset.base;
    this.#listen(this.dataset.mark);
    this.#toEnd();
    document.addEventListener("submit", (event) => this.#submit(event));
    document.addEventListener("focusout", () => setTimeout(() => this.late && this.#refresh(), 0));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.matches("#say")) event.target.form.requestSubmit();
    });
  }

  #listen(mark) {
    this.source = new EventSource(`${this.base}/events?mark=${encodeURIComponent(mark)}`);
    this.source.onmessage = () => this.#refresh();
    this.source.onopen = () => this.#away("");
    this.source.onerror = () => this.#away("The server does not answer. This page goes on by itself when it does.");
    this.source.addEventListener("away", () => this.#away("The services do not answer. This page goes on by itself when they do."));
  }

  #away(text) {
    if (this.textContent !== text) fill(this, text);
  }

  // --- what is asked for

  #submit(event) {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.action.includes(this.base)) return;
    event.preventDefault();
    const asked = new URLSearchParams(new FormData(form, event.submitter)).toString();
    if (this.last === asked) return; // the same is on its way: a button was pressed twice
    this.last = asked;
    this.sent = (this.sent || Promise.resolve()).then(() => this.#send(form, asked));
  }

  async #send(form, asked) {
    document.body.classList.add("is-sending");
    try {
      const answer = await ask("POST", form.action, asked);
      if (answer.ok) for (const field of form.querySelectorAll("input:not([type=hidden]), textarea")) field.value = field.defaultValue;
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

  // --- what is shown

  #show(page, isAnswer) {
    if (page.querySelector("build-session") === null) {
      const told = page.querySelector("main .card p") || page.querySelector("main");
      announce(told ? told.textContent.trim() : "Not done.");
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

  #replace(old, made, isAnswer) {
    if (old.isEqualNode(made)) return;
    const typing = old.contains(document.activeElement) && document.activeElement.matches("input:not([type=checkbox]):not([type=radio]), textarea, select");
    if (typing && !isAnswer) {
      this.late = true;
      return;
    }
    const isTalk = old.dataset.part === "talk";
    const atEnd = isTalk && old.scrollTop + old.clientHeight > old.scrollHeight - 40;
    const open = new Map([...old.querySelectorAll("details[data-key]")].map((one) => [one.dataset.key, one.open]));
    const written = new Map([...old.querySelectorAll("input[id]:not([type=hidden])")].map((one) => [one.id, one]));
    const focus = old.contains(document.activeElement) ? mark(document.activeElement, old) : null;
    const now = document.importNode(made, true);
    for (const one of now.querySelectorAll("details[data-key]")) if (open.has(one.dataset.key)) one.open = open.get(one.dataset.key);
    for (const one of now.querySelectorAll("input[id]:not([type=hidden])")) {
      const before = written.get(one.id);
      if (before && before.value !== before.defaultValue) one.value = before.value;
      if (before && before.checked !== before.defaultChecked) one.checked = before.checked;
    }
    const top = old.scrollTop;
    old.replaceWith(now);
    now.scrollTop = top;
    if (isTalk) this.#told(old, now, atEnd);
    if (focus) now.querySelector(focus)?.focus({ preventScroll: true });
    if (now.dataset.part === "asked" && now.childElementCount && !old.childElementCount) announce(now.querySelector("h2").textContent);
  }

  #told(old, now, atEnd) {
    if (atEnd) now.scrollTop = now.scrollHeight;
    const before = old.querySelectorAll(".talk").length;
    const fresh = [...now.querySelectorAll(".talk")].slice(before);
    const last = fresh.reverse().find((one) => one.matches(".t-refused, .t-model, .t-failed"));
    if (last) announce(last.querySelector(".talk-text").textContent);
  }

  #toEnd() {
    const talk = document.querySelector('[data-part="talk"]');
    if (talk) talk.scrollTop = talk.scrollHeight;
  }
}

// How the element with the focus is found again: the form of the same act and number, and its button.
function mark(node, part) {
  const form = node.closest("form");
  if (node.id) return `#${CSS.escape(node.id)}`;
  if (!form || !part.contains(form)) return node.matches("summary") && node.parentElement.dataset.key ? `details[data-key="${node.parentElement.dataset.key}"] > summary` : null;
  const fields = [...form.querySelectorAll("input[type=hidden]")].filter((one) => ["act", "number", "step"].includes(one.name));
  return `form${fields.map((one) => `:has(input[name="${one.name}"][value="${CSS.escape(one.value)}"])`).join("")} button`;
}

// Asks for a page. The browser reads it as a document of its own, in which nothing runs.
function ask(method, address, data) {
  return new Promise((resolve, reject) => {
    const sent = new XMLHttpRequest();
    sent.open(method, address);
    sent.responseType = "document";
    if (data !== null) sent.setRequestHeader("Content-Type", "application/x-www-form-urlencoded;charset=UTF-8");
    sent.onload = () => (sent.response ? resolve({ ok: sent.status < 400, page: sent.response }) : reject(new Error("no page")));
    sent.onerror = () => reject(new Error("no answer"));
    sent.send(data);
  });
}

customElements.define("build-session", BuildSession);

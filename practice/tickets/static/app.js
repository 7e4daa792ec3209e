// Renders every page from the JSON the server gives. All text goes in as text, never as markup.

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const LEVELS = { "No priority": 0, Low: 1, Medium: 2, High: 3, Urgent: 4 };
const main = document.querySelector("main");

// How this visitor sees the site; see practice/drift.py.
const DRIFT = new Set((document.documentElement.dataset.drift ?? "").split(","));
const SUFFIX = document.documentElement.dataset.suffix ?? "";
const INNER = window.self !== window.top;
const NAMES = new Set(["class", "id", "for", "aria-labelledby"]);
const LAYERED = new Set(["DD", "TD", "TH", "LI", "SECTION", "ARTICLE", "ASIDE"]);
const SYNONYMS = {
  "Assignee": "Owner",
  "Due date": "Target date",
  "Ticket number": "Reference",
  "Ticket": "Reference",
  "Title": "Summary",
  "Status": "Stage",
  "Priority": "Urgency",
  "Reporter": "Raised by",
  "Project": "Area",
  "Labels": "Tags",
  "Created": "Opened on",
  "Updated": "Last touched",
  "Properties": "Details",
  "Comments": "Discussion",
  "Activity": "History",
  "Related tickets": "See also",
  "Next": "Further",
  "Previous": "Back",
};

function label(text) {
  return DRIFT.has("rename") ? SYNONYMS[text] ?? text : text;
}

function ordered(items) {
  const odd = items.filter((_, place) => place % 2 === 1);
  return DRIFT.has("reorder") ? [...odd, ...items.filter((_, place) => place % 2 === 0)] : items;
}

function named(value) {
  return SUFFIX ? String(value).split(" ").filter(Boolean).map((name) => name + SUFFIX).join(" ") : value;
}

function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(name, NAMES.has(name) ? named(value) : value);
  }
  const layered = DRIFT.has("wrap") && LAYERED.has(element.tagName);
  element.append(...(layered ? [el("div", { class: "layer", style: "display: contents" }, ...children)] : children));
  return element;
}

// "2027-03-14" is a day, not a moment: no time zone may move it.
function shownDate(iso) {
  const [year, month, day] = iso.split("-").map(Number);
  return `${MONTHS[month - 1]} ${day}, ${year}`;
}

function initials(name) {
  const words = name.split(" ");
  return words.length === 1 ? name.slice(0, 1) : words[0][0] + words[words.length - 1][0];
}

function avatar(name, size = "") {
  const hue = [...name].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 360, 7);
  return el("span", { class: `avatar ${size}`, "aria-hidden": "true", "data-initials": initials(name), style: `--hue: ${hue}` });
}

function person(name) {
  if (name === null) {
    const nobody = el("span", { class: "avatar nobody", "aria-hidden": "true" });
    return el("span", { class: "person none" }, nobody, "Unassigned");
  }
  return el("span", { class: "person" }, avatar(name), name);
}

function due(iso) {
  return iso === null ? el("span", { class: "none" }, "No due date") : shownDate(iso);
}

function statusDot(status) {
  return el("span", { class: "dot", "data-status": status, "aria-hidden": "true" });
}

function priorityBars(priority) {
  const bars = [el("i"), el("i"), el("i")];
  return el("span", { class: "bars", "data-level": LEVELS[priority], "aria-hidden": "true" }, ...bars);
}

// --- pages

function skeleton() {
  const lines = [96, 92, 97, 64, 88, 41].map((width) => el("div", { style: `width: ${width}%` }));
  const said = el("span", { class: "visually-hidden", role: "status" }, "Loading…");
  return el("div", { class: "skeleton" }, said, el("div"), ...lines);
}

function empty(title, text) {
  const back = el("a", { class: "button", href: "/tickets" }, "Back to all tickets");
  return el("div", { class: "empty" }, el("h1", {}, title), el("p", {}, text), back);
}

function ticketRow(ticket) {
  const href = `/tickets/${ticket.number}`;
  return el("tr", {}, ...ordered([
    el("td", { class: "col-number" }, ticket.number),
    el("td", {}, el("a", { class: "title", href }, ticket.title)),
    el("td", { class: "col-status" }, statusDot(ticket.status), ticket.status),
    el("td", { class: "col-assignee" }, person(ticket.assignee)),
    el("td", { class: "col-due" }, due(ticket.due_date)),
  ]));
}

function pager(page, pages) {
  const step = (to, text, rel) => to < 1 || to > pages
    ? el("span", { class: "off", "aria-disabled": "true" }, label(text))
    : el("a", { href: `/tickets?page=${to}`, rel }, label(text));
  const numbers = Array.from({ length: pages }, (_, index) => index + 1).map((number) =>
    el("a", { href: `/tickets?page=${number}`, "aria-current": number === page ? "page" : null }, String(number)));
  return el("nav", { class: "pager", "aria-label": "Pages" }, step(page - 1, "Previous", "prev"), ...numbers, step(page + 1, "Next", "next"));
}

function listPage({ tickets, page, pages, total }) {
  document.title = `Tickets, page ${page} · Fieldnotes`;
  const heads = [["Ticket", "col-number"], ["Title", ""], ["Status", "col-status"], ["Assignee", "col-assignee"], ["Due date", "col-due"]];
  const head = el("tr", {}, ...ordered(heads).map(([name, kind]) => el("th", { scope: "col", class: kind }, label(name))));
  const table = el("table", {}, el("thead", {}, head), el("tbody", {}, ...tickets.map(ticketRow)));
  const title = el("header", { class: "list-head" }, el("h1", {}, "All tickets"), el("p", {}, `${total} tickets, page ${page} of ${pages}`));
  return [el("div", { class: "bar" }, el("span", { class: "here" }, "Tickets")), title, table, pager(page, pages)];
}

function propertyList(rows) {
  return el("dl", {}, ...ordered(rows).flatMap(([name, ...values]) => [el("dt", {}, label(name)), el("dd", {}, ...values)]));
}

// Under `lookalike`: another ticket under the same labels.
function seenBefore(ticket) {
  if (!ticket) return [];
  const list = propertyList([["Ticket number", ticket.number], ["Assignee", person(ticket.assignee)], ["Due date", due(ticket.due_date)]]);
  return [el("div", { class: "seen" }, el("h2", {}, "Seen before this one"), list)];
}

function properties(ticket) {
  const rows = [
    ["Ticket number", ticket.number],
    ["Status", statusDot(ticket.status), ticket.status],
    ["Priority", priorityBars(ticket.priority), ticket.priority],
    ["Assignee", person(ticket.assignee)],
    ["Due date", due(ticket.due_date)],
    ["Reporter", person(ticket.reporter)],
    ["Project", ticket.project],
    ["Labels", ...ticket.labels.map((label) => el("span", { class: "chip" }, label))],
    ["Created", shownDate(ticket.created)],
    ["Updated", shownDate(ticket.updated)],
  ];
  const title = el("h2", {}, label("Properties"));
  return el("aside", { class: "panel", "aria-label": label("Properties") }, title, propertyList(rows), ...seenBefore(ticket.seen_before));
}

function comment({ author, on, text }) {
  const who = el("div", { class: "who" }, author, " ", el("span", { class: "when" }, shownDate(on)));
  return el("li", {}, avatar(author, "big"), who, el("p", {}, text));
}

function activityLine({ who, on, what }) {
  return el("li", {}, el("b", {}, who), ` ${what} `, el("span", { class: "when" }, shownDate(on)));
}

function relatedTicket(ticket) {
  const dueText = ticket.due_date === null ? "No due date" : `Due ${shownDate(ticket.due_date)}`;
  const parts = [["number", ticket.number], ["name", ticket.title], ["due", `${ticket.assignee ?? "Unassigned"} · ${dueText}`]];
  return el("li", {}, el("a", { href: `/tickets/${ticket.number}` }, ...parts.map(([kind, text]) => el("span", { class: kind }, text))));
}

function section(title, kind, items) {
  return el("section", {}, el("h2", {}, label(title)), el("ul", { class: kind }, ...items));
}

function ticketPage(ticket) {
  document.title = `${ticket.number} ${ticket.title} · Fieldnotes`;
  const path = [el("a", { href: "/tickets" }, "Tickets"), el("span", { class: "sep", "aria-hidden": "true" }, "›"), el("span", { class: "here" }, ticket.number)];
  const body = el("article", { class: "body" },
    el("h1", {}, ticket.title),
    el("p", { class: "byline" }, `Opened by ${ticket.reporter} on ${shownDate(ticket.created)}`),
    el("div", { class: "description" }, ...ticket.description.map((text) => el("p", {}, text))),
    ...ordered([
      section("Comments", "comments", ticket.comments.map(comment)),
      section("Related tickets", "related", ticket.related.map(relatedTicket)),
      section("Activity", "activity", ticket.activity.map(activityLine)),
    ]));
  return [el("div", { class: "bar" }, ...path), el("div", { class: "ticket" }, body, properties(ticket))];
}

// --- routes

async function ask(path) {
  const response = await fetch(path);
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return response.json();
}

async function page() {
  const ticket = location.pathname.match(/^\/tickets\/([^/]+)$/);
  if (ticket) {
    const found = await ask(`/api/tickets/${ticket[1]}`);
    if (found) return ticketPage(found);
    document.title = "Ticket not found · Fieldnotes";
    return [empty("Ticket not found", "It may have been deleted, or the link is wrong.")];
  }
  if (location.pathname === "/" || location.pathname === "/tickets") {
    const number = new URLSearchParams(location.search).get("page") ?? "1";
    const found = await ask(`/api/tickets?page=${encodeURIComponent(number)}`);
    if (found) return listPage(found);
  }
  document.title = "Page not found · Fieldnotes";
  return [empty("Page not found", "There is nothing at this address.")];
}

async function render() {
  main.replaceChildren(skeleton());
  try {
    main.replaceChildren(...(await page()));
  } catch (error) {
    main.replaceChildren(empty("Something went wrong", `This page could not be loaded: ${error.message}.`));
  }
  main.removeAttribute("aria-busy");
}

function banner() {
  if (document.cookie.includes("cookie_choice=")) return;
  const box = el("div", { class: "banner", role: "dialog", "aria-labelledby": "cookie-title" });
  const choose = (choice) => {
    document.cookie = `cookie_choice=${choice}; path=/; max-age=31536000; samesite=lax`;
    box.remove();
  };
  const reject = el("button", { type: "button" }, "Reject all");
  const accept = el("button", { type: "button", class: "primary" }, "Accept all");
  reject.addEventListener("click", () => choose("none"));
  accept.addEventListener("click", () => choose("all"));
  const words = el("div", {}, el("h2", { id: "cookie-title" }, "Cookies on Fieldnotes"),
    el("p", {}, "We use cookies to keep you signed in and to see which pages are useful."));
  box.append(words, el("div", { class: "choices" }, reject, accept));
  document.body.append(box);
}

// Under `popup`: once, until it is closed.
function news() {
  if (!DRIFT.has("popup") || document.cookie.includes("fieldnotes_news=")) return;
  const button = el("button", { type: "button", class: "primary" }, "Got it");
  const box = el("div", { class: "news", role: "dialog", "aria-modal": "true", "aria-labelledby": "news-title" },
    el("h2", { id: "news-title" }, "Fieldnotes has learned something"),
    el("p", {}, "Tickets can now be followed. You hear about every change, and can stop at any time."),
    el("div", { class: "choices" }, button));
  const veil = el("div", { class: "veil" }, box);
  const close = () => {
    document.cookie = "fieldnotes_news=seen; path=/; samesite=lax";
    veil.remove();
  };
  button.addEventListener("click", close);
  veil.addEventListener("keydown", (event) => event.key === "Escape" && close());
  document.body.append(veil);
  button.focus();
}

// Under `iframe`: the page is inside a frame of this one; its links turn the whole page.
function frame() {
  const inner = new URL(location.href);
  inner.searchParams.set("frame", "1");
  main.replaceChildren(el("iframe", { class: "content-frame", src: inner.pathname + inner.search, title: "Content" }));
  main.removeAttribute("aria-busy");
}

if (location.pathname === "/" || location.pathname.startsWith("/tickets")) {
  document.querySelector("[data-nav=tickets]").setAttribute("aria-current", "page");
}
if (INNER) {
  document.body.className = named("inner");
  document.head.append(el("base", { target: "_top" }));
} else {
  banner();
  news();
}
if (DRIFT.has("iframe") && !INNER) frame();
else render();

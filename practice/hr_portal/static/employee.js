// Employees: the list of all, and the file of one with tabs that load when they are opened.

import { ask, block, drift, el, facts, initials, say, shownDate } from "/static/dom.js";
import { selectField } from "/static/pickers.js";

const FORMATS = { PDF: "pdf", CSV: "csv", Excel: "xlsx" };
const TABS = ["Overview", "Documents", "Pay", "History"];

export async function employees() {
  const { employees: all, total } = await ask("/api/employees?all=1");
  const body = el("tbody", {});
  const show = (text) => body.replaceChildren(...all
    .filter((one) => `${one.name} ${one.employee_id}`.toLowerCase().includes(text.trim().toLowerCase()))
    .map((one) => el("tr", {}, el("td", {}, one.employee_id), el("td", {}, el("a", { href: `/employees/${one.employee_id}` }, one.name)),
      el("td", {}, one.department), el("td", {}, one.office))));
  show("");
  const filter = el("input", { id: "filter", type: "search", placeholder: "Name or number", oninput: () => show(filter.value) });
  const head = el("tr", {}, ...["Number", "Name", "Department", "Office"].map((name) => el("th", { scope: "col" }, say(name))));
  const find = el("div", { class: "field find" }, el("label", { for: "filter" }, "Find an employee"), filter);
  const card = block("section", { class: "card" }, find, el("table", {}, el("thead", {}, head), body));
  return { title: "Employees", intro: `${total} employees`, content: [card] };
}

// --- the tabs

function overview(one) {
  const rows = [["Employee number", one.employee_id], ["Job title", one.title], ["Department", one.department], ["Office", `${one.office}, ${one.country}`],
    ["Manager", one.manager], ["Joined", shownDate(one.joined)], ["Email", one.email], ["Leave balance", `${one.balance_days} days`]];
  return [el("h2", {}, "Employment"), facts(rows)];
}

function report(one) {
  const format = selectField("format", "Choose a format", () => { if (!start.disabled) return; begin(); });
  format.options(Object.keys(FORMATS));
  const said = el("p", { class: "hint", role: "status" }, "Reports list all leave that has been taken.");
  const place = el("div", { class: "buttons" });
  const start = el("button", { type: "button", class: "primary" }, say("Prepare report"));
  // Another format is another report.
  const begin = () => { start.disabled = false; start.textContent = say("Prepare report"); place.replaceChildren(start); };
  const ready = ({ url, name }) => {
    format.input.disabled = false;
    said.textContent = "Your report is ready.";
    place.replaceChildren(el("a", { class: "button primary", href: url, download: name }, say("Download report")), el("span", { class: "dim" }, `Report file: ${name}`));
  };
  const wait = async (id) => {
    const made = await ask(`/api/reports/${id}`);
    if (made.ready) return ready(made);
    return setTimeout(() => wait(id), 250);
  };
  start.addEventListener("click", async () => {
    if (!format.value) { said.textContent = "Choose a format first."; format.input.focus(); return; }
    start.disabled = true;
    start.textContent = "Preparing…";
    said.textContent = "This takes a moment.";
    format.input.disabled = true;
    wait((await ask(`/api/employees/${one.employee_id}/reports`, { format: FORMATS[format.value] })).report);
  });
  begin();
  return el("div", { class: "report" }, el("div", { class: "field" }, el("label", { for: "format" }, say("Report format")), format.field), place, said);
}

const row = (title, note, href, name) => el("li", {}, el("span", { class: "sheet", "aria-hidden": "true" }), el("div", {}, el("b", {}, title), el("p", { class: "dim" }, note)),
  el("a", { class: "button", href, download: name, "aria-label": `Download ${title}` }, "Download"));

function documents(one) {
  const own = one.attachments.map((file) => row(file.title, `${file.filename} · added ${shownDate(file.added)}`, `/files/attachments/${one.employee_id}/${file.filename}`, file.filename));
  const shared = one.company.map((title) => row(title, "For all employees", `/files/company/${encodeURIComponent(title)}.pdf`, `${title}.pdf`));
  const none = el("p", { class: "none" }, "No files have been attached.");
  return [el("h2", {}, "Leave report"), report(one), el("h2", {}, "Attachments"), facts([["Attachments on file", String(own.length)]]),
    own.length ? el("ul", { class: "files", "aria-label": "Attachments" }, ...own) : none,
    el("h2", {}, "Company documents"), el("ul", { class: "files", "aria-label": "Company documents" }, ...shared)];
}

function table(names, rows) {
  const head = el("tr", {}, ...names.map((name) => el("th", { scope: "col" }, name)));
  return el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows.map((cells) => el("tr", {}, ...cells.map((cell) => el("td", {}, cell))))));
}

const pay = (one) => [el("h2", {}, "Payslips"), table(["Month", "Gross (EUR)", "Net (EUR)"], one.payslips.map((slip) => [slip.month, slip.gross, slip.net]))];

function history(one) {
  const sent = one.sent.map((request) => [request.number, request.kind, shownDate(request.first_day)]);
  const taken = one.leaves.map((leave) => [leave.kind, shownDate(leave.first_day), shownDate(leave.last_day), String(leave.days)]);
  return [el("h2", {}, "Requests sent"), sent.length ? table(["Number", "Type", "First day"], sent) : el("p", { class: "none" }, "None since today."),
    el("h2", {}, "Leave taken"), table(["Type", "First day", "Last day", "Working days"], taken)];
}

const SHOWN = { Overview: overview, Documents: documents, Pay: pay, History: history };

function tabs(id) {
  const loaded = {};
  const panel = (name) => el("div", { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`, tabindex: "0", hidden: true, class: "pad" });
  const panels = Object.fromEntries(TABS.map((name) => [name, panel(name)]));
  const open = async (name) => {
    TABS.forEach((one) => {
      buttons[one].setAttribute("aria-selected", String(one === name));
      buttons[one].tabIndex = one === name ? 0 : -1;
      panels[one].hidden = one !== name;
    });
    if (loaded[name]) return;
    loaded[name] = true;
    panels[name].replaceChildren(el("p", { class: "loading", role: "status" }, "Loading…"));
    panels[name].replaceChildren(...SHOWN[name](await ask(`/api/employees/${id}/${name.toLowerCase()}`)));
  };
  const step = (event, name) => {
    const to = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!to) return;
    const next = TABS[(TABS.indexOf(name) + to + TABS.length) % TABS.length];
    open(next);
    buttons[next].focus();
  };
  const buttons = Object.fromEntries(TABS.map((name) => [name, el("button", {
    type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, onclick: () => open(name), onkeydown: (event) => step(event, name),
  }, say(name))]));
  open("Overview");
  const bar = el("div", { role: "tablist", class: "tabs", "aria-label": "Employee file" }, ...TABS.map((name) => buttons[name]));
  return block("section", { class: "card" }, bar, ...Object.values(panels));
}

export async function employee(id) {
  const one = await ask(`/api/employees/${encodeURIComponent(id)}/overview`);
  if (one.status !== 200) return null;
  const top = el("header", { class: "card person" }, initials(one.name), el("div", {}, el("h1", {}, one.name), el("p", {}, `${one.title} · ${one.department}, ${one.office}`)),
    el("a", { class: "button", href: "/requests/new" }, "New leave request"));
  const other = drift("lookalike")
    ? block("section", { class: "card pad" }, el("h2", {}, `Also reporting to ${one.manager}`), facts([["Employee number", "E-1999"], ["Attachments on file", "7"], ["Leave balance", "31 days"]]))
    : null;
  return { title: one.name, bare: true, content: [top, tabs(id), other].filter(Boolean) };
}

// The leave request: the form, the page on which it is confirmed, and the page that says it was sent.

import { ask, block, drift, el, facts, go, ordered, say, shownDate } from "/static/dom.js";
import { dateField, employeeField, selectField } from "/static/pickers.js";

const TYPES = ["Annual leave", "Parental leave", "Sick leave", "Unpaid leave"];
const MOST = 400;

function field(name, label, control, hint) {
  const wrong = el("p", { class: "wrong", id: `${name}-wrong`, hidden: true });
  control.input?.setAttribute("aria-describedby", wrong.id);
  const caption = el("label", { for: name }, say(label));
  return el("div", { class: "field", "data-field": name }, caption, control.field ?? control, hint ? el("p", { class: "hint" }, hint) : null, wrong);
}

const plain = (id, attributes = {}) => { const input = el("input", { id, ...attributes }); return { field: input, input, get value() { return input.value; }, set: (text) => { input.value = text; } }; };

function radios(name) {
  const items = TYPES.map((type) => el("label", { class: "radio" }, el("input", { type: "radio", name, value: type }), type));
  const wrong = el("p", { class: "wrong", id: `${name}-wrong`, hidden: true });
  return el("fieldset", { class: "field", "data-field": name }, el("legend", {}, say("Type of leave")), el("div", { class: "row" }, ...items), wrong);
}

const box = (id, label) => el("label", { class: "check" }, el("input", { type: "checkbox", id }), say(label));

// Choosing a country loads its offices, choosing an office its departments.
function place() {
  const department = selectField("department", "Choose a department");
  const office = selectField("office", "Choose an office", async (name) => {
    department.options([]);
    if (name) department.options((await ask(`/api/departments?office=${encodeURIComponent(name)}`)).names);
  });
  const country = selectField("country", "Choose a country", async (name) => {
    office.options([]);
    department.options([]);
    if (name) office.options((await ask(`/api/offices?country=${encodeURIComponent(name)}`)).names);
  });
  office.options([]);
  department.options([]);
  const ready = ask("/api/countries").then(({ names }) => country.options(names));
  const restore = async (draft) => {
    await ready;
    country.set(draft.country);
    office.options((await ask(`/api/offices?country=${encodeURIComponent(draft.country)}`)).names);
    office.set(draft.office);
    department.options((await ask(`/api/departments?office=${encodeURIComponent(draft.office)}`)).names);
    department.set(draft.department);
  };
  return { country, office, department, ready, restore };
}

function controls() {
  const reason = el("textarea", { id: "reason", rows: "4", maxlength: String(MOST) });
  const left = el("span", { class: "left" }, `${MOST} characters left`);
  const count = () => { left.textContent = `${MOST - reason.value.length} characters left`; };
  reason.addEventListener("input", count);
  const until = dateField("last_day", say("Last day"));
  const from = dateField("first_day", say("First day"), () => { until.field.dataset.from = from.value; });
  return {
    employee_id: employeeField("employee_id"),
    ...place(),
    first_day: from,
    last_day: until,
    cover: plain("cover", { autocomplete: "off" }),
    phone: plain("phone", { type: "tel", autocomplete: "off" }),
    reason: { field: el("div", {}, reason, left), input: reason, get value() { return reason.value; }, set: (text) => { reason.value = text; count(); } },
  };
}

function read(form, made) {
  const names = ["employee_id", "country", "office", "department", "first_day", "last_day", "cover", "phone", "reason"];
  return {
    ...Object.fromEntries(names.map((name) => [name, made[name].value])),
    request_type: form.querySelector("[name=request_type]:checked")?.value ?? "",
    half_day: form.querySelector("#half_day").checked,
    handover: form.querySelector("#handover").checked,
  };
}

function showErrors(form, errors) {
  form.querySelectorAll("[data-field]").forEach((part) => {
    const name = part.dataset.field;
    const wrong = part.querySelector(`#${name}-wrong`);
    wrong.textContent = errors[name] ?? "";
    wrong.hidden = !errors[name];
    part.querySelectorAll("input, select, textarea, [role=combobox]").forEach((input) => input.setAttribute("aria-invalid", String(Boolean(errors[name]))));
  });
  const summary = form.querySelector("[role=alert]");
  const count = Object.keys(errors).length;
  summary.textContent = count ? `${count === 1 ? "One entry needs" : `${count} entries need`} your attention.` : "";
  summary.hidden = count === 0;
  if (count) form.querySelector("[aria-invalid=true]")?.focus();
}

async function restore(form, made) {
  const name = new URLSearchParams(location.search).get("draft");
  const draft = name ? await ask(`/api/drafts/${encodeURIComponent(name)}`) : { status: 404 };
  if (draft.status !== 200) return;
  made.employee_id.set({ employee_id: draft.employee_id, name: draft.employee });
  for (const one of ["first_day", "last_day", "cover", "phone", "reason"]) made[one].set(draft[one]);
  form.querySelector(`[name=request_type][value="${draft.request_type}"]`).checked = true;
  form.querySelector("#half_day").checked = draft.half_day;
  await made.restore(draft);
}

export function newRequest() {
  const made = controls();
  const pair = (...parts) => el("div", { class: "pair" }, ...ordered(parts));
  const who = [field("employee_id", "Employee", made.employee_id, "Start typing, then choose from the list."), radios("request_type")];
  const where = [field("country", "Country", made.country), field("office", "Office", made.office), field("department", "Department", made.department)];
  const when = [pair(field("first_day", "First day", made.first_day), field("last_day", "Last day", made.last_day)), box("half_day", "The last day is a half day")];
  const rest = [pair(field("cover", "Covered by", made.cover), field("phone", "Phone while away", made.phone)), field("reason", "Reason", made.reason)];
  const handover = el("div", { class: "field", "data-field": "handover" }, box("handover", "Open work has been handed over"), el("p", { class: "wrong", id: "handover-wrong", hidden: true }));
  const part = (title, ...parts) => block("section", { class: "part" }, el("h2", {}, title), ...parts);
  const parts = [part("Who", ...who), part("Where", el("div", { class: "three" }, ...ordered(where))), part("When", ...when), part("While away", ...rest)];
  const send = el("button", { type: "submit", class: "primary" }, say("Review request"));
  const form = el("form", { class: "card form", novalidate: true, "aria-label": "Leave request" },
    el("p", { class: "alert", role: "alert", hidden: true }), ...ordered(parts), handover, el("div", { class: "buttons" }, send, el("a", { href: "/", class: "button" }, "Cancel")));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    send.disabled = true;
    const answer = await ask("/api/drafts", read(form, made)).finally(() => { send.disabled = false; });
    if (answer.errors) showErrors(form, answer.errors);
    else go(`/requests/review/${answer.draft}`);
  });
  // What has been put right is no longer called wrong.
  const mended = (event) => {
    const part = event.target.closest("[data-field]");
    if (!part || !part.querySelector("[aria-invalid=true]")) return;
    part.querySelectorAll("[aria-invalid]").forEach((input) => input.setAttribute("aria-invalid", "false"));
    part.querySelector(`#${part.dataset.field}-wrong`).hidden = true;
    if (!form.querySelector("[aria-invalid=true]")) form.querySelector("[role=alert]").hidden = true;
  };
  form.addEventListener("input", mended);
  form.addEventListener("change", mended);
  restore(form, made);
  return { title: "New leave request", intro: "Fill in the form, look it over on the next page, then send it.", content: [form], steps: 1 };
}

function told(draft) {
  return facts([
    ["Employee", `${draft.employee} (${draft.employee_id})`], ["Type of leave", draft.request_type], ["Country", draft.country],
    ["Office", draft.office], ["Department", draft.department], ["First day", shownDate(draft.first_day)],
    ["Last day", `${shownDate(draft.last_day)}${draft.half_day ? " (half day)" : ""}`], ["Covered by", draft.cover],
    ["Phone while away", draft.phone], ["Reason", draft.reason],
  ]);
}

export async function review(name) {
  const draft = await ask(`/api/drafts/${encodeURIComponent(name)}`);
  if (draft.status !== 200) return null;
  const failed = el("p", { class: "alert", role: "alert", hidden: true }, "The request could not be sent. Nothing was recorded.");
  const send = el("button", { type: "button", class: "primary", onclick: async () => {
    send.disabled = true;
    const answer = await ask(`/api/drafts/${encodeURIComponent(name)}/submit`, {});
    if (answer.number) go(`/requests/${answer.number}`);
    else { failed.hidden = false; send.disabled = false; }
  } }, say("Submit request"));
  const back = el("a", { class: "button", href: `/requests/new?draft=${encodeURIComponent(name)}` }, say("Back to edit"));
  const warning = el("p", { class: "note" }, "A request cannot be changed or withdrawn once it has been sent.");
  const card = block("section", { class: "card pad", "aria-label": "Your request" }, told(draft), warning, failed, el("div", { class: "buttons" }, send, back));
  return { title: "Review your request", intro: "Nothing has been sent yet.", content: [card], steps: 2 };
}

export async function result(number) {
  const sent = await ask(`/api/requests/${encodeURIComponent(number)}`);
  if (sent.status !== 200) return null;
  const head = facts([["Confirmation number", sent.number], ["Submitted", "Yes"], ["Status", sent.state]]);
  const file = el("a", { class: "button primary", href: `/employees/${sent.employee_id}` }, say("Open employee file"));
  const another = el("a", { class: "button", href: "/requests/new" }, "New leave request");
  const done = el("p", { class: "done", role: "status" }, "Your request has been submitted.");
  const earlier = drift("lookalike")
    ? block("section", { class: "card pad" }, el("h2", {}, "An earlier request"), facts([["Confirmation number", "LR-00000000"], ["Status", "Approved"]]))
    : null;
  const card = block("section", { class: "card pad" }, done, head, el("div", { class: "buttons" }, file, another));
  const copy = block("section", { class: "card pad" }, el("h2", {}, "What was sent"), told(sent));
  return { title: "Request submitted", intro: "", content: [earlier, card, copy].filter(Boolean), steps: 3 };
}

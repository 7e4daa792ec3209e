// The controls of the form that are not the browser's own: a calendar, a searchable list, and what selects drift into.

import { DAYS, ask, drift, el, iso, named, shownDate, shownMonth, spoken, utc } from "/static/dom.js";

const TODAY = "2026-11-02";

// Values that a script sets are told to the form as the browser tells its own.
const told = (input) => input.dispatchEvent(new Event("change", { bubbles: true }));

// --- a text field that opens a calendar; only working days after today can be chosen

export function dateField(id, label, changed) {
  const input = el("input", { id, readonly: true, placeholder: "Choose a day", "aria-haspopup": "dialog", autocomplete: "off" });
  const opener = el("button", { type: "button", class: "cal-open", "aria-label": `Open calendar for ${label.toLowerCase()}` });
  const box = el("div", { class: "calendar", role: "dialog", "aria-label": `Choose ${label.toLowerCase()}`, hidden: true });
  const field = el("div", { class: "control" }, input, opener, box);
  let value = "";
  let at = utc(TODAY);

  const set = (day) => { value = day; input.value = day ? shownDate(day) : ""; told(input); changed?.(); };
  const close = () => { box.hidden = true; input.focus(); };
  const move = (days, months = 0) => {
    const to = new Date(at);
    if (months) {
      const day = to.getUTCDate();
      to.setUTCDate(1);
      to.setUTCMonth(to.getUTCMonth() + months);
      to.setUTCDate(Math.min(day, new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth() + 1, 0)).getUTCDate()));
    }
    to.setUTCDate(to.getUTCDate() + days);
    at = to;
  };
  const free = (day) => iso(day) > TODAY && day.getUTCDay() % 6 !== 0;
  const cell = (day) => {
    const inside = day.getUTCMonth() === at.getUTCMonth();
    if (!inside) return el("td", {}, el("span", { class: "out", "aria-hidden": "true" }));
    const text = iso(day);
    const chosen = text === value;
    const button = el("button", {
      type: "button", "aria-label": spoken(text), "data-day": text, tabindex: text === iso(at) ? "0" : "-1",
      "aria-pressed": String(chosen), "aria-disabled": free(day) ? null : "true", "aria-current": text === TODAY ? "date" : null,
      class: chosen ? "chosen" : null,
    }, String(day.getUTCDate()));
    return el("td", {}, button);
  };
  const step = (text, label, months) => el("button", {
    type: "button", class: "cal-step", "aria-label": label,
    onclick: (event) => { const name = event.currentTarget.getAttribute("aria-label"); move(0, months); draw(); box.querySelector(`[aria-label="${name}"]`).focus(); },
  }, text);
  const draw = () => {
    const first = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1));
    first.setUTCDate(1 - ((first.getUTCDay() + 6) % 7));
    const weeks = Array.from({ length: 6 }, (_, week) => el("tr", {}, ...Array.from({ length: 7 }, (_, day) =>
      cell(new Date(first.getTime() + (week * 7 + day) * 86_400_000)))));
    const head = el("div", { class: "cal-head" }, step("«", "Previous year", -12), step("‹", "Previous month", -1),
      el("strong", { "aria-live": "polite" }, shownMonth(at)), step("›", "Next month", 1), step("»", "Next year", 12));
    const names = el("tr", {}, ...DAYS.map((name) => el("th", { scope: "col", abbr: name }, name.slice(0, 2))));
    box.replaceChildren(head, el("table", { "aria-label": shownMonth(at) }, el("thead", {}, names), el("tbody", {}, ...weeks)));
  };
  const focusDay = () => { draw(); box.querySelector(`[data-day="${iso(at)}"]`)?.focus(); };
  const open = () => {
    document.querySelectorAll("[role=dialog][data-calendar]").forEach((other) => { other.hidden = true; });
    at = utc(value || field.dataset.from || TODAY);
    box.hidden = false;
    focusDay();
  };
  box.dataset.calendar = "";
  box.addEventListener("click", (event) => {
    const button = event.target.closest("[data-day]");
    if (!button || button.getAttribute("aria-disabled")) return;
    set(button.dataset.day);
    close();
  });
  box.addEventListener("keydown", (event) => {
    const keys = { ArrowLeft: [-1], ArrowRight: [1], ArrowUp: [-7], ArrowDown: [7], PageUp: [0, -1], PageDown: [0, 1] };
    if (event.key === "Escape") return close();
    if (!keys[event.key] || !event.target.closest("[data-day]")) return;
    event.preventDefault();
    move(...keys[event.key]);
    focusDay();
  });
  input.addEventListener("click", open);
  opener.addEventListener("click", open);
  input.addEventListener("keydown", (event) => { if (["Enter", " ", "ArrowDown"].includes(event.key)) { event.preventDefault(); open(); } });
  document.addEventListener("mousedown", (event) => { if (!field.contains(event.target)) box.hidden = true; });
  return { field, input, get value() { return value; }, set };
}

// --- a field that searches employees; what is typed counts for nothing until one is chosen

const shown = (one) => `${one.name} (${one.employee_id})`;

export function employeeField(id) {
  const input = el("input", {
    id, role: "combobox", autocomplete: "off", placeholder: "Type a name or number", "aria-expanded": "false",
    "aria-controls": `${id}-list`, "aria-autocomplete": "list",
  });
  const list = el("ul", { id: `${id}-list`, role: "listbox", class: "choices", "aria-label": "Employees", hidden: true });
  const field = el("div", { class: "control" }, input, list);
  let value = "";
  let found = [];
  let on = -1;
  let turn = 0;

  const close = () => {
    turn += 1; // an answer that comes now opens it no more
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const set = (one) => { value = one?.employee_id ?? ""; input.value = one ? shown(one) : ""; told(input); close(); };
  const mark = (index) => {
    on = index;
    [...list.children].forEach((item, at) => { item.classList.toggle(named("on"), at === on); item.setAttribute("aria-selected", String(at === on)); });
    if (found[on]) input.setAttribute("aria-activedescendant", list.children[on].id);
  };
  const show = (employees) => {
    found = employees;
    list.replaceChildren(...employees.map((one, at) => el("li", {
      id: `${id}-${at}`, role: "option", onmousedown: (event) => { event.preventDefault(); set(one); },
    }, el("b", {}, shown(one)), " ", el("span", {}, `${one.department}, ${one.office}`))));
    if (!employees.length) list.replaceChildren(el("li", { class: "empty" }, "Nobody found"));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    mark(-1);
  };
  input.addEventListener("input", async () => {
    value = "";
    const mine = ++turn;
    if (input.value.trim().length < 2) return close();
    const { employees } = await ask(`/api/employees?q=${encodeURIComponent(input.value.trim())}`);
    if (mine === turn && document.activeElement === input) show(employees);
  });
  input.addEventListener("blur", () => { close(); if (!value) input.value = ""; });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return close();
    if (list.hidden || !found.length) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      mark(event.key === "ArrowDown" ? (on + 1) % found.length : (Math.max(on, 0) + found.length - 1) % found.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (found[on]) set(found[on]);
    }
  });
  return { field, input, get value() { return value; }, set };
}

// --- a select, native or drifted; its options may come later

export function selectField(id, placeholder, changed) {
  return drift("combobox") ? comboField(id, placeholder, changed) : nativeField(id, placeholder, changed);
}

function nativeField(id, placeholder, changed) {
  const input = el("select", { id });
  const field = el("div", { class: "control" }, input);
  const options = (names) => {
    input.replaceChildren(el("option", { value: "" }, placeholder), ...names.map((name) => el("option", { value: name }, name)));
    input.disabled = names.length === 0;
  };
  input.addEventListener("change", () => changed?.(input.value));
  return { field, input, options, get value() { return input.value; }, set: (name) => { input.value = name; } };
}

function comboField(id, placeholder, changed) {
  const input = el("button", { id, type: "button", class: "picker", role: "combobox", "aria-haspopup": "listbox", "aria-expanded": "false", "aria-controls": `${id}-list` }, placeholder);
  const list = el("ul", { id: `${id}-list`, role: "listbox", class: "choices", tabindex: "-1", hidden: true });
  const field = el("div", { class: "control" }, input, list);
  let value = "";
  let on = 0;
  const toggle = (open) => {
    list.hidden = !open;
    input.setAttribute("aria-expanded", String(open));
    if (open) { list.focus(); mark([...list.children].findIndex((item) => item.textContent === value)); }
  };
  const mark = (index) => {
    const items = [...list.children];
    on = Math.min(Math.max(index, 0), items.length - 1);
    items.forEach((item, at) => item.classList.toggle(named("on"), at === on));
    if (items[on]) { list.setAttribute("aria-activedescendant", items[on].id); items[on].scrollIntoView({ block: "nearest" }); }
  };
  const set = (name) => {
    value = name;
    input.textContent = name || placeholder;
    [...list.children].forEach((item) => item.setAttribute("aria-selected", String(item.textContent === name)));
  };
  const take = (name) => { set(name); toggle(false); input.focus(); told(input); changed?.(name); };
  const options = (names) => {
    list.replaceChildren(...names.map((name, at) => el("li", { id: `${id}-${at}`, role: "option", "aria-selected": "false", onclick: () => take(name) }, name)));
    set("");
    input.disabled = names.length === 0;
  };
  input.addEventListener("click", () => toggle(list.hidden));
  list.addEventListener("focusout", () => { list.hidden = true; input.setAttribute("aria-expanded", "false"); });
  list.addEventListener("keydown", (event) => {
    const keys = { ArrowDown: () => mark(on + 1), ArrowUp: () => mark(on - 1), Enter: () => take(list.children[on].textContent), Escape: () => { toggle(false); input.focus(); } };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  list.addEventListener("mousedown", (event) => event.preventDefault());
  return { field, input, options, get value() { return value; }, set };
}

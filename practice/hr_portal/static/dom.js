// Elements, labels and requests, as all pages of the portal use them. All text goes in as text, never as markup.

const SYNONYMS = {
  "Employee": "Staff member", "Type of leave": "Kind of absence", "Country": "Location country", "Office": "Site",
  "Department": "Unit", "First day": "From", "Last day": "Until", "Covered by": "Substitute", "Phone while away": "Contact number",
  "Reason": "Explanation", "Review request": "Continue", "Submit request": "Send request", "Back to edit": "Change",
  "Confirmation number": "Reference", "Attachments on file": "Files on record", "Prepare report": "Create report",
  "Documents": "Files", "Overview": "Summary", "History": "Past", "Pay": "Salary", "Report format": "File type",
  "Download report": "Save report", "The last day is a half day": "Only half of the final day", "Open employee file": "Show staff record",
};
const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const switches = new Set((document.documentElement.dataset.drift ?? "").split(","));

export const drift = (name) => switches.has(name);
export const say = (label) => (drift("rename") ? SYNONYMS[label] ?? label : label);
export const named = (names) => (drift("wrap") ? names.split(" ").map((name) => `${name}-x7`).join(" ") : names);
export const ordered = (items) =>
  drift("reorder") ? [...items.filter((_, at) => at % 2), ...items.filter((_, at) => at % 2 === 0)] : items;

export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, name === "class" ? named(value) : value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// A block of a page; one that has drifted has more elements around it.
export const block = (tag, attributes, ...children) =>
  drift("wrap") ? el("div", {}, el("div", {}, el(tag, attributes, ...children))) : el(tag, attributes, ...children);

export async function ask(path, sent) {
  const how = sent === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(sent) };
  const answer = await fetch(path, how);
  return { status: answer.status, ...(await answer.json()) };
}

// "2026-12-14" is a day, not a moment: no time zone may move it.
export const utc = (iso) => new Date(`${iso}T00:00:00Z`);
export const iso = (day) => day.toISOString().slice(0, 10);
export const shownDate = (text) => { const day = utc(text); return `${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]} ${day.getUTCFullYear()}`; };
export const shownMonth = (day) => `${MONTHS[day.getUTCMonth()]} ${day.getUTCFullYear()}`;
export const spoken = (text) => `${DAYS[(utc(text).getUTCDay() + 6) % 7]} ${shownDate(text)}`;
export { DAYS };

export const go = (path) => { window.top.location.assign(path); };

export function facts(rows) {
  return el("dl", { class: "facts" }, ...ordered(rows).map(([name, ...value]) =>
    el("div", {}, el("dt", {}, say(name)), el("dd", {}, ...value))));
}

export function initials(name) {
  const parts = name.split(" ");
  const hue = [...name].reduce((sum, letter) => sum + letter.codePointAt(0), 0) * 37 % 360;
  return el("span", { class: "avatar", "aria-hidden": "true", "data-initials": parts[0][0] + parts.at(-1)[0], style: `--hue: ${hue}` });
}

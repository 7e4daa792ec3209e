// What is around every page of the portal, and which page an address is.

import { drift, el, named } from "/static/dom.js";
import { employee, employees } from "/static/employee.js";
import { newRequest, result, review } from "/static/requests.js";

const { mode, login } = document.documentElement.dataset;
const HOLIDAYS = [["Labour Thanksgiving Day, Japan", "23 November"], ["Thanksgiving, United States", "26 November"], ["Restoration of Independence, Portugal", "1 December"], ["Jamhuri Day, Kenya", "12 December"]];
const STEPS = ["Fill in", "Review", "Done"];

function home() {
  const card = (href, title, text) => el("a", { class: "card tile", href }, el("b", {}, title), el("span", {}, text));
  const tiles = el("div", { class: "tiles" }, card("/requests/new", "Request leave", "For yourself or for somebody in your team."),
    card("/employees", "Employee files", "Overview, documents, pay and history."), card("/employees", "Leave reports", "Prepared for you as PDF, CSV or Excel."));
  const news = el("section", { class: "card pad" }, el("h2", {}, "From People Operations"),
    el("p", {}, "Plan your leave for the turn of the year before the end of November, so that every office stays open."),
    el("p", { class: "dim" }, "2 November 2026"), el("h2", { class: "more" }, "Reports come in three formats"),
    el("p", {}, "Open an employee's file and choose PDF, CSV or Excel under Documents."), el("p", { class: "dim" }, "26 October 2026"));
  const days = HOLIDAYS.map(([name, when]) => el("li", {}, el("span", {}, name), el("span", { class: "dim" }, when)));
  const free = el("section", { class: "card pad" }, el("h2", {}, "Next public holidays"), el("ul", { class: "days" }, ...days));
  return { title: "Good morning", intro: "What would you like to do?", content: [tiles, el("div", { class: "two" }, news, free)] };
}

function signIn() {
  const query = new URLSearchParams(location.search);
  const wrong = query.has("wrong") ? el("p", { class: "alert", role: "alert" }, "That email and password do not match.") : null;
  const field = (id, label, type, fill) => el("div", { class: "field" }, el("label", { for: id }, label), el("input", { id, name: id, type, autocomplete: fill, required: true }));
  const form = el("form", { class: "card pad login", method: "post", action: "/login" }, wrong, field("user", "Email", "email", "username"),
    field("password", "Password", "password", "current-password"), el("input", { type: "hidden", name: "next", value: query.get("next") ?? "/" }),
    el("button", { type: "submit", class: "primary" }, "Sign in"));
  return { title: "Sign in to Larkspur HR", intro: "", content: [form], alone: true };
}

const lost = (title, text) => ({ title, intro: text, content: [el("p", {}, el("a", { class: "button", href: "/" }, "Back to the start"))] });

async function found() {
  const path = location.pathname;
  const match = (pattern) => path.match(pattern)?.[1];
  if (path === "/") return home();
  if (path === "/login") return signIn();
  if (path === "/employees") return employees();
  if (path === "/requests/new") return newRequest();
  const draft = match(/^\/requests\/review\/([^/]+)$/);
  if (draft) return (await review(draft)) ?? lost("Draft not found", "It may have been sent long ago, or the link is wrong.");
  const number = match(/^\/requests\/([^/]+)$/);
  if (number) return (await result(number)) ?? lost("Request not found", "No request has this number.");
  const id = match(/^\/employees\/([^/]+)$/);
  if (id) return (await employee(id)) ?? lost("Employee not found", "No employee has this number.");
  return lost("Page not found", "There is nothing at this address.");
}

function steps(at) {
  return el("ol", { class: "steps", "aria-label": "Progress" }, ...STEPS.map((name, index) =>
    el("li", { "aria-current": index + 1 === at ? "step" : null, class: index + 1 < at ? "past" : null }, name)));
}

function sidebar() {
  const links = [["/", "Home"], ["/requests/new", "Request leave"], ["/employees", "Employees"]];
  const nav = el("nav", { "aria-label": "Main" }, ...links.map(([href, name]) => el("a", { href, "aria-current": location.pathname === href ? "page" : null }, name)));
  const account = login === "yes" ? el("a", { href: "/logout", class: "out-link" }, "Sign out") : el("p", {}, "Signed in as ", el("b", {}, "HR Operations"));
  return el("aside", { class: "sidebar" }, el("a", { class: "brand", href: "/" }, el("span", { class: "mark", "aria-hidden": "true" }), "Larkspur HR"), nav, el("div", { class: "account" }, account));
}

function popup() {
  if (!drift("popup") || mode === "frame" || sessionStorage.getItem("survey")) return null;
  const close = () => { sessionStorage.setItem("survey", "answered"); veil.remove(); };
  const choices = el("div", { class: "buttons" }, el("button", { type: "button", onclick: close }, "Not now"), el("button", { type: "button", class: "primary", onclick: close }, "Take the survey"));
  const box = el("div", { class: "popup", role: "dialog", "aria-modal": "true", "aria-labelledby": "survey" }, el("h2", { id: "survey" }, "How do you like the new portal?"),
    el("p", {}, "Three questions, one minute. Your answers are anonymous."), choices);
  const veil = el("div", { class: "veil" }, box);
  veil.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  return veil;
}

function frame() {
  const inside = new URL(location.href);
  inside.searchParams.set("frame", "1");
  const inner = el("iframe", { class: "inner", title: "Page content", src: inside.pathname + inside.search });
  const fit = () => { inner.style.height = `${Math.max(inner.contentDocument.documentElement.scrollHeight, 600)}px`; };
  inner.addEventListener("load", () => { fit(); new ResizeObserver(fit).observe(inner.contentDocument.body); });
  return inner;
}

async function render() {
  const main = el("main", { class: "main", "aria-busy": "true" }, el("p", { class: "loading", role: "status" }, "Loading…"));
  const whole = mode === "outside" ? frame() : main;
  document.body.append(mode === "frame" || location.pathname === "/login" ? whole : el("div", { class: "app" }, sidebar(), whole));
  const over = popup();
  if (over) { document.body.append(over); over.querySelector("button").focus(); }
  if (mode === "outside") return;
  try {
    const page = await found();
    document.title = `${page.title} · Larkspur HR`;
    if (page.alone) main.className = named("main alone");
    const mark = page.alone ? el("span", { class: "mark", "aria-hidden": "true" }) : null;
    const head = page.bare ? null : el("header", { class: "head" }, mark, page.steps ? steps(page.steps) : null, el("h1", {}, page.title), page.intro ? el("p", {}, page.intro) : null);
    main.replaceChildren(...[head, ...page.content].filter(Boolean));
  } catch (error) {
    main.replaceChildren(el("h1", {}, "Something went wrong"), el("p", {}, `This page could not be loaded: ${error.message}.`));
  }
  main.removeAttribute("aria-busy");
}

render();

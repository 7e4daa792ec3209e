// What the directory's pages do beside links and forms: names while one types, lists that grow, a dialog, pickers.
// Elements are found by their data and their roles, so that class names may be whatever they are.

const wrapped = (document.documentElement.dataset.drift ?? "").split(",").includes("wrap");
const named = (name) => (wrapped ? `${name}-x7` : name);

// --- names while one types

function suggestions(input) {
  const list = document.getElementById(input.getAttribute("aria-controls"));
  let asked = 0;
  let on = -1;
  const close = () => {
    asked += 1; // an answer that comes now opens it no more
    list.hidden = true;
    on = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const take = (name) => { input.value = name; close(); };
  const mark = (index) => {
    on = index;
    [...list.children].forEach((item, at) => {
      item.setAttribute("aria-selected", String(at === on));
      item.classList.toggle(named("on"), at === on);
    });
    if (list.children[on]) input.setAttribute("aria-activedescendant", list.children[on].id);
    else input.removeAttribute("aria-activedescendant");
  };
  const show = (names) => {
    const marked = names.indexOf(list.children[on]?.textContent); // a name stays marked when a later answer has it too
    list.replaceChildren(...names.map((name, index) => {
      const item = document.createElement("li");
      Object.assign(item, { id: `name-${index}`, role: "option", textContent: name });
      item.addEventListener("mousedown", (event) => { event.preventDefault(); take(name); });
      return item;
    }));
    list.hidden = names.length === 0;
    input.setAttribute("aria-expanded", String(names.length > 0));
    mark(marked);
  };
  input.addEventListener("input", async () => {
    const turn = ++asked;
    if (input.value.trim().length < 2) return close();
    const answer = await fetch(`/api/suggest?q=${encodeURIComponent(input.value)}`);
    const names = answer.ok ? (await answer.json()).names : [];
    if (turn === asked) show(names);
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const count = list.hidden ? 0 : list.children.length;
    if (event.key === "Escape") close();
    if (!count) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      mark((on + (event.key === "ArrowDown" ? 1 : count - 1) + (on < 0 && event.key === "ArrowUp" ? 1 : 0)) % count);
    } else if (event.key === "Enter" && on >= 0) {
      event.preventDefault();
      take(list.children[on].textContent);
    }
  });
}

// --- pickers: what native selects become when the site drifts

function picker(box) {
  const [button, list, value] = box.children;
  const items = [...list.children];
  let on = 0;
  const mark = (index) => {
    on = (index + items.length) % items.length;
    items.forEach((item, at) => item.classList.toggle(named("on"), at === on));
    items[on].id ||= `pick-${on}`;
    list.setAttribute("aria-activedescendant", items[on].id);
    items[on].scrollIntoView({ block: "nearest" });
  };
  const toggle = (open) => {
    list.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (open) mark(Math.max(0, items.findIndex((item) => item.getAttribute("aria-selected") === "true")));
    (open ? list : button).focus();
  };
  const take = (item) => {
    items.forEach((one) => one.setAttribute("aria-selected", String(one === item)));
    value.value = item.dataset.value ?? "";
    button.textContent = item.textContent;
    toggle(false);
  };
  button.addEventListener("click", () => toggle(list.hidden));
  items.forEach((item) => item.addEventListener("click", () => take(item)));
  list.addEventListener("keydown", (event) => {
    const keys = { ArrowDown: () => mark(on + 1), ArrowUp: () => mark(on - 1), Escape: () => toggle(false), Enter: () => take(items[on]) };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  list.addEventListener("focusout", (event) => { if (!box.contains(event.relatedTarget)) list.hidden = true; });
}

// --- lists of people that a script turns or lets grow

function pages(nav) {
  const list = document.getElementById("people");
  const end = nav.querySelector("[data-end]");
  const buttons = [...nav.querySelectorAll("[data-step]")];
  const where = nav.querySelector("[data-where]");
  const grows = nav.dataset.pager !== "click";
  let at = 1;
  let busy = false;
  const turn = async (step) => {
    if (busy) return;
    busy = true;
    const answer = await fetch(`${nav.dataset.rows}?page=${at + step}`);
    const rows = answer.ok ? await answer.text() : "";
    at += step;
    if (!grows) list.replaceChildren();
    list.insertAdjacentHTML("beforeend", rows);
    end.hidden = rows !== "";
    if (where) where.textContent = `Page ${at}`;
    if (grows && !rows) nav.querySelectorAll("[data-step], [data-loading]").forEach((one) => one.remove());
    buttons.forEach((button) => { button.disabled = button.dataset.step === "1" ? !rows : at === 1; });
    busy = false;
    if (nav.dataset.pager === "scroll" && rows) watch();
  };
  const loading = nav.querySelector("[data-loading]");
  const eye = new IntersectionObserver((seen) => {
    if (!seen.some((one) => one.isIntersecting)) return;
    eye.disconnect();
    turn(1);
  });
  const watch = () => { eye.disconnect(); eye.observe(loading); };
  buttons.forEach((button) => button.addEventListener("click", () => turn(Number(button.dataset.step))));
  if (loading) watch();
}

// --- a dialog over the page, until it has been answered once

function popup(veil) {
  if (sessionStorage.getItem("letter")) return;
  veil.hidden = false;
  const close = () => { sessionStorage.setItem("letter", "answered"); veil.remove(); };
  veil.querySelectorAll("[data-close]").forEach((button) => button.addEventListener("click", close));
  veil.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  veil.querySelector("[data-close]").focus();
}

// --- the frame of a page that is cut in two is as high as what is in it

function framed(frame) {
  const fit = () => { frame.style.height = `${frame.contentDocument.documentElement.scrollHeight}px`; };
  frame.addEventListener("load", () => { fit(); new ResizeObserver(fit).observe(frame.contentDocument.body); });
}

document.querySelectorAll("iframe").forEach(framed);
document.querySelectorAll("input[role=combobox]").forEach(suggestions);
document.querySelectorAll("[data-pick]").forEach(picker);
document.querySelectorAll("[data-pager]").forEach(pages);
document.querySelectorAll("[data-popup]").forEach(popup);

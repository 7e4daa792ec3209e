// What the pages load by themselves, choosers, and the dialog over the page.

for (const place of document.querySelectorAll("[data-lazy]")) {
  fetch(place.dataset.lazy).then(async (answer) => {
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    place.innerHTML = await answer.text(); // made by this server, which escapes all text
  }).catch((error) => {
    place.textContent = `This part could not be loaded: ${error.message}.`;
  }).finally(() => place.removeAttribute("aria-busy"));
}

// In a frame it is the whole page that goes on.
function go(address) {
  window.top.location.assign(address);
}

for (const select of document.querySelectorAll("select[data-goto]")) {
  select.addEventListener("change", () => go(select.value));
}

function combobox(box) {
  const button = box.querySelector("[role=combobox]");
  const list = box.querySelector("[role=listbox]");
  const options = [...list.children];
  let active = Math.max(0, options.findIndex((option) => option.getAttribute("aria-selected") === "true"));

  const mark = () => {
    options.forEach((option, place) => option.toggleAttribute("data-active", place === active));
    button.setAttribute("aria-activedescendant", options[active].id);
    options[active].scrollIntoView({ block: "nearest" });
  };
  const open = (wanted) => {
    list.hidden = !wanted;
    button.setAttribute("aria-expanded", String(wanted));
    if (wanted) mark();
    else button.removeAttribute("aria-activedescendant");
  };
  const pick = (option) => {
    button.textContent = option.textContent;
    open(false);
    go(option.dataset.href);
  };
  button.addEventListener("click", () => open(list.hidden));
  button.addEventListener("blur", () => open(false));
  list.addEventListener("mousedown", (event) => event.preventDefault()); // the button keeps the focus
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) pick(option);
  });
  button.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      if (list.hidden) open(true);
      else active = (active + step + options.length) % options.length;
      mark();
    } else if ((event.key === "Enter" || event.key === " ") && !list.hidden) pick(options[active]);
    else if (event.key === "Escape") open(false);
    else return;
    event.preventDefault();
  });
}
document.querySelectorAll("[data-combo]").forEach(combobox);

const news = document.querySelector("[data-news]");
if (news) {
  const close = () => {
    document.cookie = "seen_news=1; path=/; samesite=lax";
    news.remove();
  };
  const button = news.querySelector("[data-close]");
  button.addEventListener("click", close);
  news.addEventListener("keydown", (event) => event.key === "Escape" && close());
  button.focus();
}

// A line that an address names.
if (location.hash.startsWith("#L")) document.querySelector(`tr[id^="${location.hash.slice(1)}"]`)?.setAttribute("data-here", "");

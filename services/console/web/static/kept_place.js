// A page that is pressed on comes back where it stood.

const PLACE = "exhibit.place";

function keepPlace() {
  sessionStorage.setItem(PLACE, JSON.stringify([location.pathname, scrollY]));
}

function leadBack() {
  const [path, top] = JSON.parse(sessionStorage.getItem(PLACE) ?? "[]");
  sessionStorage.removeItem(PLACE);
  if (path === location.pathname && !location.hash && !document.querySelector(".problems")) scrollTo({ top, behavior: "instant" });
}

addEventListener("click", (event) => {
  const link = event.target instanceof Element && event.target.closest(".point-picture a");
  if (!(link instanceof SVGAElement) || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (matchMedia("(max-width: 900px)").matches) return; // what was pressed may lie under the form that comes: its own place is better
  event.preventDefault();
  keepPlace();
  location.assign(link.href.baseVal.split("#")[0]);
});
addEventListener("submit", (event) => {
  if (event.target instanceof HTMLFormElement && event.target.matches("[data-keeps-place]")) keepPlace();
});
leadBack();

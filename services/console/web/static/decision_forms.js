// The forms of a decision, as the review and the table of a run have them.

/**
 * Opens a form and goes to the field in which one writes.
 * @param {HTMLDetailsElement | null | undefined} details
 * @param {HTMLElement | null | undefined} control
 */
function openForm(details, control) {
  if (!details || !control) return;
  details.open = true;
  control.focus();
  control.scrollIntoView({ block: "nearest" });
}

/**
 * Takes a text of the page into the form of a correction: who sends it says why.
 * @param {ParentNode} place with the form and the texts
 * @param {HTMLElement | null} link the text
 */
function takeText(place, link) {
  const form = /** @type {HTMLFormElement | null} */ (place.querySelector("#correct"));
  if (!link || !form) return;
  place.querySelector(".choice[aria-current]")?.removeAttribute("aria-current");
  link.setAttribute("aria-current", "true");
  const { value, where, reason } = /** @type {Record<string, any>} */ (form.elements);
  value.value = link.dataset.value;
  if (where) where.value = ""; // no other file than that of this text
  showsIn(place, link.dataset.where || "");
  openForm(form.closest("details"), reason);
}

/**
 * Takes a file as the one in which the right value stands.
 * @param {ParentNode} place with the form
 * @param {string} name of the file
 */
function showsIn(place, name) {
  const where = /** @type {HTMLSelectElement | null} */ (place.querySelector("#correct select[name=where]"));
  const file = where && [...where.options].find((one) => name && one.dataset.file === name);
  if (where && file) where.value = file.value;
}

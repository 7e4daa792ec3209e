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
  const file = where && [...where.options].find((one) => link.dataset.where && one.dataset.file === link.dataset.where);
  if (where) where.value = file ? file.value : ""; // no other file than that of this text
  openForm(form.closest("details"), reason);
}

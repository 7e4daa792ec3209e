// A press that takes some time says what is being done, until the next page is there.

/** @type {Map<HTMLButtonElement, string>} */
const pressed = new Map();

addEventListener("submit", ({ submitter }) => {
  if (!(submitter instanceof HTMLButtonElement) || !submitter.dataset.busy) return;
  const words = submitter.dataset.busy;
  setTimeout(() => { // what is disabled would not be sent
    pressed.set(submitter, submitter.textContent ?? "");
    submitter.disabled = true;
    submitter.textContent = words;
    const said = document.getElementById("live");
    if (said) said.textContent = words;
  });
});
addEventListener("pageshow", () => {
  for (const [button, words] of pressed) {
    button.disabled = false;
    button.textContent = words;
  }
  pressed.clear();
});

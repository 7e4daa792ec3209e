// Finds recorded elements by their locators.

// The indexes of all elements that the locators (`[kind, value]` pairs, as JSON) match.
// The caller decides whether one match is required.
function sought(id, locators) {
  const wanted = new Set();
  for (const [kind, value] of JSON.parse(locators)) {
    try {
      for (const el of kind === 'label' ? underLabel(value) : everything(value)) wanted.add(el);
    } catch { continue; }  // an invalid selector matches nothing
  }
  const numbers = [];
  (snapshots.get(id) || []).forEach((item, n) => { if (wanted.has(item.el) || item.control && wanted.has(item.control)) numbers.push(n); });
  return numbers;
}

function underLabel(text) {
  return everything('label').filter((one) => one.control && clean(textOf(one, CONTROLS_TEXT)) === text).map((one) => one.control);
}

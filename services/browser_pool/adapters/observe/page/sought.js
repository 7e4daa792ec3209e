// Elements that were recorded at another time, looked for again.

// Which things of a snapshot the locators (`[kind, value]` pairs, as JSON) lead to: their numbers. All that match are
// told; whether there is exactly one is for others to say.
function sought(id, locators) {
  const wanted = new Set();
  for (const [kind, value] of JSON.parse(locators)) {
    try {
      for (const el of kind === 'label' ? underLabel(value) : everything(value)) wanted.add(el);
    } catch { continue; }  // what is no selector finds nothing
  }
  const numbers = [];
  (snapshots.get(id) || []).forEach((item, n) => { if (wanted.has(item.el) || item.control && wanted.has(item.control)) numbers.push(n); });
  return numbers;
}

function underLabel(text) {
  return everything('label').filter((one) => one.control && clean(textOf(one, CONTROLS_TEXT)) === text).map((one) => one.control);
}

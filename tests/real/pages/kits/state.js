// What the widgets of a page hold, as their kit tells it: `probe()`. The texts that say so truly: `says()`.
// A page fills `state`, and where they differ: `shapes` (how a value is reported), `labels` and `texts` (how it is shown).
const shapes = {}, labels = {}, texts = {};
let state = {};
const cities = Array.from({ length: 500 }, (_, n) => `City ${String(n + 1).padStart(3, '0')}`);
const isoDay = (date) => date && [date.getFullYear(), String(date.getMonth() + 1).padStart(2, '0'), String(date.getDate()).padStart(2, '0')].join('-');
const label = (key, value) => String(labels[key]?.[value] ?? value);
const said = (key, value) => {
  if (texts[key]) return texts[key](value);
  if (!Array.isArray(value)) return [value === null || value === undefined ? '' : label(key, value)];
  const each = value.map((one) => label(key, one));
  return [...each, each.join(', '), each.join(' ')];
};
window.probe = () => Object.fromEntries(Object.entries(state).map(([key, value]) => [key, JSON.parse(JSON.stringify(shapes[key]?.(value) ?? value ?? null))]));
window.says = () => Object.fromEntries(Object.entries(window.probe()).map(([key, value]) => [key, said(key, value)]));
// Resolves once what is held has not changed for a while.
window.atRest = (forMs, atMostMs) => new Promise((resolve) => {
  const began = performance.now();
  let last = JSON.stringify(window.probe()), since = began;
  const look = () => {
    const next = JSON.stringify(window.probe()), at = performance.now();
    if (next !== last) { last = next; since = at; }
    if (at - since >= forMs || at - began >= atMostMs) resolve();
    else setTimeout(look, 20);
  };
  look();
});

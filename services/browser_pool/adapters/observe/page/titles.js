// Values that the markup adds to a text, for machines and tooltips: the moment behind
// "3 days ago", the number behind "231k".

// They contain other elements, or have their title as their name.
const UNTITLED = new Set(['table', 'grid', 'treegrid', 'dialog', 'alertdialog', 'row', 'iframe', 'canvas', 'option', 'img']);
// A longer text is no other form of a value.
const MAX_TITLE = 300;
const MAX_LEVELS = 4;
const MAX_TITLED_INSIDE = 8;
const SAYS_MORE = 'time[datetime],data[value],[title],[datetime]';

// The title of an element with this name, or null where there is none that adds anything. `isRun`: the name is a run
// of text in `el`, which may hold more than that.
function titleOf(el, name, header, isRun) {
  const holders = holdersOf(el, name, isRun);
  for (const saidBy of [momentOf, amountOf, hintOf]) for (const holder of holders) {
    const said = saidBy(holder);
    if (said !== null && addsTo(name, header, said)) return said;
  }
  const label = isRun && holders.length && holders[0] === el ? clean(el.getAttribute('aria-label') || '') : '';
  return label && addsTo(name, header, label) ? label : null;
}

// The element, its descendants and ancestors that contain exactly this text.
function holdersOf(el, name, isRun) {
  const holders = [];
  if (el.hasAttributes() && (!isRun || holdsOnly(el, name))) holders.push(el);
  // A run belongs to the innermost element that contains all of it.
  if (!isRun && el.firstElementChild !== null && name.length <= MAX_TITLE) {
    const inside = el.querySelectorAll(SAYS_MORE);
    if (inside.length <= MAX_TITLED_INSIDE) for (const one of inside) if (holdsOnly(one, name)) holders.push(one);
  }
  let one = levelsToTitle(above(el)) > MAX_LEVELS ? null : el;
  for (let level = 0; one !== null && level < MAX_LEVELS; level += 1) {
    one = soleParent(one);
    if (one !== null && one.matches(SAYS_MORE) && (!isRun || holdsOnly(one, name))) holders.push(one);
  }
  return holders;
}

// How far above what is in `up` an element stands that may have a title of it.
const levels = memory();
function levelsToTitle(up) {
  if (!up) return Infinity;
  let known = levels.get(up);
  if (known === undefined) {
    known = up.hasAttributes() && up.matches(SAYS_MORE) ? 1 : levelsToTitle(above(up)) + 1;
    levels.set(up, known);
  }
  return known;
}

const holdsOnly = (el, name) => clean(textOf(el)) === name;

// The parent, if this is its only text.
function soleParent(el) {
  const parent = el.parentNode;
  if (!parent || parent === document || parent.childNodes.length > 5) return null;
  for (let child = parent.firstChild; child; child = child.nextSibling) if (child !== el && (child.nodeType === 1 || child.nodeType === 3 && child.data.trim())) return null;
  return parent.nodeType === 11 ? parent.host || null : parent;
}

// Sites have elements of their own for times, such as <relative-time>. <ins> and <del> say when they were written.
function momentOf(el) {
  return el.localName === 'time' || el.localName.includes('-') ? attributeOf(el, 'datetime') : null;
}

const amountOf = (el) => el.localName === 'data' ? attributeOf(el, 'value') : null;
const hintOf = (el) => attributeOf(el, 'title');

function attributeOf(el, key) {
  const said = el.getAttribute(key);
  return said && said.length <= MAX_TITLE ? clean(said) || null : null;
}

function addsTo(name, header, said) {
  const small = said.toLowerCase();
  return said.length <= MAX_TITLE && !name.toLowerCase().includes(small) && (header === null || header.toLowerCase() !== small);
}

// [words, title] of words within the text that have a title of their own: "3 years ago" in "by Ann, 3 years ago".
function titledWordsOf(item) {
  const { el, nodes, name, role, value } = item;
  if (!name || value !== null || UNTITLED.has(role) || name.length > MAX_TITLE || el.firstElementChild === null) return NONE;
  const inside = nodes === null ? [...el.querySelectorAll(SAYS_MORE)] : nodes.map((node) => node.parentElement && node.parentElement.closest(SAYS_MORE)).filter((one) => one && one !== el && el.contains(one));
  if (inside.length === 0 || inside.length > MAX_TITLED_INSIDE) return NONE;
  const hints = [];
  for (const one of new Set(inside)) {
    const words = clean(textOf(one));
    const said = momentOf(one) || amountOf(one) || hintOf(one);
    if (words && words !== name && name.includes(words) && said && addsTo(words, null, said)) hints.push([words, said]);
  }
  return hints.length ? hints : NONE;
}

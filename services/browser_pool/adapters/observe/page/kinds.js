// Whether two texts are of one kind, so that nothing but the task tells which of them names the other.

// A text whose next one, in a box of its own, is of the same kind and printed alike: both may be labels.
const MOST_LABEL = 60;  // letters
const NAMES_THINGS = new Set(['label', 'legend', 'h2', 'h3', 'h4', 'h5', 'h6', 'strong', 'b', 'dt']);
function isLikeNext(item) {
  const { el, nodes, name } = item;
  if (name.length > MOST_LABEL) return false;
  if (nodes === null) return el.localName === 'td' && isHeadOfColumn(el);
  const one = nodes[nodes.length - 1].parentElement || el, next = textAfter(one), other = next && next.parentElement;
  if (!other || !isOfOneKind(one, other)) return false;
  const box = soleHolder(el);
  if (facts(box).inline && !NAMES_THINGS.has(el.localName)) return false;
  return (one.className || NAMES_THINGS.has(one.localName) || isOfOneKind(box, soleHolder(other))) && isPrintedAlike(one, other);
}
const isOfOneKind = (one, other) => one.localName === other.localName && one.getAttribute('class') === other.getAttribute('class');

// The first text that is drawn behind an element, a few levels up at most.
function textAfter(el) {
  for (let up = el, level = 0; up && up !== document.body && level < MAX_LEVELS; up = up.parentElement, level += 1)
    for (let next = up.nextElementSibling; next; next = next.nextElementSibling) { const [text] = SILENT.has(next.localName) || facts(next).gone ? NONE : textNodesIn(next, false); if (text) return text; }
  return null;
}

// Whether a cell of the first row looks like the one beside it, and unlike the one below: heads of columns in plain cells.
function isHeadOfColumn(cell) {
  const row = cell.parentElement;
  if (!row || row.previousElementSibling) return false;
  const below = row.nextElementSibling && row.nextElementSibling.children[cell.cellIndex];
  const next = cell.nextElementSibling;
  return Boolean(next && below) && isPrintedAlike(cell, next) && textNodesIn(below, false).length > 0 && !isPrintedAlike(cell, below);
}

const PRINT = ['fontWeight', 'fontSize', 'fontStyle', 'color', 'textTransform'];
function isPrintedAlike(one, other) {
  const [here] = textNodesIn(one, false), [there] = textNodesIn(other, false);
  if (!here || !there) return false;
  // Not of `facts`: what a style sheet says of the first row or child is in none of them.
  const own = getComputedStyle(here.parentElement || one), others = getComputedStyle(there.parentElement || other);
  return PRINT.every((key) => own[key] === others[key]) && groundOf(one) === groundOf(other);
}
// Of a box, or of the row that it stands in.
const groundOf = (el) => [el, el.parentElement].map((one) => one ? getComputedStyle(one).backgroundColor : '').find((paint) => !unpainted(paint)) || '';

// The outermost element that says nothing else: what a style sheet adds to it stands beside the text.
function soleHolder(el) {
  const text = clean(el.textContent);
  let holder = el;
  for (let up = el.parentElement, level = 0; up && up !== document.body && level < MAX_LEVELS; up = up.parentElement, level += 1) {
    if (clean(up.textContent) !== text || up.querySelector(PAINTS)) break;
    holder = up;
  }
  return holder;
}

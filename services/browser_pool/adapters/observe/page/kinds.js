// Whether two texts are of one kind, so that nothing but the task tells which of them names the other.

// A text whose next one, in a box of its own, is of the same kind and printed alike: both may be labels.
const MOST_LABEL = 60;  // letters
const MOST_CELLS = 40;
const NAMES_THINGS = new Set(['label', 'legend', 'h2', 'h3', 'h4', 'h5', 'h6', 'strong', 'b', 'dt']);
function isLikeNext(item) {
  const { el, nodes, name } = item;
  if (name.length > MOST_LABEL) return false;
  if (nodes === null) return el.localName === 'td' && isHeadOfColumn(el);
  const one = nodes[nodes.length - 1].parentElement || el, next = textAfter(one), other = next && next.parentElement;
  if (!other || !isOfOneKind(one, other)) return false;
  const box = soleHolder(el);
  if (facts(box).inline && !NAMES_THINGS.has(el.localName)) return false;
  return (one.className || NAMES_THINGS.has(one.localName) || isOfOneKind(box, soleHolder(other)) || isOfOneKind(box, siblingAround(box, other))) && isPrintedAlike(one, other);
}
// The sibling of a box that holds an element.
function siblingAround(box, el) {
  for (let up = el; up; up = up.parentElement) if (up.parentElement === box.parentElement) return up;
  return el;
}
const isOfOneKind = (one, other) => one.localName === other.localName && one.getAttribute('class') === other.getAttribute('class');

// The first text that is drawn behind an element, a few levels up at most.
function textAfter(el) {
  for (let up = el, level = 0; up && up !== document.body && level < MAX_LEVELS; up = up.parentElement, level += 1)
    for (let next = up.nextElementSibling; next; next = next.nextElementSibling) { const [text] = SILENT.has(next.localName) || facts(next).gone ? NONE : textNodesIn(next, false); if (text) return text; }
  return null;
}

// Whether a cell of the first row may be the head of a column: it looks like all cells of its row, and either unlike the
// one below or the cells are no pairs of a label and a value.
function isHeadOfColumn(cell) {
  const row = cell.parentElement, next = cell.nextElementSibling;
  if (!row || !next || row.previousElementSibling || !row.nextElementSibling || !isPrintedAlike(cell, next)) return false;
  const below = row.nextElementSibling.children[cell.cellIndex];
  if (below && textNodesIn(below, false).length > 0 && !isPrintedAlike(cell, below)) return true;
  const cells = [...row.children].slice(0, MOST_CELLS);
  if (/[:：]\s*$/.test(cell.textContent) || !cells.every((one) => isPrintedAlike(cell, one))) return false;
  const rows = [...row.parentElement.children].slice(1, MOST_CELLS);
  return cells.length % 2 === 1 || rows.some((one) => one.children.length > 1 && !clean(one.children[0].textContent) && clean(one.textContent));
}

// Whether it is the last text of a box that has several, and the next text stands in the next box of this kind: there
// what names a value stands below it.
function endsGroup(item) {
  const { el, nodes, name } = item;
  if (name.length > MOST_LABEL || item.value !== null || INTERACTIVE.has(item.role)) return false;
  const one = nodes ? nodes[nodes.length - 1].parentElement || el : el, next = textAfter(one);
  if (!next) return false;
  let group = one;
  while (group.parentElement && !group.parentElement.contains(next)) group = group.parentElement;
  if (group === one || !group.parentElement) return false;
  const other = siblingAround(group, next.parentElement);
  if (!isOfOneKind(group, other)) return false;
  const own = textNodesIn(group, false);
  return own.length > 1 && !one.contains(own[0]) && textNodesIn(other, false).length > 1;
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

// Brings values into sight as a person does: by scrolling what a person can scroll. Nothing else is changed, and all
// that was scrolled is put back.

const scrolled = new Map();  // what was scrolled -> where it stood before
const SCROLLS = /^(auto|scroll|overlay)$/;
const START = 0.2, END = 0.85;   // where a value comes to stand, as a part of what shows it
const EDGE = 28;                 // as much as is read with a value
const MAX_BESIDE = 400;          // letters

function sightVerbs() {
  const each = (wanted, ask) => wanted.split(',').filter(Boolean).map((n) => ask(Number(n)));
  return {
    mayShowMore: (id, wanted) => each(wanted, (n) => mayShowMore(id, n)),
    bring: (id, n, way, word, ...part) => bring(id, Number(n), way, Number(word), part.map(Number)),
    putBack: (id) => putBack(id),
    frameAt: (id, n) => frameAt(id, n),
    scrolled: () => [scrollX, scrollY],
    beside: (id, wanted) => each(wanted, (n) => besideOf(id, n)),
  };
}

// Whether scrolling may show more of a value: not all of it is in sight, or something lies over it that does not move
// with the page.
function mayShowMore(id, n) {
  const item = resolve(id, n);
  return item !== null && wordBoxesOf(item).some(([rect, el]) => !isInSight(rect, el, item.el));
}

// Whether a box is in the window, not cut off, and free. `own`: the element of which it is a part.
function isInSight(rect, el, own = el) {
  const part = seenPart(rect, el);
  const view = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  return part !== null && shareOf(overlap(part, view), rect) >= LEAST_SEEN && !isUnder(rect, own);
}

// The boxes of its words, each with the element that they stand in; its own box where it has none.
function wordBoxesOf(item) {
  const { el } = item;
  const nodes = el.matches('input,select,textarea') ? NONE : (item.nodes || drawnTexts(el)).filter((node) => node.isConnected);
  const words = nodes.flatMap((node) => wordBoxes(node).map((rect) => [rect, node.parentElement || node.parentNode.host])).filter(([rect]) => rect.width > 0 && rect.height > 0).slice(0, MAX_BOXES);
  return words.length ? words : [[el.getBoundingClientRect(), upFrom(el)]];
}

// Whether something lies over it that floats, which the mouse would hit.
function isUnder(rect, el) {
  const y = (rect.top + rect.bottom) / 2;
  return [rect.left + 1, (rect.left + rect.right) / 2, rect.right - 1].some((x) => {
    const top = topAt(x, y);
    if (!top || within(top, el) || within(el, top)) return false;
    for (let up = top; up && !within(el, up); up = upFrom(up)) if (facts(up).floats) return true;
    return false;
  });
}

// Where the content of a frame begins on the page, and the part of it that is not cut off.
function frameAt(id, n) {
  const item = resolve(id, Number(n));
  if (!item) return { corner: [0, 0], seen: NO_BOX };
  const { width, height } = contentOf(item.el);
  const box = partOfFrame(item.el, [0, 0, width, height]);
  return { corner: onPage(box).slice(0, 2), seen: onPage(overlap(box, upFrom(item.el) && clipOf(upFrom(item.el)))) };
}

function contentOf(el) {
  const { paddingLeft, paddingTop, paddingRight, paddingBottom } = getComputedStyle(el);
  return { width: el.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight), height: el.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom) };
}

// Scrolls what is around an element, from the inside out, until its words from this one on (of a frame: `part` of it)
// are where a person would have them. `box`: where they are then, in the window.
function bring(id, n, way, word, part) {
  const item = resolve(id, n);
  if (!item) return { moved: false, box: NO_BOX };
  const where = () => {
    if (part.length) return partOfFrame(item.el, part);
    const words = wordBoxesOf(item);
    return hull((words.length > word ? words.slice(word) : words).map(([rect]) => rect));
  };
  let moved = false;
  for (const holder of scrollersOf(item.el)) {
    moved = moveTo(holder, viewOfScroller(holder), where, way) || moved;
    // The window, or what is around it, may show a part of it only.
    const seen = overlap(viewOfScroller(holder), holder === pageScroller() ? null : shownOf(holder));
    if (seen.right > seen.left && seen.bottom > seen.top) moved = moveTo(holder, seen, where, 'near') || moved;
  }
  const { left, top, right, bottom } = where();
  return { moved, box: [left, top, right - left, bottom - top] };
}

function partOfFrame(el, [left, top, width, height]) {
  const box = el.getBoundingClientRect(), { paddingLeft, paddingTop } = getComputedStyle(el);
  const x = box.left + el.clientLeft + parseFloat(paddingLeft) + left, y = box.top + el.clientTop + parseFloat(paddingTop) + top;
  return { left: x, top: y, right: x + width, bottom: y + height };
}

const hull = (boxes) => ({ left: Math.min(...boxes.map((box) => box.left)), top: Math.min(...boxes.map((box) => box.top)), right: Math.max(...boxes.map((box) => box.right)), bottom: Math.max(...boxes.map((box) => box.bottom)) });

// What a person can scroll around an element, the innermost first. What is fixed does not move with the page.
function scrollersOf(el) {
  const found = [];
  for (let up = el; up; up = upFrom(up)) {
    if (!scrollsAsThePage(up) && !up.matches('input,select,textarea') && axesOf(up).length) found.push(up);
    if (getComputedStyle(up).position === 'fixed') return found;
  }
  return axesOf(pageScroller()).length ? [...found, pageScroller()] : found;
}

// The directions in which a person can scroll an element. What is hidden can be scrolled by scripts alone.
const axes = memory();
function axesOf(el) {
  let found = axes.get(el);
  if (!found) { found = readAxes(el); axes.set(el, found); }
  return found;
}

function readAxes(el) {
  const root = document.documentElement;
  const page = el === pageScroller();
  const style = getComputedStyle(el);
  const outer = page && getComputedStyle(root), inner = page && document.body && getComputedStyle(document.body);
  const flows = (name) => !page ? SCROLLS.test(style[name]) && style.pointerEvents !== 'none'
    : !/hidden|clip/.test(outer[name] !== 'visible' || !inner ? outer[name] : inner[name]);
  const [width, height] = page ? [innerWidth, innerHeight] : [el.clientWidth, el.clientHeight];
  return [['overflowX', el.scrollWidth - width], ['overflowY', el.scrollHeight - height]].filter(([name, more]) => more > 1 && flows(name)).map(([name]) => name);
}

// Beyond the edge of the window of a page that does not scroll that way: pictures can show it, and no person sees it.
function isBeyondWindow(rect) {
  const across = rect.right <= 0 || rect.left >= innerWidth, down = rect.bottom <= 0 || rect.top >= innerHeight;
  if (!across && !down) return false;
  const free = axesOf(pageScroller());
  return across && !free.includes('overflowX') || down && !free.includes('overflowY');
}

function viewOfScroller(el) {
  if (el === pageScroller()) return { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const box = el.getBoundingClientRect();
  const left = box.left + el.clientLeft, top = box.top + el.clientTop;
  return { left, top, right: left + el.clientWidth, bottom: top + el.clientHeight };
}

const shownOf = (el) => overlap({ left: 0, top: 0, right: innerWidth, bottom: innerHeight }, upFrom(el) && clipOf(upFrom(el)));

// `way`: `start` puts what is not in sight near the beginning, so that much behind it is seen as well; `near` moves as
// little as may be; `middle` and `end` move in any case, away from what lies over it.
function moveTo(scroller, view, where, way) {
  const free = axesOf(scroller), box = where();
  const left = free.includes('overflowX') ? across(view, box, way) : 0, top = free.includes('overflowY') ? down(view, box, way) : 0;
  if (Math.abs(left) < 1 && Math.abs(top) < 1) return false;
  const before = [scroller.scrollLeft, scroller.scrollTop];
  scroller.scrollTo({ left: before[0] + left, top: before[1] + top, behavior: 'instant' });
  forget();
  if (scroller.scrollLeft === before[0] && scroller.scrollTop === before[1]) return false;
  if (!scrolled.has(scroller)) scrolled.set(scroller, before);
  return true;
}

function down(view, box, way) {
  const room = view.bottom - view.top, height = box.bottom - box.top;
  const inside = box.top >= view.top && box.bottom <= view.bottom;
  if (way === 'near') return leastMove(view.top, view.bottom, box.top, box.bottom);
  if (way === 'start') return inside ? 0 : box.top - view.top - Math.max(0, Math.min(room * START, room - height));
  return way === 'end' ? box.bottom - view.top - room * END : (box.top + box.bottom - view.top - view.bottom) / 2;
}

function across(view, box, way) {
  if (way === 'start' || way === 'near') return leastMove(view.left, view.right, box.left, box.right);
  return way === 'end' ? box.left - view.left - EDGE : (box.left + box.right - view.left - view.right) / 2;
}

function leastMove(from, to, start, end) {
  if (start >= from && end <= to) return 0;
  return end - start > to - from || start < from ? start - from - EDGE : end - to + EDGE;
}

// `id`: the snapshot that was taken meanwhile.
function putBack(id) {
  const count = scrolled.size;
  for (const [scroller, [left, top]] of [...scrolled].reverse()) scroller.scrollTo({ left, top, behavior: 'instant' });
  scrolled.clear();
  for (const one of [id, `${id}:hosts`]) snapshots.delete(one);
  return { count };
}

// What stands beside a value, where that is little: it tells whose value it is when a list uses its nodes again.
function besideOf(id, n) {
  const item = resolve(id, n);
  if (!item) return null;
  const own = clean(item.nodes ? item.nodes.map((node) => node.data).join(' ') : item.el.textContent);
  for (let up = item.nodes ? item.el : upFrom(item.el); up; up = upFrom(up)) {
    const said = clean(up.textContent);
    if (said !== own) return said.length <= MAX_BESIDE ? said : '';
  }
  return '';
}

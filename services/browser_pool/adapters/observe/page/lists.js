// What the document says of its lists: parts that scroll by themselves, sizes of sets that roles declare, feet of tables.

const LEAST_PART_PX = 40;
const SIZED_SET = '[aria-setsize]', SIZED_TABLE = '[aria-rowcount]';

const declared = (el, name) => Math.max(0, Math.trunc(Number(el.getAttribute(name))) || 0);

// Of the items of a survey: `scrollers` are [y, max, top, height, the one around it], `inside` [scroller, item], `stated`
// [item, size of its set, place in it], `foot` the items in feet of tables.
function listFacts(items) {
  const scrollers = [], inside = [], stated = [], foot = [];
  const numbers = new Map(), known = new Map();
  const sized = document.querySelector(`${SIZED_SET},${SIZED_TABLE}`) !== null || shadowRoots > 0;
  const feet = document.querySelector('tfoot') !== null || shadowRoots > 0;
  const numberOf = (el) => {
    if (!el) return -1;
    if (!numbers.has(el)) {
      const outer = el === pageScroller() ? -1 : numberOf(scrollerAround(upFrom(el), known));
      const { y, max, visible } = whereOf(el);
      numbers.set(el, scrollers.length);
      scrollers.push([y, max, (el === pageScroller() ? 0 : el.getBoundingClientRect().top) + scrollY, visible, outer]);
    }
    return numbers.get(el);
  };
  items.forEach((item, n) => {
    const { el } = item;
    if (!el.isConnected) return;
    const scroller = numberOf(scrollerAround(item.nodes ? el : upFrom(el), known));
    if (scroller >= 0) inside.push([scroller, n]);
    if (sized) { const [size, at] = setOf(el); if (size) stated.push([n, size, at]); }
    if (feet && el.closest('tfoot')) foot.push(n);
  });
  return { scrollers, inside, stated, foot };
}

// The nearest part around that scrolls up and down by itself; in a frame that may be its document.
function scrollerAround(el, known) {
  if (!el) return window.parent !== window && whereOf(pageScroller()).max > 1 ? pageScroller() : null;
  let found = known.get(el);
  if (found === undefined) {
    found = isPart(el) ? el : scrollerAround(upFrom(el), known);
    known.set(el, found);
  }
  return found;
}

function isPart(el) {
  if (!facts(el).clips || el.localName === 'textarea' || el.localName === 'select' || scrollsAsThePage(el)) return false;
  return el.scrollHeight - el.clientHeight > 1 && el.clientHeight >= LEAST_PART_PX && /auto|scroll|overlay/.test(facts(el).style.overflowY);
}

// [size, place] of the set or table that an element is an item of; 0: not told, or told to be unknown.
function setOf(el) {
  const one = el.closest(SIZED_SET);
  if (one) return [declared(one, 'aria-setsize'), declared(one, 'aria-posinset')];
  const table = el.closest(SIZED_TABLE), row = el.closest('[aria-rowindex]');
  return table ? [declared(table, 'aria-rowcount'), row ? declared(row, 'aria-rowindex') : 0] : [0, 0];
}

// Scrolls the innermost part around an element that can go on in this direction; none can: nothing moves.
let lastScrolled = null;
function glideIn(id, n, dy) {
  const known = new Map();
  const el = elementOf(id, n);
  if (!el) return { y: 0, max: 0, moved: 0, what: '' };
  const around = [];
  for (let one = scrollerAround(upFrom(el), known); one; one = one === pageScroller() ? null : scrollerAround(upFrom(one), known)) around.push(one);
  around.push(pageScroller());
  const free = (one) => { const { y, max } = whereOf(one); return dy > 0 ? y < max - 1 : y > 1; };
  lastScrolled = around.find(free) || around[0];
  const before = lastScrolled.scrollTop;
  lastScrolled.scrollBy({ top: dy, behavior: 'instant' });
  return { ...glided(), moved: lastScrolled.scrollTop - before };
}

const glided = () => ({ ...whereOf(lastScrolled), moved: 0, what: lastScrolled === pageScroller() ? '' : entitled(lastScrolled).slice(0, 60) });

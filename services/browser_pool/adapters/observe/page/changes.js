// What is shown before and after an action: texts, states, values, boxes and colours of all that is in sight. A page
// that marks where the mouse or the focus is, or that changes what nobody sees, has shown nothing new.

let lookedAt = null;
const MOST_COMPARED = 20000;
const STATES_SHOWN = ['aria-expanded', 'aria-pressed', 'aria-selected', 'aria-checked', 'aria-current', 'aria-disabled', 'aria-invalid', 'aria-busy', 'aria-sort',
  'aria-valuenow', 'aria-valuetext', 'aria-label', 'aria-readonly', 'aria-required', 'disabled', 'open', 'readonly', 'required', 'src', 'href', 'alt', 'title', 'placeholder'];
const PAINTED = ['color', 'backgroundColor', 'backgroundImage', 'borderTopColor', 'borderBottomColor', 'opacity', 'textDecorationLine', 'fontWeight', 'fill', 'stroke'];
const PICTURES = new Set(['img', 'svg', 'canvas', 'video', 'picture', 'iframe', 'progress', 'meter', 'input', 'select', 'textarea', 'button']);
const NO_COLOUR = /^(transparent|rgba\(.*, 0\))$/;
const SAYS_POINTED = /hover|focus|press|touch|pointer/i;

function lookAtPage() {
  lookedAt = lookNow();
  return { count: lookedAt ? lookedAt.shown.size : 0 };
}

function lookNow() {
  const all = everything('*');
  if (all.length > MOST_COMPARED) return null;
  const hovered = [...document.querySelectorAll(':hover')].pop();
  const hot = [hovered && (hovered.closest(CAN_ACT) || hovered), document.activeElement].filter((el) => el && !isRoot(el));
  const shown = new Map();
  for (const el of all) {
    if (SILENT.has(el.localName) || el.type === 'hidden') continue;
    if (worksUnseen(el) ? el.checkVisibility({ visibilityProperty: true }) : inSight(el)) shown.set(el, sightOf(el, hot));
  }
  return { shown, caption: document.title, x: scrollX, y: scrollY, moving: movingNow(hot) };
}

const isRoot = (el) => el === document.body || el === document.documentElement;

// What never stops moving, and what still turns into what it looks like under the mouse.
function movingNow(hot) {
  const running = document.getAnimations().filter((one) => one.playState === 'running' && one.effect && one.effect.target);
  return running.filter((one) => !Number.isFinite(Number(one.effect.getComputedTiming().endTime)) || hot.some((el) => el.contains(one.effect.target))).map((one) => one.effect.target);
}

function sightOf(el, hot) {
  const style = getComputedStyle(el);
  const box = el.getBoundingClientRect();
  const inView = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
  let text = '';
  for (const node of el.childNodes) if (node.nodeType === Node.TEXT_NODE) text += node.data;
  text = clean(text);
  const isPointed = !isRoot(el) && (el.matches(':hover,:focus-within') || hot.some((one) => one.contains(el)));
  // A wave that runs over a pressed button has no text and is no picture.
  const matters = text !== '' || PICTURES.has(el.localName) || !isPointed && (style.backgroundImage !== 'none' || !NO_COLOUR.test(style.backgroundColor));
  return { tag: el.localName, text, isPointed, matters, state: stateShown(el), marks: marksOf(el), paint: inView ? PAINTED.map((name) => style[name]).join('|') : '',
    box: [box.left + scrollX, box.top + scrollY, box.width, box.height].map(Math.round) };
}

function stateShown(el) {
  const told = [];
  if (el.hasAttributes()) for (const name of STATES_SHOWN) { const value = el.getAttribute(name); if (value !== null) told.push(`${name}=${value}`); }
  if (el.localName === 'input' || el.localName === 'textarea' || el.localName === 'select')
    told.push(isSecret(el) ? el.value.length : /^(checkbox|radio)$/.test(el.type) ? `${el.checked} ${el.indeterminate}` : el.value);
  return told.join('\n');
}

// What styles an element, but for what says only where the mouse or the focus is.
function marksOf(el) {
  if (!el.hasAttributes()) return '';
  const marks = (el.getAttribute('class') || '').split(/\s+/).filter((word) => word && !SAYS_POINTED.test(word)).sort();
  for (const { name, value } of el.attributes) if ((name === 'style' || name.startsWith('data-')) && !SAYS_POINTED.test(name)) marks.push(`${name}=${value.slice(0, 200)}`);
  return marks.join(' ');
}

// Whether what is shown differs from the last look; null where there was none, or it cannot be told.
function changesShown() {
  const before = lookedAt;
  const now = before && lookNow();
  if (!before || !now) return { changed: null };
  if (before.caption !== now.caption || Math.abs(before.y - now.y) > 1 || Math.abs(before.x - now.x) > 1) return { changed: true };
  const moving = [...before.moving, ...now.moving];
  const isRestless = (el) => [el, el.parentElement, ...el.childNodes].some((node) => node && ticksOf(node) >= 2) || inAny(el, moving) && !isMarkedAnew(el, before);
  const came = [];
  for (const [el, sight] of now.shown) {
    const was = before.shown.get(el);
    if (was ? differs(el, was, sight, before) : sight.matters || isMarkedAnew(el, before)) {
      if (isRestless(el)) continue;
      if (was) return { changed: true };
      came.push(keyOf(sight));
    }
  }
  const left = [];
  for (const [el, sight] of before.shown) if (!now.shown.has(el) && sight.matters && !isRestless(el)) left.push(keyOf(sight));
  // What is drawn anew, equal to what was there, is no change.
  return { changed: came.sort().join('\n') !== left.sort().join('\n') };
}

const keyOf = (sight) => JSON.stringify([sight.tag, sight.text, sight.state, sight.box, sight.paint]);

function differs(el, was, now, before) {
  if (was.text !== now.text || was.state !== now.state || was.box.some((value, at) => Math.abs(value - now.box[at]) > 1)) return true;
  // What is drawn before and behind a text was not noted: it goes with the marks.
  if (was.marks !== now.marks && ['::before', '::after'].some((part) => !/^(none|normal)$/.test(getComputedStyle(el, part).content))) return true;
  if (was.paint === now.paint) return false;
  return !was.isPointed && !now.isPointed || isMarkedAnew(el, before);
}

// Whether it, or what it is in, is marked as something else than before: it is painted so because of that.
const isMarkedAnew = (el, before) => Boolean(closestUp(el, (up) => { const old = before.shown.get(up); return Boolean(old) && old.marks !== marksOf(up); }));

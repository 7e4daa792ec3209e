// Whether the page is quiet and whether it changed. One observer per document, from the first query on.

const documentId = Math.random().toString(36).slice(2);
let mutations = 0;
let seenMutations = -1;        // of the last search for shadow roots
let lastAt = 0;
let stirred = false;           // has anything changed since the document was first looked at?
let watching = false;
const ticks = new WeakMap();   // node -> changes without an action: clocks, carousels
const ticksOf = (node) => ticks.get(node) || 0;
const watchedRoots = new WeakSet();
const QUIET_ATTRIBUTES = new Set(['hidden', 'aria-hidden', 'aria-busy', 'disabled', 'open', 'class', 'aria-expanded']);
// A moving element is not at rest; one that never stops is waited for at most this long.
const MOVES = new Set(['style', 'd', 'transform', 'points', 'cx', 'cy', 'r', 'x', 'y', 'width', 'height']);
const LONGEST_MOVE_MS = 1500;
let movedAt = 0, moveBegan = 0;
const MAX_NEWS = 5, MAX_NEWS_TEXT = 200;
let acting = true;
let begun = false;             // has an action begun in this very document, and not yet ended?
let allMutations = 0;
let news = [];                 // nodes that came, or whose text did, since the action began

const observer = new MutationObserver((records) => {
  const fresh = new Set();
  allMutations += records.length;
  for (const record of records) {
    // A changing style is more often an animation than new content; it counts as change but not as unrest.
    if (record.type !== 'attributes' || QUIET_ATTRIBUTES.has(record.attributeName)) {
      lastAt = performance.now();
      stirred = true;
    }
    else if (MOVES.has(record.attributeName)) {
      const now = performance.now();
      if (now - movedAt > 300) moveBegan = now;
      movedAt = now;
    }
    if (!acting) { fresh.add(record.target); continue; }
    if (ticksOf(record.target) >= 2) continue;
    mutations += 1;
    if (news.length < 400) {
      // Nodes that appeared together are read together.
      if (record.type === 'childList') news.push(...record.addedNodes.length > 1 && record.target !== document.body ? [record.target] : record.addedNodes);
      else if (record.type === 'characterData' || record.attributeName !== 'style' || record.target.style.display !== 'none') news.push(record.target);
    }
  }
  for (const node of fresh) ticks.set(node, ticksOf(node) + 1);
});

const SHOWS = /^(opacity|transform|translate|scale|height|width|max-height|max-width|top|left|right|bottom|visibility|display|margin|clip-path)/;

// The time of the last change or movement that is worth waiting for.
function restlessAt() {
  const now = performance.now();
  const moving = movedAt - moveBegan < LONGEST_MOVE_MS ? movedAt : 0;
  for (const one of document.getAnimations()) {
    if (one.playState !== 'running' || one.transitionProperty && !SHOWS.test(one.transitionProperty)) continue;
    const end = one.effect && one.effect.getComputedTiming().endTime;
    if (end !== undefined && Number.isFinite(Number(end)) && end <= LONGEST_MOVE_MS) return now;
  }
  return Math.max(lastAt, moving);
}

function watch() {
  if (!watching) { watching = true; lastAt = performance.now(); observe(document); }
  // Looking for shadow roots means looking at every element: only where something was added since.
  if (seenMutations === allMutations) return;
  seenMutations = allMutations;
  for (const el of document.querySelectorAll('*')) { const root = rootOf(el); if (root && !watchedRoots.has(root)) observe(root); }
}

function observe(root) {
  watchedRoots.add(root);
  shadowRoots += root === document ? 0 : 1;
  observer.observe(root, { childList: true, subtree: true, characterData: true, attributes: true });
}

let shadowRoots = 0;

// Texts that appeared since the action began, as a person would read them.
function appeared() {
  const texts = [];
  if (!begun) return texts;
  const told = new Set();
  for (const node of [...news.filter(isMessage), ...news]) {
    if (texts.length >= MAX_NEWS) break;
    const el = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
    if (!el || !el.isConnected || told.has(el) || node.nodeType === Node.ELEMENT_NODE && el.closest(CAN_ACT) || [...told].some((other) => other.contains(el)) || !el.checkVisibility(SEEN)) continue;
    told.add(el);
    if (el === document.body || el === document.documentElement) continue;
    const text = clean(textOf(el)).slice(0, MAX_NEWS_TEXT);
    if (text && !texts.includes(text)) texts.push(text);
  }
  return texts;
}

// Elements that run a script by themselves; rarer attributes stand beside one of these, or in a document with scripts.
const RUNS = ['load', 'error', 'click', 'change', 'input', 'keydown', 'keyup', 'keypress', 'submit', 'focus', 'blur',
  'mousedown', 'mouseup', 'mouseover', 'mouseenter', 'pointerdown', 'pointerup', 'dblclick', 'contextmenu', 'toggle',
].map((event) => `[on${event}]`).join() + ',[href*="javascript:" i]';

function runsScripts() {
  for (const script of document.scripts) if (!script.type || /javascript|module|babel/i.test(script.type)) return true;
  return document.querySelector(RUNS) !== null;
}

// Nothing there yet, or the page itself says that more is coming.
function looksUnfinished() {
  const body = document.body;
  if (!body) return document.documentElement !== null && document.documentElement.localName === 'html';  // an SVG or XML document has none
  if (body.querySelector('[aria-busy=true]')) return true;
  // A page with this much content is not about to start loading.
  if (body.childElementCount > 30 || body.textContent.length > 5000) return false;
  const text = clean(textOf(body));
  if (!text) return !body.querySelector('img,canvas,svg,input,button,iframe,frame,object,embed,video') && runsScripts();
  return text.length < 400 && /(^|\s)(loading|please wait)\s*(\.{2,3}|…)?(\s|$)/i.test(text);
}

// The parts of the page of which nothing is certain yet: they say that they are busy, or bars stand among their texts.
const AMONG = 'tr,dl,ul,ol,fieldset,[role=row],[role=list]';
const busyParts = () => [...document.querySelectorAll('[aria-busy=true]'), ...skeletons().map((bar) => bar.closest(AMONG) || bar)];

// Whether a part that is in sight says that it is still loading; beside the content much may load for ever.
const BESIDE = 'nav,aside,header,footer,[role=navigation],[role=complementary],[role=banner],[role=contentinfo],[role=search]';
function saysBusy() {
  return everything('[aria-busy=true]').some((el) => el.checkVisibility(SEEN) && !el.closest(BESIDE)) || skeletons().length > 0;
}

// An empty bar where a text is to come, which moves until it does. Only what is in view loads for sure.
const BAR = { least: 8, most: 60, long: 32 };  // pixels
const MOST_BARS = 40;
const UNPAINTED = /^(?:transparent|rgba\(.*, 0\))$/;
const NO_BAR = 'progress,[role=progressbar],button,a[href],svg';
function skeletons() {
  const bars = [];
  for (const one of document.getAnimations()) {
    const el = one.effect && one.effect.target, end = one.effect && one.effect.getComputedTiming().endTime;
    if (!el || one.playState !== 'running' || Number.isFinite(Number(end)) || el.closest(BESIDE) || el.closest(NO_BAR)) continue;
    if (isBar(el)) bars.push(el);
    else if (!HAS_WORDS.test(el.textContent)) bars.push(...[...el.querySelectorAll('*')].slice(0, MOST_BARS).filter(isBar));
    if (bars.length > MOST_BARS) break;
  }
  return bars;
}

function isBar(el) {
  if (HAS_WORDS.test(el.textContent) || el.querySelector('img,svg,canvas,video,input,select,textarea') || el.matches('img,svg,canvas,video,input')) return false;
  const box = el.getBoundingClientRect();
  if (box.height < BAR.least || box.height > BAR.most || box.width < BAR.long || box.width < 2 * box.height) return false;
  if (box.bottom <= 0 || box.top >= innerHeight || box.right <= 0 || box.left >= innerWidth || !el.checkVisibility(SEEN)) return false;
  return ['', '::before', '::after'].some((part) => paints(getComputedStyle(el, part), part));
}

function paints(style, part) {
  return (part === '' || style.content !== 'none') && (style.backgroundImage.includes('gradient') || !UNPAINTED.test(style.backgroundColor));
}

function formState() {
  let sum = 0;
  for (const el of document.querySelectorAll('input,select,textarea')) {
    const told = isSecret(el) ? String(el.value.length) : el.type === 'checkbox' || el.type === 'radio' ? String(el.checked) : el.value;
    for (let i = 0; i < told.length; i += 1) sum = (sum * 31 + told.charCodeAt(i)) | 0;
    sum = (sum * 31 + 7) | 0;
  }
  return sum;
}

function pendingPictures() {
  let pending = 0;
  for (const img of document.images) if (!img.complete && img.loading !== 'lazy') pending += 1;
  return pending;
}

function pageState() {
  watch();
  const scroller = document.scrollingElement || document.documentElement || document.createElement('p');
  return {
    doc: documentId, mutations, since_ms: performance.now() - restlessAt(), stirred, scripts: runsScripts(), unfinished: looksUnfinished(), busy: saysBusy(),
    forms: formState(), pictures: pendingPictures(), secrets: secretFields().length, title: document.title.slice(0, 500), lang: document.documentElement ? (document.documentElement.getAttribute('lang') || '').slice(0, 35) : '', url: location.href.slice(0, 8000),
    scroll_x: scroller.scrollLeft, scroll_y: scroller.scrollTop, scroll_max: Math.max(0, scroller.scrollHeight - innerHeight),
    left: leftEnd(), width: scroller.scrollWidth, height: scroller.scrollHeight, loading: document.readyState === 'loading',
    view_width: innerWidth, view_height: innerHeight, scale: devicePixelRatio,
  };
}

function secretFields() {
  return everything('input,textarea,[contenteditable]').filter(isSecret);
}

// All matches of a selector in the document and its shadow roots.
function everything(css, root = document) {
  const found = [...root.querySelectorAll(css)];
  if (shadowRoots || !watching) for (const el of root.querySelectorAll('*')) if (rootOf(el)) found.push(...everything(css, rootOf(el)));
  return found;
}

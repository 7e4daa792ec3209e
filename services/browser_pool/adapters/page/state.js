// Is the page quiet, and did it change? One observer per document, from the first time anyone asks.

const documentId = Math.random().toString(36).slice(2);
let mutations = 0;
let lastAt = 0;
let stirred = false;           // has anything changed since the document was first looked at?
let watching = false;
const ticks = new WeakMap();   // node -> times it changed while nobody acted: clocks, carousels
const watchedRoots = new WeakSet();
const QUIET_ATTRIBUTES = new Set(['hidden', 'aria-hidden', 'aria-busy', 'disabled', 'open', 'class', 'aria-expanded']);
let acting = true;

const observer = new MutationObserver((records) => {
  const fresh = new Set();
  for (const record of records) {
    // A style that moves is an animation more often than news; it counts as change but not as unrest.
    if (record.type !== 'attributes' || QUIET_ATTRIBUTES.has(record.attributeName)) {
      lastAt = performance.now();
      stirred = true;
    }
    if (acting) { if ((ticks.get(record.target) || 0) < 2) mutations += 1; } else fresh.add(record.target);
  }
  for (const node of fresh) ticks.set(node, (ticks.get(node) || 0) + 1);
});

function watch() {
  if (!watching) { watching = true; lastAt = performance.now(); observe(document); }
  if (document.querySelector(':not(:empty):defined') === null) return;
  for (const el of document.querySelectorAll('*')) if (el.shadowRoot && !watchedRoots.has(el.shadowRoot)) observe(el.shadowRoot);
}

function observe(root) {
  watchedRoots.add(root);
  observer.observe(root, { childList: true, subtree: true, characterData: true, attributes: true });
}

function runsScripts() {
  for (const script of document.scripts) if (!script.type || /javascript|module|babel/i.test(script.type)) return true;
  return Boolean(document.body && document.body.hasAttribute('onload')) || document.querySelector('[onload],[onerror]') !== null;
}

// Nothing there yet, or the page itself says that more is coming.
function looksUnfinished() {
  const body = document.body;
  if (!body) return document.documentElement.localName === 'html';  // an SVG or XML document has none
  if (body.querySelector('[aria-busy=true]')) return true;
  const text = body.textContent.length > 20000 ? null : clean(textOf(body));
  if (text === null) return false;
  if (!text) return !body.querySelector('img,canvas,svg,input,button,iframe,frame,object,embed,video') && runsScripts();
  return text.length < 400 && /(^|\s)(loading|please wait)\s*(\.{2,3}|…)?(\s|$)/i.test(text);
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
  const scroller = document.scrollingElement || document.documentElement;
  return {
    doc: documentId, mutations, since_ms: performance.now() - lastAt, stirred, scripts: runsScripts(), unfinished: looksUnfinished(),
    forms: formState(), pictures: pendingPictures(), secrets: secretFields().length, title: document.title, url: location.href,
    scroll_x: scroller.scrollLeft, scroll_y: scroller.scrollTop, scroll_max: Math.max(0, scroller.scrollHeight - innerHeight),
    width: scroller.scrollWidth, height: scroller.scrollHeight, loading: document.readyState === 'loading',
  };
}

function secretFields() {
  return everything('input').filter(isSecret);
}

// All matches of a selector in the document and its open shadow roots.
function everything(css, root = document) {
  const found = [...root.querySelectorAll(css)];
  for (const el of root.querySelectorAll('*')) if (el.shadowRoot) found.push(...everything(css, el.shadowRoot));
  return found;
}

// Scrolls the page, or, where the page itself cannot, the largest thing in view that can.
function scrollPage(dy) {
  const page = document.scrollingElement || document.documentElement;
  const scroller = page.scrollHeight - innerHeight > 1 ? page : largestScroller() || page;
  const before = scroller.scrollTop;
  scroller.scrollBy({ top: dy, behavior: 'instant' });
  const visible = scroller === page ? innerHeight : scroller.clientHeight;
  return { y: scroller.scrollTop, max: Math.max(0, scroller.scrollHeight - visible), moved: scroller.scrollTop - before };
}

function largestScroller() {
  let best = null;
  let most = 0;
  for (const el of document.querySelectorAll('*')) {
    if (el.scrollHeight - el.clientHeight < 2 || el.clientHeight < 40 || !/auto|scroll/.test(getComputedStyle(el).overflowY)) continue;
    if (el.clientWidth * el.clientHeight > most) { best = el; most = el.clientWidth * el.clientHeight; }
  }
  return best;
}

// Prepares the page for a picture: holds it still, covers secrets, and restores it afterwards.

let posed = null;

function pictureVerbs() {
  return { pose: (...texts) => { hideTexts(texts); return pose(); }, unpose: () => unpose(), view: (y) => view(Number(y)), inner: () => innerView(), hurry: () => hurry() };
}

function pose() {
  unpose();
  posed = { undo: [] };
  const roots = [document, ...everything('*').map(rootOf).filter(Boolean)];
  for (const animation of new Set(roots.flatMap((root) => root.getAnimations()))) hold(animation);
  for (const root of roots) if (mayShowCaret(root)) hideCaret(root);
  const secrets = [...secretFields(), ...showing()];
  for (const el of secrets) cover(el);
  return { count: secrets.length };
}

function unpose() {
  const { undo } = posed || { undo: [] };
  posed = null;
  for (const put of undo.reverse()) { try { put(); } catch (error) { /* it is gone, and needs nothing put back */ } }
  return { count: undo.length };
}

// Finite animations are shown at their end, infinite ones at their start.
function hold(animation) {
  if (!animation.effect || animation.playState === 'idle' || animation.playState === 'finished' || animation.playbackRate === 0) return;
  try {
    if (animation.effect.getComputedTiming().endTime !== Infinity) { animation.finish(); return; }
    const { currentTime, playState } = animation;
    animation.cancel();
    posed.undo.push(() => { if (playState === 'paused') animation.pause(); else animation.play(); animation.currentTime = currentTime; });
  } catch (error) { /* an animation with a timeline of its own stays as it is */ }
}

// Only what has the focus shows a caret. The rule below costs a new style of every element, twice a picture.
function mayShowCaret(root) {
  const focused = root.activeElement;
  return Boolean(focused) && (focused !== document.body || focused.isContentEditable);
}

function hideCaret(root) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, *::before, *::after { caret-color: transparent !important; }');
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  posed.undo.push(() => { root.adoptedStyleSheets = [...root.adoptedStyleSheets].filter((one) => one !== sheet); });
}

// The field itself turns black, so that moving, clipping or covering cannot reveal it.
const COVER = {
  'background': '#000', 'color': 'transparent', '-webkit-text-fill-color': 'transparent', 'text-shadow': 'none',
  'caret-color': 'transparent', 'box-shadow': 'none', 'filter': 'none', 'transition': 'none', 'text-decoration': 'none',
};

function cover(el) {
  const before = el.getAttribute('style');
  for (const [name, value] of Object.entries(COVER)) el.style.setProperty(name, value, 'important');
  posed.undo.push(() => { if (before === null) el.removeAttribute('style'); else el.setAttribute('style', before); });
}

// Loads lazy images now.
function hurry() {
  const waiting = [...document.images].filter((img) => img.loading === 'lazy' && !img.complete);
  for (const img of waiting) img.loading = 'eager';
  return { count: waiting.length };
}

// Puts the main scroller at `y` and says where that is; `visible`: how much of it can be seen at a time.
function view(y) {
  const page = pageScroller();
  const scroller = page.scrollHeight - innerHeight > 1 ? page : widest(null) || page;
  const before = scroller.scrollTop;
  scroller.scrollTo({ top: y, behavior: 'instant' });
  return { before, ...whereOf(scroller), own: scroller === page, left: page.scrollLeft, top: page.scrollTop, width: innerWidth, height: innerHeight };
}

// How far a part goes on that scrolls in place of the page, as that of many apps does: in px, 0 where the page itself
// scrolls, or nothing that takes up much of the window does.
const MUCH = 0.4;
function innerView() {
  const page = pageScroller();
  const part = page.scrollHeight - innerHeight > 1 ? null : widest(null);
  if (!part || share(part.getBoundingClientRect(), viewOf()) < MUCH) return { count: 0 };
  return { count: Math.round(whereOf(part).max) };
}

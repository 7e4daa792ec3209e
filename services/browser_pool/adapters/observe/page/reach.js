// Hit tests, focus, visible changes and scrolling.

function handVerbs() {
  return {
    reach: (id, n, asId, how, agreed) => { mayAgreeTo(agreed); return reach(id, Number(n), asId, how); },
    press: (id, x, y, how) => takeAim(id, Number(x), Number(y), how),
    look: () => lookAtPage(),
    changes: () => changesShown(),
    pressed: () => outcomeOfAim(),
    over: (x, y, asId, agreed) => { mayAgreeTo(agreed); return overFrame(Number(x), Number(y), asId); },
    focused: (asId) => focused(asId),
    leave: () => leaveField(),
    unsent: (id, n) => unsentFields(id, Number(n)),
    facts: (id, n, how) => pressFacts(id, Number(n), how),
    take: (id, n) => takeFocus(id, Number(n)),
    shown: (id, n) => shownBy(id, Number(n)),
    around: (id, n, searchId) => ({ text: aroundOf(id, Number(n), searchId) }),
    part: (id, n, asId, kind) => partOf(id, Number(n), asId, kind),
    mark: (id) => mark(id),
    sights: (id) => sights(id),
    glide: (dy) => glide(Number(dy)),
    glideIn: (id, n, dy) => glideIn(id, Number(n), Number(dy)),
    glided: () => glided(),
    thumb: (id, n, asId) => thumbOf(id, Number(n), asId),
    stepped: (id, n, asId) => stepped(id, Number(n), asId),
    reads: (text) => ({ times: clean(textOf(document.body)).split(clean(text)).length - 1 }),
    choices: (id, n, markId, asId) => choices(id, Number(n), markId, asId),
    aim: (asId, n, text) => aim(asId, Number(n), text),
    sign: (asId, n) => signOf(asId, Number(n)),
    scrollChoices: (asId, how) => scrollChoices(asId, how),
    months: (lang, told) => tellMonths(lang, told),
    calendar: (id, n, markId, asId, wanted) => calendar(id, Number(n), markId, asId, wanted),
  };
}

const elementOf = (id, n) => { const item = (snapshots.get(id) || held.get(id) || [])[n]; return item && item.el.isConnected ? item.control || item.el : null; };
// Elements that one action stores for a moment, apart from the snapshots, whose number is limited.
const held = new Map();
const keepElements = (id, elements) => held.set(id, elements.map((el) => ({ el, role: '', name: null, nodes: null })));
const upFrom = (el) => el.assignedSlot || el.parentElement || (el.getRootNode() && el.getRootNode().host) || null;
function within(el, outer) { for (let up = el; up; up = upFrom(up)) if (up === outer) return true; return false; }
function hasBox(el) { const box = el.getBoundingClientRect(); return box.width > 0 && box.height > 0; }
const inSight = (el) => el.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && hasBox(el);
const entitled = (el) => `${roleOf(el) || el.localName} "${(nameOf(el, roleOf(el)) || clean(textOf(el))).slice(0, 80)}"`;

function topAt(x, y) {
  let el = document.elementFromPoint(x, y);
  for (let root = el && rootOf(el); root; root = el && rootOf(el)) {
    const inner = root.elementFromPoint(x, y);
    if (!inner || inner === el) break;
    el = inner;
  }
  return el;
}

// A label stands for its control and the other way round.
function meets(hit, el) {
  if (within(hit, el)) return true;
  const label = hit.closest && hit.closest('label');
  return Boolean(label && label.control === el) || el.localName === 'label' && el.control === hit
    || el.localName === 'area' && hit.localName === 'img' || el.localName === 'option' && hit.localName === 'select' || isPartBeside(hit, el)
    || isFrameOf(hit, el);
}

// A field that is invisible or lets the mouse through is pressed by what is shown in its place: its frame, or its choice.
const FRAME_LEVELS = 4;
function isFrameOf(hit, el) {
  if (!UNDIVIDED.has(roleOf(el))) return false;
  const style = getComputedStyle(el);
  if (style.pointerEvents !== 'none' && style.opacity !== '0') return false;
  const actor = hit.closest(CAN_ACT);
  if (actor && !actor.contains(el)) return false;
  for (let frame = el.parentElement, level = 0; frame && level < FRAME_LEVELS && onlyFieldIn(frame) === el; frame = frame.parentElement, level += 1) {
    if (within(hit, frame)) return true;
  }
  return false;
}

// A web component may draw over its own field: a hit counts as the field, unless the hit part can be pressed itself.
function isPartBeside(hit, el) {
  const root = el.getRootNode();
  if (!root.host || !hit || hit === el) return false;
  let part = hit;
  while (part && part.getRootNode() !== root) part = upFrom(part);
  if (!part || isBusy(part)) return false;
  for (let up = hit; up; up = upFrom(up)) {
    if (up.getRootNode() === root && up.contains(el)) return [...up.querySelectorAll(CAN_ACT)].filter((one) => one !== el && inSight(one)).length === 0;
    if (up.matches(CAN_ACT)) return false;
  }
  return false;
}

// Points of the part of a box that is in the window: its middle, then a grid over it.
function* pointsOf(el) {
  const clip = (r) => ({ l: Math.max(r.left, 0), t: Math.max(r.top, 0), r: Math.min(r.right, innerWidth), b: Math.min(r.bottom, innerHeight) });
  const boxes = [...el.getClientRects()].filter((r) => r.width * r.height > 0.99).map(clip).filter((r) => r.r > r.l && r.b > r.t);
  for (const r of boxes) yield [(r.l + r.r) / 2, (r.t + r.b) / 2];
  for (const r of boxes.slice(0, 3)) {
    for (const fy of [0.5, 0.25, 0.75, 0.1, 0.9]) for (const fx of [0.5, 0.25, 0.75, 0.1, 0.9]) yield [r.l + (r.r - r.l) * fx, r.t + (r.b - r.t) * fy];
  }
}

// Whether and where the mouse can hit the element, else what covers it; `asId` then stores the closing button. `how`:
// `whole`: any of its parts will do; `opener`: what opens its list is meant.
function reach(id, n, asId, how) {
  let el = elementOf(id, n);
  if (!el) return { state: 'gone' };
  if (how === 'opener') el = openerIn(el);
  const control = el;
  el = drawnFor(el);
  const disabled = control.matches(':disabled') || control.getAttribute('aria-disabled') === 'true';
  if (!el.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: false }) || !el.getClientRects().length || !hasBox(el) && !hasBoxInside(el)) {
    const label = labelsOf(el).find(inSight);
    if (!label) return { state: 'unseen', disabled };
    el = label;
  }
  show(el);
  const parts = how === 'whole' ? null : ownParts(el);
  if (parts) showOwn(parts);
  let points = tryPoints(el, parts);
  if (!points.hit) {
    // A native check box is often covered by its picture or too small: a person presses its label.
    const label = labelsOf(el).find(inSight);
    if (label) { show(label); const other = tryPoints(label); if (other.hit) { el = label; points = other; } }
  }
  keepElements(`${asId}x`, [el]);
  const where = { x: points.x, y: points.y };
  if (points.hit) return { state: 'free', disabled, ...where };
  if (points.parts) return { state: 'parts', disabled, ...where, over: partsInWords(points.parts) };
  if (!points.top) return { state: 'outside', disabled };
  return { state: 'covered', disabled, ...where, ...inTheWay(points.top, el, asId) };
}

const hasBoxInside = (el) => [...el.children].some(hasBox);

function show(el) {
  const box = el.getBoundingClientRect();
  const x = box.left + box.width / 2, y = box.top + box.height / 2;
  const outside = box.top < 0 || box.left < 0 || box.bottom > innerHeight || box.right > innerWidth;
  const top = outside ? null : topAt(x, y);
  if (!outside && top && meets(top, el)) return;
  el.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
}

function tryPoints(el, parts) {
  const own = parts && ownPoint(el, parts);
  if (own) return own;
  let first = null;
  const fits = (top) => meets(top, el);
  for (const [x, y] of pointsOf(el)) {
    const top = topAt(x, y);
    if (top && fits(top)) return { hit: !parts, x, y, top, fits, parts };
    if (!first) first = { hit: false, x, y, top };
  }
  if (first) return first;
  const inner = [...el.children].find(hasBox);
  return inner ? tryPoints(inner, null) : { hit: false, x: 0, y: 0, top: null };
}

// The next press is for this element only: if another element is under the mouse by then, the press is stopped before
// any script of the page receives it.
let pressFor = null;
const PRESSING = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu'];
let pressWatched = false;

// `how`: as for `reach`; `look` after a comma: what is shown is noted, to tell afterwards what the press changed.
function takeAim(id, x, y, how) {
  const el = elementOf(id, 0);
  if (!el) return { state: 'gone' };
  const points = tryPoints(el, how.startsWith('whole') ? null : ownParts(el));
  if (!points.hit) return { state: points.top ? 'covered' : 'outside' };
  const top = topAt(x, y);
  if (!top || !points.fits(top)) return { state: 'moved', x: points.x, y: points.y };
  if (!pressWatched) { pressWatched = true; for (const type of PRESSING) window.addEventListener(type, watchAim, { capture: true }); }
  pressFor = { fits: points.fits, hit: null, landed: 0 };
  if (how.endsWith(',look')) lookAtPage();
  return { state: 'ready', x, y };
}

// Each press of a double click is looked at: the first may have brought something under the mouse.
function watchAim(event) {
  if (!pressFor || !event.isTrusted) return;
  forget();  // no verb is on its way
  if (pressFor.hit === null || event.type === 'pointerdown' && pressFor.hit) { const top = topAt(event.clientX, event.clientY); pressFor.hit = Boolean(top) && pressFor.fits(top); pressFor.landed += Number(pressFor.hit); }
  if (pressFor.hit === false) { event.preventDefault(); event.stopImmediatePropagation(); }
}

function outcomeOfAim() {
  const missed = pressFor !== null && pressFor.hit === false;
  const landed = pressFor === null ? 0 : pressFor.landed;
  pressFor = null;
  return { missed, landed };
}

// The same for a child frame: whether the frame itself is the topmost element at that point.
function overFrame(x, y, asId) {
  const top = topAt(x, y);
  if (!top) return { state: 'outside' };
  if (top.localName === 'iframe' || top.localName === 'frame') return { state: 'free' };
  return { state: 'covered', ...inTheWay(top, null, asId) };
}

function focused(asId) {
  let el = document.activeElement;
  while (el && rootOf(el) && rootOf(el).activeElement) el = rootOf(el).activeElement;
  if (!el || el === document.body || el === document.documentElement && !el.isContentEditable) return { tag: '', has: document.hasFocus() };
  keepElements(asId, [el]);
  return { tag: el.localName, has: document.hasFocus(), ...shownBy(asId, 0) };
}

function takeFocus(id, n) {
  const el = elementOf(id, n);
  if (!el) return { took: false };
  el.focus();
  let active = document.activeElement;
  while (active && rootOf(active) && rootOf(active).activeElement) active = rootOf(active).activeElement;
  return { took: Boolean(active) && (active === el || within(active, el) && active !== document.body || el === document.body) };
}

// What a control shows, even if its role and name changed.
function shownBy(id, n) {
  const el = elementOf(id, n);
  if (!el) return { here: false };
  const role = roleOf(el);
  const inner = el.matches('input,select,textarea') ? null : onlyOne(el, 'input:not([type=hidden]),textarea,select');
  const typed = inner && valueOf(inner, roleOf(inner));
  const apart = role === 'radiogroup' ? null : besideOffered(el);
  const picked = role === 'listbox' && !el.matches(`select,${OPENERS}`) ? pickedIn(el) : null;
  const value = isSecret(el) ? HIDDEN_VALUE : picked !== null ? picked : apart !== null ? apart || typed : valueOf(el, role) ?? (typed || clean(textOf(el)));
  const check = CHECKABLE.has(role) ? checkedOf(el) : null;
  return { here: true, seen: inSight(el), role, name: nameOf(el, role).slice(0, 300), value: String(value ?? '').slice(0, 5000), secret: isSecret(el), checked: check, mixed: isMixed(el),
    invalid: el.getAttribute('aria-invalid') === 'true' || el.matches(':user-invalid') || Boolean(el.validity && el.value && !el.validity.valid),
    selected: el.selected === true || ['aria-selected', 'aria-checked', 'aria-current', 'aria-pressed'].some((name) => /^(true|date|page)$/.test(el.getAttribute(name) || ''))
      || el.checked === true || /(^|[\s_-])(selected|checked|chosen)/i.test(el.getAttribute('class') || ''),
    expanded: el.getAttribute('aria-expanded') };
}

// What is selected in a list of options: its other options are no value.
const pickedIn = (el) => everything('[role=option]', el).filter((one) => ['aria-selected', 'aria-checked'].some((name) => one.getAttribute(name) === 'true')).map((one) => offer(one).name).join(', ');

// The text of a control without the open list inside it; null when there is no such list. Offered options are not
// selected yet.
function besideOffered(el) {
  const open = offeredLists().filter((list) => list !== el && within(list, el) && inSight(list)
    && (list.matches('[role=listbox],[role=menu]') || listed.some((one) => list.contains(one.el) && inSight(one.el))));
  return open.length ? clean(leavesOf(el).filter((node) => !open.some((list) => list.contains(node))).map((node) => node.data).join(' ')) : null;
}

const offeredLists = () => [...new Set(listed.map((one) => one.el.closest('[role=listbox],[role=menu]') || one.el.parentElement))].filter(Boolean);

function onlyOne(el, css) {
  const found = [...el.querySelectorAll(css)].filter((one) => inSight(one));
  return found.length === 1 ? found[0] : null;
}

// The text next to a control: chips beside an input, a caption that names the selection.
function aroundOf(id, n, searchId) {
  const el = elementOf(id, n);
  if (!el) return '';
  let up = el;
  for (let step = 0; step < 3 && up.parentElement && clean(textOf(up.parentElement)).length < 400; step += 1) up = up.parentElement;
  // What was typed to find an option is no choice; what the control itself holds is its value.
  const search = (held.get(searchId) || [])[0];
  const values = [...up.querySelectorAll('input,textarea')].filter((one) => one !== el && !(search && search.el === one) && !isSecret(one) && one.type !== 'hidden').map((one) => one.value);
  const lists = offeredLists().filter((list) => !within(el, list));
  const texts = leavesOf(up).filter((node) => !lists.some((list) => list.contains(node))).map((node) => node.data);
  return clean([...texts, ...values].join(' ')).slice(0, 2000);
}

// The part of a composite that accepts text or a file.
function partOf(id, n, asId, kind) {
  const el = elementOf(id, n);
  if (!el) return { count: 0 };
  const css = kind.startsWith('file') ? 'input[type=file]' : 'input:not([type=hidden]):not([type=button]):not([type=submit]),textarea,[contenteditable=""],[contenteditable=true]';
  const fits = (one) => kind.startsWith('file') || inSight(one) && isEditable(one);
  let found = el.matches(css) ? [el] : el.localName === 'label' && el.control && el.control.matches(css) ? [el.control] : everything(css, el).filter(fits);
  if (!found.length && rootOf(el)) found = everything(css, rootOf(el)).filter(fits);
  // A drop zone and its hidden field are often siblings.
  for (let up = el.parentElement, step = 0; kind === 'file near' && !found.length && up && step < 4; up = up.parentElement, step += 1) found = everything(css, up);
  keepElements(asId, found);
  return { count: found.length };
}

// Stores what is visible now, to find later what appeared.
const marks = new Map();
function mark(id) {
  const seen = new Set();
  for (const el of everything('*')) if (inSight(el)) seen.add(el);
  marks.set(id, seen);
  if (marks.size > 4) marks.delete(marks.keys().next().value);
  return { count: seen.size };
}

// The outermost elements that are visible now and were not at the mark.
function cameUp(id) {
  const before = marks.get(id);
  if (!before) return [];
  const fresh = everything('*').filter((el) => !before.has(el) && !SILENT.has(el.localName) && inSight(el));
  const all = new Set(fresh);
  return fresh.filter((el) => { for (let up = upFrom(el); up; up = upFrom(up)) if (all.has(up)) return false; return true; });
}

function sights(id) {
  const before = marks.get(id) || new Set();
  const came = cameUp(id);
  let left = 0;
  for (const el of before) if (!el.isConnected || !inSight(el)) left += 1;
  return { came: came.length, left, texts: came.map((el) => clean(textOf(el)).slice(0, 200)).filter(Boolean).slice(0, 5) };
}

// Scrolls the open dialog, else the page, else the largest scrollable element in view.
function glide(dy) {
  const page = pageScroller();
  const locked = [document.documentElement, document.body].some((el) => el && /hidden|clip/.test(getComputedStyle(el).overflowY) && page.scrollHeight - innerHeight > 1);
  const modal = everything('dialog[open],[role=dialog],[role=alertdialog],[aria-modal=true]').filter((el) => inSight(el) && meetsMiddle(el)).pop();
  const scroller = modal && widest(modal) || (page.scrollHeight - innerHeight > 1 && !locked ? page : widest(null)) || page;
  const before = scroller.scrollTop;
  scroller.scrollBy({ top: dy, behavior: 'instant' });
  return { ...whereOf(scroller), moved: scroller.scrollTop - before,
    what: scroller === page ? '' : entitled(scroller).slice(0, 60), alone: scroller !== page || page.scrollHeight - innerHeight > 1 };
}

const pageScroller = () => document.scrollingElement || document.documentElement;

// Where a scroller is; `visible`: how much of it can be seen at a time.
function whereOf(scroller) {
  const visible = scroller === pageScroller() ? innerHeight : scroller.clientHeight;
  return { y: scroller.scrollTop, max: Math.max(0, scroller.scrollHeight - visible), visible };
}

function meetsMiddle(el) {
  const box = el.getBoundingClientRect();
  const top = topAt(Math.min(Math.max(box.left + box.width / 2, 1), innerWidth - 1), Math.min(Math.max(box.top + box.height / 2, 1), innerHeight - 1));
  return Boolean(top) && within(top, el);
}

function widest(root) {
  let best = null;
  let most = 0;
  for (const el of [...root ? [root] : [], ...everything('*', root || document)]) {
    if (el.scrollHeight - el.clientHeight < 2 || el.clientHeight < 40 || scrollsAsThePage(el)) continue;
    if (!/auto|scroll|overlay/.test(getComputedStyle(el).overflowY) || !inSight(el)) continue;
    const box = el.getBoundingClientRect();
    const area = Math.max(0, Math.min(box.right, innerWidth) - Math.max(box.left, 0)) * Math.max(0, Math.min(box.bottom, innerHeight) - Math.max(box.top, 0));
    if (area > most && el.localName !== 'textarea' && el.localName !== 'select') { best = el; most = area; }
  }
  return best;
}

// The body is the scroller when the root element sets its own overflow.
const scrollsAsThePage = (el) => el === document.documentElement || el === pageScroller() || el === document.body && getComputedStyle(document.documentElement).overflowY === 'visible';

// The slider or spin button that an element is, or the only one in it; `asId` then stores it.
const STEPPED = 'input[type=range],[role=slider],[role=spinbutton]';
function stepped(id, n, asId) {
  const el = elementOf(id, n);
  const found = !el ? [] : el.matches(STEPPED) || roleOf(el) === 'spinbutton' ? [el] : everything(STEPPED, el).filter((one) => one.checkVisibility({ visibilityProperty: true }));
  keepElements(asId, found.length === 1 ? found : []);
  if (found.length !== 1) return {};
  const [one] = found;
  const range = rangeOf(one);
  return { found: true, own: one.matches('input'), disabled: one.matches(':disabled') || ['aria-disabled', 'aria-readonly'].some((name) => one.getAttribute(name) === 'true'),
    now: range.now, low: range.low, high: range.high, text: String(valueOf(one, roleOf(one)) ?? '').slice(0, 300) };
}

function rangeOf(el) {
  const number = (text) => text === null || text === '' || !Number.isFinite(Number(text)) ? null : Number(text);
  const said = (name) => number(el.getAttribute(`aria-value${name}`));
  if (el.localName !== 'input') return { now: said('now'), low: said('min'), high: said('max') };
  const bound = (name) => number(el.getAttribute(name)) ?? said(name);
  if (el.type === 'range') return { now: Number(el.value), low: bound('min') ?? 0, high: bound('max') ?? 100 };
  return { now: number(el.value) ?? said('now'), low: bound('min'), high: bound('max') };
}

// For a control that is hidden in what is drawn for it, such as a slider in its handle: the drawing.
const drawnFor = (el) => el.localName === 'input' && drawingOf(el) || el;

// Where the handle of a slider is. A small slider is its own handle; a wide one has it where its value is: it runs
// from one end to the other, less its own width.
const THUMB_PX = 16, WIDEST_THUMB_PX = 60;
function thumbOf(id, n, asId) {
  if (!stepped(id, n, asId).found) return {};
  const el = elementOf(asId, 0);
  if (roleOf(el) === 'spinbutton') return {};
  show(el);
  const drawn = drawnFor(el);
  const box = drawn.getBoundingClientRect();
  const at = (x, y) => { const top = topAt(x, y); return top && (meets(top, drawn) || within(el, top) && top !== document.body && top !== document.documentElement) ? { x, y } : {}; };
  const middle = { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  const long = Math.max(box.width, box.height);
  if (!box.width || !box.height) return {};
  if (long <= WIDEST_THUMB_PX && long < 2 * Math.min(box.width, box.height)) return at(middle.x, middle.y);
  const { now, low, high } = rangeOf(el);
  if (now === null) return {};
  const style = getComputedStyle(el);
  const isUpright = box.height > box.width;
  let share = (high ?? 100) > (low ?? 0) ? (now - (low ?? 0)) / ((high ?? 100) - (low ?? 0)) : 0.5;
  // A native slider that stands upright grows downwards unless it is turned round, others grow upwards.
  if (isUpright && el.type !== 'range' ? true : style.direction === 'rtl') share = 1 - share;
  const along = (from, length) => from + THUMB_PX / 2 + share * (length - THUMB_PX);
  const spot = isUpright ? { x: middle.x, y: along(box.top, box.height) } : { x: along(box.left, box.width), y: middle.y };
  const handle = everything('*', el).find((one) => { const own = one.getBoundingClientRect(); return own.width > 4 && own.height > 4 && Math.max(own.width, own.height) <= WIDEST_THUMB_PX
    && Math.abs(own.left + own.width / 2 - spot.x) <= THUMB_PX && Math.abs(own.top + own.height / 2 - spot.y) <= THUMB_PX; });
  if (!handle) return at(spot.x, spot.y);
  const own = handle.getBoundingClientRect();
  return at(own.left + own.width / 2, own.top + own.height / 2);
}

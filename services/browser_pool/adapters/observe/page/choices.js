// The options that a control offers, wherever in the document they are shown.

const OPTION_CSS = '[role=option],[role=menuitem],[role=menuitemradio],[role=menuitemcheckbox],[role=treeitem],[role=radio],[role=tab],input[type=radio],input[type=checkbox],[role=checkbox],[role=switch]';
const HOLDERS = new Set(['listbox', 'menu', 'menubar', 'radiogroup', 'tree', 'tablist', 'group', 'list', 'grid', 'form', 'toolbar']);
const OPENERS = '[aria-haspopup],[aria-expanded],[role=combobox]';
// A field that wants no keyboard shows a choice.
const FILTERS = 'input:not([inputmode=none]):not([type=hidden]):not([type=button]):not([type=submit]):not([type=checkbox]):not([type=radio]),textarea,[contenteditable=true]';
const SAYS_LOADING = /^(loading|searching|please wait|fetching|lädt|suche|chargement|recherche|cargando|buscando)( \w+)?\s*(\.{2,3}|…)?$/i;
const SAYS_NONE = /^(no|0|zero) (results?|options?|match(es)?|data|items?|records?|entries|suggestions?)( (were |was )?(found|available))?[.!]?$/i;
const SUBMENUS = new Set(['menu', 'tree']), NESTED_ITEMS = new Set([...SUBMENUS, 'group', 'treeitem', 'menuitem']);
let listed = [];

function choices(id, n, markId, asId) {
  const el = elementOf(id, n);
  if (!el) return { kind: 'gone', items: [] };
  const kind = kindOf(el);
  const roots = rootsFor(el, kind, markId);
  if (kind === 'datalist') {
    const known = [...el.list.options].map((one) => ({ name: clean(one.label || one.value), parts: [clean(one.value)], disabled: one.disabled }));
    return { kind, opened: true, items: known.slice(0, 2000) };
  }
  listed = offered(roots);
  const search = [el, ...roots].map((root) => filterIn(root)).find(Boolean);
  // The only thing that a search brought; "No data" may well be an option of a list that nobody has searched.
  if (listed.length === 1 && search && search.value && SAYS_NONE.test(listed[0].told.name)) listed = [];
  keepElements(asId, listed.map((one) => one.el));
  keepElements(`${asId}s`, search ? [search] : []);
  const many = [el, ...roots].some((root) => root.getAttribute('aria-multiselectable') === 'true') || listed.some((one) => one.el.matches('input[type=checkbox],[role=checkbox],[role=menuitemcheckbox]'));
  return { kind, many, search: Boolean(search), opened: roots.length > 0, loading: roots.some(loads), items: listed.slice(0, 2000).map((one) => one.told) };
}

function kindOf(el) {
  if (el.localName === 'input' && el.list) return 'datalist';
  const role = roleOf(el);
  if (el.matches('input[type=radio],[role=radio]')) return 'inside';
  if (el.matches(OPENERS) && !(HOLDERS.has(role) && role !== 'group')) return 'opens';
  const holds = HOLDERS.has(role) || ['fieldset', 'ul', 'ol', 'nav', 'form', 'table'].includes(el.localName);
  if (holds && offered([el]).length > (role === 'list' || role === 'form' ? 0 : 1)) return 'inside';
  return INTERACTIVE.has(role) || isEditable(el) ? 'opens' : everything(OPTION_CSS, el).filter(inSight).length > 1 ? 'inside' : 'opens';
}

function rootsFor(el, kind, markId) {
  if (kind === 'inside') return [el.matches('input[type=radio],[role=radio]') ? groupOf(el) : el];
  const named = [...new Set(controlledBy(el).map((list) => inSight(list) ? list : floatAround(list, el)))].filter(Boolean);
  if (named.some((root) => offered([root]).length)) return withSubmenus(named);
  const came = markId ? cameUp(markId).filter((root) => root !== el && !within(el, root)) : [];
  const roots = [...named, ...came.filter((root) => !named.some((other) => within(root, other)) && !root.matches(ANNOUNCES) && !isForReaders(root))];
  // A hint or a notice that came up together with a list offers nothing.
  const lists = roots.filter((root) => root.matches(`${LISTS_OPTIONS},${OPTION_CSS}`) || everything(`${LISTS_OPTIONS},${OPTION_CSS}`, root).some(inSight));
  return lists.length ? lists : roots.length ? roots : openBeside(el);
}
const LISTS_OPTIONS = '[role=listbox],[role=menu],[role=tree]';
const ANNOUNCES = '[role=status],[role=alert],[role=tooltip],[role=log],[aria-live=polite],[aria-live=assertive]';

// A list that was open before the mark: it floats, touches the control, and is no other control's.
function openBeside(el) {
  const own = el.getBoundingClientRect();
  const others = everything('[aria-controls],[aria-owns]').filter((one) => !within(one, el) && !within(el, one)).flatMap(controlledBy);
  return everything(LISTS_OPTIONS).filter((list) => {
    if (!inSight(list) || within(el, list) || within(list, el) || inAny(list, others) || !closestUp(list, (up) => /absolute|fixed/.test(getComputedStyle(up).position))) return false;
    const box = list.getBoundingClientRect();
    const apart = Math.min(Math.abs(box.top - own.bottom), Math.abs(own.top - box.bottom));
    return apart < 24 && box.left < own.right + 100 && box.right > own.left - 100;
  });
}

// Announcements for screen readers are kept where nobody sees them.
const isForReaders = (root) => closestUp(root, (up) => isOutOfSight(up, facts(up))) !== null;

// With the menus that open items of these menus control, wherever they are drawn.
function withSubmenus(menus) {
  const all = [...menus];
  for (const menu of all) for (const item of everything('[role=menuitem][aria-expanded=true]', menu)) all.push(...controlledBy(item).filter((sub) => inSight(sub) && !all.includes(sub)));
  return all;
}

// The pop-up in which a list for screen readers is hidden, beside the one that is seen.
function floatAround(list, el) {
  const float = closestUp(list, (up) => /absolute|fixed/.test(getComputedStyle(up).position));
  return float && float !== list && inSight(float) && !within(el, float) ? float : null;
}

function groupOf(el) {
  const same = (root) => [...root.querySelectorAll('input[type=radio],[role=radio]')];
  const mine = el.name ? same(el.getRootNode()).filter((one) => one.name === el.name && one.form === el.form) : null;
  for (let up = el.parentElement; up; up = up.parentElement) {
    if (mine ? mine.every((one) => up.contains(one)) : same(up).length > 1) return up;
  }
  return el;
}

function controlledBy(el) {
  const parts = [el, ...el.querySelectorAll(OPENERS), closestUp(el, (one) => one !== el && one.matches('[role=combobox]'))].filter(Boolean);
  const ids = parts.flatMap((one) => ['aria-controls', 'aria-owns'].flatMap((name) => (one.getAttribute(name) || '').split(/\s+/))).filter(Boolean);
  return [...new Set(ids)].map((one) => el.getRootNode().getElementById ? el.getRootNode().getElementById(one) || document.getElementById(one) : null).filter(Boolean);
}

// Elements with an option role, else separate pieces of text.
function offered(roots) {
  const said = roots.flatMap((root) => [root, ...slotted(root)]).flatMap((root) => [...root.matches(OPTION_CSS) ? [root] : [], ...everything(OPTION_CSS, root)]).filter((el) => inSight(el) || el.matches('input') && labelsOf(el).some(inSight));
  const elements = said.length ? [...new Set(said)] : roots.flatMap((root) => piecesOf(root));
  return elements.map((el) => ({ el, told: offer(el) })).filter((one) => one.told.name && !SAYS_LOADING.test(one.told.name));
}

// A list in a shadow tree shows slotted content from outside.
function slotted(root) {
  const slots = [...root.localName === 'slot' ? [root] : [], ...everything('slot', root)];
  return slots.flatMap((slot) => slot.assignedElements({ flatten: true })).filter((el) => !root.contains(el));
}

function offer(el) {
  const role = roleOf(el);
  const nested = role === 'treeitem' || role === 'menuitem' ? NESTED_ITEMS : SUBMENUS;
  const name = el.matches('input') ? nameOf(el, role) : clean(el.getAttribute('aria-label') || textOf(el, nested) || nameOf(el, role));
  const parts = el.childElementCount && el.childElementCount < 20 ? leavesOf(el).filter((one) => closestUp(one, (up) => up === el || up.nodeType === Node.ELEMENT_NODE && nested.has(roleOf(up))) === el).map((one) => clean(one.data)).filter((text) => text && text !== name) : [];
  return { name: name.slice(0, 300), parts: [...new Set(parts)].slice(0, 6).map((text) => text.slice(0, 300)),
    disabled: el.matches(':disabled') || el.getAttribute('aria-disabled') === 'true' || /(^|[\s_-])disabled([\s_-]|$)/i.test(el.getAttribute('class') || ''),
    selected: el.checked === true || el.getAttribute('aria-selected') === 'true' || el.getAttribute('aria-checked') === 'true',
    marks: el.matches('input,[aria-selected],[aria-checked],[role=radio],[role=checkbox],[role=option]'),
    more: el.getAttribute('aria-haspopup') === 'true' || el.getAttribute('aria-haspopup') === 'menu' };
}

function leavesOf(root) {
  const found = [];
  const visit = (node) => {
    for (const child of childrenOf(node)) {
      if (child.nodeType === Node.TEXT_NODE) { if (child.data.trim()) found.push(child); } else if (child.nodeType === Node.ELEMENT_NODE && !SILENT.has(child.localName) && inSight(child)) visit(child);
    }
  };
  visit(root);
  return found;
}

// Each text with the largest element that contains nothing else.
function piecesOf(root) {
  const found = new Set();
  for (const text of leavesOf(root)) {
    let el = text.parentElement || text.parentNode.host;
    const words = clean(textOf(el));
    const canRise = () => el !== root && el.parentElement && within(el.parentElement, root);
    while (canRise() && clean(textOf(el.parentElement)) === words) el = el.parentElement;
    // Texts side by side in one of several rows are one choice.
    if (canRise() && !isRow(el) && isRow(el.parentElement) && el.parentElement !== root) el = el.parentElement;
    if (!el.matches('input,textarea,select,label[for]')) found.add(el);
  }
  return [...found];
}

function isRow(el) {
  const top = el.getBoundingClientRect().top;
  return [...el.parentElement ? el.parentElement.children : []].some((other) => other !== el && other.localName === el.localName
    && Math.abs(other.getBoundingClientRect().top - top) > 4);
}

// The element to press for option `n`: itself, or the piece of it that was named.
function aim(asId, n, text) {
  const el = elementOf(asId, n);
  if (!el) return { here: false };
  const same = (other) => clean(other).toLowerCase() === clean(text).toLowerCase();
  const leaf = same(offer(el).name) ? null : leavesOf(el).find((one) => same(one.data));
  keepElements(`${asId}p`, [leaf ? leaf.parentElement || el : el]);
  return { here: true };
}

// What opens a closed item of a tree, where that is apart from what picks it.
const OPENING_SIGN = 'button,[role=button],[class*=toggle i],[class*=expand i],[class*=switcher i],[class*=twist i],[class*=chevron i],[class*=caret i],[class*=arrow i]';
function signOf(asId, n) {
  const el = elementOf(asId, n);
  if (!el || roleOf(el) !== 'treeitem' || el.getAttribute('aria-expanded') !== 'false') return { here: false };
  const own = everything(OPENING_SIGN, el).filter((one) => inSight(one) && closestUp(one, (up) => up === el || NESTED_ITEMS.has(roleOf(up))) === el && !clean(textOf(one)));
  const outermost = own.filter((one) => !own.some((other) => other !== one && within(one, other)));
  keepElements(`${asId}t`, outermost.slice(0, 1));
  return { here: outermost.length === 1 };
}

function filterIn(root) {
  if (root.matches(FILTERS)) return isEditable(root) ? root : null;
  return everything(FILTERS, root).find((one) => isEditable(one) && inSight(one) && one.getBoundingClientRect().width > 2) || null;
}

function loads(root) {
  return root.getAttribute('aria-busy') === 'true' || root.querySelector('[aria-busy=true],[role=progressbar],progress') !== null
    || leavesOf(root).some((node) => SAYS_LOADING.test(clean(node.data)));
}

// Scrolls a list that shows only some of its options, and tells what it has drawn. `how`: top; down, once it has drawn
// something else than when it was scrolled last; on, in any case; back, where it was then. The last option that is drawn
// comes to the top, so it is still drawn then: where it is not, the list is `apart`, and some may not have been drawn at
// all. `blank`: what is drawn is of another place, as the page has not drawn yet what was scrolled to.
let longList = null, stoodAt = 0, drawnThen = [], lowestThen = '', begins = false, skips = false;
function scrollChoices(asId, how) {
  if (how === 'top') return scrollToTop();
  if (!longList || !longList.isConnected) longList = choiceScroller();
  if (!longList) return { here: false };
  if (how === 'back') { longList.scrollTop = stoodAt; return { here: true }; }
  const drawn = offered([longList]);
  const names = drawn.map((one) => one.told.name);
  const box = longList.getBoundingClientRect();
  const tops = drawn.map((one) => one.el.getBoundingClientRect());
  const shows = tops.some((at) => at.bottom > box.top && at.top < box.bottom);
  const blank = drawn.length > 0 && !shows;
  const fresh = !blank && names.join('\n') !== drawnThen.join('\n');
  const seen = { here: true, fresh, blank, loading: loads(longList), items: drawn.slice(0, 5000).map((one) => one.told) };
  if (!fresh && how !== 'on') return { ...seen, moved: 0 };
  const apart = fresh && (skips ? !drawnThen.every((name) => names.includes(name)) : lowestThen !== '' && !names.includes(lowestThen));
  skips = !fresh && (begins || blank);
  begins = false;
  const last = Math.max(...tops.map((at) => at.top));
  drawnThen = names;
  lowestThen = names[tops.findIndex((at) => at.top === last)] || '';
  stoodAt = longList.scrollTop;
  longList.scrollTop = stoodAt + Math.max(20, shows ? last - box.top : longList.clientHeight * 0.8);
  return { ...seen, apart, moved: longList.scrollTop - stoodAt };
}

// What was drawn further down is not what it begins with.
function scrollToTop() {
  longList = choiceScroller();
  [drawnThen, lowestThen, begins, skips] = [[], '', true, false];
  if (longList && longList.scrollTop > 0) { drawnThen = offered([longList]).map((one) => one.told.name); longList.scrollTop = 0; }
  return { here: longList !== null };
}

// A list with a scroll bar of its own hides the browser's.
function choiceScroller() {
  const first = listed.map((one) => one.el).find((el) => el.isConnected);
  const scrolls = (how) => first && closestUp(first, (el) => el.scrollHeight > el.clientHeight + 2 && how.test(getComputedStyle(el).overflowY) && el !== document.body && el !== document.documentElement);
  return scrolls(/auto|scroll|overlay/) || scrolls(/hidden/) || null;
}

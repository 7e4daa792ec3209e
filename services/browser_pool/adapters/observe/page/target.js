// The element an action is about to act on: found by text or CSS, described, and checked to be still the same.

const EDITABLE = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton', 'slider']);
// Fields that offer options while one types.
const OFFERS = '[role=combobox],[aria-autocomplete=list],[aria-autocomplete=both],input[aria-haspopup=listbox],input[list]';
const TEST_IDS = ['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa'];

function candidates() {
  const found = [];
  for (const el of everything('*')) {
    if (SILENT.has(el.localName) || el.type === 'hidden' || !el.checkVisibility({ visibilityProperty: true, opacityProperty: false }) || el.localName === 'select' && outOfReach(el)) continue;
    let role = roleOf(el);
    const at = { pointer: el.parentElement !== null && facts(el.parentElement).pointer };
    if (!INTERACTIVE.has(role) && seemsClickable(el, role, facts(el), at, null)) role = 'button';
    found.push({ el, role });
  }
  return found;
}

// A hidden list that only stores the value of the widget shown in its place.
const outOfReach = (el) => !el.checkVisibility(SEEN) && getComputedStyle(el).pointerEvents === 'none';

const LEVELS = [(a, b) => a === b, (a, b) => a.toLowerCase() === b.toLowerCase(), (a, b) => a.toLowerCase().includes(b.toLowerCase())];

// Matches of `text`, best level first: exact, then but for case, then as a part. Of nested matches only the
// innermost counts, and one that can be acted on comes before one that cannot.
function find(id, text, intent) {
  const wanted = clean(text);
  const all = candidates();
  for (const one of all) one.name = nameFor(one);
  for (let level = 0; level < LEVELS.length && wanted; level += 1) {
    const matching = all.filter((one) => one.name && LEVELS[level](one.name, wanted));
    const best = narrow(preferred(inFront(matching), intent), level);
    if (best.length) return remember(id, best, level);
  }
  const near = inFront(all.filter((one) => INTERACTIVE.has(one.role) && one.role !== 'option' && one.name));
  return { level: 9, items: [], nearby: near.slice(0, 20).map((one) => `${one.role} "${one.name.slice(0, 80)}"`), more: Math.max(0, near.length - 20) };
}

function nameFor(one) {
  if (INTERACTIVE.has(one.role)) return nameOf(one.el, one.role);
  if (one.el.childElementCount > 20 || one.el === document.body || one.el === document.documentElement) return '';
  return clean(one.el.getAttribute('aria-label') || nativeName(one.el) || (one.el.textContent.length < 2000 ? textOf(one.el) : ''));
}

// Without what lies behind a modal dialog, unless there is nothing else: nobody can press it while the dialog is open.
function inFront(matching) {
  const inert = everything('dialog:modal');
  const modals = everything('[aria-modal=true]').filter((one) => one.checkVisibility(SEEN));
  const isOutside = (el, dialogs) => dialogs.length > 0 && !dialogs.some((one) => within(el, one));
  // A list that a dialog opens may be outside of it; it is not covered.
  const isBehind = (el) => closestUp(el, (up) => up.matches('[inert],[aria-hidden=true]')) || isOutside(el, inert) || isOutside(el, modals) && isCovered(el);
  const front = matching.filter((one) => !isBehind(one.el));
  return front.length ? front : matching;
}

function isCovered(el) {
  const box = el.getBoundingClientRect();
  const top = topAt(box.left + box.width / 2, box.top + box.height / 2);
  return top !== null && !within(top, el) && !within(el, top);
}

function preferred(matching, intent) {
  const fits = matching.filter((one) => intent === 'edit' ? EDITABLE.has(one.role) || one.el.isContentEditable
    : intent === 'select' ? one.el.localName === 'select' : intent === 'act' && INTERACTIVE.has(one.role) && one.role !== 'option');
  return fits.length ? fits : matching;
}

function narrow(matching, level) {
  const elements = new Set(matching.map((one) => one.el));
  const outer = new Set();
  for (const el of elements) for (let up = upFrom(el); up; up = upFrom(up)) if (elements.has(up)) outer.add(up);
  for (const el of elements) if (el.localName === 'label' && elements.has(el.control)) outer.add(el);
  // A field and the list that it opens often have the same name: the field is meant.
  for (const el of elements) if (el.matches('[role=combobox],input,button')) for (const list of controlledBy(el)) if (elements.delete(list)) outer.delete(list);
  // Of a link and the bold word in it the link is meant; of a list and its item, the item.
  return matching.filter((one) => elements.has(one.el) && (!outer.has(one.el) && !(!INTERACTIVE.has(one.role) && one.el.parentElement
    && elements.has(one.el.parentElement.closest('a[href],button,[role=button],label'))) || INTERACTIVE.has(one.role) && level === 0 && !hasInner(one.el, matching)));
}

function hasInner(el, matching) {
  return matching.some((other) => other.el !== el && within(other.el, el) && INTERACTIVE.has(other.role));
}

function remember(id, found, level) {
  keep(id, found.map((one) => ({ el: one.el, role: one.role, name: one.name })));
  return { level, items: found.slice(0, 20).map((one) => summary(one)), count: found.length };
}

function summary(one) {
  const record = recordOf(one.el);
  const around = record && clean(textOf(record));
  return `${one.role || one.el.localName} "${one.name.slice(0, 80)}"${around && around !== one.name ? ` in "${around.slice(0, 80)}"` : ''}`;
}

function findCss(id, css) {
  let found;
  try { found = everything(css); } catch (error) { return { level: 9, items: [], error: error.message }; }
  keep(id, found.map((el) => ({ el, role: roleOf(el), name: null })));
  return { level: 0, items: found.slice(0, 20).map((el) => summary({ el, role: roleOf(el), name: clean(nameOf(el, roleOf(el)) || textOf(el)) })), count: found.length };
}

// The element of a ref, or null when it is gone or has another identity.
function resolve(id, n) {
  const item = (snapshots.get(id) || held.get(id) || [])[n];
  if (!item || !item.el.isConnected || item.el.ownerDocument !== document) return null;
  if (item.nodes && !item.nodes.some((node) => node.isConnected)) return null;
  return item;
}

function describe(id, n) {
  const item = resolve(id, n);
  if (!item) return { gone: 'it is no longer on the page' };
  begin();
  const { el } = item;
  const subject = item.control || el;
  let role = roleOf(subject);
  // Actors by trace (see seemsClickable) and pieces of text keep the role they were shown with.
  if (item.role === 'button' && !INTERACTIVE.has(role) || item.nodes) role = item.role;
  const name = item.nodes ? clean(item.nodes.filter((node) => node.isConnected).map((node) => saidWith(node, item.el)).join('')) : nameOf(subject, role);
  if (INTERACTIVE.has(item.role) && item.name !== null && !item.control && !sameThing(item, role, name)) {
    return { gone: `it was ${item.role} "${item.name.slice(0, 80)}" and is now ${role} "${name.slice(0, 80)}"` };
  }
  if (!sameSurroundings(item)) return { gone: 'it now belongs to another record' };
  const rect = item.role === 'img' ? drawnRect(el) : el.getBoundingClientRect();
  return {
    role: role || el.localName, name: name.slice(0, 300), tag: subject.localName, type: subject.getAttribute('type') || '', path: tagPath(el),
    text: isSecret(subject) ? HIDDEN_VALUE : item.nodes ? name : valueOf(subject, role) ?? readable(subject),
    editable: isEditable(subject), offers: subject.matches(OFFERS) || everything(OFFERS, subject).length > 0, numeric: role === 'spinbutton' || /^(numeric|decimal)$/.test(subject.inputMode), secret: isSecret(subject), checkable: CHECKABLE.has(role), checked: CHECKABLE.has(role) ? checkedOf(subject) : null, mixed: isMixed(subject),
    disabled: subject.matches(':disabled') || subject.getAttribute('aria-disabled') === 'true',
    selected: subject.localName === 'select' ? [...subject.selectedOptions].map((one) => clean(one.label)) : [],
    options: subject.localName === 'select' ? [...subject.options].map((one) => [clean(one.label), one.value, one.disabled]) : [],
    box: [rect.left + scrollX, rect.top + scrollY, rect.width, rect.height].map((x) => Math.round(x * 10) / 10),
    locators: locatorsOf(item, role, name), ...pageState(),
  };
}

// Changes from here on count as effects of the action.
function begin() { acting = true; begun = true; news = []; }

// A container reported as clickable has only the beginning of its text as its name.
function sameThing(item, role, name) {
  if (item.role !== role) return false;
  return item.name === name || item.name === containerWords(item.el)
    || item.name === look(item.el, role, name);
}

function isEditable(el) {
  if (el.matches(':disabled') || el.readOnly || el.getAttribute('aria-readonly') === 'true') return false;
  if (el.localName === 'input') return !/^(button|submit|reset|image|checkbox|radio|file|color|range|hidden)$/.test(el.type);
  return el.localName === 'textarea' || el.isContentEditable;
}

function readable(el) {
  return el.innerText === undefined ? clean(el.textContent) : el.innerText.trim();
}

function tagPath(el) {
  let path = paths.get(el);
  if (path === undefined) {
    const up = el.parentElement || el.getRootNode().host;
    path = up ? `${tagPath(up)}>${el.localName}` : el.localName;
    paths.set(el, path);
  }
  return path;
}

// Locators of one element, each with its present number of matches.
function locatorsOf(item, role, name) {
  const el = item.control || item.el;
  const found = [];
  const add = (kind, value, css) => found.push([kind, value, everything(css).length]);
  if (el.id) add('id', `#${CSS.escape(el.id)}`, `#${CSS.escape(el.id)}`);
  const test = testId(el);
  if (test) add('testid', test, test);
  if (role && name) {
    const same = everything('*').filter((one) => roleOf(one) === role && nameOf(one, role) === name && one.checkVisibility());
    if (same.length) found.push(['role', roleLocator(role, name), same.length]);
  }
  const own = labelsOf(el);
  if (own.length) {
    const label = clean(textOf(own[0], CONTROLS_TEXT));
    found.push(['label', label, everything('label').filter((one) => clean(textOf(one, CONTROLS_TEXT)) === label).length]);
  }
  const text = el.textContent.length < 300 ? clean(el.textContent) : '';
  if (text) found.push(['text', text, everything(el.localName).filter((one) => one.textContent.length < 2000 && clean(one.textContent) === text).length]);
  const path = cssPath(el);
  found.push(['css', path, el.getRootNode().querySelectorAll(path).length]);
  return found;
}

const roleLocator = (role, name) => `role=${role}[name=${JSON.stringify(name)}]`;

function testId(el) {
  for (const attribute of TEST_IDS) {
    const value = el.getAttribute(attribute);
    if (value) return `[${attribute}=${JSON.stringify(value)}]`;
  }
  return null;
}

// The same for many elements at once: everything is counted in one pass over the document.
function countsOf(items) {
  const counts = new Map();
  const count = (kind, value) => { const key = `${kind}\n${value}`; counts.set(key, (counts.get(key) || 0) + 1); };
  for (const one of everything('*')) {
    if (one.id) count('id', one.id);
    if (one.hasAttributes()) { const test = testId(one); if (test) count('testid', test); }
    if (one.localName === 'label') count('label', clean(textOf(one, CONTROLS_TEXT)));
    if (one.textContent.length < 300) { const text = clean(one.textContent); if (text) count('text', `${one.localName}\n${text}`); }
  }
  for (const item of items) if (item.name) count('role', roleLocator(item.role, item.name));
  return (kind, value) => counts.get(`${kind}\n${value}`) || 0;
}

function locatorsFrom(item, counts) {
  const el = item.control || item.el;
  const found = [];
  if (el.id) found.push(['id', `#${CSS.escape(el.id)}`, counts('id', el.id)]);
  const test = testId(el);
  if (test) found.push(['testid', test, counts('testid', test)]);
  if (item.role !== 'text' && item.name) found.push(['role', roleLocator(item.role, item.name), counts('role', roleLocator(item.role, item.name))]);
  const own = labelsOf(el);
  if (own.length) { const label = clean(textOf(own[0], CONTROLS_TEXT)); found.push(['label', label, counts('label', label)]); }
  const text = el.textContent.length < 300 ? clean(el.textContent) : '';
  if (text) found.push(['text', text, counts('text', `${el.localName}\n${text}`)]);
  // A path with an index among siblings at every step matches one element of its tree.
  found.push(['css', cssPath(el), 1]);
  return found;
}

function cssPath(el) {
  const steps = [];
  for (let up = el; up; up = up.parentElement) {
    if (up.id && up.getRootNode().querySelectorAll(`#${CSS.escape(up.id)}`).length === 1) { steps.unshift(`#${CSS.escape(up.id)}`); break; }
    const twins = up.parentElement ? [...up.parentElement.children].filter((one) => one.localName === up.localName) : [];
    steps.unshift(twins.length > 1 ? `${CSS.escape(up.localName)}:nth-of-type(${twins.indexOf(up) + 1})` : CSS.escape(up.localName));
  }
  return steps.join(' > ');
}

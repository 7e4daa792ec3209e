// The element an action is about to act on: found by text or CSS, described, and checked to be still the same.

const EDITABLE = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton', 'slider']);
const TEST_IDS = ['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa'];

function candidates() {
  const found = [];
  for (const el of everything('*')) {
    if (SILENT.has(el.localName) || el.type === 'hidden' || !el.checkVisibility({ visibilityProperty: true, opacityProperty: false })) continue;
    let role = roleOf(el);
    const outside = el.parentElement !== null && facts(el.parentElement).pointer;
    if (!INTERACTIVE.has(role) && seemsClickable(el, role, facts(el), outside)) role = 'button';
    found.push({ el, role });
  }
  return found;
}

const LEVELS = [(a, b) => a === b, (a, b) => a.toLowerCase() === b.toLowerCase(), (a, b) => a.toLowerCase().includes(b.toLowerCase())];

// Matches of `text`, best level first: exact, then but for case, then as a part. Of nested matches only the
// innermost counts, and one that can be acted on comes before one that cannot.
function find(id, text, intent) {
  const wanted = clean(text);
  const all = candidates();
  for (const one of all) one.name = nameFor(one);
  for (let level = 0; level < LEVELS.length && wanted; level += 1) {
    const matching = all.filter((one) => one.name && LEVELS[level](one.name, wanted));
    const best = narrow(preferred(matching, intent), level);
    if (best.length) return remember(id, best, level);
  }
  const near = all.filter((one) => INTERACTIVE.has(one.role) && one.role !== 'option' && one.name);
  return { level: 9, items: [], nearby: near.slice(0, 20).map((one) => `${one.role} "${one.name.slice(0, 80)}"`), more: Math.max(0, near.length - 20) };
}

function nameFor(one) {
  if (INTERACTIVE.has(one.role)) return nameOf(one.el, one.role);
  if (one.el.childElementCount > 20 || one.el === document.body || one.el === document.documentElement) return '';
  return clean(one.el.getAttribute('aria-label') || nativeName(one.el) || (one.el.textContent.length < 2000 ? textOf(one.el) : ''));
}

function preferred(matching, intent) {
  const fits = matching.filter((one) => intent === 'edit' ? EDITABLE.has(one.role) || one.el.isContentEditable
    : intent === 'select' ? one.el.localName === 'select' : intent === 'act' && INTERACTIVE.has(one.role) && one.role !== 'option');
  return fits.length ? fits : matching;
}

function narrow(matching, level) {
  const elements = new Set(matching.map((one) => one.el));
  const outer = new Set();
  for (const el of elements) for (let up = el.parentElement; up; up = up.parentElement) if (elements.has(up)) outer.add(up);
  for (const el of elements) if (el.localName === 'label' && elements.has(el.control)) outer.add(el);
  // Of a link and the bold word in it the link is meant; of a list and its item, the item.
  return matching.filter((one) => !outer.has(one.el) && !(!INTERACTIVE.has(one.role) && one.el.parentElement
    && elements.has(one.el.parentElement.closest('a[href],button,[role=button],label'))) || INTERACTIVE.has(one.role) && level === 0 && !hasInner(one.el, matching));
}

function hasInner(el, matching) {
  return matching.some((other) => other.el !== el && el.contains(other.el) && INTERACTIVE.has(other.role));
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

// The element of a ref, or null when it is gone or has become another thing.
function resolve(id, n) {
  const item = (snapshots.get(id) || [])[n];
  if (!item || !item.el.isConnected || item.el.ownerDocument !== document) return null;
  if (item.nodes && !item.nodes.some((node) => node.isConnected)) return null;
  return item;
}

function describe(id, n) {
  const item = resolve(id, n);
  if (!item) return { gone: 'it is no longer on the page' };
  acting = true;
  const { el } = item;
  let role = roleOf(el);
  // Actors by trace (see seemsClickable) and pieces of text keep the role they were shown with.
  if (item.role === 'button' && !INTERACTIVE.has(role) || item.nodes) role = item.role;
  const name = item.nodes ? clean(item.nodes.filter((node) => node.isConnected).map((node) => node.data).join('')) : nameOf(el, role);
  if (INTERACTIVE.has(item.role) && item.name !== null && !sameThing(item, role, name)) {
    return { gone: `it was ${item.role} "${item.name.slice(0, 80)}" and is now ${role} "${name.slice(0, 80)}"` };
  }
  if (item.around != null && surroundings(el) !== item.around) return { gone: 'it now belongs to another record' };
  const rect = el.getBoundingClientRect();
  return {
    role: role || el.localName, name: name.slice(0, 300), tag: el.localName, type: el.getAttribute('type') || '', path: tagPath(el),
    text: isSecret(el) ? '(hidden)' : item.nodes ? name : valueOf(el, role) ?? readable(el),
    editable: isEditable(el), secret: isSecret(el), checkable: CHECKABLE.has(role), checked: CHECKABLE.has(role) ? checkedOf(el) : null,
    disabled: el.matches(':disabled') || el.getAttribute('aria-disabled') === 'true',
    options: el.localName === 'select' ? [...el.options].map((one) => [clean(one.label), one.value, one.disabled]) : [],
    box: [rect.left + scrollX, rect.top + scrollY, rect.width, rect.height].map((x) => Math.round(x * 10) / 10),
    locators: locatorsOf(el, role, name), ...pageState(),
  };
}

// A container told as clickable carries only the beginning of its text as its name.
function sameThing(item, role, name) {
  if (item.role !== role) return false;
  return item.name === name || item.name === clean(item.el.getAttribute('aria-label') || textOf(item.el)).slice(0, item.name.length);
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
  const tags = [];
  for (let up = el; up; up = up.parentElement || (up.getRootNode() && up.getRootNode().host)) tags.push(up.localName);
  return tags.reverse().join('>');
}

function locatorsOf(el, role, name) {
  const found = [];
  const add = (kind, value, css) => found.push([kind, value, everything(css).length]);
  if (el.id) add('id', `#${CSS.escape(el.id)}`, `#${CSS.escape(el.id)}`);
  for (const attribute of TEST_IDS) {
    const value = el.getAttribute(attribute);
    if (value) { const css = `[${attribute}=${JSON.stringify(value)}]`; add('testid', css, css); break; }
  }
  const others = role && name ? everything('*').filter((one) => one.checkVisibility() && roleOf(one) === role && nameOf(one, role) === name) : [];
  if (others.length) found.push(['role', `role=${role}[name=${JSON.stringify(name)}]`, others.length]);
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

function cssPath(el) {
  const steps = [];
  for (let up = el; up; up = up.parentElement) {
    if (up.id && up.getRootNode().querySelectorAll(`#${CSS.escape(up.id)}`).length === 1) { steps.unshift(`#${CSS.escape(up.id)}`); break; }
    const twins = up.parentElement ? [...up.parentElement.children].filter((one) => one.localName === up.localName) : [];
    steps.unshift(twins.length > 1 ? `${CSS.escape(up.localName)}:nth-of-type(${twins.indexOf(up) + 1})` : CSS.escape(up.localName));
  }
  return steps.join(' > ');
}

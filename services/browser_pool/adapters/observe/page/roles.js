// What an element is and what it is called. Runs in the isolated world: the page's own scripts can
// neither see this nor replace the built-ins it uses.

const INTERACTIVE = new Set(['button', 'link', 'textbox', 'searchbox', 'checkbox', 'radio', 'combobox', 'listbox',
  'option', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'switch', 'slider', 'spinbutton', 'treeitem']);
const CHECKABLE = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio']);
// Roles whose name may be the text inside them; that text is then not told a second time.
const NAMED_BY_CONTENT = new Set(['button', 'link', 'heading', 'cell', 'gridcell', 'columnheader', 'rowheader',
  'option', 'tab', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'checkbox', 'radio', 'switch', 'treeitem',
  'listitem', 'row', 'tooltip', 'term', 'definition', 'caption', 'status', 'alert', 'note', 'text', 'clickable']);
const OTHER_ROLES = new Set(['img', 'table', 'grid', 'treegrid', 'dialog', 'alertdialog', 'progressbar', 'meter',
  'presentation', 'none', 'generic', 'log', 'timer', 'navigation', 'banner', 'main', 'region', 'list', 'group', 'form',
  'search', 'menu', 'menubar', 'tablist', 'tabpanel', 'toolbar', 'tree', 'article', 'complementary', 'contentinfo',
  'radiogroup', 'rowgroup', 'separator', 'figure', 'iframe', 'canvas']);

const INPUT_ROLE = { button: 'button', submit: 'button', reset: 'button', image: 'button', file: 'button',
  color: 'button', checkbox: 'checkbox', radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox' };
const TAG_ROLE = { button: 'button', summary: 'button', textarea: 'textbox', option: 'option', h1: 'heading',
  h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', td: 'cell', tr: 'row', li: 'listitem',
  dt: 'term', dd: 'definition', table: 'table', dialog: 'dialog', progress: 'progressbar', meter: 'meter',
  output: 'status', caption: 'caption', optgroup: 'group', iframe: 'iframe', frame: 'iframe', canvas: 'canvas', nav: 'navigation',
  p: 'paragraph', ul: 'list', ol: 'list', img: 'img', svg: 'img' };

function roleOf(el) {
  const said = el.getAttribute('role');
  if (said) for (const token of said.toLowerCase().split(/\s+/)) {
    if (token === 'image') return 'img';
    if (token === 'none') return 'presentation';
    if (INTERACTIVE.has(token) || NAMED_BY_CONTENT.has(token) || OTHER_ROLES.has(token)) return token;
  }
  const tag = el.localName;
  if (tag === 'a' || tag === 'area') return el.hasAttribute('href') ? 'link' : '';
  if (tag === 'input') return el.list ? 'combobox' : roleInWrapper(el, INPUT_ROLE[el.type] || 'textbox');
  if (tag === 'select') return el.multiple || el.size > 1 ? 'listbox' : 'combobox';
  if (tag === 'th') return el.scope === 'row' || el.scope === 'rowgroup' ? 'rowheader' : 'columnheader';
  if (TAG_ROLE[tag]) return TAG_ROLE[tag];
  return isEditingHost(el) ? 'textbox' : '';
}

// A combobox may be written as an element around its field.
function roleInWrapper(el, role) {
  if (role !== 'textbox' && role !== 'searchbox') return role;
  const around = wrapperOf(el);
  return around && roleOf(around) === 'combobox' ? 'combobox' : role;
}

function isEditingHost(el) {
  return el.isContentEditable && !(el.parentElement && el.parentElement.isContentEditable);
}

// A very long name is cut before it is normalised.
const MAX_NAME = 20000;
const clean = (text) => text.length <= MAX_NAME && !UNTIDY.test(text) ? text : withoutMarks(text.length > MAX_NAME ? text.slice(0, MAX_NAME) : text).replace(/[\s\u0000-\u001f]+/g, ' ').trim();
const UNTIDY = /[^!-~ ]|  |^ | $/;
const withoutMarks = (text) => NOT_ASCII.test(text) ? text.replace(DIGITS_APART, '$1 ').replace(UNSEEN, '') : text;
const NOT_ASCII = /[^\u0000-\u007f]/;
const DIGITS_APART = /(\d)\u2063+(?=\d)/g;
// Marks of direction, joiners of words, and where a line may break.
const UNSEEN = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g;

// `HIDDEN_VALUE` of shared/contracts/browser_pool.py.
const HIDDEN_VALUE = '(hidden)';

// A password stays one when a "show password" button turns its field into a plain one.
const secrets = new WeakSet();
function isSecret(el) {
  if (el.localName !== 'input') return false;
  if (el.type === 'password' || /(current|new)-password|one-time-code|cc-(number|csc)/.test(el.autocomplete)) secrets.add(el);
  return secrets.has(el);
}

// What is read of the page is remembered for one verb: it does not change meanwhile. A walk asks for the same again and
// again, and spends most of its time on computed styles.
const memories = [];
function memory() { const known = new Map(); memories.push(known); return known; }
function forget() { for (const known of memories) known.clear(); labels = effects = seenFrom = null; }
const remembered = memory();  // element -> how it is drawn
const texts = memory();       // roles that are left out -> element -> its text
const paths = memory();       // element -> tags of what is around it
const clips = memory();       // element -> the box out of which nothing of it can be seen
const nearest = memory();     // selector -> element -> what matches it, at or around the element
let labels = null;
const SEEN = { opacityProperty: true, visibilityProperty: true };

// How an element is drawn. Elements of one tag and class, under parents that are drawn alike, share one of these:
// properties that depend on position are read for each (see facts).
const BLANK_EM = 0.2;
class Drawn {
  constructor(el) {
    this.el = el;
    this.style = getComputedStyle(el);
    const { display } = this.style;
    this.gone = display === 'none';
    this.unseen = false;
    this.noBox = display === 'contents';
    this.inline = display === 'inline' || this.noBox || display.startsWith('inline') && !/^inline-(block|flex|grid)$/.test(display);
    this.boxed = display.endsWith('flex') || display.endsWith('grid');  // its style says in which order its parts are laid out
    this.onLine = this.inline || display === 'inline-block';
    this.alike = null;
    // Reading a style is dear: each of these is read when it is asked for, and once.
    this._cursor = this._position = this._cutAway = this._faint = this._fontPx = this._mark = undefined;
    this._overrides = this._struck = this._unstruck = this._clips = this._bold = this._framed = undefined;
    this._apartBefore = this._apartAfter = undefined;
  }

  get cursor() { return this._cursor ??= this.style.cursor; }
  get position() { return this._position ??= this.style.position; }
  get pointer() { return this.cursor === 'pointer'; }
  get grabs() { return this.cursor === 'grab' || this.cursor === '-webkit-grab'; }
  get floats() { return this.position === 'fixed' || this.position === 'sticky'; }
  // Cut down to nothing, as texts for screen readers are.
  get cutAway() {
    return this._cutAway ??= /^inset\((5\d|[6-9]\d|100)(\.\d+)?%/.test(this.style.clipPath) || /^rect\(([01]px,? ?){4}\)$/.test(this.style.clip);
  }
  // Out of the flow, so that it may be anywhere.
  get apart() { return this.position === 'absolute' || this.position === 'fixed'; }
  // Letters of no size, or without any colour.
  get faint() { return this._faint ??= this.fontPx < 1 || /^rgba\(.*, 0\)$/.test(this.style.color); }
  get fontPx() { return this._fontPx ??= parseFloat(this.style.fontSize); }
  get mark() { return this._mark ??= markByStyle(this.style, this.fontPx); }
  get overrides() { return this._overrides ??= this.style.unicodeBidi.endsWith('override'); }
  get struck() { return this._struck ??= this.style.textDecorationLine.includes('line-through'); }
  // No line that goes through what is around it goes through it.
  get unstruck() { return this._unstruck ??= this.apart || this.style.display.startsWith('inline-') || this.style.float !== 'none'; }
  get bold() { return this._bold ??= parseInt(this.style.fontWeight, 10) >= 600; }
  // Drawn as a box around its text: a background or a border of its own, and room within.
  get framed() {
    const { style } = this;
    return this._framed ??= parseFloat(style.paddingLeft) > 0 && parseFloat(style.paddingRight) > 0 && (!unpainted(style.backgroundColor)
      || parseFloat(style.borderTopWidth) > 0 && parseFloat(style.borderLeftWidth) > 0 && style.borderTopStyle !== 'none');
  }
  // Room before or behind a text in a line, as wide as a blank. That within a box that is drawn is a part of the box.
  get apartBefore() { return this._apartBefore ??= this._room('Start') > BLANK_EM * this.fontPx; }
  get apartAfter() { return this._apartAfter ??= this._room('End') > BLANK_EM * this.fontPx; }
  _room(side) {
    if (this.noBox) return 0;
    const padding = unpainted(this.style.backgroundColor) && !(parseFloat(this.style[`borderInline${side}Width`]) > 0) ? parseFloat(this.style[`paddingInline${side}`]) || 0 : 0;
    return (parseFloat(this.style[`marginInline${side}`]) || 0) + padding;
  }
  get clips() { return this._clips ??= this.style.overflowX !== 'visible' || this.style.overflowY !== 'visible'; }
}

// The document, or the shadow tree that the element is in.
const rootNodeOf = (el) => anyRoots ? el.getRootNode() : document;

// As `closest`, for what is asked of many elements that stand beside each other.
function closestTo(el, css) {
  let known = nearest.get(css);
  if (!known) { known = new Map(); nearest.set(css, known); }
  return el.matches(css) ? el : closestAbove(el, css, known);
}

function closestAbove(el, css, known) {
  const up = el.parentElement;
  if (!up) return null;
  let found = known.get(up);
  if (found === undefined) {
    found = up.matches(css) ? up : closestAbove(up, css, known);
    known.set(up, found);
  }
  return found;
}

// The browser reports them as hidden and draws them itself.
const UNDRAWN = new Set(['option', 'optgroup', 'area']);
function facts(el) {
  let known = remembered.get(el);
  if (known) return known;
  const seen = el.checkVisibility(SEEN);
  const hidden = el.hasAttributes() && (el.hasAttribute('inert') || el.getAttribute('aria-hidden') === 'true');
  known = seen && !hidden ? sharedBy(el) : new Drawn(el);
  if (hidden) known.gone = true;
  else if (!seen && !known.gone) {
    known.unseen = known.style.visibility !== 'visible';
    // An element with a box that is hidden only by contents that are not shown.
    known.gone = known.style.opacity === '0' ? !worksUnseen(el) : !known.unseen && !known.noBox && !UNDRAWN.has(el.localName);
  }
  remembered.set(el, known);
  return known;
}

function sharedBy(el) {
  const above = remembered.get(el.parentNode);
  const attributes = el.hasAttributes() ? el.attributes.length : 0;
  if (!above || attributes > 1 || attributes && !el.className) return new Drawn(el);
  if (!above.alike) above.alike = new Map();
  const key = attributes ? `${el.localName}.${el.getAttribute('class')}` : el.localName;
  let known = above.alike.get(key);
  if (!known || known.gone) { known = new Drawn(el); above.alike.set(key, known); }
  return known;
}

// `el.labels` searches the whole document anew for every element that is asked.
function labelsOf(el) {
  if (!('labels' in el) && !el.id) return NO_LABELS;
  if (rootNodeOf(el) !== document) return 'labels' in el ? [...el.labels || []] : NO_LABELS;
  if (labels === null) {
    labels = new Map();
    for (const label of document.querySelectorAll('label')) {
      // HTML does not label a <span role=combobox>, but people read it so.
      const key = label.control || label.htmlFor;
      if (key) labels.set(key, [...labels.get(key) || [], label]);
    }
  }
  return labels.get(el) || el.id && labels.get(el.id) || NO_LABELS;
}
const NO_LABELS = Object.freeze([]);

// A styled check box is often the real one at opacity 0 under its picture; it still works.
const worksUnseen = (el) => el.localName === 'input' && (/^(checkbox|radio|file)$/.test(el.type) || el.getAttribute('role') === 'combobox');

// Closed shadow roots, passed in through the browser's protocol: host -> root.
const closedRoots = new WeakMap();
let anyClosed = false;
let anyRoots = false;  // whether one has been found in this document: nothing else leads into a shadow tree
function rootOf(el) {
  const root = el.shadowRoot || (anyClosed && closedRoots.get(el)) || null;
  if (root !== null) anyRoots = true;
  return root;
}

function childrenOf(node) {
  if (node.localName === 'slot') {
    const assigned = node.assignedNodes({ flatten: true });
    if (assigned.length) return assigned;
  }
  if (node.localName === 'details' && !node.open) {
    const summary = [...node.children].find((child) => child.localName === 'summary');
    return summary ? [summary] : [];
  }
  const children = nodesIn(rootOf(node) || node);
  return children.length > 1 && facts(node).boxed ? inLaidOutOrder(node, children) : children;
}

// As `childNodes`, which takes ten times as long to iterate over.
function nodesIn(node) {
  const nodes = [];
  for (let child = node.firstChild; child; child = child.nextSibling) nodes.push(child);
  return nodes;
}

const SILENT = new Set(['script', 'style', 'noscript', 'template', 'head', 'meta', 'link', 'source', 'track', 'param',
  'datalist', 'br', 'wbr', 'audio', 'video', 'object', 'embed']);

// The text inside an element as a reader sees it. `skip` names roles whose text is left out: the value of
// a table cell is not "Jane Edit" because there is an Edit button beside the name.
function textOf(el, skip) {
  if (skip && skip.parts) return textIn(el, skip, 0);  // of one question only
  let known = texts.get(skip);
  if (!known) { known = new Map(); texts.set(skip, known); }
  let text = known.get(el);
  if (text === undefined) { text = textIn(el, skip, 0); known.set(el, text); }
  return text;
}

function textIn(node, skip, depth) {
  const type = node.nodeType;
  if (type === 3) return saidBy(node);
  if (type !== 1 || depth > 200) return '';
  const tag = node.localName;
  if (tag === 'br') return ' ';
  if (SILENT.has(tag)) return '';
  const known = facts(node);
  if (known.gone) return '';
  if (depth === 0 && node.firstElementChild === null && !rootOf(node) && !known.unseen && tag !== 'slot' && node.firstChild === node.lastChild) return wholeText(node);
  if (depth > 0) {
    const role = roleOf(node);
    if (skip === SHOWN && isOutOfSight(node, known)) return ' ';
    if (skip && (skip.has(role) || skip.parts && (isClearGlyph(node) || node.matches('input,textarea') || isHint(node) || skip.parts.has(node)))) return ' ';
    const label = node.getAttribute('aria-label');
    if (label && (role === 'img' || INTERACTIVE.has(role) && skip !== WRITTEN)) return ` ${label} `;
    const picture = role === 'img' ? pictureName(node) : null;
    if (picture || role === 'img' && tag !== 'svg') return ` ${picture} `;
    if (tag === 'select' || tag === 'textarea' || tag === 'input') return ' ';
  }
  const { before, after } = known.unseen ? NOTHING_ADDED : addedTo(node);
  let text = before;
  for (const child of childrenOf(node)) {
    if (child.nodeType === 3 && (known.unseen || skip === SHOWN && known.faint)) continue;
    text += textIn(child, skip, depth + 1);
  }
  text += after;
  if (!known.inline) return ` ${text} `;
  return depth > 0 && (known.apartBefore || known.apartAfter) ? `${known.apartBefore ? ' ' : ''}${text}${known.apartAfter ? ' ' : ''}` : text;
}

// Of an element with no more than one text in it.
function wholeText(el) {
  const { before, after } = addedTo(el);
  return before + (el.firstChild && el.firstChild.nodeType === 3 ? saidBy(el.firstChild, el) : '') + after;
}

function pictureName(el) {
  if (el.localName === 'img') return el.alt || el.title || '';
  const title = el.querySelector(':scope > title');
  const label = el.getAttribute('aria-label') || (title && title.textContent) || el.getAttribute('title');
  if (label || el.localName !== 'svg') return label || '';
  // <svg><use href="#icon-check"> is all that some pages say of an icon.
  const use = el.querySelector('use');
  const href = use && (use.getAttribute('href') || use.getAttribute('xlink:href')) || '';
  return href.startsWith('#') ? href.slice(1) : '';
}

const CONTROLS_TEXT = new Set(['textbox', 'searchbox', 'combobox', 'listbox', 'spinbutton', 'slider']);
const BUTTONS = new Set(['button', 'menuitem']);
// Buttons and what cannot be seen are no part of a value.
const SHOWN = new Set(BUTTONS);
// Without the names that controls have for screen readers only, as a button that sorts a column.
const WRITTEN = new Set();
const writtenOrSaid = (el) => clean(textOf(el, WRITTEN)) || clean(textOf(el));
const EDITING = new Set(['textbox', 'searchbox', 'combobox', 'listbox', 'spinbutton', 'slider']);

function nameOf(el, role) {
  return labelledBy(el, role) || ownName(el, role);
}

// An element may be a part of its own label, where it stands for what it says itself.
function labelledBy(el, role) {
  const ids = el.getAttribute('aria-labelledby');
  if (!ids) return '';
  const root = el.getRootNode();
  const parts = ids.split(/\s+/).map((id) => root.getElementById && root.getElementById(id)).filter(Boolean);
  if (parts.every((one) => one === el)) return '';
  const own = () => EDITING.has(role) ? el.getAttribute('aria-label') || '' : ownName(el, role);
  return clean(parts.map((one) => one === el ? own() : one.getAttribute('aria-label') || (facts(one).gone ? one.textContent : textOf(one)) || one.getAttribute('title') || '').join(' '));
}

function ownName(el, role) {
  const label = clean(el.getAttribute('aria-label') || '');
  if (label && VALUE_CELLS.has(role)) return shownOrSaid(label, el, role);
  if (label) return role === 'columnheader' ? headerLabel(label, el) : label;
  // Of a picture without text there are only blanks.
  return clean(nativeName(el, role)) || clean(NAMED_BY_CONTENT.has(role) && !EDITING.has(role) ? contentName(el, role) : '')
    || clean(el.getAttribute('title') || el.getAttribute('placeholder') || el.getAttribute('aria-placeholder') || '') || nameAround(el, role);
}

// What holds the picture in a button, or the wrapper of a field, may have the name.
function nameAround(el, role) {
  if (EDITING.has(role)) { const around = wrapperOf(el); return around ? nameOf(around, roleOf(around)) : ''; }
  if (!INTERACTIVE.has(role) || !NAMED_BY_CONTENT.has(role) || el.firstElementChild === null) return '';
  const said = [...el.querySelectorAll('[title],[aria-label]')].find((one) => !facts(one).gone);
  return said ? clean(said.getAttribute('aria-label') || said.getAttribute('title')) : '';
}

// Places of values. What they show counts: another text for screen readers may be that of another value.
const VALUE_CELLS = new Set(['cell', 'gridcell', 'definition']);
const HAS_WORDS = /[\p{L}\p{N}]/u;
// What has items of its own in it.
const HOLDS_ITEMS = new Set(['treeitem', 'menuitem', 'menuitemcheckbox', 'menuitemradio']);
const INNER_ITEMS = new Set([...HOLDS_ITEMS, 'group', 'tree', 'menu', 'menubar', 'list']);
function contentName(el, role) {
  if (HOLDS_ITEMS.has(role)) return clean(textOf(el, INNER_ITEMS)) || textOf(el);
  if (role === 'columnheader' || role === 'rowheader') return writtenOrSaid(el) || textForEyes(el);
  if (!VALUE_CELLS.has(role)) return clean(textOf(el)) || (INTERACTIVE.has(role) ? '' : textForEyes(el));
  const shown = el.firstElementChild ? textOf(el, SHOWN) : '';
  return HAS_WORDS.test(shown) ? shown : textForEyes(el) || clean(textOf(el, BUTTONS)) || signsForEyes(el);
}

// A sign such as a tick has words only in its name.
function shownOrSaid(label, el, role) {
  const shown = clean(contentName(el, role));
  return HAS_WORDS.test(shown) ? shown : label;
}

// Text of an element that is there and cannot be seen: cut away, of one pixel, or outside of the page.
function isOutOfSight(el, known) {
  if (known.cutAway || isShrunk(el, known)) return true;
  return known.apart && unreachable(el.getBoundingClientRect(), el);
}

function nativeName(el, role) {
  const own = INTERACTIVE.has(role) || 'labels' in el ? labelsOf(el) : NO_LABELS;
  if (own.length) return clean(own.map((one) => textOf(one, CONTROLS_TEXT)).join(' '));
  // A script that replaces a hidden field leaves the label with the hidden one.
  const before = EDITING.has(role) && el.previousElementSibling;
  if (before && before.localName === 'input' && (before.type === 'hidden' || !before.checkVisibility(SEEN))) {
    const theirs = labelsOf(before);
    if (theirs.length) return clean(textOf(theirs[0], CONTROLS_TEXT));
  }
  // A widget around a hidden list has that list's label.
  const within = (role === 'combobox' || role === 'listbox') && el.firstElementChild && el.querySelector('select,input');
  if (within && !within.checkVisibility(SEEN) && labelsOf(within).length) return clean(textOf(labelsOf(within)[0], CONTROLS_TEXT));
  const tag = el.localName;
  if (tag === 'input') {
    if (el.type === 'image') return el.alt || el.value || 'Submit';
    if (el.type === 'submit') return el.value || 'Submit';
    if (el.type === 'reset') return el.value || 'Reset';
    if (el.type === 'button') return el.value;
    return '';
  }
  if (tag === 'img' || tag === 'svg') return pictureName(el);
  if (tag === 'area') return el.alt;
  if (tag === 'table') return el.caption ? textOf(el.caption) : '';
  if (tag === 'option' || tag === 'optgroup') return el.label;
  if (tag === 'iframe' || tag === 'frame') return el.title || el.name;
  return '';
}

// The elements that can be disabled or invalid by themselves; those that a page defines have a dash in their name.
const CONTROL_TAGS = new Set(['button', 'input', 'select', 'textarea', 'option', 'optgroup', 'fieldset', 'object', 'output']);
const mayBeDisabled = (el) => CONTROL_TAGS.has(el.localName) || el.localName.includes('-');

const TOGGLED = { true: 'pressed', false: 'not pressed', mixed: 'partly pressed' };
// Of the days of a calendar only the picked one is told: the others say with every day that it is not.
const isDay = (el) => /^\d{1,2}$/.test(clean(el.textContent)) && el.closest('td,[role=gridcell]') !== null;

// What is said for screen readers, without `aria-` before its names. Most elements say nothing.
const NO_ARIA = Object.freeze({});
function ariaOf(el) {
  if (!el.hasAttributes()) return NO_ARIA;
  let said = NO_ARIA;
  for (const name of el.getAttributeNames()) if (name.startsWith('aria-')) {
    if (said === NO_ARIA) said = {};
    said[name.slice(5)] = el.getAttribute(name);
  }
  return said;
}

function statesOf(el, role) {
  const states = [];
  const aria = ariaOf(el);
  if (CHECKABLE.has(role)) {
    states.push(isMixed(el) ? 'mixed' : checkedOf(el) ? 'checked' : 'unchecked');
  }
  else if (/^(true|false|mixed)$/.test(aria.checked || '')) states.push({ true: 'checked', false: 'unchecked', mixed: 'mixed' }[aria.checked]);
  if (role === 'tab') states.push(...tabState(el));
  else if (role === 'option' && el.selected || aria.selected === 'true') states.push('selected');
  if (aria.sort && aria.sort !== 'none') states.push(/^(a|de)scending$/.test(aria.sort) ? `sorted ${aria.sort}` : 'sorted');
  const turned = pagerStateOf(el);
  if ((aria.current && aria.current !== 'false') || turned === 'current') states.push('current');
  const open = el.localName === 'summary' && el.parentElement.localName === 'details' ? String(el.parentElement.open) : aria.expanded;
  if (open === 'true') states.push('expanded');
  if (open === 'false') states.push('collapsed');
  else if (open !== 'false' && aria.haspopup && aria.haspopup !== 'false' && role !== 'combobox') states.push('opens more');
  const pressed = TOGGLED[aria.pressed];
  if (pressed && !(pressed === 'not pressed' && isDay(el))) states.push(pressed);
  const field = mayBeDisabled(el);
  if (field && el.matches(':disabled') || aria.disabled === 'true' || turned === 'disabled') states.push('disabled');
  if (el.required || aria.required === 'true') states.push('required');
  if (EDITING.has(role) && el.localName !== 'select' && (el.readOnly || aria.readonly === 'true')) states.push('readonly');
  if (aria.invalid === 'true' || field && el.matches(':user-invalid')) states.push('invalid');
  if (aria.busy === 'true') states.push('busy');
  states.push(...limitsOf(el, role), ...unchosen(el));
  if (canBeDragged(el)) states.push('draggable');
  return states;
}

// A list shows the text of its chosen option, which may stand for none: it has no value, or it cannot be chosen. Without
// both nothing is chosen. One with a value that cannot be chosen any more may be what was chosen: "Unassigned", a team
// that is gone.
function unchosen(el) {
  const chosen = el.localName === 'select' && !el.multiple && el.selectedOptions[0];
  if (!chosen) return NONE;
  const closed = chosen.disabled || chosen.hidden;
  if (!chosen.value && (closed || el.required && chosen.index === 0)) return ['placeholder'];
  return chosen.value && !closed ? NONE : ['blank'];
}

// Some tabs say only by a class, theirs or that of their list item, which of them is open.
const OPEN_TAB = /(?<!\b(?:not|non|no))(?:^|[\s_-])(?:active|selected|current)(?:$|\s)/i;
function isOpenTab(el) {
  const parent = el.parentElement && el.parentElement.localName === 'li' ? el.parentElement : null;
  const said = [el, parent].map((one) => one && one.getAttribute('aria-selected')).find(Boolean);
  if (said) return said === 'true';
  if (/^(true|page)$/.test(el.getAttribute('aria-current') || '') || el.getAttribute('data-state') === 'active') return true;
  return [el, parent].some((one) => one && OPEN_TAB.test(one.getAttribute('class') || ''));
}

function tabState(el) {
  if (isOpenTab(el)) return ['selected'];
  const list = el.closest('[role=tablist]');
  const isKnown = el.hasAttribute('aria-selected') || list && [...list.querySelectorAll('[role=tab]')].some(isOpenTab);
  return isKnown || !list ? ['unselected'] : NONE;
}

// By its attribute, by what it is called for screen readers, or by its cursor.
function canBeDragged(el) {
  if (el.getAttribute('draggable') === 'true' || /\b(?:drag|sort)gable|\bsortable/i.test(el.getAttribute('aria-roledescription') || '')) return true;
  return facts(el).grabs && !(el.parentElement && facts(el.parentElement).grabs);
}

// Some pagers say only by the class of a link, or of its list item, that it leads nowhere or to this page.
const PAGER_STATES = [['disabled', /\bdisabled\b/i], ['current', /\b(?:active|current)\b/i]];
function pagerStateOf(el) {
  if (el.localName !== 'a' && el.localName !== 'button') return '';
  const item = el.parentElement && el.parentElement.localName === 'li' ? el.parentElement.className : '';
  const classes = typeof el.className === 'string' ? `${el.className} ${item}` : item;
  const state = classes && PAGER_STATES.find(([, words]) => words.test(classes));
  return state && areaOf(el) === 'pager' ? state[0] : '';
}

function checkedOf(el) {
  if (el.localName === 'input') return el.checked;
  if (el.hasAttribute('aria-checked')) return el.getAttribute('aria-checked') === 'true';
  const inner = el.querySelector('input[type=checkbox],input[type=radio]');
  return Boolean(inner) && inner.checked;
}

// Neither checked nor unchecked, such as a box that stands for several of which some are checked.
const isMixed = (el) => el.type === 'checkbox' && el.indeterminate || el.getAttribute('aria-checked') === 'mixed';

function valueOf(el, role) {
  if (isSecret(el)) return HIDDEN_VALUE;
  const tag = el.localName;
  if (tag === 'select') return clean([...el.selectedOptions].map((one) => one.label).join(', '));
  if (tag === 'textarea') return el.value;
  if (tag === 'input') {
    if (role === 'button' && el.type !== 'file' && el.type !== 'color' || CHECKABLE.has(role)) return null;
    if (role === 'combobox' && isUnread(el)) { const beside = chosenBeside(el); if (beside || el.value === '') return beside; }
    return el.type === 'file' ? [...el.files].map((file) => file.name).join(', ') : el.value;
  }
  if (isEditingHost(el)) return editedText(el);
  if (tag === 'progress' || tag === 'meter') return String(el.value);
  if (role === 'slider' || role === 'spinbutton' || role === 'progressbar' || role === 'meter')
    return el.getAttribute('aria-valuetext') || el.getAttribute('aria-valuenow');
  if (role === 'radiogroup') return chosenRadios(el);
  if (role === 'combobox' || role === 'textbox' || role === 'searchbox') return shownChoice(el);
  return null;
}

// A search box shows the selection beside its input field.
function chosenBeside(el) {
  const holder = choiceHolder(el);
  const others = holder && [...holder.querySelectorAll('input:not([type=hidden],[aria-hidden=true]),select,textarea')].filter((one) => one !== el && seenItself(one));
  if (!holder || others.length || holder.querySelector('label')) return '';
  return clean(chosenTextsBeside(el, holder).join(' ')).slice(0, 300);
}

// What shows the choice of a field is beside it. Around one that is invisible, or too small to show anything, there may
// be empty boxes first.
const EMPTY_LEVELS = 3, SHOWS_NOTHING_PX = 24;
function choiceHolder(el) {
  const drawn = drawingOf(el);
  if (drawn) return drawn;
  let holder = el.parentElement;
  if (facts(el).style.opacity !== '0' && el.getBoundingClientRect().width > SHOWS_NOTHING_PX) return holder;
  for (let level = 0; holder && level < EMPTY_LEVELS && !clean(textOf(holder)); level += 1) holder = holder.parentElement;
  return holder;
}

function chosenTextsBeside(el, holder) {
  const skip = besideChoice(el);
  const shown = [...holder.children].filter((child) => child !== el && !child.matches('button,svg') && !isOffered(el, child) && !isClearGlyph(child) && !isHint(child) && !skip.parts.has(child) && !isOutOfSight(child, facts(child)));
  return shown.flatMap((child) => textsInside(child, 0, skip)).filter(Boolean);
}

// A list of options is what can be chosen; one in the flow of the page in which all are selected is what was chosen.
function isOffered(el, child) {
  if (child.getAttribute('role') !== 'listbox') return false;
  const options = [...child.querySelectorAll('[role=option]')];
  const isPopup = facts(child).apart || child.id && child.id === (el.getAttribute('aria-controls') || el.getAttribute('aria-owns'));
  return isPopup || !options.length || !options.every((one) => one.getAttribute('aria-selected') === 'true');
}

// The texts of a row of tags, each in a box of its own.
function textsInside(el, depth, skip) {
  const whole = clean(textOf(el, skip));
  if (!whole || depth > 3 || rootOf(el) || [...el.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) return [whole];
  const inside = [...el.children].filter((child) => !facts(child).inline).flatMap((child) => textsInside(child, depth + 1, skip)).filter(Boolean);
  return inside.join(' ') === whole ? inside : [whole];
}

// A transparent field says in its value what nobody sees, such as "2 options selected" under its tags.
const isUnread = (el) => el.value === '' || getComputedStyle(el).opacity === '0';

// What an icon font or a sprite calls its picture.
const ICON = /(?:^|\s)(ui-icon|icon|fa|glyphicon|bi|mdi|octicon|lucide|ti|pi|anticon|bx|ph|ri|k-i|dx-icon)-([a-z][a-z0-9-]*)/gi;
// What a class says of how an icon is drawn, not of which it is.
const ICON_STYLES = {
  fa: /^(solid|regular|light|thin|semibold|brands|duotone|classic|sharp(-duotone)?|fw|lg|sm|xs|xl|li|ul|stack(-[12]x)?|border|inverse|pulse|spin(-(pulse|reverse))?|fade|beat(-fade)?|bounce|shake|flip(-(horizontal|vertical|both))?|rotate-(90|180|270|by)|pull-(left|right|start|end)|size-.*|width-auto|layers(-.*)?|swap-opacity)$/i,
  ph: /^(thin|light|regular|bold|fill|duotone)$/i,
};
function iconClass(el) {
  const named = [...(el.getAttribute('class') || '').matchAll(ICON)];
  const own = named.find(([, font, name]) => !ICON_STYLES[font.toLowerCase()]?.test(name)) || named[0];
  return own ? own[2] : '';
}
function iconName(el) {
  for (const one of [el, ...el.querySelectorAll('i,span,svg')]) {
    const found = iconClass(one);
    if (found) return `icon ${found}`;
  }
  return '';
}

function levelOf(el, role) {
  if (role === 'treeitem') return Number(el.getAttribute('aria-level')) || treeLevel(el);
  if (role !== 'heading') return inTreeGrid(el);
  return Number(el.getAttribute('aria-level')) || Number((/^h([1-6])$/.exec(el.localName) || [])[1]) || 2;
}

function treeLevel(el) {
  let level = 1;
  for (let up = el.parentElement && el.parentElement.closest('[role=treeitem],[role=tree]'); up && up.getAttribute('role') !== 'tree'; up = up.parentElement.closest('[role=treeitem],[role=tree]')) level += 1;
  return level;
}

// A row of a tree with columns says its level; its first cell is where people see it.
function inTreeGrid(el) {
  const said = el.getAttribute('role');
  const inRow = el.localName === 'td' || el.localName === 'th' || said === 'gridcell' || said === 'rowheader';
  const row = said === 'row' ? el : inRow && !el.previousElementSibling ? el.parentElement : null;
  return row && Number(row.getAttribute('aria-level')) || null;
}

function urlOf(el, role) {
  if (role === 'iframe') return el.src || null;
  const href = role === 'link' && el.href;  // dear to read: an address is made of it
  return !href ? null : typeof href === 'string' ? href : new URL(href.baseVal, document.baseURI).href;
}

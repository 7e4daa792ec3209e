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
  output: 'status', caption: 'caption', iframe: 'iframe', frame: 'iframe', canvas: 'canvas', nav: 'navigation',
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
  if (tag === 'input') return el.list ? 'combobox' : INPUT_ROLE[el.type] || 'textbox';
  if (tag === 'select') return el.multiple || el.size > 1 ? 'listbox' : 'combobox';
  if (tag === 'th') return el.scope === 'row' || el.scope === 'rowgroup' ? 'rowheader' : 'columnheader';
  if (TAG_ROLE[tag]) return TAG_ROLE[tag];
  return isEditingHost(el) ? 'textbox' : '';
}

function isEditingHost(el) {
  return el.isContentEditable && !(el.parentElement && el.parentElement.isContentEditable);
}

// A very long name is cut before it is normalised.
const MAX_NAME = 20000;
const clean = (text) => (text.length > MAX_NAME ? text.slice(0, MAX_NAME) : text).replace(/[\s\u0000-\u001f\u200b\ufeff]+/g, ' ').trim();

// `HIDDEN_VALUE` of shared/contracts/browser_pool.py.
const HIDDEN_VALUE = '(hidden)';

// A password stays one when a "show password" button turns its field into a plain one.
const secrets = new WeakSet();
function isSecret(el) {
  if (el.localName !== 'input') return false;
  if (el.type === 'password' || /(current|new)-password|one-time-code|cc-(number|csc)/.test(el.autocomplete)) secrets.add(el);
  return secrets.has(el);
}

// Style facts, cached for one verb: a walk spends most of its time on computed styles.
let remembered = new Map();
let paths = new Map();
let clips = new Map();
let labels = null;
function forget() { remembered = new Map(); pasts = new Map(); paths = new Map(); clips = new Map(); iconRecords = new Map(); iconsRead = new Map(); labels = null; }
const SEEN = { opacityProperty: true, visibilityProperty: true };

// How an element is drawn. Elements of one tag and class, under parents that are drawn alike, share one of these:
// properties that depend on position are read for each (see facts).
class Drawn {
  constructor(el) {
    this.style = getComputedStyle(el);
    const { display } = this.style;
    this.gone = display === 'none';
    this.unseen = false;
    this.noBox = display === 'contents';
    this.inline = display === 'inline' || this.noBox || display.startsWith('inline') && !/^inline-(block|flex|grid)$/.test(display);
    this.alike = null;
  }

  get pointer() { return this.once('pointer', this.style.cursor === 'pointer'); }
  get floats() { return this.once('floats', this.style.position === 'fixed' || this.style.position === 'sticky'); }
  // Cut down to nothing, as texts for screen readers are.
  get cutAway() {
    return this.once('cutAway', /^inset\((5\d|[6-9]\d|100)(\.\d+)?%/.test(this.style.clipPath) || /^rect\(([01]px,? ?){4}\)$/.test(this.style.clip));
  }
  get clips() { return this.once('clips', this.style.overflowX !== 'visible' || this.style.overflowY !== 'visible'); }
  once(name, value) { Object.defineProperty(this, name, { value }); return value; }
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
  if (el.getRootNode() !== document) return 'labels' in el ? [...el.labels || []] : NO_LABELS;
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
const rootOf = (el) => el.shadowRoot || (anyClosed && closedRoots.get(el)) || null;

function childrenOf(node) {
  if (node.localName === 'slot') {
    const assigned = node.assignedNodes({ flatten: true });
    if (assigned.length) return assigned;
  }
  if (node.localName === 'details' && !node.open) {
    const summary = [...node.children].find((child) => child.localName === 'summary');
    return summary ? [summary] : [];
  }
  return (rootOf(node) || node).childNodes;
}

const SILENT = new Set(['script', 'style', 'noscript', 'template', 'head', 'meta', 'link', 'source', 'track', 'param',
  'datalist', 'br', 'wbr', 'audio', 'video', 'object', 'embed']);

// The text inside an element as a reader sees it. `skip` names roles whose text is left out: the value of
// a table cell is not "Jane Edit" because there is an Edit button beside the name.
function textOf(node, skip, depth = 0) {
  if (node.nodeType === Node.TEXT_NODE) return node.data;
  if (node.nodeType !== Node.ELEMENT_NODE || depth > 200) return '';
  if (node.localName === 'br') return ' ';
  if (SILENT.has(node.localName)) return '';
  const known = facts(node);
  if (known.gone) return '';
  if (depth === 0 && !node.firstElementChild && !rootOf(node) && !known.unseen && node.localName !== 'slot') return node.textContent;
  if (depth > 0) {
    const role = roleOf(node);
    if (skip && (skip.has(role) || skip === CHOSEN && (isClearGlyph(node) || node.matches('input,textarea')))) return ' ';
    const label = node.getAttribute('aria-label');
    if (label && (role === 'img' || INTERACTIVE.has(role))) return ` ${label} `;
    const picture = role === 'img' ? pictureName(node) : null;
    if (picture || role === 'img' && node.localName !== 'svg') return ` ${picture} `;
    if (node.localName === 'select' || node.localName === 'textarea' || node.localName === 'input') return ' ';
  }
  let text = '';
  for (const child of childrenOf(node)) {
    if (known.unseen && child.nodeType === Node.TEXT_NODE) continue;
    text += textOf(child, skip, depth + 1);
  }
  return known.inline ? text : ` ${text} `;
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
// What is no part of a choice in a widget: its buttons, and what looks like one that clears it.
const CHOSEN = new Set(BUTTONS);
const EDITING = new Set(['textbox', 'searchbox', 'combobox', 'listbox', 'spinbutton', 'slider']);

function nameOf(el, role) {
  const ids = el.getAttribute('aria-labelledby');
  if (ids) {
    const root = el.getRootNode();
    const named = clean(ids.split(/\s+/).map((id) => root.getElementById && root.getElementById(id)).filter(Boolean)
      .map((other) => other === el ? el.getAttribute('aria-label') || '' : other.getAttribute('aria-label') || textOf(other)).join(' '));
    if (named) return named;
  }
  const label = clean(el.getAttribute('aria-label') || '');
  if (label) return role === 'columnheader' ? headerLabel(label, el) : label;
  // Of a picture without text there are only blanks.
  return clean(nativeName(el, role)) || clean(NAMED_BY_CONTENT.has(role) && !EDITING.has(role) ? contentName(el, role) : '')
    || clean(el.getAttribute('title') || el.getAttribute('placeholder') || el.getAttribute('aria-placeholder') || '');
}

function contentName(el, role) {
  const skip = role === 'cell' || role === 'gridcell' || role === 'definition' ? BUTTONS : undefined;
  return textOf(el, skip);
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
  if (tag === 'option') return el.label;
  if (tag === 'iframe' || tag === 'frame') return el.title || el.name;
  return '';
}

function statesOf(el, role) {
  const states = [];
  const aria = (name) => el.getAttribute(`aria-${name}`);
  if (CHECKABLE.has(role)) {
    const mixed = el.indeterminate || aria('checked') === 'mixed';
    states.push(mixed ? 'mixed' : checkedOf(el) ? 'checked' : 'unchecked');
  }
  if (role === 'option' ? el.selected || aria('selected') === 'true' : aria('selected') === 'true') states.push('selected');
  else if (role === 'tab') states.push('unselected');
  const turned = pagerStateOf(el);
  if ((aria('current') && aria('current') !== 'false') || turned === 'current') states.push('current');
  const open = el.localName === 'summary' && el.parentElement.localName === 'details' ? String(el.parentElement.open) : aria('expanded');
  if (open === 'true') states.push('expanded');
  if (open === 'false') states.push('collapsed');
  else if (open !== 'false' && aria('haspopup') && aria('haspopup') !== 'false' && role !== 'combobox') states.push('opens more');
  if (aria('pressed') === 'true') states.push('pressed');
  if (el.matches(':disabled') || aria('disabled') === 'true' || turned === 'disabled') states.push('disabled');
  if (el.required || aria('required') === 'true') states.push('required');
  if (EDITING.has(role) && el.localName !== 'select' && (el.readOnly || aria('readonly') === 'true')) states.push('readonly');
  if (aria('invalid') === 'true' || el.matches(':user-invalid')) states.push('invalid');
  if (aria('busy') === 'true') states.push('busy');
  return states;
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
  return el.localName === 'input' ? el.checked : el.getAttribute('aria-checked') === 'true';
}

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
  if (isEditingHost(el)) return clean(el.innerText);
  if (tag === 'progress' || tag === 'meter') return String(el.value);
  if (role === 'slider' || role === 'spinbutton' || role === 'progressbar' || role === 'meter')
    return el.getAttribute('aria-valuetext') || el.getAttribute('aria-valuenow');
  if (role === 'combobox' || role === 'textbox' || role === 'searchbox') return clean(textOf(el, CHOSEN)) || clean(textOf(el)) || null;
  return null;
}

// A search box shows the selection beside its input field.
function chosenBeside(el) {
  const holder = el.parentElement;
  if (!holder || holder.querySelectorAll('input:not([type=hidden],[aria-hidden=true]),select,textarea').length > 1 || holder.querySelector('label')) return '';
  return clean(chosenTextsBeside(el, holder).join(' ')).slice(0, 300);
}

function chosenTextsBeside(el, holder) {
  const shown = [...holder.children].filter((child) => child !== el && !child.matches('[role=listbox],button,svg') && !isClearGlyph(child));
  return shown.flatMap((child) => textsInside(child, 0)).filter(Boolean);
}

// The texts of a row of tags, each in a box of its own.
function textsInside(el, depth) {
  const whole = clean(textOf(el, CHOSEN));
  if (!whole || depth > 3 || rootOf(el) || [...el.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) return [whole];
  const inside = [...el.children].filter((child) => !facts(child).inline).flatMap((child) => textsInside(child, depth + 1)).filter(Boolean);
  return inside.join(' ') === whole ? inside : [whole];
}

// A transparent field says in its value what nobody sees, such as "2 options selected" under its tags.
const isUnread = (el) => el.value === '' || getComputedStyle(el).opacity === '0';

// What an icon font or a sprite calls its picture.
const ICON = /(?:^|\s)(?:ui-icon|icon|fa|glyphicon|bi|mdi|octicon|lucide|ti)-([a-z][a-z0-9-]*)/i;
function iconName(el) {
  for (const one of [el, ...el.querySelectorAll('i,span,svg')]) {
    const found = ICON.exec(one.getAttribute('class') || '');
    if (found) return `icon ${found[1]}`;
  }
  return '';
}

function levelOf(el, role) {
  if (role !== 'heading') return null;
  return Number(el.getAttribute('aria-level')) || Number((/^h([1-6])$/.exec(el.localName) || [])[1]) || 2;
}

function urlOf(el, role) {
  if (role === 'link' && el.href) return typeof el.href === 'string' ? el.href : new URL(el.href.baseVal, document.baseURI).href;
  return role === 'iframe' ? el.src || null : null;
}

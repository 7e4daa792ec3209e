// What a text says as it is drawn: with the letters that a style sheet adds, marks above and below the line apart from
// the number before them, overridden directions as they are seen, and boxes in the order in which they are laid out.

const adding = memory();    // root -> those of its elements to which a style sheet may add letters, or READ_EACH
const added = memory();     // element -> what is added to it
const looks = memory();     // element -> how it is drawn itself
const laidOut = memory();   // box -> its children, in order
let effects = null;         // what style sheets may do to texts

// What a text node says.
function saidBy(node, el = node.parentElement) {
  let text = node.data;
  if (!el) return text;
  const known = ownLook(el), mayTurn = effectsOfSheets().turn;
  if (known.fontPx < 1) return '';
  if (!mayTurn && !ODD.test(text)) return text;
  if (OVERRIDES.test(text)) text = turned(text);
  if (mayTurn && isBackward(el, known)) text = reversed(text);
  const mark = known.onLine && DIGIT.test(text) ? markOf(el, known) : ON_LINE;
  if (mark === SMALL) return `${APART}${text}${APART}`;
  return mark === ON_LINE ? text : text.replace(/[0-9]/g, (digit) => MARKS[mark][digit]);
}
const ODD = /[0-9\u202d\u202e]/;
const OVERRIDES = /[\u202d\u202e]/;
const DIGIT = /[0-9]/;

// --- above and below the line

const ON_LINE = '';
const RAISED = 'raised';
const LOWERED = 'lowered';
const SMALL = 'small';  // on the line, in smaller letters: "12" and "50" of a price are not 1250
const MARKS = { [RAISED]: '⁰¹²³⁴⁵⁶⁷⁸⁹', [LOWERED]: '₀₁₂₃₄₅₆₇₈₉' };
// Stands where digits begin or end that are no part of the number beside them; `clean` makes a blank of it there.
const APART = '\u2063';
const OFF_LINE_EM = 0.2;  // how far a text is moved to stand off its line

function markOf(el, known) {
  if (!known.onLine) return ON_LINE;
  if (known.mark) return known.mark;
  const parent = el.parentElement;
  if (!parent) return ON_LINE;
  const around = ownLook(parent);
  if (known.fontPx < SMALLER * around.fontPx) return standsOff(el) || SMALL;
  return markOf(parent, around);
}

function markByStyle(style, size) {
  const align = style.verticalAlign;
  if (align === 'super') return RAISED;
  if (align === 'sub') return LOWERED;
  const lift = align.endsWith('px') ? parseFloat(align) : style.position === 'relative' ? -(parseFloat(style.top) || -parseFloat(style.bottom) || 0) : 0;
  if (Math.abs(lift) < OFF_LINE_EM * size || lift === 0) return ON_LINE;
  return lift > 0 ? RAISED : LOWERED;
}

// Where smaller letters stand beside those before or behind them.
function standsOff(el) {
  const beside = [el.previousSibling, el.nextSibling].find((node) => node && node.nodeType === 3 && node.data.trim());
  if (!beside) return ON_LINE;
  const own = el.getBoundingClientRect();
  const other = beside === el.previousSibling ? lastRectOf(beside) : firstRectOf(beside);
  if (!other || !own.height) return ON_LINE;
  const step = OFF_LINE_EM * other.height;
  if (own.bottom < other.bottom - step) return RAISED;
  return own.top > other.top + (other.height - own.height) + step ? LOWERED : ON_LINE;
}

// --- from right to left

function isBackward(el, known) {
  if (known.overrides) return known.style.direction === 'rtl';
  return known.inline && el.parentElement !== null && isBackward(el.parentElement, ownLook(el.parentElement));
}

const reversed = (text) => [...text].reverse().join('');
// Between the characters that override the direction and the one that ends it.
const turned = (text) => text.replace(/\u202e([^\u202a-\u202e]*)\u202c?/g, (all, inside) => reversed(inside));

// --- letters that a style sheet adds

const NOTHING_ADDED = Object.freeze({ before: '', after: '' });
// Letters, digits and signs of numbers. Bullets, slashes, arrows and the signs of icon fonts say nothing of a value.
const ADDS = /[\p{L}\p{N}\p{Sc}+\-\u2212\u2013()[\]%]/u;
const GENERATES = /::?(?:before|after)\b/i;
const READ_EACH = '*';

// Asked of every text: most pages add no letters and turn no text. Shadow trees have style sheets of their own.
function effectsOfSheets() {
  if (effects === null) {
    const adds = addingSelector(document) !== '', isWhole = watching && !shadowRoots;
    effects = { add: adds || !isWhole, turn: turns || !isWhole || document.querySelector(TURNED) !== null };
  }
  return effects;
}
const TURNED = 'bdo,[style*=bidi]';
let turns = false;  // whether a style sheet has been seen that overrides directions
let byPlace = false;  // whether one has been seen whose rules hold for some of the elements of one tag and class
const BY_PLACE = /:(?:nth|first|last|only|has|not|is|where|empty)\b|[+~]/;

// `facts` are shared by elements of one tag and class. Where a rule may hold for some of them, each has its own style.
function ownLook(el) {
  const known = facts(el);
  if (known.el === el || !isToldByPlace()) return known;
  let look = looks.get(el);
  if (!look) { look = new Drawn(el); looks.set(el, look); }
  return look;
}

const isToldByPlace = () => { effectsOfSheets(); return byPlace; };  // the style sheets have to be read first

function addedTo(el) {
  if (!effectsOfSheets().add) return NOTHING_ADDED;
  let known = added.get(el);
  if (!known) { known = mayBeAddedTo(el) ? readAddedTo(el) : NOTHING_ADDED; added.set(el, known); }
  return known;
}

function mayBeAddedTo(el) {
  const root = rootNodeOf(el);
  let some = adding.get(root);
  if (some === undefined) {
    const selector = addingSelector(root);
    some = selector === READ_EACH ? READ_EACH : new Set(selector === '' ? NONE : root.querySelectorAll(selector));
    adding.set(root, some);
  }
  return some === READ_EACH || some.has(el);
}

function readAddedTo(el) {
  const role = roleOf(el);
  if (INTERACTIVE.has(role) && role !== 'link') return NOTHING_ADDED;
  const before = addedText(el, '::before'), after = addedText(el, '::after');
  return before || after ? { before, after } : NOTHING_ADDED;
}

function addedText(el, part) {
  const style = getComputedStyle(el, part);
  const { content } = style;
  if (/^(?:none|normal|""|)$/.test(content) || style.display === 'none' || style.visibility !== 'visible' || style.opacity === '0' || parseFloat(style.fontSize) < 1) return '';
  if (LIGATURE_FONT.test(style.fontFamily.split(',')[0])) return '';
  let text = '';
  for (const [, string, name] of content.replace(/ \/ .*$/, '').matchAll(/"((?:[^"\\]|\\.)*)"|attr\(\s*([\w-]+)/g)) text += name ? el.getAttribute(name) || '' : string.replace(/\\(.)/g, '$1');
  if (!ADDS.test(text)) return '';
  return style.display === 'inline' ? text : ` ${text} `;
}

// A text of `root` with what is added before and after it, and before and after what holds nothing but it.
function saidWith(node, root) {
  let said = saidBy(node);
  for (let up = node.parentElement; up; up = up.parentElement) {
    const { before, after } = addedTo(up);
    if (before && firstTextIn(up) === node) said = before + said;
    if (after && lastTextIn(up) === node) said += after;
    if (up === root) break;
  }
  return said;
}
const textsIn = (el) => textNodesIn(el, false);
const firstTextIn = (el) => textsIn(el)[0];
const lastTextIn = (el) => textsIn(el).pop();

// Whether something in it says nothing but what is added to it: it has no text of its own to be a part.
function isAddedAlone(el) {
  const adds = (one) => { const { before, after } = addedTo(one); return (before || after) !== '' && firstTextIn(one) === undefined; };
  return adds(el) || el.firstElementChild !== null && [...el.querySelectorAll('*')].slice(0, MAX_PART_NODES).some(adds);
}

// A selector of the elements to which the style sheets of a document or shadow tree add letters: all, where a sheet
// cannot be read; none, where it is empty.
function addingSelector(root) {
  const found = new Set();
  for (const sheet of [...root.styleSheets || [], ...root.adoptedStyleSheets || []]) {
    const selectors = sheet.disabled ? NONE : selectorsOf(sheet);
    if (selectors === null) { byPlace = turns = true; return READ_EACH; }
    for (const one of selectors) found.add(one);
  }
  const all = [...found].join(',');
  if (!all) return '';
  try { document.documentElement.matches(all); return all; } catch (error) { return READ_EACH; }
}

const readSheets = new WeakMap();  // sheet -> {rules: how many, selectors}
function selectorsOf(sheet) {
  let rules;
  try { rules = sheet.cssRules; } catch (error) { return null; }
  const known = readSheets.get(sheet);
  if (known && known.rules === rules.length) return known.selectors;
  const selectors = [];
  collectSelectors(rules, selectors);
  readSheets.set(sheet, { rules: rules.length, selectors });
  return selectors;
}

function collectSelectors(rules, selectors) {
  for (const rule of rules) {
    if (rule.style && rule.style.unicodeBidi.endsWith('override')) turns = true;
    if (rule.selectorText && BY_PLACE.test(rule.selectorText)) byPlace = true;
    if (rule.selectorText && GENERATES.test(rule.selectorText) && mayAdd(rule.style.content)) selectors.push(...elementsOf(rule.selectorText));
    const inner = rule.styleSheet ? selectorsOf(rule.styleSheet) : null;
    if (inner) selectors.push(...inner);
    if (rule.cssRules && rule.cssRules.length) collectSelectors(rule.cssRules, selectors);
  }
}
const mayAdd = (content) => Boolean(content) && (/\b(?:attr|var)\(/.test(content) || ADDS.test(content.replace(/\b(?:url|counters?)\([^)]*\)|\b(?:no-)?(?:open|close)-quote\b|\b(?:none|normal|inherit|initial|unset|revert)\b/g, '')));
// "li.a::before, p::after" as the elements.
const elementsOf = (selector) => selector.split(/,(?![^([]*[)\]])/).filter((one) => GENERATES.test(one)).map((one) => one.replace(/::?(?:before|after)\b.*$/i, '').trim() || '*');

// --- the order of boxes

// The children of a box in the order in which they are laid out.
function inLaidOutOrder(el, children) {
  let known = laidOut.get(el);
  if (!known) { known = inOrderOf(el, children); laidOut.set(el, known); }
  return known;
}

function inOrderOf(el, children) {
  const { style } = ownLook(el);
  const reverse = style.flexDirection.endsWith('reverse') && style.display.endsWith('flex');
  const orders = children.map((child) => (child.nodeType === 1 ? Number(ownLook(child).style.order) || 0 : 0));
  if (!reverse && orders.every((order) => order === 0)) return children;
  const inOrder = children.map((child, n) => n).sort((one, other) => orders[one] - orders[other] || one - other).map((n) => children[n]);
  return reverse ? inOrder.reverse() : inOrder;
}

// --- struck out

const STRUCK = 'del,s,strike';
// Inline, or in the flow of what is struck out: the line goes through it.
function isStruck(el) {
  if (el.closest(STRUCK) !== null) return true;
  for (let up = el, level = 0; up && level < MOST_LEVELS; up = up.parentElement, level += 1) {
    const known = ownLook(up);
    if (known.struck) return true;
    if (known.unstruck) return false;
  }
  return false;
}

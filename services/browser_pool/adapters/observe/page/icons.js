// Small nameless pictures beside the text of a record, whose meaning has to be asked of the picture.

const ICON_PX = [6, 64];
const RECORD_LETTERS = 600;  // an element with more text is no row
const MAX_ICONS = 400;
const MAX_ICONS_IN_RECORD = 4;
const MAX_SHAPES = 24;
const ICON_RECORD = 'tr,li,dd,dt,[role=row],[role=listitem]';
const CARDS = new Set(['div', 'article', 'section']);
// Elements in which icons are decoration.
const NO_STATES = 'thead,th:not([scope^=row]),label,[role=columnheader],[role=menu],[role=menubar],[role=tablist],[role=toolbar],[role=listbox],[role=tree]';
const DECORATION = /avatar|logo|gravatar|chevron|caret|arrow|bullet|divider|separator|spacer|grip|drag|handle|external|kebab|ellipsis|skeleton|placeholder/i;
const GEOMETRY = ['d', 'cx', 'cy', 'r', 'rx', 'ry', 'x', 'y', 'x1', 'y1', 'x2', 'y2', 'width', 'height', 'points', 'transform', 'href', 'stroke-width', 'stroke-dasharray'];

// {record, look, coloured, name} of a nameless picture to report, or null. `name`: the name of its wrapper.
const iconsRead = memory();
function iconIn(el) {
  if (!iconsRead.has(el)) iconsRead.set(el, readIcon(el));
  return iconsRead.get(el);
}

function readIcon(el) {
  const rect = drawnRect(el);
  const [least, most] = ICON_PX;
  if (Math.min(rect.width, rect.height) < least || Math.max(rect.width, rect.height) > most || unreachable(rect, el)) return null;
  if (rect.width > 3 * rect.height || rect.height > 3 * rect.width) return null;
  const record = iconRecord(el);
  // The value of a term is its words; a dot before them repeats what they say.
  if (record && record.localName === 'dd' && el instanceof HTMLElement && el.localName !== 'img' && record.textContent.trim()) return null;
  if (!record || DECORATION.test(classesAround(el)) || spokenBeside(el)) return null;
  const drawn = el.localName === 'svg' ? svgLook(el) : el.localName === 'img' ? imgLook(el) : cssLook(el, rect);
  return drawn && { record, coloured: drawn.coloured, name: wrapperName(el, record), look: hashOf(`${el.localName} ${Math.round(rect.width)}x${Math.round(rect.height)} ${drawn.key}`) };
}

// The glyph that the style alone draws in an empty element, without its words for screen readers; or ''.
function glyphOf(before) {
  const written = /^(["'])(.*?)\1(?: \/ .*)?$/s.exec(before.content);
  const glyph = written ? written[2] : '';
  return glyph.trim() && !/[\p{L}\p{N}]/u.test(glyph) ? glyph : '';
}

// The box of an element; of a glyph that stands out of a line without height, that of the glyph.
function drawnRect(el) {
  const rect = el.getBoundingClientRect();
  if (rect.height >= ICON_PX[0] || rect.width < ICON_PX[0] || el.firstChild || !(el instanceof HTMLElement) || facts(el).clips) return rect;
  const before = getComputedStyle(el, '::before');
  if (!glyphOf(before)) return rect;
  const height = parseFloat(before.fontSize);
  return new DOMRect(rect.x, rect.y + (rect.height - height) / 2, rect.width, height);
}

// The picture in an element that is hidden from screen readers only, or null.
function unspokenPicture(el) {
  if (el.getAttribute('aria-hidden') !== 'true' || el.hasAttribute('inert') || !el.checkVisibility(SEEN)) return null;
  if (el.localName === 'svg' || el.localName === 'img') return el;
  if (!(el instanceof HTMLElement) || el.textContent.trim()) return null;
  const inside = el.querySelectorAll('svg,img');
  return inside.length === 1 ? inside[0] : el.firstElementChild ? null : el;
}

// Whether pictures are reported there, and their row; cached per parent.
const iconRecords = memory();
function iconRecord(el) {
  const parent = above(el);
  if (!parent) return null;
  let record = iconRecords.get(parent);
  if (record === undefined) {
    record = parent.closest(ICON_RECORD) || alikeAround(parent);
    const letters = record ? record.textContent.trim().length : 0;
    if (!letters || letters > RECORD_LETTERS || parent.closest(NO_STATES) || /^(navigation|banner|contentinfo|pager)$/.test(areaOf(parent))) record = null;
    iconRecords.set(parent, record);
  }
  return record;
}

// Rows made of <div>s: one with text, beside others of its kind.
function alikeAround(parent) {
  for (let up = parent, level = 0; up && level < 4; up = above(up), level += 1) {
    if (CARDS.has(up.localName) && up.textContent.trim() && recordsBeside(up).length >= (up.className ? 2 : 3)) return up;
  }
  return null;
}

function recordsBeside(record) {
  const kind = classOf(record);
  return record.parentElement ? [...record.parentElement.children].filter((one) => one.localName === record.localName && (one === record || !CARDS.has(one.localName) || classOf(one) === kind) && one.textContent.trim() && !(one.localName === 'tr' && !one.querySelector('td'))) : [record];
}
const classOf = (el) => (el.getAttribute('class') || '').trim().split(/\s+/)[0];

function classesAround(el) {
  const parent = el.parentElement;
  const alone = parent && !parent.textContent.trim() ? parent.getAttribute('class') || '' : '';
  return `${el.getAttribute('class') || ''} ${alone} ${el.localName === 'img' ? el.getAttribute('src') || '' : ''}`;
}

// Text for screen readers beside it is reported in its place.
function spokenBeside(el) {
  const parent = el.parentElement;
  if (!parent || parent.children.length > 8) return false;
  return [...parent.children].some((one) => one !== el && one.firstChild && one.textContent.trim() && (facts(one).cutAway || facts(one).clips && one.getBoundingClientRect().width <= 1));
}

// `<span title="Passed"><svg></span>`: what holds the picture alone, within its record.
function wrapperName(el, record) {
  for (let up = el; up && up !== record && !up.textContent.trim(); up = up.parentElement) {
    const said = clean(up.getAttribute('aria-label') || up.getAttribute('title') || '');
    if (said) return said;
  }
  return '';
}

function svgLook(el) {
  if (el.querySelector('text,foreignObject,image')) return null;
  let key = '';
  let coloured = false;
  let painted = false;
  for (const shape of [...el.querySelectorAll('*')].slice(0, MAX_SHAPES)) {
    if (!SHAPES.has(shape.localName) || shape.localName === 'g') continue;
    const { fill, stroke, display, opacity, visibility } = getComputedStyle(shape);
    if (display === 'none' || visibility !== 'visible') continue;
    const paints = [fill, stroke].filter((one) => !unpainted(one));
    painted = painted || paints.length > 0;
    coloured = coloured || paints.some(isColourful);
    key += `${shape.localName} ${GEOMETRY.map((name) => shape.getAttribute(name) || '').join()} ${fill} ${stroke} ${opacity};`;
  }
  return painted ? { key: `${el.getAttribute('viewBox')} ${key}`, coloured } : null;
}

// The colour of a picture that is named by its class, beside the text of a record: it may be all that tells its state.
function colourOf(el) {
  if (!iconRecord(el)) return NONE;
  const colour = getComputedStyle(el, '::before').color;
  return isColourful(colour) ? [`colour ${inBytes(colour)}`] : NONE;
}

// A colour as `rgb(214, 57, 57)`, in whichever way the style writes it.
const IN_PARTS = /^color\(srgb ([\d.]+) ([\d.]+) ([\d.]+)\)$/;
function inBytes(paint) {
  const parts = IN_PARTS.exec(paint);
  return parts ? `rgb(${parts.slice(1).map((part) => Math.round(Number(part) * 255)).join(', ')})` : paint;
}

// The colours of an image file are unknown: it counts when it differs from its neighbours.
function imgLook(el) {
  if (!el.complete || !el.naturalWidth || parseFloat(facts(el).style.borderTopLeftRadius) >= 8) return null;
  return { key: el.currentSrc || el.src, coloured: false };
}

// A dot, a sprite, a glyph of an icon font: an empty element that is drawn by its style alone.
function cssLook(el, rect) {
  const { style } = facts(el);
  const pictures = [style.backgroundImage, style.maskImage].filter((one) => one && one !== 'none');
  if (pictures.length) return { key: `${pictures.join()} ${style.backgroundPosition} ${style.backgroundColor}`, coloured: style.maskImage === 'none' || isColourful(style.backgroundColor) };
  const before = getComputedStyle(el, '::before');
  if (before.content !== 'none' && before.content !== 'normal') {
    const glyph = glyphOf(before);
    if (!glyph) return null;
    return { key: `${glyph} ${before.color} ${before.fontFamily} ${style.backgroundColor}`, coloured: isColourful(before.color) || isColourful(style.backgroundColor) };
  }
  const paint = !unpainted(style.backgroundColor) ? style.backgroundColor : parseFloat(style.borderTopWidth) > 0 ? style.borderTopColor : 'none';
  const round = parseFloat(style.borderTopLeftRadius) * (style.borderTopLeftRadius.endsWith('%') ? rect.width / 100 : 1) >= rect.width / 4;
  if (unpainted(paint) || !round && !isColourful(paint) || Math.abs(rect.width - rect.height) > 2) return null;
  return { key: `${style.backgroundColor} ${style.borderTopColor} ${style.borderTopWidth} ${round}`, coloured: isColourful(paint) };
}

const unpainted = (paint) => /^(none|transparent|rgba\(.*, 0\)|)$/.test(paint);
function isColourful(paint) {
  const parts = /^rgba?\((\d+), (\d+), (\d+)/.exec(inBytes(paint));
  if (!parts) return !unpainted(paint);
  const [r, g, b] = parts.slice(1).map(Number);
  return Math.max(r, g, b) - Math.min(r, g, b) > 40;
}

// Short, and equal for what is drawn alike (FNV-1a).
function hashOf(text) {
  let hash = 0x811c9dc5;
  for (let n = 0; n < text.length; n += 1) hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193);
  return (hash >>> 0).toString(36);
}

// Icons to leave out, once all are known. One without colour that is equal in each of three or more rows
// (a bullet, a chevron) is reported once, with the first row.
function judgeIcons(icons) {
  const out = new Set();
  const lists = new Map();
  const inRecord = new Map();
  for (const item of icons) {
    const { record } = item;
    inRecord.set(record, (inRecord.get(record) || 0) + 1);
    if (inRecord.get(record) > MAX_ICONS_IN_RECORD) { out.add(item); continue; }
    const list = record.parentElement;
    if (lists.has(list)) lists.get(list).push(item); else lists.set(list, [item]);
  }
  let telling = 0;
  for (const all of lists.values()) {
    const rows = recordsBeside(all[0].record).length;
    const byLook = new Map();
    for (const item of all) if (byLook.has(item.look)) byLook.get(item.look).push(item); else byLook.set(item.look, [item]);
    const kept = new Set();
    for (const item of repeating(all)) { out.add(item); byLook.set(item.look, byLook.get(item.look).filter((one) => one !== item)); }
    for (const alike of byLook.values()) {
      if (!alike.length) continue;
      const held = new Set(alike.map((item) => item.record)).size;
      if (rows >= 3 && held >= rows && !alike[0].coloured) { alike[0].states = [`the same in all ${rows} rows`]; for (const item of alike.slice(1)) out.add(item); continue; }
      if (alike[0].coloured || alike[0].el.localName === 'img' && byLook.size > 1) for (const item of alike) kept.add(item.record);
    }
    if (kept.size * 2 >= rows && kept.size) telling += 1;
  }
  for (const item of icons.filter((one) => !out.has(one)).slice(MAX_ICONS)) out.add(item);
  return { out, telling };
}

// Icons that repeat the words beside them: every red dot stands beside "Critical".
function repeating(all) {
  const places = new Map();
  for (const item of all) { const place = tagPath(item.el); if (places.has(place)) places.get(place).push(item); else places.set(place, [item]); }
  return [...places.values()].filter((some) => {
    const looks = new Map();  // of each word: it must have one, and words must come again, as names of records do not
    for (const item of some) {
      const words = wordsBeside(item);
      if (looks.has(words) && looks.get(words) !== item.look) return false;
      looks.set(words, item.look);
    }
    const apart = new Set(looks.values()).size === looks.size;
    return apart ? looks.size < some.length : looks.size * 2 <= some.length;
  }).flat();
}

// A pressable element says nothing about the record.
const PRESSED = new Set(['link', 'button', 'menuitem']);
function wordsBeside({ el, record }) {
  for (let up = el.parentElement; up && up !== record; up = up.parentElement) {
    const words = up.textContent.trim() ? clean(textOf(up, PRESSED)) : '';
    if (words) return words;
  }
  return clean(record.textContent);
}

// A cell with only a picture is not empty: the picture is reported in its place.
function holdsIcon(cell) {
  if (!cell.firstElementChild) return false;
  for (const el of cell.querySelectorAll('*')) {
    if (el.localName !== 'svg' && el.localName !== 'img' && (el.firstChild || !(el instanceof HTMLElement))) continue;
    if (el.checkVisibility(SEEN) && iconIn(el)) return true;
  }
  return false;
}

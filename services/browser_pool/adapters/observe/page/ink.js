// Where the texts of a value are drawn, for a look at the picture: the boxes of its own words, the place in which they
// stand, and what else is drawn there.

const MAX_BOXES = 80;
// What is drawn this near to a text is read with it.
const NEAR_EM = 1.5;
const LEAST_SEEN = 0.9;  // of a text that is cut at the edge of a box without a sign that there is more
const PAINTS = 'img,svg,canvas,video,picture,iframe,object,embed,input,select,textarea,button,progress,meter,hr';
const FONTS_MAY_LACK = /[^\x00-\x7f]/;

function inkVerbs() {
  const each = (id, wanted, inSight) => {
    const boxes = glyphsOf(document);
    const glyphs = (text, style) => FONTS_MAY_LACK.test(text) ? boxes(text, style) : 0;
    return wanted.split(',').filter(Boolean).map((n) => inkOf(id, Number(n), glyphs, inSight));
  };
  return { ink: (id, wanted) => each(id, wanted, false), inkInSight: (id, wanted) => each(id, wanted, true) };
}

// null where nothing of the value has a place. `inSight`: only of the words that can be seen from here; `words` says
// which these are, of `count`. `glyphless`: characters of all its words for which no font has a sign.
function inkOf(id, n, glyphs, inSight) {
  const item = resolve(id, n);
  if (!item) return null;
  const { el } = item;
  const field = item.control === null && el.matches('input,select,textarea');
  const box = onPage(visibleBox(item));
  const nowhere = { box, outside: true, cut: false, zone: NO_BOX, texts: NONE, others: NONE, icons: NONE, words: NONE, count: 1 };
  if (field && CHECKABLE.has(item.role) || item.role === 'img' && el.localName !== 'canvas') return inkOfPlace(item, nowhere, inSight);
  if (field) return inSight && !isInSight(el.getBoundingClientRect(), el) ? nowhere : { ...inkOfField(el, glyphs), box };
  const nodes = (item.nodes || drawnTexts(el)).filter((node) => node.isConnected);
  const holder = boxed(item.nodes && clean(el.textContent) !== clean(item.name) ? el : soleHolder(el));
  const all = nodes.flatMap((node) => wordBoxes(node).map((rect) => [rect, node])).filter(([rect]) => rect.width > 0 && rect.height > 0).slice(0, MAX_BOXES);
  if (!all.length) {
    if (inSight && !isInSight(el.getBoundingClientRect(), el)) return nowhere;
    return { box, outside: item.nodes === null && box[2] * box[3] === 0 && hasBox(el), cut: false, zone: onPage(overlap(inside(el), clipOf(el))), texts: NONE, others: painted(el, el, inside(el)).map(onPage), icons: NONE, words: [0], count: 1 };
  }
  const numbers = inSight ? wordsInSight(all, el) : null;
  if (numbers && !numbers.length) return { ...nowhere, count: all.length };
  const words = numbers ? numbers.map((k) => all[k]) : all;
  const seen = words.map(([rect, node]) => seenPart(rect, node.parentElement));
  const around = union(words.map(([rect]) => rect), Math.max(...words.map(([, node]) => parseFloat(facts(node.parentElement).style.fontSize) || 0)) * NEAR_EM);
  const others = [...seen.filter(Boolean), ...drawnTexts(holder).flatMap((node) => [...rectsOf(node)]), ...painted(holder, el, around)].slice(0, 4 * MAX_BOXES);
  return {
    misdrawn: isMisdrawn(nodes, clean(item.name || textOf(el))),
    box, outside: seen.every((part) => part === null),
    cut: seen.some((part, k) => isCut(part, ...words[k])) || nodes.some((node) => isMasked(node.parentElement)),
    zone: onPage(overlap(overlap(inside(holder), around), clipOf(holder))), texts: drawnWords(seen, words).map(onPage), others: others.map(onPage),
    icons: [el, ...el.querySelectorAll('*')].slice(0, MAX_BOXES).filter(hasIconBehind).map((one) => onPage(one.getBoundingClientRect())),
    glyphless: glyphlessIn(nodes, glyphs), words: numbers || NONE, count: numbers ? all.filter(isNotShortened).length || 1 : 1,
  };
}

// The numbers of the words that can be seen from here, and that are not left out for three dots.
function wordsInSight(all, el) {
  const numbers = all.flatMap((word, k) => isNotShortened(word) && isInSight(word[0], word[1].parentElement, el) ? [k] : []);
  return numbers.length || all.some(isNotShortened) ? numbers : all.flatMap(([rect, node], k) => k === 0 && seenPart(rect, node.parentElement) ? [k] : []);
}

function isNotShortened([rect, node]) {
  for (let up = node.parentElement, level = 0; up && level < MAX_LEVELS; up = up.parentElement, level += 1) if (facts(up).style.textOverflow === 'ellipsis') return shareOf(overlap(rect, up.getBoundingClientRect()), rect) >= LEAST_SEEN;
  return true;
}

// The part of its box that is not cut off.
function visibleBox(item) {
  const rect = item.nodes ? rangeRect(item.nodes) : item.role === 'img' ? drawnRect(item.el) : item.el.getBoundingClientRect();
  const up = item.nodes ? item.el : upFrom(item.el);
  return overlap(rect, up && clipOf(up));
}

// Of each word: a blank at the end of a line has a box of its own, and no ink.
function wordBoxes(node) {
  const boxes = [], range = document.createRange();
  for (const word of node.data.matchAll(/\S+/g)) {
    if (boxes.length >= MAX_BOXES) break;
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    boxes.push(...range.getClientRects());
  }
  return boxes;
}

// In the texts and in what style sheets add to them.
function glyphlessIn(nodes, glyphs) {
  const holders = new Set(nodes.map((node) => node.parentElement).filter(Boolean));
  const added = [...holders].flatMap((el) => ['::before', '::after'].map((part) => [addedText(el, part), el, part]));
  const inTexts = nodes.reduce((sum, node) => sum + (node.parentElement ? glyphs(node.data, facts(node.parentElement).style) : 0), 0);
  return added.reduce((sum, [text, el, part]) => sum + (text ? glyphs(text, getComputedStyle(el, part)) : 0), inTexts);
}

// The text of a field stands somewhere in its box.
function inkOfField(el, glyphs) {
  const box = inside(el);
  const part = seenPart(el.getBoundingClientRect(), el.parentElement);
  return { outside: part === null, cut: isMasked(el), zone: NO_BOX, texts: part === null || !el.value ? NONE : [onPage(box)], others: NONE, icons: NONE, words: [0], count: 1, glyphless: glyphs(fieldText(el), getComputedStyle(el)) };
}
const fieldText = (el) => isMasked(el) || el.type === 'password' ? '' : el.localName === 'select' ? [...el.selectedOptions].map((one) => one.label).join(' ') : el.value;

// A named picture, or the state of a box: no text stands for it, so that only its place can be looked at. What is all
// but without size has its state drawn by another element.
const LEAST_PLACE_PX = 4;
function inkOfPlace(item, nowhere, inSight) {
  const { el } = item;
  const rect = item.role === 'img' ? drawnRect(el) : el.getBoundingClientRect();
  if (Math.min(rect.width, rect.height) < LEAST_PLACE_PX || unreachable(rect, el)) return null;
  if (inSight && !isInSight(rect, upFrom(el), el)) return { ...nowhere, judged: false };
  const part = seenPart(rect, upFrom(el));
  const cut = shareOf(part, rect) < LEAST_SEEN || isUnder(rect, el);
  return { ...nowhere, outside: part === null, cut, zone: part ? onPage(part) : NO_BOX, words: [0], judged: false };
}

const NO_BOX = [0, 0, 0, 0];
const onPage = (box) => [box.left + scrollX, box.top + scrollY, Math.max(0, box.right - box.left), Math.max(0, box.bottom - box.top)].map((x) => Math.round(x * 10) / 10);

// An element of `display: contents` has no box: its texts stand in the one around it.
function boxed(el) {
  let up = el;
  while (up.parentElement && facts(up).noBox) up = up.parentElement;
  return up;
}

// All texts in an element that are drawn, also those for the eyes alone.
function drawnTexts(el, found = [], depth = 0) {
  for (const child of (rootOf(el) || el).childNodes) {
    if (found.length >= 4 * MAX_BOXES || depth > 100) break;
    if (child.nodeType === 3) { if (child.data.trim()) found.push(child); continue; }
    if (child.nodeType !== 1 || SILENT.has(child.localName)) continue;
    if (child.localName === 'slot' && child.assignedNodes().length) { for (const one of child.assignedNodes()) { if (one.nodeType === 1) drawnTexts(one, found, depth + 1); else if (one.nodeType === 3 && one.data.trim()) found.push(one); } continue; }
    if (facts(child).noBox || child.checkVisibility(SEEN)) drawnTexts(child, found, depth + 1);
  }
  return found;
}

// Dots are drawn in place of its letters.
const isMasked = (el) => el !== null && !/^(none|)$/.test(getComputedStyle(el).webkitTextSecurity || '');

// Its box without the border, and without the corners that are cut off round.
const CORNER = 0.3;
function inside(el) {
  const box = el.getBoundingClientRect();
  const { style } = facts(el);
  const round = Math.min(parseFloat(style.borderTopLeftRadius) || 0, box.height / 2) * CORNER;
  const px = (side) => (parseFloat(style[`border${side}Width`]) || 0) + 1 + round;
  return { left: box.left + px('Left'), right: box.right - px('Right'), top: box.top + px('Top'), bottom: box.bottom - px('Bottom') };
}

function union(boxes, more) {
  const left = Math.min(...boxes.map((box) => box.left)) - more, right = Math.max(...boxes.map((box) => box.right)) + more;
  return { left, right, top: Math.min(...boxes.map((box) => box.top)) - more / 4, bottom: Math.max(...boxes.map((box) => box.bottom)) + more / 4 };
}

// The part of a box that is not cut off by what scrolls or clips around it; null: none.
function seenPart(rect, el) {
  const box = el ? clipOf(el) : null;
  const part = box ? overlap(rect, box) : rect;
  return part.right - part.left < 1 || part.bottom - part.top < 1 || unreachable(rect, el) || isBeyondWindow(rect) ? null : part;
}

function isCut(part, rect, node) {
  return shareOf(part, rect) < LEAST_SEEN && !isShortened(node);
}
const shareOf = (part, rect) => part === null ? 0 : ((part.right - part.left) * (part.bottom - part.top)) / (rect.width * rect.height);
// Three dots say that there is more.
function isShortened(node) {
  for (let up = node.parentElement, level = 0; up && level < MAX_LEVELS; up = up.parentElement, level += 1) if (facts(up).style.textOverflow === 'ellipsis') return true;
  return false;
}

// The parts that have to have ink. Of a text that ends in three dots, they may stand in place of the last whole words.
function drawnWords(seen, words) {
  const whole = seen.filter((part, k) => part !== null && (shareOf(part, words[k][0]) >= LEAST_SEEN || !isShortened(words[k][1])));
  const isShort = words.some(([rect, node], k) => shareOf(seen[k], rect) < LEAST_SEEN && isShortened(node));
  return isShort && whole.length > 1 ? whole.slice(0, -1) : whole.length ? whole : seen.filter(Boolean);
}

// The boxes in an element that are painted beside its texts: pictures, fields, grounds and lines of their own, the
// marks of lists.
function painted(holder, el, around) {
  const boxes = [];
  const texts = drawnTexts(holder).slice(0, MAX_BOXES).flatMap((node) => [...rectsOf(node)].slice(0, 1).map((line) => [line, node.data]));
  const near = (box) => box.right > around.left && box.left < around.right && box.bottom > around.top && box.top < around.bottom;
  for (const one of [...holder.querySelectorAll('*')].slice(0, 4 * MAX_BOXES)) {
    const box = one.getBoundingClientRect();
    if (box.width < 1 || box.height < 1 || !near(box) || !one.checkVisibility(SEEN)) continue;
    const { style } = facts(one);
    if (isListItem(one)) boxes.push(markerBox(one));
    if (isSignOf(box, texts)) continue;
    if (one.matches(PAINTS) || rootOf(one) || style.backgroundImage !== 'none' && !hasIconBehind(one) || !unpainted(style.backgroundColor) || ['Top', 'Right', 'Bottom', 'Left'].some((side) => parseFloat(style[`border${side}Width`]) > 0 && style[`border${side}Style`] !== 'none') || style.boxShadow !== 'none' || drawsSign(one)) boxes.push(box);
  }
  for (let up = holder, level = 0; up && level < MAX_LEVELS; up = up.parentElement, level += 1) if (isListItem(up)) boxes.push(markerBox(up));
  if (drawsSign(holder)) boxes.push(...signBoxes(holder));
  for (const one of [el, ...[...el.querySelectorAll('*')].slice(0, MAX_BOXES)]) if (addedTo(one) !== NOTHING_ADDED) boxes.push(...signBoxes(one));
  return boxes;
}

// A picture behind the text of an element: an icon beside it, or a sign.
const hasIconBehind = (el) => facts(el).style.backgroundImage.startsWith('url(') && clean(el.textContent) !== '';

const isListItem = (el) => facts(el).style.display === 'list-item' && facts(el).style.listStyleType !== 'none';
function markerBox(el) {
  const box = el.getBoundingClientRect();
  const within = facts(el).style.listStylePosition === 'inside' ? MARKER_PX / 2 : 0;
  return { left: box.left - MARKER_PX, right: box.left + within, top: box.top, bottom: box.bottom };
}
const MARKER_PX = 40;

// Generated content that is no text: icons, bullets, chevrons.
function drawsSign(el) {
  return ['::before', '::after'].some((part) => {
    if (drawsNumberSign(el, part)) return false;
    const { content, display, backgroundImage, backgroundColor } = getComputedStyle(el, part);
    return content !== 'none' && content !== 'normal' && display !== 'none' && (backgroundImage !== 'none' || !unpainted(backgroundColor) || !addedText(el, part) && content !== '""');
  });
}

// Where the generated content of an element stands: before its first text and behind its last one.
function signBoxes(el) {
  const box = el.getBoundingClientRect();
  const lines = drawnTexts(el).flatMap((node) => [...rectsOf(node)]);
  if (!lines.length) return [box];
  const left = Math.min(...lines.map((line) => line.left)), right = Math.max(...lines.map((line) => line.right));
  const first = lines[0], last = lines[lines.length - 1];
  return [
    { left: box.left, right: left, top: box.top, bottom: box.bottom }, { left: right, right: box.right, top: box.top, bottom: box.bottom },
    // Of a text in several lines, a sign stands before the first one and behind the last one.
    { left: box.left, right: first.left, top: first.top, bottom: first.bottom }, { left: last.right, right: box.right, top: last.top, bottom: last.bottom },
  ];
}

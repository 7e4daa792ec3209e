// Whether the letters of a value stand in another order, with gaps or turned over, so that a person reads another text
// than the document says; and bars that stand for a sign of a number.

const NUMBER_GAP_EM = 0.3;  // between two parts of one number; a digit that is not drawn leaves more
const BACK_PX = 2;
const MOST_LETTERS = 200;  // longer texts are no numbers or names
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

// `nodes`: the texts of a value, in the order of the document. `said`: what is read of them.
function isMisdrawn(nodes, said) {
  if (nodes.some((node) => isTurnedOver(node.parentElement))) return true;
  if (said.length > MOST_LETTERS || RIGHT_TO_LEFT.test(said)) return false;
  return hasGap(nodes, said) || goesBack(nodes.filter((node) => !isFloated(node.parentElement)).flatMap(drawnWordsOf), said);
}

// Each word of a text: its box, and what it says. Of a word that is broken, the box of its first part.
function drawnWordsOf(node) {
  const range = document.createRange();
  return [...node.data.matchAll(/\S+/g)].flatMap((word) => {
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    const box = range.getClientRects()[0];
    return box ? [[box, word[0]]] : [];
  });
}

// Mirrored, or upside down.
function isTurnedOver(el) {
  let whole = null;
  for (let up = el; up; up = up.parentElement) {
    const { transform, rotate, scale } = ownLook(up).style;
    if (transform === 'none' && rotate === 'none' && scale === 'none') continue;
    const own = new DOMMatrix(`${rotate === 'none' ? '' : rotationOf(rotate)} ${scale === 'none' ? '' : `scale(${scale.split(' ').join(',')})`} ${transform === 'none' ? '' : transform}`);
    whole = whole === null ? own : own.multiply(whole);
  }
  if (whole === null) return false;
  const { a, b, c, d } = whole;
  return a * d - b * c < 0 || a < -0.5 * Math.hypot(a, b);
}

// "45deg", "x 45deg" or "0 1 0 45deg".
function rotationOf(rotate) {
  const parts = rotate.split(' '), angle = parts.pop();
  if (!parts.length) return `rotate(${angle})`;
  const axis = parts.length === 3 ? parts : ['x', 'y', 'z'].map((one) => (one === parts[0] ? '1' : '0'));
  return `rotate3d(${axis.join(',')},${angle})`;
}

// Between two texts that are read as one number.
function hasGap(nodes, said) {
  return nodes.slice(1).some((node, k) => {
    const before = nodes[k], tail = /[\d.,]+$/.exec(before.data), head = /^[\d.,]+/.exec(node.data);
    if (!tail || !head || !said.includes(tail[0] + head[0])) return false;
    const { style, fontPx } = ownLook(node.parentElement);
    const left = lastRectOf(before), right = firstRectOf(node);
    if (!left || !right || left.bottom <= right.top || right.bottom <= left.top) return false;
    return right.left - left.right > NUMBER_GAP_EM * fontPx + (parseFloat(style.letterSpacing) || 0);
  });
}

// A word stands before the one that it follows in the document, on one line, and is read after it.
function goesBack(words, said) {
  if (!words.slice(1).some(([box], k) => onOneLine(box, words[k][0]) && box.left < words[k][0].left - BACK_PX)) return false;
  const lines = [];
  for (const word of words) {
    const line = lines.find((one) => onOneLine(one[0][0], word[0]));
    if (line) line.push(word);
    else lines.push([word]);
  }
  const drawn = lines.map((line) => line.sort(([one], [other]) => one.left - other.left).map(([, text]) => text).join('')).join('');
  return lettersOf(drawn) !== lettersOf(said);
}

const onOneLine = (one, other) => Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 0.5 * Math.min(one.height, other.height);
const lettersOf = (text) => text.normalize('NFKC').replace(/[^\p{L}\p{N}]/gu, '');

function isFloated(el) {
  for (let up = el, level = 0; up && level < MAX_LEVELS; up = up.parentElement, level += 1) if (facts(up).style.float !== 'none') return true;
  return false;
}

// --- signs that are drawn as bars

const BAR_EM = 0.25, BAR_WIDTH_EM = 1.1, LEAST_BAR_PX = 3;

// As wide and as high as a minus.
const isMinusBar = (width, height, em) => height > 0 && height <= BAR_EM * em && width >= LEAST_BAR_PX && width >= 1.5 * height && width <= BAR_WIDTH_EM * em;

// A bar beside a number, at half of its height.
function isSignOf(box, texts) {
  return texts.some(([line, text]) => {
    const middle = (box.top + box.bottom) / 2, em = line.height;
    if (!isMinusBar(box.right - box.left, box.bottom - box.top, em) || middle < line.top + 0.2 * em || middle > line.bottom - 0.2 * em) return false;
    return box.right <= line.left + 1 && line.left - box.right < NEAR_EM * em && STARTS_NUMBER.test(text) || box.left >= line.right - 1 && box.left - line.right < NEAR_EM * em && ENDS_NUMBER.test(text);
  });
}
const STARTS_NUMBER = /^\s*[\p{Sc}\d.,]/u;
const ENDS_NUMBER = /[\d.,]\s*[\p{Sc}%]?\s*$/u;

// Generated content that may say something of the number beside it: a bar, or a counter, whose number no page can ask for.
function drawsNumberSign(el, part) {
  const style = getComputedStyle(el, part), text = clean(el.textContent);
  if (style.content === 'none' || style.content === 'normal' || style.display === 'none' || !(part === '::before' ? STARTS_NUMBER : ENDS_NUMBER).test(text)) return false;
  if (/\bcounters?\(/.test(style.content)) return true;
  const px = (name) => parseFloat(style[name]) || 0;
  return isMinusBar(px('width') + px('borderLeftWidth') + px('borderRightWidth'), px('height') + px('borderTopWidth') + px('borderBottomWidth'), parseFloat(style.fontSize));
}

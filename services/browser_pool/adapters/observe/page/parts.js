// The separate texts of one element: "Ann Lee" and the badge "Admin" stand in one cell and are two texts, while
// "Opened by <a>Ann</a> on 3 May" is one.

const PLAIN_PART = '';
const BADGE_PART = 'badge';  // in a box of its own, such as a badge, a tag or a chip
const OLD_PART = 'old';      // struck out: what was shown before
const MAX_PART_NODES = 200;
const GAP_EM = 0.9;          // a wider gap on one line separates; a space is about 0.3
const SMALLER = 0.9;
const PARTED = new Set(['cell', 'gridcell', 'definition', 'listitem', 'status', 'alert', 'note', 'heading', 'text', 'link', 'paragraph', 'rowheader', 'term']);
// They mark words of a sentence, however they are painted.
const FLOW_TAGS = new Set(['code', 'kbd', 'samp', 'var', 'mark', 'q', 'cite', 'em', 'strong', 'i', 'b', 'u', 'sub', 'sup', 'abbr', 'time', 'ins', 'dfn', 'data', 'font', 'bdi', 'bdo', 'wbr']);
const BADGE_CLASS = /(?:^|[\s_-])(?:badge|tag|chip|pill|lozenge)s?(?:$|[\s_-])/i;
// What a button says that clears or closes.
const CLEAR_GLYPH = /^[×✕✖⨯⨉╳❌⊗🗙]$/u;
const isClearGlyph = (el) => el.firstElementChild === null && el.firstChild !== null && CLEAR_GLYPH.test(clean(el.textContent));

// [text, kind, title, minor] of each; empty where the name is the one text.
function textPartsOf(item) {
  const { el, nodes, name, role } = item;
  if (item.value !== null) return chosenParts(item);
  if (!PARTED.has(role) || !name || nodes === null && (el.firstElementChild === null || clean(contentName(el, role)) !== name)) return NONE;
  const pieces = textPiecesOf(nodes || textNodesIn(el, VALUE_CELLS.has(role)), el);
  if (pieces.length === 0 || pieces.length === 1 && pieces[0].kind === PLAIN_PART && clean(pieces[0].text) === name || nodes === null && isAddedAlone(el)) return NONE;
  const prints = pieces.map(printOf);
  const most = prints.filter((print, n) => pieces[n].kind === PLAIN_PART).reduce(strongerPrint, NO_PRINT);
  return pieces.map((piece, n) => [shorten(clean(piece.text)), piece.kind, titleOfPiece(piece), isMinor(prints[n], most)]);
}

// How prominent a text is: the size of its letters, whether they are bold, and how they stand out from what is behind.
const NO_PRINT = { size: 0, bold: false, contrast: 0 };
const PALER = 0.6;
function printOf(piece) {
  const size = Math.max(...piece.ends.map((one) => one.size));
  return { size, bold: piece.ends.every((one) => facts(one.el).bold), contrast: Math.max(...piece.ends.map((one) => contrastOf(one.el))) };
}
function strongerPrint(one, other) { return isMinor(one, other) ? other : one; }
function isMinor(one, other) {
  if (Math.min(one.size, other.size) < SMALLER * Math.max(one.size, other.size)) return one.size < other.size;
  return one.bold === other.bold ? one.contrast < PALER * other.contrast : other.bold;
}

// From 1 (not to be seen) to 21 (black on white), as WCAG counts it.
function contrastOf(el) {
  const own = lightOf(facts(el).style.color), behind = lightBehind(el);
  return (Math.max(own, behind) + 0.05) / (Math.min(own, behind) + 0.05);
}
const grounds = memory();  // element -> how light what it stands on is
function lightBehind(el) {
  if (!el) return 1;
  let light = grounds.get(el);
  if (light === undefined) {
    const paint = facts(el).style.backgroundColor;
    light = unpainted(paint) ? lightBehind(el.parentElement) : lightOf(paint);
    grounds.set(el, light);
  }
  return light;
}
function lightOf(paint) {
  const [r, g, b] = (/^rgba?\((\d+), (\d+), (\d+)/.exec(paint) || [0, 0, 0, 0]).slice(1).map((one) => (one / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// The choices of a control in which several may be chosen.
function chosenParts(item) {
  const { el, role } = item;
  let texts = NONE;
  if (el.localName === 'select') texts = [...el.selectedOptions].map((one) => clean(one.label));
  else if (role === 'combobox' && el.localName === 'input') texts = isUnread(el) && el.parentElement ? chosenTextsBeside(el, el.parentElement) : NONE;
  else if (role === 'combobox' || role === 'listbox') {
    const pieces = textPiecesOf(textNodesIn(el, true), el);
    if (pieces.every((piece) => piece.kind === BADGE_PART)) texts = pieces.map((piece) => clean(piece.text));
  }
  return texts.length < 2 ? NONE : texts.slice(0, MAX_PART_NODES).map((text) => [text, BADGE_PART, null, false]);
}

// The text nodes that are seen, in order.
function textNodesIn(el, skipButtons, found = [], depth = 0) {
  for (const child of childrenOf(el)) {
    if (found.length >= MAX_PART_NODES || depth > 200) break;
    if (child.nodeType === 3) { if (child.data.trim() && !facts(el).unseen && !facts(el).faint) found.push(child); continue; }
    if (child.nodeType !== 1 || SILENT.has(child.localName) || child.matches('select,textarea,input')) continue;
    const known = facts(child);
    if (known.gone || isOutOfSight(child, known) || skipButtons && BUTTONS.has(roleOf(child)) || isClearGlyph(child)) continue;
    textNodesIn(child, skipButtons, found, depth + 1);
  }
  return found;
}

// A box of one pixel that shows nothing of its text, as texts for screen readers have.
function isShrunk(el, known) {
  if (!known.clips || known.noBox) return false;
  const box = boxOf(el);
  return box.width <= 1 && box.height <= 1;
}

function textPiecesOf(nodes, root) {
  const pieces = [];
  let last = null;
  for (const node of nodes) {
    const el = node.parentElement || root;
    if (!node.isConnected || !node.data.trim() || el !== root && isClearGlyph(el)) continue;
    const now = { node, el, box: paintedBox(el, root), block: blockOf(el, root), old: isStruck(el), size: facts(el).fontPx || 0, spaced: false };
    const piece = pieces[pieces.length - 1];
    if (last) last.spaced = isSpaceBetween(last.node, node);
    if (last && isOneText(last, now)) {
      piece.text += last.block !== now.block || hasBreakBetween(last.node, node, now.block) || last.spaced || isRoomBetween(last.el, el, root) ? ` ${saidWith(node, root)}` : saidWith(node, root);
      piece.nodes.push(node);
      piece.ends.push(now);
    } else pieces.push({ text: saidWith(node, root), nodes: [node], ends: [now], kind: now.old ? OLD_PART : now.box ? BADGE_PART : PLAIN_PART, root });
    last = now;
  }
  splitTrailingLink(pieces);
  // The whole of it in one box is no badge beside something.
  if (pieces.length === 1 && pieces[0].kind === BADGE_PART) pieces[0].kind = PLAIN_PART;
  return pieces;
}

// "Ann Lee <a>edit</a>": a link that ends a text after a space may be another thing; one inside of a sentence is not.
function splitTrailingLink(pieces) {
  const piece = pieces[pieces.length - 1];
  if (!piece || piece.kind !== PLAIN_PART || piece.ends.length < 2) return;
  const { el } = piece.ends[piece.ends.length - 1];
  const link = el.closest('a[href]');
  const first = piece.ends.findIndex((one) => link && link.contains(one.node));
  if (first < 1 || !piece.root.contains(link)) return;
  const before = piece.ends[first - 1];
  const written = before.node.data;
  if (!(before.spaced || /\s$/.test(written)) || /[,;:/|·(\[–-]\s*$/.test(written)) return;
  const nodes = piece.ends.slice(first).map((one) => one.node);
  pieces.push({ ...piece, text: nodes.map((one) => saidWith(one, piece.root)).join(''), nodes, ends: piece.ends.slice(first) });
  piece.ends = piece.ends.slice(0, first);
  piece.nodes = piece.ends.map((one) => one.node);
  piece.text = piece.text.slice(0, piece.text.lastIndexOf(nodes.map((one) => saidWith(one, piece.root)).join('')));
}

function isOneText(last, now) {
  if (last.old !== now.old || last.box !== now.box) return false;
  if (last.el === now.el && last.block === now.block) return true;
  if (last.block !== now.block) return last.block.localName === 'p' && now.block.localName === 'p' && last.block.parentElement === now.block.parentElement;
  if (now.box) return true;
  const apart = last.spaced || /\s$/.test(last.node.data) || /^\s/.test(now.node.data) || hasBreakBetween(last.node, now.node, now.block);
  const raised = /^su[bp]$/.test(last.el.localName) || /^su[bp]$/.test(now.el.localName);
  if (apart && !raised && Math.min(last.size, now.size) < SMALLER * Math.max(last.size, now.size)) return false;
  if (apart && last.el.localName === 'a' && now.el.localName === 'a') return false;
  const before = lastRectOf(last.node);
  const after = firstRectOf(now.node);
  if (!before || !after || after.top >= before.bottom || after.bottom <= before.top) return true;
  return after.left - before.right <= GAP_EM * Math.max(last.size, now.size, 1);
}

function isSpaceBetween(before, after) {
  const range = document.createRange();
  range.setStartAfter(before);
  range.setEndBefore(after);
  return /\s/.test(range.toString());
}

// Whether a blank is drawn between two texts of a line by the room around their elements.
function isRoomBetween(before, after, root) {
  const hasRoom = (el, other, side) => {
    for (let up = el; up && up !== root && !up.contains(other); up = up.parentElement) if (facts(up)[side]) return true;
    return false;
  };
  return before !== after && (hasRoom(before, after, 'apartAfter') || hasRoom(after, before, 'apartBefore'));
}

function lastRectOf(node) { const all = rectsOf(node); return all[all.length - 1]; }
function firstRectOf(node) { return rectsOf(node)[0]; }
function rectsOf(node) { const range = document.createRange(); range.selectNodeContents(node); return range.getClientRects(); }

function hasBreakBetween(before, after, block) {
  for (const br of block.querySelectorAll('br')) if (before.compareDocumentPosition(br) & 4 && br.compareDocumentPosition(after) & 4) return true;
  return false;
}

// The nearest box that begins a line of its own, at most `root`.
function blockOf(el, root) {
  let up = el;
  while (up !== root && up.parentElement && facts(up).inline) up = up.parentElement;
  return up;
}

// The innermost box around it, below `root`, that is drawn as one: a background or a border of its own.
function paintedBox(el, root) {
  for (let up = el, level = 0; up && up !== root && level < 6; up = up.parentElement, level += 1) {
    if (FLOW_TAGS.has(up.localName) || /^(p|li|tr|td|th|ul|ol|table|tbody)$/.test(up.localName)) continue;
    if (BADGE_CLASS.test(up.getAttribute('class') || '') || up.getAttribute('role') === 'status') return up;
    if (facts(up).framed) return up;
  }
  return null;
}

function titleOfPiece(piece) {
  let up = piece.nodes[0].parentElement;
  const end = piece.nodes[piece.nodes.length - 1];
  while (up && up !== piece.root && !up.contains(end)) up = up.parentElement;
  if (!up || up === piece.root) return null;
  const text = clean(piece.text);
  return titleOf(up, text, null, clean(textOf(up)) !== text);
}

// One pass over the document: every visible or usable element, in document order. A survey reports all of
// them in few bytes; `details` then returns the chosen ones in full.

const LEAF = new Set([...INTERACTIVE, 'heading', 'columnheader', 'rowheader', 'term', 'caption', 'img', 'tooltip',
  'progressbar', 'meter', 'canvas', 'iframe']);
const VALUE_HOLDERS = new Set(['cell', 'gridcell', 'definition']);
const SAYS_WITHOUT_NAME = new Set([...INTERACTIVE, 'canvas', 'iframe', 'progressbar', 'meter']);
const STRUCTURE = 'table,ul,ol,dl,h1,h2,h3,h4,h5,h6,p+p,form,select,textarea,input:not([type=hidden]),canvas,iframe,[role=table],[role=grid],[role=heading],[contenteditable]:not([contenteditable=false])';
const CAN_ACT = 'a[href],button,input:not([type=hidden]),select,textarea,summary,[role=button],[role=link],[role=tab],[role=menuitem],[role=menuitemcheckbox],[role=menuitemradio],[role=treeitem],[role=checkbox],[role=radio],[role=switch],[role=option],[role=combobox],[onclick],[tabindex="0"]';
// They contain pressable elements and take the keyboard for them; they are not pressed themselves.
const COMPOSITES = new Set(['menu', 'menubar', 'tablist', 'tree', 'grid', 'treegrid', 'radiogroup', 'toolbar', 'table', 'dialog', 'alertdialog', 'tabpanel', 'region', 'main', 'form', 'group', 'list']);
const SHAPES = new Set(['rect', 'circle', 'ellipse', 'line', 'path', 'polygon', 'polyline', 'text', 'image', 'g', 'use']);
const MAX_TEXT = 2000;
// Up to this size a page is returned in full at once; a larger one is surveyed first, because most of it is not shown.
const DETAILED = 300;
const MAX_HIT_TESTS = 300;
// Groups of choices: their name tells the choices apart.
const GROUPS = '[role=group]:is([aria-label],[aria-labelledby],[title]):has([role=option],[role=menuitem],[role=menuitemradio],[role=menuitemcheckbox],[role=radio],[role=checkbox],[role=switch],[aria-pressed],input[type=radio],input[type=checkbox])';
const CONTAINER_NAME = 100;  // letters
// A gap this wide (px) between two words that no space separates is a label and its value, not one word.
const APART_PX = 6;

const snapshots = new Map();  // snapshot id -> [{el, nodes, role, name, ...}]
function keep(id, items) {
  snapshots.delete(id);
  snapshots.set(id, items);
  // The last six, and the snapshot of captures.
  if (snapshots.size > 8) snapshots.delete(snapshots.keys().next().value);
}

// The marker is `cut_marker` of shared/contracts/browser_pool.py; programs decide by `cutChars`, which is sent beside it.
const cutChars = (text) => Math.max(0, text.length - MAX_TEXT);
const shorten = (text) => text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)} ... (+${text.length - MAX_TEXT} characters: extract)`;
const outside = (rect, view) => rect.bottom <= 0 || rect.top >= view.h || rect.right <= 0 || rect.left >= view.w;
// How much of the document is in view, and from where on. Asking for any of it is dear: a walk asks once.
let seenFrom = null;
const viewOf = () => ({ w: (document.documentElement && document.documentElement.clientWidth) || innerWidth, h: innerHeight, x: scrollX, y: scrollY });
// So is asking for the box of an element.
const boxes = memory();
function boxOf(el) {
  let box = boxes.get(el);
  if (!box) { box = el.getBoundingClientRect(); boxes.set(el, box); }
  return box;
}

// Left of or above where the document begins: no scrolling brings it into view.
// What a part that scrolls by itself has scrolled away is brought back by scrolling that part.
function unreachable(rect, el) {
  const { x, y } = seenFrom || { x: scrollX, y: scrollY };
  const above = rect.bottom + y <= 0;
  if (!above && !(rect.right + x <= 0 && rect.right + x <= leftEnd())) return false;
  let dx = x, dy = y;
  for (let up = upFrom(el); up && up !== document.body && up !== document.documentElement; up = upFrom(up)) {
    if (!up.scrollTop && !up.scrollLeft) continue;
    const box = up.getBoundingClientRect();
    if (rect.bottom - box.top + up.scrollTop <= 0) return true;
    dx += up.scrollLeft;
    dy += up.scrollTop;
  }
  return rect.bottom + dy <= 0 || rect.right + dx <= 0 && rect.right + dx <= leftEnd();
}
// A page that is written from right to left goes on to the left.
function leftEnd() {
  const page = document.scrollingElement || document.documentElement;
  if (!page) return 0;
  const turned = getComputedStyle(document.body || page).direction === 'rtl';
  return turned ? Math.min(0, page.clientWidth - page.scrollWidth) : 0;
}

// Minimum size of the document as a file: its markup and its resources.
function weight() {
  const came = performance.getEntriesByType('resource').filter((one) => one.initiatorType !== 'script' && one.initiatorType !== 'fetch' && one.initiatorType !== 'xmlhttprequest');
  return (document.documentElement ? document.documentElement.outerHTML.length : 0) + came.reduce((sum, one) => sum + one.encodedBodySize, 0);
}

function survey(id, withLocators, weighed, room) {
  let items = [];
  let contents = [];
  let frames = [];
  const icons = [];
  const hosts = [];
  let ranks = '';
  const stats = { total: 0, interactive: 0, unnamed: 0, svg: 0, canvas: 0, canvas_share: 0, icons: 0, icon_lists: 0 };
  const view = seenFrom = viewOf();
  const cells = new Map();
  const origin = `${location.origin}/`;
  const pressable = new Set();  // the items of a list whose container listens for all of them
  const told = new Set();       // controls that are represented by their label
  let rows = 0;
  let run = null;

  function emit(el, role, name, at, extra = NOTHING) {
    const { value = null, states = NONE, url = null, level = null, nodes = null, control = null, spoken = false } = extra;
    const { header } = at;
    if (!name && !value && !header && !SAYS_WITHOUT_NAME.has(role)) return;
    if (role === 'iframe') frames.push(items.length);
    const beside = name && !UNTITLED.has(role) ? titleOf(el, name, header, nodes !== null) : null;
    items.push({ el, role, name, header, row: at.row, column: at.column, span: at.span, dialog: at.dialog, value, states, url, level, nodes, control, spoken, beside, around: null, record: null, twins: NONE, look: '', coloured: false });
    contents.push(`${role}\t${header || ''}\t${shorten(name)}\t${value === null ? '' : `= ${clean(value)}`}\t${
      states.length ? states.join(',') : ''}\t${url ? shortUrl(url, origin) : ''}${beside === null ? '' : `\t${beside}`}`);
    ranks += role === 'option' || el.localName === 'optgroup' ? '4' : at.dialog ? '0' : !at.out ? '1' : role === 'heading' ? '2' : '3';
  }

  function flush() {
    if (run) {
      const text = clean(run.text);
      if (text) emit(run.el, run.role || 'text', text, run.at, { nodes: run.nodes.length ? run.nodes : null });
    }
    run = null;
  }

  function addText(node, at) {
    const data = saidBy(node);
    if (!data.trim()) { if (run) run.text += ' '; return; }
    if (run && run.nodes.length && !run.added && !/\s$/.test(run.text) && !/^\s/.test(data) && run.nodes[run.nodes.length - 1].parentNode !== node.parentNode) {
      const before = rangeRect(run.nodes.slice(-1));
      const after = rangeRect([node]);
      const gap = after.left - before.right;
      if (gap >= APART_PX || after.top >= before.bottom) flush();
      else if (gap > BLANK_EM * facts(node.parentElement || node.parentNode.host).fontPx) run.text += ' ';
    }
    const el = node.parentElement || node.parentNode.host;
    if (!run) run = { el, text: '', nodes: [], at, role: at.textRole };
    if (run.el !== el && !run.el.contains(el)) run.el = run.el.parentElement || run.el;
    if (run.text.length < MAX_NAME) run.text += data.length > MAX_NAME ? data.slice(0, MAX_NAME) : data;
    run.nodes.push(node);
    run.added = false;
  }

  // What a style sheet adds before or after the texts of an element.
  function addAdded(el, text, at) {
    if (!run) run = { el, text: '', nodes: [], at, role: at.textRole };
    run.text += text;
    run.added = true;
  }

  function visitAll(node, tag, at) {
    if (tag === 'slot' || tag === 'details' || facts(node).boxed) { for (const child of childrenOf(node)) visitOne(child, child.nodeType, at); return; }
    for (let child = (rootOf(node) || node).firstChild; child; child = child.nextSibling) visitOne(child, child.nodeType, at);
  }

  function visitOne(child, type, at) {
    if (type === 1) visit(child, at);
    else if (type === 3 && !at.mute && !at.unseen) addText(child, at);
  }

  function visit(el, at) {
    const tag = el.localName;
    if (tag === 'br' || tag === 'hr') return flush();
    if (SILENT.has(tag) || tag === 'input' && el.type === 'hidden' || at.depth > 400 || told.size && told.has(el)) return undefined;
    const known = facts(el);
    if (known.gone && known.style.opacity === '0' && isOutOfSight(el, known) && tellHiddenIn(el, at)) return undefined;
    if (known.gone && !at.inside && !at.unseen && isForEyes(el) && (!at.mute || saysMoreThan(el, at.said))) return visitForEyes(el, tag, at);
    if (known.gone || tag === 'input' && worksUnseen(el) && workedByLabel(el)) { const picture = at.inside || at.unseen || !known.gone ? null : unspokenPicture(el); if (picture) addIcon(picture, at); return undefined; }
    let role = roleOf(el);
    stats.total += 1;
    if (tag === 'svg') stats.svg += 1;
    const acts = INTERACTIVE.has(role);
    const byTrace = !acts && !at.inside && (pressable.has(el) || seemsClickable(el, role, known, at, pressable));
    if (byTrace && role !== 'row') role = 'button';
    const inner = { ...at, depth: at.depth + 1, unseen: known.unseen, textRole: null };
    if (!acts && !at.inside) inner.pointer = known.pointer;
    if (role === 'table' || role === 'grid' || role === 'treegrid') {
      const table = readTable(el, rows);
      rows += table.rows;
      for (const [cell, place] of table.cells) cells.set(cell, place);
      inner.header = null;
      inner.row = null;
      inner.column = null;
      inner.span = 1;
    }
    const place = cells.size ? cells.get(el) : undefined;
    if (place) { inner.header = place.header; inner.row = place.row; inner.column = place.column; inner.span = place.span; if (place.role) role = place.role; }
    else if (role === 'definition') inner.header = termOf(el);
    if (!known.inline) flush();
    // What only a search in the page would show.
    if (el.hasAttribute('hidden') && known.style.contentVisibility === 'hidden') return undefined;
    if (known.cutAway && !worksUnseen(el)) return tellHiddenIn(el, inner) || tellIcon(el, at);
    if (tag.includes('-') && mayHaveRoot(el)) hosts.push({ el, role: '', name: null, nodes: null });

    const holds = el.firstElementChild !== null || rootOf(el) !== null;
    const block = holds && !known.inline;
    let rect = null;
    // Reading a box is the most expensive step: elements far outside the view are measured when they are shown.
    if (!known.noBox && tag !== 'option' && (at.out ? !known.inline && (known.clips || known.floats) : block || acts || byTrace || !known.inline)) {
      rect = boxOf(el);
      const empty = rect.width === 0 || rect.height === 0;
      if (rect.width <= 1 && rect.height <= 1 && known.clips && !worksUnseen(el)) return tellHiddenIn(el, inner) || tellIcon(el, at);
      if (empty && (known.clips && !VALUE_HOLDERS.has(role) || acts && !holds) || acts && !empty && unreachable(rect, el)) return undefined;
      if (!empty && unreachable(rect, el) && el.matches(LIVE)) return tellIcon(el, at);
      if (!empty) inner.out = outside(rect, view);
      if (!holds && !empty && MAY_HAVE_ROOT.has(tag) && mayHaveRoot(el)) hosts.push({ el, role: '', name: null, nodes: null });
      if (block && !inner.dialog) inner.dialog = role === 'dialog' || role === 'alertdialog' || el.getAttribute('aria-modal') === 'true' || !inner.out && known.floats && liesOver(el);
    }
    if (known.unseen) { visitAll(el, tag, inner); if (!known.inline) flush(); return undefined; }
    if (role || byTrace || tag === 'label') tell(el, role, rect, inner, byTrace, at);
    else if (at.drawing && tag === 'text') { flush(); emit(el, 'text', look(el, '', clean(el.textContent)), inner); inner.mute = true; }
    else if (at.drawing && SHAPES.has(tag) && tag !== 'g') { flush(); emit(el, 'img', shapeName(el), inner); }
    else if (!holds && !at.inside && el.firstChild === null && (el.hasAttribute('class') || el.hasAttribute('style'))) tellSprite(el, rect, inner);
    if (!acts && !byTrace && !at.inside && !inner.mute && !LEAF.has(role) && tag !== 'label' && canBeDragged(el)) tellDraggable(el, role, rect, inner);
    const { before, after } = inner.mute || inner.inside ? NOTHING_ADDED : addedTo(el);
    if (before) addAdded(el, before, inner);
    if (holds || !inner.mute) visitAll(el, tag, inner);
    if (after) addAdded(el, after, inner);
    if (!known.inline || inner.mute !== at.mute) flush();
    return undefined;
  }

  function visitForEyes(el, tag, at) {
    flush();
    visitAll(el, tag, { ...at, depth: at.depth + 1, mute: false, header: at.mute ? null : at.header });
    flush();
  }

  // Emits the element if it stands for itself, and returns in `inner` how to walk its content.
  function tell(el, role, rect, inner, byTrace, at) {
    const tag = el.localName;
    if (tag === 'label' && el.control && el.control.type !== 'hidden') return tellLabel(el, inner);
    if (role === 'iframe') { flush(); emit(el, role, nameOf(el, role), inner, { url: el.src || null }); return undefined; }
    if (tag === 'optgroup') return tellGroup(el, role, inner);
    if (at.inside && !INTERACTIVE.has(role) || isPartOf(el, role, at.owner)) return undefined;
    if (isToldAsField(el) || isPlaceToType(el, role) || byTrace && drawsBoxBeside(el)) return undefined;
    if (byTrace && tag === 'svg') {
      flush();
      emit(el, role, nameOf(el, 'img'), inner, { states: [...statesOf(el, role), 'clickable'] });
      stats.interactive += 1;
      inner.drawing = true;
      return undefined;
    }
    if (byTrace && (role === 'row' || hasParts(el) || el.querySelector(STRUCTURE))) {
      if (isWrapper(el) || framesField(el)) return undefined;
      const words = containerWords(el);
      // The wrapper of a field has no content of its own; the field is reported.
      if (!words && role !== 'row' && el.querySelector(CAN_ACT)) return undefined;
      flush();
      emit(el, role, words, inner, { states: [...statesOf(el, role), 'clickable'] });
      stats.interactive += 1;
      return undefined;
    }
    if (VALUE_HOLDERS.has(role)) return tellValue(el, role, rect, inner);
    if (role === 'listitem' || role === 'status' || role === 'alert' || role === 'note') {
      if (!el.querySelector(CAN_ACT) && !el.querySelector(STRUCTURE)) leaf(el, role, rect, inner);
      else if (role === 'status' || role === 'alert') inner.textRole = role;
      return undefined;
    }
    if (role === 'table' || role === 'grid' || role === 'dialog' || role === 'alertdialog') {
      const name = nameOf(el, role);
      if (name) { flush(); emit(el, role, name, inner); }
      return undefined;
    }
    if (role === 'radiogroup' || role === 'group' && el.matches(GROUPS)) return tellGroup(el, role, inner);
    // A table is named by its caption.
    if (role === 'caption' && el.parentElement && nameOf(el.parentElement, 'table') === nameOf(el, role)) { inner.mute = true; return undefined; }
    if (LEAF.has(role)) leaf(el, role, rect, inner);
    return undefined;
  }

  // A group of choices, before them. The element that names it is not told a second time.
  function tellGroup(el, role, inner) {
    const name = nameOf(el, role);
    flush();
    emit(el, role, name, inner, { value: valueOf(el, role), states: statesOf(el, role) });
    for (const one of namedBy(el, ['aria-labelledby'])) if (el.contains(one) && clean(textOf(one)) === name && !one.querySelector(CAN_ACT)) told.add(one);
  }

  // What can be dragged is told as a whole; what has parts, before them.
  function tellDraggable(el, role, rect, inner) {
    if (hasParts(el) || el.querySelector(STRUCTURE)) {
      const words = containerWords(el);
      flush();
      emit(el, role || 'group', words, inner, { states: statesOf(el, role) });
    } else leaf(el, role || (clean(textOf(el)) ? 'text' : 'button'), rect, inner);
  }

  // Text for screen readers only is skipped, unless it describes an icon beside it or is a message.
  function tellIcon(el, at) {
    const messages = at.mute || at.unseen || at.inside ? NONE : messagesIn(el);
    for (const [role, text, one] of messages) { flush(); emit(one, role, text, at, { states: ['for screen readers'], spoken: true }); }
    if (messages.length) return undefined;
    const beside = el.previousElementSibling || el.nextElementSibling || el.parentElement;
    if (at.mute || at.unseen || at.inside || !beside || !beside.matches('svg,img,i,[class*=icon]') && !(beside.firstElementChild && beside.querySelector('svg,img,i'))) return undefined;
    const text = clean(el.textContent);
    if (text && text.length < 200) { flush(); emit(el, 'img', text, at, { spoken: true }); }
    return undefined;
  }

  // An empty element that draws a picture: its class is all that says of what.
  function tellSprite(el, rect, inner) {
    const name = iconClass(el) ? clean(el.getAttribute('aria-label') || el.getAttribute('title') || '') || iconName(el) : '';
    if (!name) addIcon(el, inner);
    else if (!inner.mute && (rect || el.getBoundingClientRect()).width > 2) { flush(); emit(el, 'img', name, inner, { states: colourOf(el) }); }
  }

  // A picture without a name beside the text of a record. What it shows has to be asked.
  function addIcon(el, at) {
    const icon = iconIn(el);
    if (!icon || icon.name && icon.name === at.said) return;
    flush();
    if (icon.name) { emit(el, 'img', icon.name, at); return; }
    const { record, look, coloured } = icon;
    items.push({ el, role: 'img', name: '', header: at.header, row: at.row, column: at.column, span: at.span, dialog: at.dialog, value: null, states: NONE, url: null, level: null, nodes: null, control: null, spoken: false, beside: null, around: null, record, twins: NONE, look, coloured });
    contents.push('');
    ranks += '5';
    icons.push(items[items.length - 1]);
  }

  // Those that decorate are taken out again, once all are known.
  function settleIcons() {
    const { out, telling } = judgeIcons(icons);
    const said = new Map();
    for (const item of icons) {
      item.twins = icons;
      if (!said.has(item.record)) said.set(item.record, saidIn(item.record, []));
      item.around = said.get(item.record);
    }
    const kept = items.map((item, n) => out.has(item) ? -1 : n).filter((n) => n >= 0);
    const now = new Map(kept.map((n, place) => [n, place]));
    contents = kept.map((n) => items[n].look ? `img\t${items[n].header || ''}\t\t\t${items[n].states.join(',')} ${items[n].look}\t` : contents[n]);
    ranks = kept.map((n) => ranks[n]).join('');
    frames = frames.map((n) => now.get(n));
    items = kept.map((n) => items[n]);
    stats.icons = icons.length - out.size;
    stats.icon_lists = telling;
  }

  // An invisible check box is operated by its label; any other control takes its label's text as its name.
  function tellLabel(label, inner) {
    const { control } = label;
    if (seenItself(control)) { inner.mute = true; return; }
    if (!worksUnseen(control) || control.matches(':disabled') && facts(control).gone) return;
    told.add(control);
    const role = roleOf(control);
    if (isPartOf(control, role, inner.owner)) return;
    flush();
    const name = nameOf(control, role) || clean(textOf(label, CONTROLS_TEXT));
    emit(label, role, name, inner, { control, value: valueOf(control, role), states: statesOf(control, role) });
    stats.interactive += 1;
    inner.mute = true;
    inner.inside = true;
  }

  // A control of keys is often hidden in what is drawn for it: a slider in its handle, the field of a list in its frame.
  function tellHiddenIn(el, inner) {
    const control = el.matches('input') ? el : el.querySelector('input');
    const drawn = control && !inner.inside ? drawingOf(control) : null;
    if (!drawn) return false;
    const role = roleOf(control);
    flush();
    emit(drawn, role, nameOf(control, role), inner, { control, value: valueOf(control, role), states: statesOf(control, role) });
    stats.interactive += 1;
    return true;
  }

  function leaf(el, role, rect, inner) {
    if (role === 'canvas') { stats.canvas += 1; stats.canvas_share += share(rect || el.getBoundingClientRect(), view); }
    const said = nameOf(el, role);
    const name = said && el.localName !== 'text' || role === 'heading' || VALUE_HOLDERS.has(role) ? said : look(el, role, said);
    if (role === 'img' && !name) {
      if (el.localName === 'svg') inner.drawing = listens.has(el); else stats.canvas_share += bigPicture(rect || el.getBoundingClientRect(), view);
      if ((el.localName === 'svg' || el.localName === 'img') && !inner.drawing) addIcon(el, inner);
      return;
    }
    const states = role === 'canvas' && listens.has(el) ? ['clickable'] : statesOfField(el, role);
    if (role === 'columnheader' && isPressed(el)) states.push('clickable');
    if (INTERACTIVE.has(role) && role !== 'option') { stats.interactive += 1; if (!said) stats.unnamed += 1; }
    const value = valueOf(el, role);
    // An alert or picture that its row or item already reported is skipped.
    if (inner.mute && name && value === null && !INTERACTIVE.has(role) && role !== 'canvas' && inner.said.includes(name)) return;
    flush();
    emit(el, role, name, inner, { value, states, url: urlOf(el, role), level: levelOf(el, role) });
    inner.mute = true;
    inner.said = name;
    if (INTERACTIVE.has(role) && (role !== 'listbox' && role !== 'combobox' || !(rootOf(el) || el).querySelector(CAN_ACT))) inner.inside = true;
    if (INTERACTIVE.has(role)) inner.owner = role;
    if (el.localName === 'svg') inner.drawing = listens.has(el);
  }

  // A cell or dd is reported as a whole, with its header. If all of it is one link, the link has the header.
  // An empty cell under a header is an answer too: there is no due date.
  function tellValue(el, role, rect, inner) {
    if (el.firstElementChild && el.querySelector(STRUCTURE)) { inner.textRole = role; return undefined; }
    const text = clean(textOf(el, BUTTONS));
    const actors = el.firstElementChild ? el.querySelectorAll(CAN_ACT) : NONE;
    if (actors.length === 1 && text && clean(textOf(actors[0])) === text) return undefined;
    if (!text && (actors.length || inner.header === null || holdsIcon(el))) return undefined;
    return leaf(el, role, rect, inner);
  }

  acting = false;  // what changes from here on changes by itself
  const isFirst = !watching;
  watch();
  const root = document.body || document.documentElement;
  if (root) facts(document.documentElement);
  if (root) visit(root, { header: null, row: null, column: null, span: 1, dialog: false, mute: false, inside: false, owner: '', unseen: false, pointer: false, out: false, drawing: false, depth: 0, textRole: null, said: '' });
  flush();
  if (icons.length) settleIcons();
  rememberTwins(items);
  keep(id, items);
  if (hosts.length) keep(`${id}:hosts`, hosts);
  const read = items.length <= DETAILED ? everyIndex(items.length) : whatFits(contents, ranks, room);
  if (isFirst) lastAt = performance.now();  // what was before it is not known
  const state = pageState();
  return { count: items.length, content: contents.join('\n'), ranks, frames, stats, rows,
    items: details(id, read, withLocators), read: stretchesOf(read), hosts: hosts.length, name: window.name, weight: weighed ? weight() : 0, lists: listFacts(items), ...state, read_at_ms: performance.timeOrigin + performance.now() };
}

const NONE = Object.freeze([]);
const NOTHING = Object.freeze({});

const everyIndex = (count) => Array.from({ length: count }, (_, n) => n);

// What `room` letters have room for. `choose` of page/snapshot.py decides; what it finds here it does not ask for.
const LINE_CHARS = 14;
function whatFits(contents, ranks, room) {
  const fitting = [];
  let left = room;
  for (let rank = '0'; rank <= '5'; rank = String(Number(rank) + 1)) for (let n = 0; n < contents.length; n += 1) {
    if (ranks[n] !== rank) continue;
    left -= contents[n].length + LINE_CHARS;
    if (left < 0) return fitting.sort((one, other) => one - other);
    fitting.push(n);
  }
  return fitting.sort((one, other) => one - other);
}

// [first, how many] of each run of consecutive numbers.
function stretchesOf(numbers) {
  const stretches = [];
  for (const n of numbers) {
    const last = stretches[stretches.length - 1];
    if (last && last[0] + last[1] === n) last[1] += 1; else stretches.push([n, 1]);
  }
  return stretches;
}

// The items `wanted` in full. Those that turn out to have no box on the page are left out.
function details(id, wanted, withLocators) {
  const items = snapshots.get(id) || [];
  const view = seenFrom = viewOf();
  const counts = withLocators ? countsOf(items) : null;
  let tests = 0;
  const all = [];
  const regions = new Map();
  const busy = busyParts(), footer = footerBlock();
  for (const n of wanted) {
    const item = items[n];
    const { el } = item;
    if (!el.isConnected) continue;
    const rect = item.nodes ? rangeRect(item.nodes) : item.role === 'img' ? drawnRect(el) : boxOf(el);
    const empty = rect.width === 0 || rect.height === 0;
    if (!item.spoken && (empty && !mayBeEmpty(item) && !boxedInside(el) || !empty && unreachable(rect, el)) || item.nodes && isClipped(el)) continue;
    const inView = !empty && !outside(rect, view) && !scrolledAway(el, rect);
    let covered = null;
    if (inView && el.localName !== 'option' && tests < MAX_HIT_TESTS && (INTERACTIVE.has(item.role) || item.role === 'iframe')) { tests += 1; covered = coverOf(item, rect, view); }
    const states = busy.length && busy.some((part) => part.contains(el) || el.contains(part)) && !item.states.includes('busy') ? [...item.states, 'busy'] : item.states;
    all.push(withoutUsual([n, item.role, shorten(item.name), item.value, states, item.url, el.localName, item.header, item.row, item.level,
      [inTenths(rect.left + view.x), inTenths(rect.top + view.y), inTenths(rect.width), inTenths(rect.height)], inView, item.dialog,
      tagPath(el), item.span, item.column, el.getAttribute('type') || '', isFilter(item.control || el) ? 'search' : areaOf(el) || (footer && footer.contains(el) ? 'contentinfo' : ''), textPartsOf(item), regionsOf(el, regions), item.beside, covered, item.url ? turnOf(el) : '',
      isPast(el), isBeforeBlank(item), isLikeNext(item), endsGroup(item), isUnwritten(item), titledWordsOf(item), isSecret(item.control || el), item.look, cutChars(item.name), counts ? locatorsFrom(item, counts) : NONE]));
  }
  return all;
}

// The last facts of an item as most items have them, which need not be sent: the defaults of `RawItem` of page/model.py.
const USUAL = ['', 1, null, '', '', NONE, NONE, null, null, '', false, false, false, false, false, NONE, false, '', 0, NONE];
const isUsual = (fact, usual) => fact === usual || usual === NONE && fact.length === 0;
function withoutUsual(item) {
  const first = item.length - USUAL.length;
  while (isUsual(item[item.length - 1], USUAL[item.length - 1 - first])) item.pop();
  return item;
}

const inTenths = (px) => Math.round(px * 10) / 10;
// The part of the page it stands in. What turns pages is told apart from what leads elsewhere: by its label or class.
const AREAS = { nav: 'navigation', header: 'banner', footer: 'contentinfo', aside: 'complementary', main: 'main' };
const AREA_ROLES = new Set([...Object.values(AREAS), 'search']);
const AREA = `${Object.keys(AREAS)},${[...AREA_ROLES].map((role) => `[role=${role}]`)}`;
const PAGER = '[class*=pagina i],[class*=pager i],[aria-label^=pag i]';
const PAGER_TEXT = 400;  // letters: more than that is no pager
const PAGER_SOURCE = 20000;  // letters with the blanks of the source: templates indent much
function areaOf(el) {
  const pager = closestTo(el, PAGER);
  if (pager && isPager(pager)) return 'pager';
  const area = closestTo(el, AREA);
  if (!area) { const { host } = el.getRootNode(); return host ? areaOf(host) : ''; }
  const role = area.getAttribute('role');
  if (AREA_ROLES.has(role)) return role;
  const own = area.localName === 'header' || area.localName === 'footer';
  const around = own && area.parentElement && area.parentElement.closest('article,aside,main,nav,section,[role=main],[role=article],[role=region]');
  return around ? areaOf(around) : AREAS[area.localName];
}
const pagers = memory();  // element -> whether it turns pages
function isPager(el) {
  if (!pagers.has(el)) pagers.set(el, el !== document.body && el !== document.documentElement && isPagerText(el.textContent));
  return pagers.get(el);
}
const isPagerText = (text) => text.length <= PAGER_TEXT || text.length <= PAGER_SOURCE && text.replace(/\s+/g, ' ').length <= PAGER_TEXT;
const turnOf = (el) => /\b(next|prev)\b/.exec((el.getAttribute('rel') || '').toLowerCase())?.[1] || '';

// What is pressed by a picture: its name is in no text of the page, but of a title, or of words for screen readers.
function isUnwritten(item) {
  return (item.role === 'link' || item.role === 'button') && !item.nodes && item.el.localName !== 'input' && !textOf(item.el, SHOWN).trim();
}

// Text in a box without any size, cut off at its edge.
function isClipped(el) {
  const known = facts(el);
  if (known.inline || !known.clips) return false;
  const box = boxOf(el);
  return box.width === 0 || box.height === 0;
}

const mayBeEmpty = (item) => item.role === 'option' || item.el.localName === 'optgroup' || item.role === 'iframe' || VALUE_HOLDERS.has(item.role) || rootOf(item.el) || facts(item.el).noBox;
const boxedInside = (el) => el.firstElementChild !== null && [...el.children].some((child) => { const r = child.getBoundingClientRect(); return r.width > 0 && r.height > 0; });

const shortUrl = (url, origin) => url.startsWith(origin) ? url.slice(origin.length - 1) : url;

function rangeRect(nodes) {
  const range = document.createRange();
  const last = nodes[nodes.length - 1];
  if (!nodes[0].isConnected || !last.isConnected) return new DOMRect();
  range.setStart(nodes[0], 0);
  range.setEnd(last, last.length);
  return range.getBoundingClientRect();
}

function share(rect, view) {
  const w = Math.max(0, Math.min(rect.right, view.w) - Math.max(rect.left, 0));
  const h = Math.max(0, Math.min(rect.bottom, view.h) - Math.max(rect.top, 0));
  return (w * h) / Math.max(1, view.w * view.h);
}

function bigPicture(rect, view) {
  const part = share(rect, view);
  return part >= 0.2 ? part : 0;
}

const workedByLabel = (input) => !seenItself(input) && labelsOf(input).some((label) => !facts(label).gone);

function seenItself(control) {
  if (!control.checkVisibility({ visibilityProperty: true }) || control.closest('[inert],[aria-hidden=true]')) return false;
  const rect = control.getBoundingClientRect();
  if (rect.width <= 1 || rect.height <= 1 || unreachable(rect, control) || facts(control).cutAway || facts(control).gone) return false;
  // What hides it is often put around it.
  const around = control.parentElement;
  return !around || !around.matches(':not(:has(> :nth-child(2)))') || !facts(around).cutAway && !isShrunk(around, facts(around));
}

// What is drawn for a control that is hidden in it, and that no label stands for; null for any other element.
const HIDES_IN_DRAWING = 'input:is([type=range],[type=radio],[type=checkbox],[role=combobox]:not([tabindex="-1"]))';
function drawingOf(control) {
  if (!control.matches(HIDES_IN_DRAWING) || seenItself(control)) return null;
  if (!control.checkVisibility({ visibilityProperty: true }) || control.closest('[inert],[aria-hidden=true]')) return null;
  const hidden = [control.parentElement, control].find((one) => one && isOutOfSight(one, facts(one)));
  const drawn = hidden ? seenAround(hidden) : null;
  if (!drawn || control.type === 'range') return drawn;
  if (CHECKABLE.has(roleOf(control)) && labelsOf(control).some((label) => !facts(label).gone)) return null;
  // What holds other fields, or several such controls, is not the drawing of one of them.
  return [...drawn.querySelectorAll(FIELD)].every((one) => one === control || !seenItself(one) && !one.matches(HIDES_IN_DRAWING)) ? drawn : null;
}

// The nearest element around a hidden one that has a box to be seen.
const HANDLE_LEVELS = 3;
function seenAround(el) {
  for (let up = el.parentElement, level = 0; up && level < HANDLE_LEVELS; up = up.parentElement, level += 1) {
    const box = up.getBoundingClientRect();
    if (box.width > 1 && box.height > 1) return facts(up).gone || facts(up).cutAway ? null : up;
  }
  return null;
}

// A description of what a click in the middle would hit, or null for the element itself or a part of it.
function coverOf(item, rect, view) {
  const x = (Math.max(rect.left, 0) + Math.min(rect.right, view.w)) / 2;
  const y = (Math.max(rect.top, 0) + Math.min(rect.bottom, view.h)) / 2;
  const hit = hitAt(x, y);
  const { el, control } = item;
  if (!hit || partOfTree(hit, el) || partOfTree(el, hit) || control && partOfTree(hit, control)) return null;
  for (let up = hit; up; up = up.parentElement) if (up.localName === 'label' && (up.control === el || up.control === control)) return null;
  return wordsFor(hit);
}

function hitAt(x, y) {
  let hit = document.elementFromPoint(x, y);
  while (hit && rootOf(hit)) {
    const deeper = rootOf(hit).elementFromPoint(x, y);
    if (!deeper || deeper === hit) break;
    hit = deeper;
  }
  return hit;
}

function partOfTree(el, outer) {
  for (let up = el; up; up = up.assignedSlot || up.parentElement || (up.getRootNode() && up.getRootNode().host)) if (up === outer) return true;
  return false;
}

function wordsFor(hit) {
  const over = hit.closest('dialog,[role=dialog],[role=alertdialog],[aria-modal=true]') || hit;
  const role = roleOf(over) || over.localName;
  const name = clean(over.getAttribute('aria-label') || nameOf(over, role) || over.id || (over.textContent.length < 2000 ? over.textContent : '')).slice(0, 60);
  return name ? `${role} "${name}"` : role;
}

// Possible hosts of closed shadow roots: only the browser's protocol knows, and it is asked once.
const askedForRoot = new WeakSet();
const MAY_HAVE_ROOT = new Set(['article', 'aside', 'blockquote', 'div', 'footer', 'header', 'main', 'nav', 'p', 'section', 'span']);
function mayHaveRoot(el) {
  if (askedForRoot.has(el) || rootOf(el) || !el.localName.includes('-') && el.textContent.trim()) return false;
  askedForRoot.add(el);
  return true;
}

// Elements with a press listener, reported by the browser's protocol; scripts cannot list them.
const listens = new WeakSet();
let anyListens = false;
const LISTS = new Set(['ul', 'ol', 'menu', 'table', 'tbody', 'nav', 'dl']);
const LIST_ROLES = new Set(['list', 'listbox', 'menu', 'menubar', 'tablist', 'grid', 'tree', 'table', 'rowgroup', 'radiogroup']);

// A header that listens for a press sorts by it, unless a control in it does.
function isPressed(el) {
  if (el.querySelector(CAN_ACT)) return false;
  if (el.hasAttribute('onclick') || el.getAttribute('tabindex') === '0' || listens.has(el)) return true;
  return facts(el).pointer && !(el.parentElement && facts(el.parentElement).pointer);
}

// Whether an element in a control only draws a part of it: the box of an option, the text of a chooser.
function isPartOf(el, role, owner) {
  if (el.localName === 'input') return CHECKABLE.has(role) && (CHECKABLE.has(owner) || owner === 'option');
  return owner === 'combobox' && (role === 'textbox' || role === 'searchbox') && el.localName !== 'textarea' && !el.isContentEditable && !el.hasAttribute('tabindex');
}

// Whether an element without words is the picture of the invisible box or switch that lies over it.
function drawsBoxBeside(el) {
  if (!el.parentElement || clean(el.textContent)) return false;
  const boxes = [...el.parentElement.children].filter((one) => one.localName === 'input' && CHECKABLE.has(roleOf(one)) && facts(one).style.opacity === '0');
  if (!boxes.length) return false;
  const own = el.getBoundingClientRect(), x = own.left + own.width / 2, y = own.top + own.height / 2;
  const liesAt = (box) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
  return boxes.some((one) => liesAt(one.getBoundingClientRect()));
}

// The beginning of what a container says, without the items of lists in it.
function containerWords(el) {
  const said = el.getAttribute('aria-label') || el.matches('li,[role=listitem]') && clean(textOf(el, INNER_ITEMS)) || textOf(el);
  return clean(said).slice(0, CONTAINER_NAME);
}

// One control and no other text: the control is pressed, not its container.
function isWrapper(el) {
  const root = rootOf(el);
  if (root) return root.querySelector(CAN_ACT) !== null;
  const actors = el.querySelectorAll(CAN_ACT);
  return actors.length === 1 && clean(textOf(actors[0])) === clean(textOf(el));
}

// Within a scroller, and scrolled out of view.
function scrolledAway(el, rect) {
  const box = el.parentElement && clipOf(el.parentElement);
  if (!box) return false;
  const x = rect.left + rect.width / 2;
  const y = rect.top + rect.height / 2;
  return x < box.left || x > box.right || y < box.top || y > box.bottom;
}

// The box out of which nothing in `el` can be seen, or null; remembered for one verb.
function clipOf(el) {
  if (el === document.body || el === document.documentElement) return null;
  let box = clips.get(el);
  if (box === undefined) {
    const outer = el.parentElement ? clipOf(el.parentElement) : null;
    box = facts(el).clips ? overlap(withinBorder(el), outer) : outer;
    clips.set(el, box);
  }
  return box;
}

// What is cut off is cut off at the border.
function withinBorder(el) {
  const { left, top, right, bottom } = boxOf(el);
  const px = (side) => parseFloat(facts(el).style[`border${side}Width`]) || 0;
  return { left: left + px('Left'), top: top + px('Top'), right: right - px('Right'), bottom: bottom - px('Bottom') };
}

function overlap(box, outer) {
  if (!outer) return box;
  return { left: Math.max(box.left, outer.left), right: Math.min(box.right, outer.right), top: Math.max(box.top, outer.top), bottom: Math.min(box.bottom, outer.bottom) };
}

function seemsClickable(el, role, known, at, pressable) {
  if (LEAF.has(role) && role !== 'img' || COMPOSITES.has(role) && !listens.has(el)) return false;
  const tag = el.localName;
  // A slot listens for its assigned content, which is reported itself.
  if (tag === 'label' || tag === 'html' || tag === 'body' || tag === 'slot') return false;
  if (el.hasAttributes()) {
    if (el.hasAttribute('onclick')) return true;
    if (el.getAttribute('tabindex') === '0' && !known.clips) return true;
  }
  if (anyListens && listens.has(el)) {
    if (namesField(el)) return false;
    const children = delegated(el, role);
    if (children) { if (pressable) for (const child of children) if (child.localName === 'tr' || !child.querySelector(CAN_ACT)) pressable.add(child); return false; }
    if (COMPOSITES.has(role)) return false;
    if (known.pointer || tag === 'svg' || isSmall(el)) return true;
  }
  return !at.pointer && known.pointer;
}

// A text that gives the focus to the field which it names is no control of its own.
const FIELD_ROLES = new Set([...EDITING, 'listbox', 'group', 'radiogroup']);
function namesField(el) {
  if (!el.id || el.firstElementChild !== null || el.hasAttribute('tabindex')) return false;
  const named = [...el.getRootNode().querySelectorAll(`[aria-labelledby~="${CSS.escape(el.id)}"]`)];
  return named.some((one) => FIELD_ROLES.has(roleOf(one)) || one.hasAttribute('aria-haspopup'));
}

// The children of a container that listens for all of them, or null where it listens for itself.
function delegated(el, role) {
  const children = el.children;
  if (children.length < 2) return null;
  if (LISTS.has(el.localName) || LIST_ROLES.has(role)) {
    if (el.localName === 'table') { const all = [...el.rows].filter((row) => row.querySelector('td')); return all.length ? all : null; }
    return [...children];
  }
  if (children.length < 3) return null;
  const first = children[0];
  for (const child of children) if (child.localName !== first.localName || child.getAttribute('class') !== first.getAttribute('class')) return null;
  return [...children].every((child) => child.textContent.trim() || child.querySelector('img,svg')) ? [...children] : null;
}

// A page's root, or a card with many controls, may listen for other reasons.
function isSmall(el) {
  return !hasParts(el) && !el.querySelector(STRUCTURE) && el.textContent.length <= 300;
}

// Whether something in it can be pressed by itself.
function hasParts(el) {
  const root = rootOf(el);
  if (el.querySelector(CAN_ACT) || root && root.querySelector(CAN_ACT)) return true;
  let count = 0;
  for (const one of el.querySelectorAll('*')) { count += 1; if (count > 200 || anyListens && listens.has(one) || rootOf(one)) return true; }
  return false;
}

function shapeName(el) {
  const title = el.querySelector(':scope > title');
  if (title) return clean(title.textContent);
  const fill = fillOf(el);
  return [PLAIN.test(fill) ? '' : fill, el.localName].filter(Boolean).join(' ');
}
// As it is written, where it names a colour.
function fillOf(el) {
  const said = el.getAttribute('fill') || el.style.fill || '';
  return said.includes('(--') ? getComputedStyle(el).fill : said;
}
const PLAIN = /^(none|black|currentcolor|transparent|inherit|)$/i;

// A pressable element without a name is named by its appearance.
function look(el, role, said) {
  if (el.localName === 'text') { const fill = fillOf(el); return PLAIN.test(fill) ? said : `${said}, ${fill}`; }
  if (SHAPES.has(el.localName)) return shapeName(el);
  if (EDITING.has(role)) return said || sentAs(el);
  if (!INTERACTIVE.has(role)) return said;
  const icon = iconName(el);
  if (icon) return icon;
  const colour = el.style.backgroundColor || facts(el).style.backgroundColor;
  return /^(transparent|rgba\(.*, 0\)|)$/.test(colour) || el.firstElementChild || role !== 'button' || el.localName === 'button' ? said : `${colour} box`;
}

// A banner over the page: it floats, has something to press, and covers other content.
function liesOver(el) {
  const role = roleOf(el);
  if (el.localName === 'header' || el.localName === 'nav' || role === 'banner' || role === 'navigation') return false;
  if (!el.querySelector('button,a[href],input,[role=button],[onclick]')) return false;
  const rect = el.getBoundingClientRect();
  const x = Math.min(Math.max(rect.left + rect.width / 2, 1), innerWidth - 2);
  const y = Math.min(Math.max(rect.top + rect.height / 2, 1), innerHeight - 2);
  const stack = el.getRootNode().elementsFromPoint(x, y);
  const own = stack.findIndex((other) => !el.contains(other));
  if (own <= 0) return false;
  return stack.slice(own).some((other) => !other.contains(el)) || getComputedStyle(el).position === 'fixed';
}

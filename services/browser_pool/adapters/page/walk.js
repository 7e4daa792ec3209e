// One pass over the document: every visible thing, in document order, as one JSON string.

const LEAF = new Set([...INTERACTIVE, 'heading', 'columnheader', 'rowheader', 'term', 'caption', 'img', 'tooltip',
  'progressbar', 'meter', 'canvas', 'iframe']);
const VALUE_HOLDERS = new Set(['cell', 'gridcell', 'definition']);
const STRUCTURE = 'table,ul,ol,dl,h1,h2,h3,h4,h5,h6,p+p,form,select,textarea,input:not([type=hidden]),canvas,iframe,[role=table],[role=grid],[role=heading],[contenteditable=true]';
const CAN_ACT = 'a[href],button,input:not([type=hidden]),select,textarea,summary,[role=button],[role=link],[role=tab],[role=menuitem],[role=checkbox],[role=radio],[role=switch],[role=option],[onclick],[tabindex="0"]';
const MAX_TEXT = 2000;
// A gap this wide (px) between two words that no space separates is a label and its value, not one word.
const APART_PX = 6;

const snapshots = new Map();  // snapshot id -> [{el, nodes, role, name, around}]
function keep(id, items) {
  snapshots.set(id, items);
  if (snapshots.size > 6) snapshots.delete(snapshots.keys().next().value);
}

const shorten = (text) => text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)} ... (+${text.length - MAX_TEXT} characters: extract)`;

function walk(id) {
  const items = [];
  const told = [];
  const stats = { total: 0, interactive: 0, unnamed: 0, svg: 0, canvas: 0, canvas_share: 0 };
  const view = { w: document.documentElement.clientWidth || innerWidth, h: innerHeight };
  const cells = new Map();
  let rows = 0;
  let run = null;

  function emit(el, role, name, extra) {
    const rect = extra.rect || el.getBoundingClientRect();
    const inView = rect.bottom > 0 && rect.top < view.h && rect.right > 0 && rect.left < view.w;
    items.push({ el, role, name, nodes: extra.nodes });
    told.push([role, shorten(name), extra.value ?? null, extra.states || [], extra.url ?? null, el.localName, extra.at.header, extra.at.row,
      extra.level ?? null, [rect.left + scrollX, rect.top + scrollY, rect.width, rect.height].map((n) => Math.round(n * 10) / 10),
      inView, extra.at.dialog]);
  }

  function flush() {
    if (run) {
      const text = clean(run.text);
      if (text) emit(run.el, run.role || 'text', text, { nodes: run.nodes, rect: run.rect || rangeRect(run.nodes), at: run.at });
    }
    run = null;
  }

  function addText(node, at) {
    if (!node.data.trim()) { if (run) run.text += ' '; return; }
    if (run && !/\s$/.test(run.text) && !/^\s/.test(node.data) && run.nodes[run.nodes.length - 1].parentNode !== node.parentNode) {
      const before = rangeRect(run.nodes.slice(-1));
      const after = rangeRect([node]);
      if (after.left - before.right >= APART_PX || after.top >= before.bottom) flush();
    }
    const el = node.parentElement || node.parentNode.host;
    run = run || { el, text: '', nodes: [], at, role: at.textRole };
    if (run.el !== el && !run.el.contains(el)) run.el = run.el.parentElement || run.el;
    run.text += node.data;
    run.nodes.push(node);
  }

  function visitAll(node, at) {
    for (const child of childrenOf(node)) {
      if (child.nodeType === Node.ELEMENT_NODE) visit(child, at);
      else if (child.nodeType === Node.TEXT_NODE && !at.mute && !at.unseen) addText(child, at);
    }
  }

  function visit(el, at) {
    const tag = el.localName;
    if (tag === 'br' || tag === 'hr') return flush();
    if (SILENT.has(tag) || tag === 'input' && el.type === 'hidden' || at.depth > 400) return undefined;
    const known = facts(el);
    if (known.gone) return undefined;
    let role = roleOf(el);
    if (tag === 'svg') stats.svg += 1;
    stats.total += 1;
    const actsAlone = !INTERACTIVE.has(role) && !at.inside && seemsClickable(el, role, known, at.pointer);
    if (actsAlone && role !== 'row') role = 'button';
    const inner = { ...at, depth: at.depth + 1, unseen: known.unseen, pointer: known.pointer, textRole: null };
    if (role === 'table' || role === 'grid' || role === 'treegrid') {
      const table = readTable(el, rows);
      rows += table.rows;
      for (const [cell, place] of table.cells) cells.set(cell, place);
      inner.header = null;
      inner.row = null;
    }
    if (cells.has(el)) { const place = cells.get(el); inner.header = place.header; inner.row = place.row; if (place.role) role = place.role; }
    else if (role === 'definition') inner.header = termOf(el);
    else if (role === 'row' && at.row === null) inner.row = null;
    if (role === 'dialog' || role === 'alertdialog' || el.getAttribute('aria-modal') === 'true' || known.floats && liesOver(el)) inner.dialog = true;
    if (!known.inline) flush();
    if (known.unseen) { visitAll(el, inner); if (!known.inline) flush(); return undefined; }

    const rect = known.noBox ? null : el.getBoundingClientRect();
    const empty = rect !== null && (rect.width === 0 || rect.height === 0);
    if (empty && known.clips) return undefined;
    // An empty cell under a header is an answer too: there is no due date.
    if (!empty || role === 'option' || VALUE_HOLDERS.has(role) && inner.header !== null) tell(el, role, rect, inner, actsAlone, at);
    visitAll(el, inner);
    if (!known.inline || inner.mute !== at.mute) flush();
    return undefined;
  }

  // Emits the element itself if it is a thing of its own, and says in `inner` how its inside is to be told.
  function tell(el, role, rect, inner, actsAlone, at) {
    const tag = el.localName;
    if (tag === 'label' && el.control && el.control.type !== 'hidden' && !facts(el.control).gone) { inner.mute = true; return; }
    if (role === 'iframe') { flush(); emit(el, role, nameOf(el, role), { rect, url: el.src, at: inner }); return; }
    if (at.inside && !INTERACTIVE.has(role)) return;
    if (actsAlone && (role === 'row' || el.querySelector(CAN_ACT) || el.querySelector(STRUCTURE))) {
      flush();
      const name = clean(el.getAttribute('aria-label') || textOf(el)).slice(0, 100);
      emit(el, role, name, { rect, states: [...statesOf(el, role), 'clickable'], at: inner });
      stats.interactive += 1;
      return;
    }
    if (VALUE_HOLDERS.has(role)) return tellValue(el, role, rect, inner);
    if (role === 'listitem' || role === 'status' || role === 'alert' || role === 'note') {
      if (!el.querySelector(CAN_ACT) && !el.querySelector(STRUCTURE)) leaf(el, role, rect, inner);
      else if (role === 'status' || role === 'alert') inner.textRole = role;
      return;
    }
    if (role === 'table' || role === 'grid' || role === 'dialog' || role === 'alertdialog') {
      const name = nameOf(el, role);
      if (name) { flush(); emit(el, role, name, { rect, at: inner }); }
      return;
    }
    if (LEAF.has(role)) leaf(el, role, rect, inner);
  }

  function leaf(el, role, rect, inner) {
    if (role === 'canvas') { stats.canvas += 1; stats.canvas_share += share(rect, view); }
    const name = nameOf(el, role);
    if (role === 'img' && !name) { if (el.localName !== 'svg') stats.canvas_share += bigPicture(rect, view); return; }
    if (INTERACTIVE.has(role) && role !== 'option') { stats.interactive += 1; if (!name) stats.unnamed += 1; }
    flush();
    emit(el, role, name, { rect, value: valueOf(el, role), states: statesOf(el, role), url: urlOf(el, role), level: levelOf(el, role), at: inner });
    inner.mute = true;
    if (INTERACTIVE.has(role) && role !== 'listbox' && role !== 'combobox') inner.inside = true;
  }

  // A cell or dd is told whole, with what names it. If all of it is one link, the link carries the header.
  function tellValue(el, role, rect, inner) {
    if (el.querySelector(STRUCTURE)) { inner.textRole = role; return; }
    const text = clean(textOf(el, BUTTONS));
    const actors = el.querySelectorAll(CAN_ACT);
    if (actors.length === 1 && text && clean(textOf(actors[0])) === text) return;
    if (!text && (actors.length || inner.header === null)) return;
    leaf(el, role, rect, inner);
  }

  facts(document.documentElement);
  const start = { header: null, row: null, dialog: false, mute: false, inside: false, unseen: false, pointer: false, depth: 0, textRole: null };
  const root = document.body || document.documentElement;
  visit(root, start);
  flush();
  rememberTwins(items);
  keep(id, items);
  return { items: told, stats, rows, view_w: view.w, view_h: view.h, ...pageState() };
}

function rangeRect(nodes) {
  const range = document.createRange();
  range.setStart(nodes[0], 0);
  range.setEnd(nodes[nodes.length - 1], nodes[nodes.length - 1].length);
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

// Listeners cannot be seen from a script; these are the traces that clickable things leave.
function seemsClickable(el, role, known, pointerOutside) {
  if (el.localName === 'label' || el.localName === 'html' || el.localName === 'body' || LEAF.has(role) && role !== 'img') return false;
  if (el.hasAttribute('onclick')) return true;
  if (el.getAttribute('tabindex') === '0' && !known.clips) return true;
  return known.pointer && !pointerOutside;
}

// A banner over the page: it floats, something can be pressed in it, and it hides what is not its own.
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

// Ten "Delete" buttons: what stands around each is what tells it from the others when a list
// re-uses its nodes for other records.
function rememberTwins(items) {
  const count = new Map();
  for (const item of items) { const key = `${item.role}\n${item.name}`; count.set(key, (count.get(key) || 0) + 1); }
  for (const item of items) {
    if (INTERACTIVE.has(item.role) && count.get(`${item.role}\n${item.name}`) > 1) item.around = surroundings(item.el);
  }
}

function surroundings(el) {
  const record = recordOf(el);
  return record && clean(record.textContent);
}

function recordOf(el) {
  return el.parentElement && el.parentElement.closest('tr,li,article,[role=row],[role=listitem],[role=article]');
}

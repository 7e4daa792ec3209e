// Tells elements with equal role and name apart by the record that contains each.

// Ten "Delete" buttons differ only by the text around them, which matters when a list
// reuses its nodes for other records.
function rememberTwins(items) {
  const alike = new Map();
  for (const item of items) {
    if (!INTERACTIVE.has(item.role) || item.role === 'option') continue;
    const key = `${item.role}\n${item.name}`;
    const others = alike.get(key);
    if (others) others.push(item); else alike.set(key, [item]);
  }
  const known = new Map();
  for (const twins of alike.values()) {
    if (twins.length < 2) continue;
    const records = twins.map((item) => recordOf(item.el));
    const parts = records.includes(null) ? partsOf(twins) : NONE;
    twins.forEach((item, n) => {
      item.twins = twins;
      item.record = records[n] || parts[n] || null;
      if (item.record && !known.has(item.record)) known.set(item.record, saidIn(item.record, []));
      item.around = item.record && known.get(item.record);
    });
  }
}

// Rows and cards made of <div>s: the largest part that contains one of the equal elements, if it has siblings.
function partsOf(twins) {
  const counts = new Map();
  for (const { el } of twins) for (let up = el; up; up = above(up)) counts.set(up, (counts.get(up) || 0) + 1);
  const beside = new Map();
  const parts = twins.map(({ el }) => {
    let part = el;
    while (above(part) && counts.get(above(part)) === 1) part = above(part);
    const parent = part.parentNode;
    beside.set(parent, (beside.get(parent) || 0) + 1);
    return part;
  });
  return parts.map((part, n) => part !== twins[n].el && beside.get(part.parentNode) > 1 ? part : null);
}

const above = (el) => el.parentElement || el.getRootNode().host || null;

// The pieces of text of a record, shadow trees included: [node, its parent, text].
function saidIn(node, pieces) {
  for (const child of childrenOf(node)) {
    if (pieces.length >= 200) break;
    if (child.nodeType === Node.TEXT_NODE) { if (child.data.trim()) pieces.push([child, child.parentNode, child.data]); continue; }
    if (child.nodeType !== Node.ELEMENT_NODE || SILENT.has(child.localName)) continue;
    if (child.localName === 'img' && child.alt) pieces.push([child, node, child.alt]);
    else saidIn(child, pieces);
  }
  return pieces;
}

const wordsIn = (pieces) => clean(pieces.map((piece) => piece[2]).join(' '));
// Text such as a clock changes in any row.
const calmWordsIn = (pieces) => wordsIn(pieces.filter(([node, parent]) => ticksOf(node) + ticksOf(parent) < 2));

// Different text means another record, except a clock; a clock counts when nothing else tells the records apart.
function sameSurroundings(item) {
  const { around, record, twins } = item;
  if (!record) return true;
  if (!partOfTree(item.el, record)) return false;
  const now = saidIn(record, []);
  if (wordsIn(now) === wordsIn(around)) return true;
  const calm = calmWordsIn(around);
  return calm === calmWordsIn(now) && !twins.some((other) => other.around && other.record !== record && calmWordsIn(other.around) === calm);
}

// The indexes of a snapshot's elements in a later one, -1 for none: the same nodes; for redrawn ones,
// the only node with exactly the same content.
function whereNow(before, now, wanted) {
  const then = snapshots.get(before) || [];
  const items = snapshots.get(now) || [];
  return wanted.map((n) => then[n] ? standsAt(then[n], items) : -1);
}

function standsAt(item, items) {
  const only = (fits) => { const found = items.flatMap((other, n) => other.role === item.role && fits(other) ? [n] : []); return found.length === 1 ? found[0] : -1; };
  const itself = (other) => (item.nodes ? other.nodes !== null && other.nodes.includes(item.nodes[0]) : other.nodes === null && other.el === item.el);
  const alike = (other) => other.name === item.name && other.header === item.header && other.value === item.value;
  return [itself, (other) => other.el === item.el, alike].map(only).find((n) => n >= 0) ?? -1;
}

const RECORD = 'tr,li,article,[role=row],[role=listitem],[role=article]';
function recordOf(el) {
  for (let up = above(el); up; up = up.getRootNode().host) {
    const record = up.closest(RECORD);
    if (record) return record;
  }
  return null;
}

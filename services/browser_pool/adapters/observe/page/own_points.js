// Where an element is pressed as itself: a press on a container of items must not hit one of its items.

// What an item of such a kind holds besides its own label.
const NESTED = { treeitem: '[role=group],[role=treeitem]', listitem: 'ul,ol,li,[role=list],[role=listitem]',
  menuitem: '[role=menu],[role=group]', row: 'tr,[role=row]' };
// Fields are one thing with what is inside them.
const UNDIVIDED = new Set(['combobox', 'textbox', 'searchbox', 'spinbutton', 'slider']);
const inAny = (node, parts) => parts.some((part) => within(node, part));
const isHittable = (el) => el.checkVisibility({ visibilityProperty: true }) && hasBox(el);

// The nested items of an element, the controls in it that are pressed for themselves, and the texts that belong to
// neither. Null where a press on any part of it is a press on the element.
function ownParts(el) {
  if (!el.firstElementChild && !rootOf(el)) return null;
  const role = roleOf(el);
  if (UNDIVIDED.has(role) || el.localName === 'label' || el.isContentEditable) return null;
  const all = (css) => [...everything(css, el), ...rootOf(el) ? everything(css, rootOf(el)) : []];
  const nested = NESTED[role] ? all(NESTED[role]) : [];
  const actors = all(`${CAN_ACT},label`).filter((one) => isHittable(one) && drawnFor(one) !== el && !inAny(one, nested) && (one.localName !== 'label' || one.control && within(one.control, el)));
  const controls = new Set(actors.map((one) => one.localName === 'label' ? one.control : one));
  for (const one of controls) for (const other of controls) if (other !== one && within(one, other)) controls.delete(one);
  if (!nested.length && !controls.size) return null;
  const texts = leavesOf(el).filter((node) => !inAny(node, nested));
  const own = texts.filter((node) => !inAny(node, actors));
  if (!nested.length && controls.size === 1 && !own.length) return null;
  // The label of a tree item may be a link or a button of its own.
  const heads = own.length ? [] : [...controls].filter((one) => texts.some((node) => within(node, one)));
  return { nested, actors, controls: [...controls], own, heads };
}

// The first point at which a press hits the element itself; `fits` tells it of what is under the mouse later.
function ownPoint(el, parts) {
  const fits = (top) => meets(top, el) && !inAny(top, parts.nested) && !inAny(top, parts.actors);
  const onLabel = firstHit(parts.own.slice(0, 5).flatMap(pointsOfText), fits);
  if (onLabel) return onLabel;
  const only = parts.heads.length === 1 && parts.nested.length ? parts.heads[0] : null;
  const onHead = only && firstHit(pointsOf(only), (top) => within(top, only));
  if (onHead) return onHead;
  // One control that covers the label, or all of the element, is the element.
  const [control] = parts.controls.length === 1 && !parts.nested.length ? parts.controls : [];
  const isControl = (top) => meets(top, control);
  return control && firstHit(parts.own.slice(0, 5).flatMap(pointsOfText), isControl)
    || firstHit(pointsOf(el), fits) || control && firstHit(pointsOf(el), isControl) || null;
}

function firstHit(points, fits) {
  for (const [x, y] of points) {
    const top = topAt(x, y);
    if (top && fits(top)) return { hit: true, x, y, top, fits };
  }
  return null;
}

function pointsOfText(node) {
  const range = document.createRange();
  range.selectNodeContents(node);
  const boxes = [...range.getClientRects()].filter((r) => r.width * r.height > 0.99 && r.right > 0 && r.bottom > 0 && r.left < innerWidth && r.top < innerHeight);
  return boxes.slice(0, 3).map((r) => [(Math.max(r.left, 0) + Math.min(r.right, innerWidth)) / 2, (Math.max(r.top, 0) + Math.min(r.bottom, innerHeight)) / 2]);
}

// Brings the label of a container into view, whose middle may be far from it.
function showOwn(parts) {
  const node = parts.own[0] || parts.heads[0];
  const el = node && (node.nodeType === Node.TEXT_NODE ? node.parentElement : node);
  const box = el && el.getBoundingClientRect();
  if (box && (box.top < 0 || box.left < 0 || box.bottom > innerHeight || box.right > innerWidth)) el.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
}

const partsInWords = (parts) => [...parts.nested.filter((one) => INTERACTIVE.has(roleOf(one))), ...parts.controls].slice(0, 5).map(entitled).join(', ');

// What opens the list or calendar of a composite: the element, or the one opener or field in it.
function openerIn(el) {
  if (el.matches(OPENERS) || INTERACTIVE.has(roleOf(el)) || isEditable(el)) return el;
  const openers = everything(OPENERS, el).filter(isHittable);
  const fields = openers.length ? [] : everything(FILTERS, el).filter(isHittable);
  const found = openers.length ? openers : fields;
  return found.length === 1 ? found[0] : el;
}

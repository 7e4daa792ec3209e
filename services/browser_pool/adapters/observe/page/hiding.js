// Hides secrets: fields that contain one, and elements that show one.

let hiddenTexts = [];

function hidingVerbs() {
  return { hideField: (id, n) => hideField(id, Number(n)), veils: (...texts) => veils(texts), secretTexts: () => secretFields().map((el) => el.value || el.textContent).filter(Boolean) };
}

function hideTexts(texts) {
  hiddenTexts = texts.map((text) => text.replace(/\s+/g, ' ').toLowerCase()).filter(Boolean);
}

function hideField(id, n) {
  const item = resolve(id, n);
  if (item) secrets.add(item.el);
  return { count: item ? 1 : 0 };
}

// Elements that show one of the texts: as text (also split over inline parts), value or description.
function showing() {
  if (!hiddenTexts.length) return [];
  const found = everything('*').filter((el) => !SILENT.has(el.localName) && (shows(el.value) || shows(el.placeholder) || shows(el.alt) || showsInside(el)));
  return found.flatMap((el) => el.childElementCount < 50 ? [el, ...el.querySelectorAll('*')] : [el]);
}

// Where secrets are drawn, in the view: their boxes, and texts that stand out of those.
function veils(texts) {
  hideTexts(texts);
  const boxes = [...secretFields(), ...showing()].flatMap((el) => {
    const text = document.createRange();
    text.selectNodeContents(el);
    return [...el.getClientRects(), ...text.getClientRects()];
  });
  const drawn = boxes.filter((box) => box.width > 0 && box.height > 0 && box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight);
  return { boxes: drawn.map((box) => [box.left, box.top, box.width, box.height]), width: innerWidth, height: innerHeight, x: scrollX, y: scrollY };
}

function showsInside(el) {
  if (!el.firstChild) return false;
  const own = [...el.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && shows(node.data));
  return own || el.childElementCount > 0 && el.textContent.length < 2000 && shows(el.textContent) && ![...el.children].some((child) => shows(child.textContent));
}

function shows(text) {
  if (typeof text !== 'string' || !text) return false;
  const plain = text.replace(/\s+/g, ' ').toLowerCase();
  return hiddenTexts.some((one) => plain.includes(one));
}

// The named parts of the page that an element stands in, and whether a control is that of a search or filter.

const PARTS = 'fieldset,details,table,figure,optgroup,[role=table],[role=grid],[aria-label],[aria-labelledby]';
const NO_PARTS = 'a,button,label,option,select,input,textarea,td,th,[role=button],[role=link],[role=cell],[role=gridcell],[role=option],[role=tab]';
const TITLES = { fieldset: 'legend', details: 'summary', table: 'caption', figure: 'figcaption' };
const MOST_PARTS = 4;
const PART_NAME = 100;  // letters

// Names of the parts around an element, the innermost first. `known` holds those of its ancestors.
function regionsOf(el, known) {
  const up = upFrom(el);
  if (!up) return NONE;
  let names = known.get(up);
  if (names === undefined) {
    const around = regionsOf(up, known);
    const own = up.matches(PARTS) && !up.matches(NO_PARTS) ? partName(up) : '';
    names = own && !around.includes(own) ? [own, ...around].slice(0, MOST_PARTS) : around;
    known.set(up, names);
  }
  return names;
}

function partName(el) {
  const ids = el.getAttribute('aria-labelledby');
  const told = ids && clean(ids.split(/\s+/).map((id) => document.getElementById(id)).filter(Boolean).map((one) => textOf(one)).join(' ')) || clean(el.getAttribute('aria-label') || '');
  const tag = TITLES[el.localName];
  const title = !told && tag ? [...el.children].find((one) => one.localName === tag) : null;
  return (told || (tag === 'optgroup' ? el.label : '') || (title ? clean(textOf(title)) : '')).slice(0, PART_NAME);
}

// A form that asks the site for other records changes none: it is sent by GET, or is called a search or filter.
const ASKS = 'form[method=get i],form[action]:not([method]):not([action^="#"]):not([action^="javascript:"]):not([action=""]),search';
const ASKS_BY_NAME = /(?:^|[\s_-])(?:search|filters?)(?:$|[\s_-])/i;
const HEADER_CELL = 'thead,th,[role=columnheader]';
const MOST_UP = 12;
const FIELD_TAGS = new Set(['input', 'select', 'textarea']);
const ASKED_IN = new Set(['combobox', 'listbox', 'textbox', 'searchbox', 'checkbox', 'switch', 'spinbutton']);

function isFilter(el) {
  if (!FIELD_TAGS.has(el.localName) && !ASKED_IN.has(el.getAttribute('role'))) return false;
  if (el.closest(HEADER_CELL) || el.closest(ASKS)) return true;
  let up = el;
  for (let n = 0; up && up !== document.body && n < MOST_UP; n += 1, up = upFrom(up)) {
    if (up.localName === 'form' || up.getAttribute('role') === 'toolbar' || n === 0) if (ASKS_BY_NAME.test(`${up.getAttribute('class') || ''} ${up.getAttribute('id') || ''}`)) return true;
    if (up.localName === 'form') return false;
  }
  return false;
}

// The last block of a page that is no landmark and yet its footer: it says whose the site is, or is called so. What is
// last in a part that holds a record may be the record's.
const NO_FOOTER = 'main,article,section,aside,nav,header,footer,form,table,dl,dialog,fieldset,details,[role=main],[role=article],[role=region],[role=dialog],[role=form]';
const NO_PART_OF_IT = 'h1,h2,h3,main,article,table,dl,form,input,select,textarea';
const FOOTER_NAMES = /(?:^|\s)(?:(?:site|page|main|global)[-_]?footer|colophon)(?:$|\s)/i;
const FOOTER_NAME = /(?:^|\s)footer(?:$|\s)/i;
const WHOSE_SITE = /©|\(c\)\s*\d{4}|\bcopyright\b|\ball rights reserved\b|\bpowered by\b/i;
const FOOTER_TEXT = 600, FOOTER_DEPTH = 12;
function footerBlock() {
  let inside = document.body, alone = true;
  for (let depth = 0; inside && depth < FOOTER_DEPTH; depth += 1) {
    const last = blockBefore(inside.lastElementChild);
    if (!last || last.matches(NO_FOOTER)) return null;
    const only = blockBefore(last.previousElementSibling) === null;
    const called = `${last.getAttribute('class') || ''} ${last.getAttribute('id') || ''}`;
    const named = FOOTER_NAMES.test(called) || alone && FOOTER_NAME.test(called);
    if (!only && last.textContent.length <= FOOTER_TEXT && !last.querySelector(NO_PART_OF_IT) && (named || WHOSE_SITE.test(clean(textOf(last))))) return last;
    alone = alone && only;
    inside = last;
  }
  return null;
}

// As soon as one is found: the whole text of a page is long.
function hasWords(el) {
  const texts = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) if (HAS_WORDS.test(texts.currentNode.data)) return true;
  return false;
}

// The first of an element and those before it that shows a text in its place.
function blockBefore(el) {
  let one = el;
  while (one && (SILENT.has(one.localName) || !hasWords(one) || !one.checkVisibility(SEEN) || facts(one).floats)) one = one.previousElementSibling;
  return one || null;
}

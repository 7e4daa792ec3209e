// What names a value: the dt of a dd, the header of a cell.

const CELL_ROLES = '[role=cell],[role=gridcell],[role=columnheader],[role=rowheader]';
const TABLE_ROLES = 'table,[role=table],[role=grid],[role=treegrid]';

// Map of cell element to {header, row, span, column, isHeader, role} for one table; `row` counts on from `firstRow`.
// `span`: how many rows the cell is joined over.
function readTable(table, firstRow) {
  const cells = new Map();
  if (roleOf(table) === 'presentation') return { cells, rows: 0 };
  const native = table.localName === 'table';
  const rows = native ? [...table.rows] : [...table.querySelectorAll('[role=row]')].filter((row) => row.parentElement.closest(TABLE_ROLES) === table);
  const grid = rows.map((row) => (native ? [...row.cells] : [...row.querySelectorAll(CELL_ROLES)].filter((cell) => cell.closest('[role=row]') === row)));
  const columns = [];  // header text per column, from the header rows above
  const reach = [];    // column -> rows still covered by a rowspan from above
  const sides = [];    // column -> text of the row header that covers it
  grid.forEach((row, index) => {
    const headers = row.filter(isHeaderCell);
    const isHeaderRow = row.length > 0 && (headers.length === row.length && row.length > 1 || rows[index].parentElement.localName === 'thead');
    let column = 0;
    let beside = null;
    for (const cell of row) {
      while (reach[column] > 0) {
        if (sides[column]) beside = sides[column];
        reach[column++] -= 1;
      }
      const span = Math.min(cell.rowSpan === 0 ? rows.length : cell.rowSpan || 1, rows.length - index);
      const place = { row: firstRow + index, span, column, header: null, isHeader: isHeaderRow || isHeaderCell(cell) };
      if (!place.isHeader) {
        const above = columns[column] || null;
        // With several values in a row the columns name them (a first th is the record's own name);
        // with one value beside a th it is the th, whatever the columns are called.
        const several = row.length - headers.length > 1 && headers.length === 1;
        place.header = named(cell) || (beside && !(above && several) ? beside : above);
      } else if (!isHeaderRow) {
        beside = headerText(cell);
        place.role = 'rowheader';
      }
      const width = Math.min(cell.colSpan || 1, 1000);
      for (let at = 0; at < width; at += 1) {
        if (isHeaderRow) columns[column + at] = headerText(cell);
        reach[column + at] = span - 1;
        sides[column + at] = span > 1 && place.role === 'rowheader' ? beside : null;
      }
      cells.set(cell, place);
      column += width;
    }
    for (; column < reach.length; column += 1) if (reach[column] > 0) reach[column] -= 1;
  });
  return { cells, rows: rows.length };
}

function isHeaderCell(cell) {
  const role = cell.getAttribute('role');
  return role === 'columnheader' || role === 'rowheader' || cell.localName === 'th' && !role;
}

function named(cell) {
  const ids = cell.getAttribute('headers');
  if (!ids) return null;
  const texts = ids.split(/\s+/).map((id) => document.getElementById(id)).filter(Boolean).map(headerText);
  return texts[texts.length - 1] || null;
}

const headerText = (cell) => headerLabel(clean(cell.getAttribute('aria-label') || ''), cell) || writtenOrSaid(cell);

// "Name: activate to sort" is what a reader hears of a header that shows "Name".
function headerLabel(label, cell) {
  const text = label && clean(textOf(cell));
  return text && label.startsWith(text) && /^\s*[:,(]/.test(label.slice(text.length)) ? text : label;
}

function termOf(definition) {
  for (let before = definition.previousElementSibling; before; before = before.previousElementSibling) {
    if (before.localName === 'dt' || before.getAttribute('role') === 'term') return headerText(before);
  }
  return null;
}

// Whether it is the first of two cells or boxes of which the second is there and empty: a label without a value.
function isBeforeBlank(item) {
  const { el } = item;
  if (item.value !== null || !item.name || item.name.length > 100) return false;
  const cell = el.closest('td,th,dt,[role=cell],[role=gridcell],[role=rowheader]') || el;
  if (cell !== el && clean(textOf(cell)) !== item.name) return false;
  const beside = cell.nextElementSibling;
  if (!beside || clean(beside.textContent) || (beside.nextElementSibling || cell.previousElementSibling) && !alternates(cell) || beside.localName !== cell.localName && beside.matches(CAN_ACT)) return false;
  if (beside.matches('br,hr,wbr,script,style,img,svg,canvas,iframe,progress,meter,input,select,textarea,table,ul,ol') || facts(beside).gone || facts(beside).unseen) return false;
  return !beside.querySelector('img,svg,canvas,iframe,video,progress,meter,input,select,textarea,button') && ![...beside.querySelectorAll('a[href]')].some(hasArea) && !drawsItself(beside) && !rootOf(beside)
    && [...cell.parentNode.childNodes].every((node) => node.nodeType !== 3 || !node.data.trim());
}

// A link without a text has no area: frameworks write one for a relation to nothing.
function hasArea(el) {
  const { width, height } = el.getBoundingClientRect();
  return width > 0 && height > 0;
}

// Whether the boxes around are labels and values by turns, as in a grid of two columns, and this is a label.
const MOST_ALTERNATING = 200;
function alternates(cell) {
  const { children } = cell.parentElement || cell;
  if (children.length < 4 || children.length % 2 || children.length > MOST_ALTERNATING || /^(td|th|li|p|tr)$/.test(cell.localName)) return false;
  const all = [...children];
  return all.indexOf(cell) % 2 === 0 && all.every((one, n) => one.localName === children[n % 2].localName && (n % 2 || clean(one.textContent)));
}

// Icons and loading signs are drawn by backgrounds and generated content.
function drawsItself(el) {
  if (el.getAttribute('aria-busy') === 'true') return true;
  for (const one of [el, ...el.querySelectorAll('*')]) {
    if (getComputedStyle(one).backgroundImage !== 'none') return true;
    for (const part of ['::before', '::after']) if (!/^(none|normal|"")$/.test(getComputedStyle(one, part).content)) return true;
  }
  return false;
}

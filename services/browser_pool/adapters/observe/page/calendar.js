// Calendars as a person reads them: a row of numbers from 1 to the end of a month, under the name of the month.

const NEXT = /next|forward|nächst|vorwärts|suivant|siguiente|successiv|volgend|próxim|następn|chevron[-_ ]?right|arrow[-_ ]?right|right[-_ ]?arrow|^[>›»→❯▶⏵]+$/i;
const PREVIOUS = /prev|back|vorig|vorherig|zurück|précédent|anterior|preced|vorige|poprzedni|chevron[-_ ]?left|arrow[-_ ]?left|left[-_ ]?arrow|^[<‹«←❮◀⏴]+$/i;
const BY_YEAR = /year|jahr|année|año|anno|jaar|double|super|^[»«]$|>>|<</i;
const CONFIRM = /^(apply|ok|okay|done|set|select|confirm|choose|save|übernehmen|fertig|bestätigen|auswählen|appliquer|valider|aplicar|aceptar|applica|conferma|toepassen)$/i;
const monthTables = new Map();
let monthTable = null;

// Month names of one language, sent by the pool (see shared/text/date_names.py).
function tellMonths(lang, told) {
  const { words, numbered } = JSON.parse(told);
  const forms = numbered.map(([before, behind]) => `${before}\\.?\\s*(?<!\\d)(0?[1-9]|1[0-2])(?!\\d)\\s*${behind}`).join('|');
  monthTables.set(lang, { words: new Map(Object.entries(words)), numbered: new RegExp(forms, 'gu') });
  return { count: Object.keys(words).length };
}

function languageOf(el) {
  const said = closestUp(el, (up) => up.hasAttribute('lang'));
  return said ? said.getAttribute('lang').slice(0, 35) : '';
}

// Small letters without accents, as the names are compared; a month that is written with a number is marked.
const MARK = '\u0001';
function wordsOf(text) {
  const bare = text.toLowerCase().normalize('NFD').replace(/\p{M}|\u05f3/gu, '').normalize('NFC').replace(/ς/g, 'σ').replace(/[’']/g, ' ');
  const marked = bare.replace(monthTable.numbered, (...found) => ` ${MARK}${found.slice(1).find((one) => /^\d/.test(one))} `);
  return marked.split(/[\s,|/()-]+/).map((word) => word.replace(/\.+$/, '')).filter(Boolean);
}

const monthOfWord = (word) => word.startsWith(MARK) ? Number(word.slice(1)) : monthTable.words.get(word.replace(/[.\d]+/g, '')) || 0;
const monthIn = (text) => wordsOf(text).map(monthOfWord).find(Boolean) || 0;
const yearOfWord = (word) => { const found = /^(\d{4})\p{L}{0,2}$/u.exec(word || ''); return found ? Number(found[1]) : 0; };

// The month and year a text names, where it names both side by side.
function monthAndYear(text) {
  let found = /\b(\d{4})[-/.](\d{1,2})\b(?![-/.]\d)/.exec(text);
  if (found) return [Number(found[1]), Number(found[2])];
  found = /(?<![\d/.-])(\d{1,2})\s*[/.-]\s*(\d{4})\b/.exec(text);
  if (found && Number(found[1]) <= 12) return [Number(found[2]), Number(found[1])];
  const words = wordsOf(text);
  for (let i = 0; i < words.length; i += 1) {
    const month = monthOfWord(words[i]);
    if (!month) continue;
    for (const at of [i + 1, i - 1, i + 2, i - 2]) if (yearOfWord(words[at])) return [yearOfWord(words[at]), month];
  }
  return null;
}

function calendar(id, n, markId, asId, wanted) {
  const el = elementOf(id, n);
  if (!el) return { state: 'gone' };
  const lang = languageOf(el);
  monthTable = monthTables.get(lang) || null;
  if (!monthTable) return { state: 'unnamed', lang };
  const field = { editable: isEditable(el), hints: hintsOf(el), lang };
  const [year, month, day] = wanted.split('-').map(Number);
  for (const start of calendarRoots(el, markId)) {
    if (!runsIn(start).length) continue;
    // The first match may be one of several months in the same pop-up.
    const whole = closestUp(start, (up) => /absolute|fixed/.test(getComputedStyle(up).position));
    const root = whole && start !== el && !within(el, whole) && whole.textContent.length < 5000 ? whole : start;
    const runs = runsIn(root);
    const shown = runs.map((run) => monthOf(run, runs, root));
    const at = shown.findIndex((one) => one && one[0] === year && one[1] === month);
    const cell = at >= 0 && day ? runs[at].days[day - 1] || null : null;
    keepElements(`${asId}d`, cell ? [cell] : []);
    const place = placeOf(runs, root);
    const moves = movesIn(place, runs);
    keepElements(asId, moves.map((one) => one.el));
    const confirm = everything('button,[role=button],input[type=button],a', root).filter((one) => inSight(one) && CONFIRM.test(clean(nameOf(one, roleOf(one)) || textOf(one))));
    keepElements(`${asId}c`, confirm.slice(0, 1));
    return { state: 'shown', ...field, months: shown.map((one) => one ? one[0] * 12 + one[1] - 1 : 0), day: Boolean(cell), disabled: cell !== null && isOff(cell, runs[at].grid),
      ...clockIn(root, asId), inline: root === el,
      moves: moves.map((one) => ({ label: one.label, guess: one.guess })), ...jumpsIn(place, asId, year, month), confirm: confirm.length > 0, picked: cell !== null && isPicked(cell, runs[at].grid) };
  }
  return { state: 'none', ...field };
}

function hintsOf(el) {
  const described = (el.getAttribute('aria-describedby') || '').split(/\s+/).map((one) => one && document.getElementById(one)).filter(Boolean).map((one) => clean(textOf(one)));
  const attributes = ['placeholder', 'aria-placeholder', 'data-date-format', 'data-format', 'title', 'data-mask', 'data-inputmask'].map((name) => el.getAttribute(name) || '');
  return [...attributes, ...described, nameOf(el, roleOf(el)), aroundOfElement(el)].filter(Boolean).map((one) => one.slice(0, 200));
}

function aroundOfElement(el) {
  const label = labelsOf(el)[0];
  const beside = el.nextElementSibling;
  return clean([label ? textOf(label) : '', beside && beside.textContent.length < 60 ? textOf(beside) : ''].join(' '));
}

function calendarRoots(el, markId) {
  const named = controlledBy(el).filter(inSight);
  const came = markId ? cameUp(markId).filter((root) => !within(el, root)) : [];
  const beside = everything('*').filter((one) => one.childElementCount && /absolute|fixed/.test(getComputedStyle(one).position) && inSight(one) && !within(el, one) && one.textContent.length > 50 && one.textContent.length < 5000 && isNear(el, one));
  const own = el.matches('input') ? [] : [el];
  return [...own, ...named, ...came, ...came.map((one) => one.parentElement).filter(Boolean), ...beside];
}

// A calendar that was open before and is far from the field is that of another field.
const NEAR_PX = 60;
function isNear(el, other) {
  const a = el.getBoundingClientRect(), b = other.getBoundingClientRect();
  return Math.max(a.left - b.right, b.left - a.right, a.top - b.bottom, b.top - a.bottom) <= NEAR_PX;
}

// Other numbers may be in between (days of adjacent months, week numbers), so each 1 may start a month.
function runsIn(root) {
  const begun = [];
  for (const text of leavesOf(root)) {
    const written = text.data.trim();
    const el = text.parentElement;
    if (!/^\d{1,2}$/.test(written) || !el || el.closest('th,[role=rowheader],select,option,[role=option]')) continue;
    const number = Number(written);
    for (const days of begun) if (number === days.length + 1 && days.length < 31 && (number < 29 || days.open)) days.push(el);
    if (number === 1) { for (const days of begun) days.open = days.length < 28; const days = [el]; days.open = true; begun.push(days); }
  }
  const whole = begun.filter((days) => days.length >= 28);
  return whole.filter((days, at) => !whole.slice(at + 1).some((later) => later[27] === days[27])).map((days) => ({ days, grid: commonOf(days[0], days[days.length - 1]) }));
}

function commonOf(a, b) { let up = a; while (up && !up.contains(b)) up = up.parentElement; return up || a; }

function monthOf(run, runs, root) {
  const said = writtenOn(run.days[14], 15, run.grid);
  if (said) return said;
  let up = run.grid;
  for (let step = 0; up && step < 8; step += 1) {
    const inside = runs.filter((one) => up.contains(one.grid));
    const found = headerOf(up, inside);
    if (found.length && (inside.length === 1 || found.length === inside.length)) {
      const one = found[Math.max(0, inside.indexOf(run))] || found[0];
      return run.days.length <= new Date(one[0], one[1], 0).getDate() ? one : null;
    }
    if (up === root.parentElement || up === document.body) break;
    up = up.parentElement;
  }
  return null;
}

// A day whose attributes contain the full date.
function writtenOn(el, day, grid) {
  for (let up = el, step = 0; up && up !== grid && step < 4; up = up.parentElement, step += 1) {
    for (const name of ['data-date', 'datetime', 'data-iso', 'data-day', 'data-value', 'aria-label', 'title', 'id']) {
      const text = up.getAttribute(name);
      if (!text) continue;
      const iso = /(\d{4})-(\d{2})-(\d{2})/.exec(text);
      if (iso && Number(iso[3]) === day) return [Number(iso[1]), Number(iso[2])];
      const year = /\b(\d{4})\b/.exec(text);
      if (year && monthIn(text) && new RegExp(`(^|\\D)${day}(\\D|$)`).test(text)) return [Number(year[1]), monthIn(text)];
    }
  }
  return null;
}

function headerOf(up, inside) {
  const outside = (node) => !inside.some((run) => run.grid.contains(node)) || node.parentElement.closest('caption,thead') !== null;
  const { month, year } = pickersIn(up);
  const yearField = yearFieldIn(up);
  const pieces = leavesOf(up).filter(outside).map((node) => clean(node.data));
  const named = pieces.map(monthIn).find(Boolean) || 0;
  const m = month ? month.now : named;
  const y = year ? year.now : yearField ? Number(yearField.value) : 0;
  if (month && year || month && y || m && y && (year || yearField)) return [[y, m]];
  const found = pieces.map(monthAndYear).filter(Boolean);
  if (found.length && (found.length === inside.length || inside.length > 1)) return found;
  const joined = monthAndYear(pieces.join(' '));
  if (found.length <= 1 && joined) return found.length ? found : [joined];
  if (month) { const written = pieces.map((one) => /\b(\d{4})\b/.exec(one)).find(Boolean); if (written) return [[Number(written[1]), month.now]]; }
  return found.slice(0, 1);
}

// Native lists of months and of years.
function pickersIn(up) {
  const result = { month: null, year: null };
  for (const el of up.querySelectorAll('select')) {
    if (!inSight(el) || !el.options.length) continue;
    const texts = [...el.options].map((one) => clean(one.label));
    const named = texts.map(monthIn);
    if (named.every(Boolean)) result.month = { el, values: named, now: named[el.selectedIndex] };
    else if (texts.every((text) => /^\d{4}$/.test(text))) result.year = { el, values: texts.map(Number), now: Number(texts[el.selectedIndex]) };
  }
  return result;
}

const yearFieldIn = (up) => [...up.querySelectorAll('input')].find((el) => /^(number|text|tel)$/.test(el.type) && /^\d{4}$/.test(el.value) && inSight(el) && isEditable(el)) || null;

// The part of the page that belongs to the calendar: its months, their header and the buttons there.
function placeOf(runs, root) {
  let up = runs.map((run) => run.grid).reduce((a, b) => commonOf(a, b));
  for (let step = 0; step < 6 && up !== root && up.parentElement && up.parentElement !== document.body; step += 1) {
    if (headerOf(up, runs).length && pressableIn(up, runs).length) break;
    up = up.parentElement;
  }
  return up;
}

function pressableIn(up, runs) {
  return everything('button,[role=button],a,[onclick],[tabindex],[class*=prev],[class*=next],[class*=arrow]', up)
    .filter((el) => inSight(el) && !isOff(el, null) && !el.matches(':disabled,[aria-disabled=true],select,input') && !runs.some((run) => el.contains(run.grid) || run.days.some((day) => el.contains(day))) && clean(textOf(el)).length < 40);
}

function movesIn(place, runs) {
  const middle = place.getBoundingClientRect();
  const found = [];
  for (const el of pressableIn(place, runs)) {
    if (found.some((one) => one.el.contains(el) || el.contains(one.el) && one.guess)) continue;
    const shown = clean(nameOf(el, roleOf(el)) || textOf(el));
    const label = [shown, el.getAttribute('title') || '', el.getAttribute('class') || ''].find((text) => NEXT.test(text) || PREVIOUS.test(text)) || shown;
    const step = BY_YEAR.test(label) ? 12 : 1;
    const box = el.getBoundingClientRect();
    const beside = !shown && box.width < 80 ? (box.left + box.width / 2 < middle.left + middle.width / 2 ? -1 : 1) : 0;
    const guess = PREVIOUS.test(label) ? -step : NEXT.test(label) ? step : beside;
    if (guess) found.push({ el, label: `${label}@${found.length}`, guess });
  }
  return found.slice(0, 12);
}

// Lists and fields that select month and year directly.
function jumpsIn(place, asId, year, month) {
  const { month: byMonth, year: byYear } = pickersIn(place);
  const field = byYear ? null : yearFieldIn(place);
  keepElements(`${asId}j`, [byMonth && byMonth.el, byYear && byYear.el, field].filter(Boolean));
  const place_ = (one) => one ? [byMonth && byMonth.el, byYear && byYear.el, field].filter(Boolean).indexOf(one) : -1;
  const nearest = byYear ? byYear.values.reduce((best, value, at) => Math.abs(value - year) < Math.abs(byYear.values[best] - year) ? at : best, 0) : -1;
  return { month_list: byMonth ? place_(byMonth.el) : -1, month_at: byMonth ? byMonth.values.indexOf(month) : -1,
    year_list: byYear ? place_(byYear.el) : -1, year_at: nearest, year_field: field ? place_(field) : -1 };
}

// Fields for hours and minutes beside the days.
function clockIn(root, asId) {
  const fields = everything('input,select', root).filter((el) => inSight(el) && isEditable(el) || el.localName === 'select' && inSight(el));
  const called = (el) => `${nameOf(el, roleOf(el))} ${el.getAttribute('class') || ''} ${el.name || ''} ${el.id}`;
  const hour = fields.find((el) => /hour|stunde|heure|hora|\bhh\b/i.test(called(el)));
  const minute = fields.find((el) => el !== hour && /minute|\bmin\b|minuto|\bmm\b/i.test(called(el)));
  const half = everything('*', root).find((el) => inSight(el) && !el.childElementCount && /^[ap]m$/i.test(clean(el.textContent)));
  const found = hour && minute ? [hour, minute, half].filter(Boolean) : [];
  keepElements(`${asId}t`, found);
  return { clock: found.length > 0, half: found.length > 2 ? clean(half.textContent).toLowerCase() : '' };
}

function chainOf(cell, grid) {
  const found = [];
  for (let up = cell, step = 0; up && up !== grid && step < 3; up = up.parentElement, step += 1) {
    if (step && clean(textOf(up)) !== clean(textOf(cell))) break;
    found.push(up);
  }
  return found;
}
const isOff = (cell, grid) => chainOf(cell, grid).some((el) => el.matches(':disabled,[aria-disabled=true]') || /(^|[\s_-])(disabled|unselectable|blocked|unavailable)([\s_-]|$)/i.test(el.getAttribute('class') || ''));
const isPicked = (cell, grid) => chainOf(cell, grid).some((el) => /^(true|date)$/.test(el.getAttribute('aria-selected') || '') || el.getAttribute('aria-pressed') === 'true' || el.getAttribute('aria-checked') === 'true'
  || /(^|[\s_-])(selected|active|chosen|current-day|is-selected|picked)([\s_-]|$)/i.test((el.getAttribute('class') || '').replace(/(not|un)[-_]?selected/gi, '')));

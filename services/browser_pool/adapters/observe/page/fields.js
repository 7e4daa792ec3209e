// Fields in the widgets around them: what is their choice and what is only a hint, which elements are one control, and
// the limits of a value.

// Says what to enter or choose while there is nothing. A skeleton has the same class, and no text.
const HINT_CLASS = /(?:^|[_-])placeholder$/i;
const SAYS_WHETHER = /^(has|no|with|shows?|hides?)[_-]/i;
function isHint(el) {
  if (/^(|true)$/.test(el.getAttribute('data-placeholder') ?? '-') || el.hasAttribute('data-slate-placeholder')) return true;
  return (el.getAttribute('class') || '').split(/\s+/).some((one) => HINT_CLASS.test(one) && !SAYS_WHETHER.test(one));
}

// What is no part of a choice in this widget: buttons, hints, and texts that name or describe it.
function besideChoice(el) {
  return leavingOut(BUTTONS, namedBy(el, DESCRIBES));
}

// For textOf: roles and elements whose text is left out, and with them hints and what clears a choice.
const leavingOut = (roles, parts) => Object.assign(new Set(roles), { parts });

const DESCRIBES = ['aria-describedby', 'aria-errormessage', 'aria-details'];
function namedBy(el, attributes) {
  const root = el.getRootNode();
  const ids = attributes.flatMap((name) => (el.getAttribute(name) || '').split(/\s+/)).filter(Boolean);
  return new Set(ids.map((id) => root.getElementById ? root.getElementById(id) : null).filter((one) => one && !one.contains(el)));
}

// What a widget without a field of its own shows as its choice: '' for a hint, null where there is no text.
function shownChoice(el) {
  if (isHint(el)) return '';
  const skip = besideChoice(el);
  const chosen = clean(textOf(el, skip)) || clean(textOf(el, leavingOut([], skip.parts)));
  return chosen || (clean(textOf(el)) && !el.querySelector(FIELD) ? '' : null);
}

// An editor draws its hint inside of itself.
function editedText(el) {
  if (isHint(el)) return '';
  const text = clean(el.innerText);
  const hint = text && [...el.querySelectorAll('[data-slate-placeholder],[class*=placeholder i]')].find(isHint);
  return hint && clean(hint.innerText) === text ? '' : text;
}

// --- one control in two elements

const FIELD = 'input:not([type=hidden],[type=button],[type=submit],[type=reset],[type=image],[type=file]),select,textarea,[contenteditable=""],[contenteditable=true]';
const POPUP_TEXT = new Set([...BUTTONS, 'listbox', 'menu', 'tree', 'grid', 'dialog', 'tooltip']);
const FRAME_TEXT = new Set([...POPUP_TEXT, ...CONTROLS_TEXT]);
// Texts in the frame of a field, such as a unit or a currency, are short; that of a choice is a name.
const ADORNMENT = 20;

// The only field in an element that is seen or drawn there, or null.
function onlyFieldIn(el) {
  const inner = rootOf(el) || el;
  if (inner.firstElementChild === null) return null;
  const found = [...inner.querySelectorAll(FIELD)].filter((one) => seenItself(one) || drawingOf(one) !== null);
  return found.length === 1 ? found[0] : null;
}

// The field for which a wrapper with a role stands.
const WRAPPERS = '[role=combobox],[role=textbox],[role=searchbox],[role=spinbutton]';
function fieldWrapped(el) {
  if (!el.hasAttribute('role') || !el.matches(WRAPPERS) || el.matches('input,select,textarea') || el.isContentEditable) return null;
  const field = onlyFieldIn(el);
  if (!field || CHECKABLE.has(INPUT_ROLE[field.type])) return null;
  const popup = field.closest('[role=listbox],[role=menu],[role=dialog]');
  return popup && el.contains(popup) ? null : field;
}

const wrapped = memory();  // field -> its wrapper
function wrapperOf(field) {
  if (!wrapped.has(field)) {
    const around = field.matches('input,textarea') && field.parentElement && field.parentElement.closest(WRAPPERS);
    wrapped.set(field, around && fieldWrapped(around) === field ? around : null);
  }
  return wrapped.get(field);
}

// A wrapper that shows nothing itself, such as chosen tags, is told as its field.
function isToldAsField(el) {
  const field = fieldWrapped(el);
  return field !== null && wrapperOf(field) === el && !clean(textOf(el, leavingOut(FRAME_TEXT, textsAbout(field))));
}

// Beside chips that are options, the place where one types may be written as another, in a list without any name.
const isPlaceToType = (el, role) => (role === 'option' || role === 'listbox') && !el.matches(FIELD) && el.querySelector(FIELD) !== null
  && !clean(textOf(el)) && !nameOf(el, role) && [...el.querySelectorAll(FIELD)].some(seenItself);

// The states of a field with those that only its wrapper says.
function statesOfField(el, role) {
  const states = statesOf(el, role);
  const around = EDITING.has(role) ? wrapperOf(el) : null;
  return around ? [...new Set([...states, ...statesOf(around, roleOf(around))])] : states;
}

// What is checked in a group, null where there is nothing to check.
function chosenRadios(el) {
  const radios = [...(rootOf(el) || el).querySelectorAll('[role=radio],input[type=radio]')];
  return radios.length ? radios.filter(checkedOf).map((one) => nameOf(one, 'radio')).join(', ') : null;
}

// Labels and descriptions of a field.
function textsAbout(field) {
  return new Set([...labelsOf(field).filter((label) => !label.contains(field)), ...namedBy(field, ['aria-labelledby', ...DESCRIBES])]);
}

// Whether an element that listens for a press is the frame of one field: a press enters that field.
function framesField(el) {
  if (el.matches('tr,li,a,article,[role=row],[role=listitem],[role=option],[role=button]')) return false;
  const field = onlyFieldIn(el);
  if (!field || !EDITING.has(roleOf(field)) || (rootOf(el) || el).querySelector('a[href]')) return false;
  const label = labelsOf(field).find((one) => one.contains(field) && el.contains(one));
  const words = clean(textOf(el, leavingOut(FRAME_TEXT, textsAbout(field)))).length - (label ? clean(textOf(label, FRAME_TEXT)).length : 0);
  return words <= (roleOf(field) === 'combobox' ? CONTAINER_NAME : ADORNMENT);
}

// Words of the name under which a form sends a field that nothing on the page names: an operator between two others.
function sentAs(el) {
  const words = (el.getAttribute('name') || '').split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).filter((word) => word.length > 2);
  return words.length ? words.join(' ').toLowerCase().slice(0, 60) : '';
}

// --- limits of a value

const RANGED = new Set(['slider', 'spinbutton', 'progressbar', 'meter']);
function limitsOf(el, role) {
  if (!RANGED.has(role)) return NONE;
  const native = el.localName === 'input';
  const number = (said) => said !== null && said.trim() !== '' && Number.isFinite(Number(said)) ? Number(said) : null;
  const least = number(el.getAttribute('aria-valuemin')) ?? (native ? number(el.getAttribute('min')) ?? (el.type === 'range' ? 0 : null) : null);
  const most = number(el.getAttribute('aria-valuemax')) ?? (native ? number(el.getAttribute('max')) ?? (el.type === 'range' ? 100 : null) : null);
  const limits = least !== null && most !== null ? [`from ${least} to ${most}`] : least !== null ? [`at least ${least}`] : most !== null ? [`at most ${most}`] : [];
  const now = number(el.getAttribute('aria-valuenow'));
  // The text of a value, such as "Large", is no number.
  if (now !== null && el.getAttribute('aria-valuetext') && el.getAttribute('aria-valuetext').trim() !== String(now)) limits.push(`at ${now}`);
  return limits;
}

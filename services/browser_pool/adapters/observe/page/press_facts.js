// What a press would do, as far as the page says it: facts only, decided about in Python.

const PRESSABLE_PARTS = 'button,a[href],input,select,textarea,summary,[role=button],[role=link],[role=menuitem],[role=tab],[role=option],[onclick]';
const TEXT_FIELDS = 'input:not([type]),input[type=text i],input[type=search i],input[type=email i],input[type=number i],input[type=tel i],input[type=url i],textarea';
const SUBMITS = 'button:not([type]),button[type=submit i],button[type=""],input[type=submit i],input[type=image i]';
const SENT_BY = ['delete', 'put', 'patch', 'post'];
const METHOD_ATTRIBUTES = ['data-method', 'data-turbo-method', 'data-http-method', 'up-method'];
const SIGNS_IN = 'input[autocomplete~=username i],input[type=email i]:only-of-type,input[name=username i],input[name=login i],input[name=identifier i]';
const QUESTION_CHARS = 400;
const CONSENT_CHARS = 3000;

// `how`: 'key' where a key is pressed in the element, 'sends' where the key sends a form also from a text of several lines.
function pressFacts(id, n, how) {
  const el = elementOf(id, n);
  if (!el) return {};
  const shell = closestUp(el, (one) => one.matches(PRESSABLE_PARTS) || one.localName === 'label');
  const inner = shell ? null : onlyPressed(el);
  const control = shell && shell.localName === 'label' ? shell.control || shell : shell || inner || el;
  const role = roleOf(control) || '';
  const typed = how && isTyped(control, how);
  const form = formOf(control);
  const button = typed ? form && submitsOf(form)[0] || null : control;
  const submits = form !== null && (typed || isSubmit(control));
  const box = closestUp(control, (one) => one.matches(DIALOGS));
  return {
    role: button ? roleOf(button) || role : role, name: button ? calledAs(button) : '', field: typed ? calledAs(control) : '',
    submits, method: submits ? methodOf(button, form) : '', addressed: submits && isAddressed(button, form),
    sends: sentBy(button || control, submits ? form : null), ...(form ? formFacts(form) : { searches: isSearch(control) }),
    consent: isAboutConsent(control), question: box ? questionOf(box) : '',
    leads: control.localName === 'a' && leadsAway(control), pages: areaOf(control) === 'pager',
  };
}

const onlyPressed = (el) => { const found = el.querySelectorAll(PRESSABLE_PARTS); return found.length === 1 ? found[0] : null; };
const isSubmit = (el) => el.matches(SUBMITS);
// A field of one line sends its form by Enter; a button is pressed by the key.
const isTyped = (el, how) => el.matches('input') && !isSubmit(el) && !el.matches('[type=button i],[type=reset i],[type=file i]') || how === 'sends' && el.matches('textarea');
const calledAs = (el) => clean(nameOf(el, roleOf(el)) || textOf(el) || el.getAttribute('value') || el.getAttribute('name') || '').slice(0, 200);

function formOf(el) {
  const named = el.getAttribute('form');
  if (named && el.matches('button,input,select,textarea')) { const form = el.getRootNode().getElementById ? el.getRootNode().getElementById(named) : null; if (form && form.localName === 'form') return form; }
  return closestUp(el, (one) => one.localName === 'form');
}

function ofForm(form, css) {
  const id = form.getAttribute('id');
  const outside = id ? [...form.getRootNode().querySelectorAll(css)].filter((one) => one.getAttribute('form') === id && !form.contains(one)) : [];
  return [...form.querySelectorAll(css), ...outside].filter((one) => !one.matches(':disabled'));
}

const submitsOf = (form) => ofForm(form, SUBMITS);
const methodOf = (button, form) => ((button && button.getAttribute('formmethod')) || form.getAttribute('method') || 'get').trim().toLowerCase();
const isAddressed = (button, form) => Boolean(button && (button.getAttribute('formmethod') || button.getAttribute('formaction')) || form.getAttribute('method') || form.getAttribute('action'));

function sentBy(el, form) {
  const found = new Set();
  for (let up = el, n = 0; up && n < 3; up = upFrom(up), n += 1) if (n === 0 || up.matches('a,button,label')) noteMethods(up, found);
  if (form) noteMethods(form, found);
  return SENT_BY.find((method) => found.has(method)) || '';
}

function noteMethods(el, found) {
  for (const name of METHOD_ATTRIBUTES) found.add((el.getAttribute(name) || '').trim().toLowerCase());
  for (const method of SENT_BY) if (el.hasAttribute(`hx-${method}`) || el.hasAttribute(`data-hx-${method}`)) found.add(method);
}

function formFacts(form) {
  const fields = ofForm(form, TEXT_FIELDS).filter((one) => one.checkVisibility());
  const passwords = ofForm(form, 'input[type=password i]').length;
  return {
    fields: fields.length, asks: fields.length === 1 ? calledAs(fields[0]) : '', passwords, searches: isSearch(form) || fields.some((one) => one.matches('[type=search i],[role=searchbox]')),
    signs_in: fields.length === 1 && ofForm(form, SIGNS_IN).length === 1,
  };
}

function isSearch(el) {
  return closestUp(el, (one) => one.localName === 'search' || one.getAttribute('role') === 'search') !== null
    || ASKS_BY_NAME.test(`${el.getAttribute('class') || ''} ${el.getAttribute('id') || ''}`);
}

function isAboutConsent(el) {
  for (let up = el, n = 0; up && up !== document.body && n < MOST_UP; up = upFrom(up), n += 1) {
    const text = clean(textOf(up));
    if (text.length > CONSENT_CHARS) return false;
    if (ABOUT_CONSENT.test(text)) return true;
    if (up.matches(DIALOGS)) return false;
  }
  return false;
}

function questionOf(box) {
  const heading = box.querySelector('h1,h2,h3,[role=heading]');
  return clean(`${box.getAttribute('aria-label') || ''} ${heading ? textOf(heading) : ''} ${textOf(box)}`).slice(0, QUESTION_CHARS);
}

function leadsAway(link) {
  const href = link.getAttribute('href') || '';
  return href !== '' && !href.startsWith('#') && !/^\s*javascript:/i.test(href);
}

// The field with the focus gives it up, as it does when a person presses something else.
const LOSES = 'input,select,textarea,[contenteditable]';
function leaveField() {
  const forms = formState();
  let el = document.activeElement;
  while (el && rootOf(el) && rootOf(el).activeElement) el = rootOf(el).activeElement;
  if (el && el.matches(LOSES)) HTMLElement.prototype.blur.call(el);
  return { forms };
}

// The fields for which the browser itself does not send the form of this button, with what it says of them.
const MOST_UNSENT = 5;
function unsentFields(id, n) {
  const el = elementOf(id, n);
  const control = el ? closestUp(el, (one) => one.matches(PRESSABLE_PARTS)) || el : null;
  const form = control ? formOf(control) : null;
  const checks = form !== null && isSubmit(control) && !form.hasAttribute('novalidate') && !control.hasAttribute('formnovalidate');
  const invalid = checks ? ofForm(form, 'input,select,textarea').filter((one) => one.willValidate && !one.validity.valid) : [];
  return { forms: formState(), fields: invalid.slice(0, MOST_UNSENT).map((one) => `${calledAs(one) || one.name || one.localName}: ${clean(one.validationMessage)}`.slice(0, 200)) };
}

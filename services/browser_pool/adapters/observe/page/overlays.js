// What covers a target and how it can be closed. Overlays are recognised by their form, never by site or vendor.

const DIALOGS = 'dialog[open],[role=dialog],[role=alertdialog],[aria-modal=true]';
const POPUPS = new Set(['menu', 'listbox', 'tooltip', 'grid', 'tree', 'dialog', 'alertdialog']);
// Refusing consent gives up nothing. Refusing an order, or a request, is a decision about it.
const REFUSING = /^(reject|decline|refuse|deny|ablehnen|refuser|rechazar|rifiuta|weigeren|odrzuć|rejeitar)( (all|cookies|all cookies|optional cookies|optional|non-essential cookies|non-essential))?$|^(alle ablehnen|tout refuser|rechazar todo|rifiuta tutto|alles weigeren)$|^((use )?(only )?(necessary|essential)( cookies)?( only)?|nur notwendige( cookies)?|continue without accepting|continuer sans accepter)$/i;
const REFUSES_CONSENT = /cookie|necessary|essential|notwendige|accept/i;
// Whole names, in the order in which they are tried. A name that says more than this does something else.
const WAYS_OUT = [
  /^(close|dismiss|hide|exit|schlie(ß|ss)en|fermer|cerrar|chiudi|sluiten|zamknij|fechar)( (this|the))?( (dialog|window|popup|pop-up|modal|banner|message|notice|overlay|panel|dialogfenster))?$|^[×✕✖✗⨯xX]$/i,
  REFUSING,
  /^(no,? thanks?( you)?|not now|maybe later|later|skip|skip for now|remind me later|ask me later|no,? thank you|nein,? danke|nicht jetzt|später|non,? merci|plus tard|no,? gracias|ahora no|no,? grazie|nee,? bedankt)$/i,
  /^(cancel|abbrechen|annuler|cancelar|annulla|annuleren|anuluj)$/i,
];
const NOTED = /^(ok|okay|got it!?|i understand|understood|continue|verstanden|alles klar|compris|entendido|ho capito|begrepen)$/i;
const CONSENT = /^(accept|agree|i agree|i accept|allow|accept all|allow all|agree to all|accept (all )?cookies|allow (all )?cookies|(alle )?akzeptieren|zustimmen|einverstanden|(tout )?accepter|aceptar( todo)?|accetta( tutto)?|(alles )?accepteren)$/i;
const ABOUT_CONSENT = /cookie|consent|privacy|gdpr|datenschutz|confidentialit|privacidad|tracking/i;
const CLOSE_CLASS = /(^|[\s_-])(close|dismiss|btn-?close|closebtn|close-?button|close-?icon)([\s_-]|$)/i;

function inTheWay(top, target, asId) {
  const covers = coversOf(top, target);
  const outer = covers[covers.length - 1];
  const named = covers.find((el) => el.matches(DIALOGS) || el.getAttribute('aria-label')) || outer;
  // The backdrop that is hit and its dialog are often siblings.
  const boxes = [...covers.filter((el) => el.matches(DIALOGS) || el === outer), ...others(target, outer)];
  for (const box of boxes) {
    const way = wayOut(box);
    if (way) { keepElements(asId, [way]); return { over: told(box), way: entitled(way), role: roleOf(way) || '', name: clean(nameOf(way, roleOf(way)) || ''), escape: false, busy: isBusy(outer) }; }
  }
  keepElements(asId, []);
  const popup = covers.find((el) => POPUPS.has(roleOf(el))) || boxes.find((el) => el.matches(DIALOGS));
  const inDialog = target && closestUp(target, (el) => el.matches(DIALOGS));
  return { over: told(popup || named), way: '', escape: popup ? !inDialog || popup.matches(DIALOGS) : !inDialog && covers.some(floatsOver), busy: isBusy(outer) };
}

const floatsOver = (el) => /fixed|absolute/.test(getComputedStyle(el).position) && Number(getComputedStyle(el).zIndex) > 0;
function closestUp(el, fits) { for (let up = el; up; up = upFrom(up)) if (fits(up)) return up; return null; }
const isBusy = (el) => el.getAttribute('aria-busy') === 'true' || /^(loading|please wait|saving|working|processing)\W*$/i.test(clean(textOf(el)))
  || /(spinner|loader|loading|progress)/i.test(`${el.getAttribute('class') || ''} ${el.id}`) || el.querySelector('[role=progressbar],progress') !== null;

// The element that is hit and its ancestors that do not contain the target, from the inside out.
function coversOf(top, target) {
  const found = [top];
  for (let up = upFrom(top); up && up !== document.body && up !== document.documentElement && !(target && within(target, up)); up = upFrom(up)) found.push(up);
  return found;
}

function others(target, outer) {
  const dialogs = everything(DIALOGS).filter((el) => el !== outer && inSight(el) && !(target && within(target, el)));
  const near = outer.parentElement ? [...outer.parentElement.children] : [];
  const floating = near.filter((el) => el !== outer && inSight(el) && /fixed|absolute/.test(getComputedStyle(el).position) && !(target && within(target, el))
    && el.querySelector('button,[role=button],a,[onclick]'));
  return [...dialogs.reverse(), ...floating.filter((el) => !dialogs.includes(el) && Number(getComputedStyle(el).zIndex) > 0)];
}

function told(el) {
  const role = roleOf(el);
  const heading = el.querySelector('h1,h2,h3,[role=heading]');
  const name = el.getAttribute('aria-label') || POPUPS.has(role) && nameOf(el, role) || heading && textOf(heading) || textOf(el);
  const id = el.id ? `#${el.id}` : '';
  return `${role || el.localName}${id} "${clean(name).slice(0, 120)}"`;
}

// To consent is a decision: only a button that the task names is pressed for it.
let allowed = new Set();
function mayAgreeTo(names) { allowed = new Set((names || '').toLowerCase().split('\n').filter(Boolean)); }

// The button that closes it and does nothing else.
function wayOut(box) {
  const pressable = everything('button,[role=button],a,input[type=button],input[type=submit],[onclick],[tabindex]', box).concat(pointed(box)).filter(mayBePressed);
  const names = pressable.map((el) => clean(nameOf(el, roleOf(el)) || textOf(el)).replace(/[.!…]+$/, ''));
  const aboutConsent = ABOUT_CONSENT.test(clean(textOf(box)).slice(0, 5000));
  for (const way of WAYS_OUT) {
    const at = names.findIndex((name) => way.test(name) && (way !== REFUSING || aboutConsent || REFUSES_CONSENT.test(name)));
    if (at >= 0) return pressable[at];
  }
  const icon = pressable.find((el, at) => (!names[at] || names[at].length <= 2 || /^icon|close$/i.test(names[at])) && CLOSE_CLASS.test(`${el.getAttribute('class') || ''} ${el.id}`));
  if (icon) return icon;
  const buttons = new Set(names.filter(Boolean));
  const noted = names.findIndex((name) => NOTED.test(name));
  if (noted >= 0 && buttons.size === 1) return pressable[noted];
  if (!aboutConsent) return null;
  const agreed = names.findIndex((name) => allowed.has(name.toLowerCase()) && (CONSENT.test(name) || NOTED.test(name)));
  return agreed >= 0 ? pressable[agreed] : null;
}

const pointed = (box) => everything('span,i,svg,div', box).filter((el) => el.childElementCount < 3 && CLOSE_CLASS.test(`${el.getAttribute('class') || ''}`));

function mayBePressed(el) {
  if (!inSight(el) || el.matches(':disabled') || el.getAttribute('aria-disabled') === 'true') return false;
  const href = el.localName === 'a' ? el.getAttribute('href') : null;
  if (href && !href.startsWith('#') && !/^javascript:/i.test(href)) return false;
  // A form with entered data is not submitted to close it.
  const sends = /^(submit|image)$/.test(el.type || '') && el.form && el.form.method !== 'dialog';
  return !sends || !el.form.querySelector('input:not([type=hidden]):not([type=submit]):not([type=button]):not([type=checkbox]),textarea,select');
}

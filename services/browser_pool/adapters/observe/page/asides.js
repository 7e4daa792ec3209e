// What only some are told: texts for the eyes alone (aria-hidden), and messages for screen readers alone.

const LIVE = '[role=alert],[role=status],[role=log],[aria-live=polite],[aria-live=assertive]';
const MAX_MESSAGE = 300;
const LIGATURE_FONT = /icon|symbol|awesome|glyph/i;

// Whether an element that screen readers pass over shows a text. One with controls is put aside by a script while
// something else is open; and the text of an icon font is the name of a picture.
function isForEyes(el) {
  if (el.getAttribute('aria-hidden') !== 'true' || el.hasAttribute('inert') || !HAS_WORDS.test(el.textContent)) return false;
  if (el.querySelector(CAN_ACT) || el.matches(CAN_ACT) || el.localName === 'svg' || !el.checkVisibility(SEEN) || isOutOfSight(el, facts(el))) return false;
  if (isInitials(el.textContent) && el.parentElement && clean(el.parentElement.textContent) !== clean(el.textContent)) return false;
  return !LIGATURE_FONT.test(facts(el).style.fontFamily.split(',')[0]);
}

// The picture of a person who has none: the name is beside it.
const isInitials = (text) => /^\p{L}{1,3}$/u.test(text.trim());

// It is no part of another text: in most pages it repeats what that says.
const textInside = (el) => clean(childrenOf(el).map((node) => textIn(node, undefined, 1)).join(''));
function saysMoreThan(el, said) {
  const text = textInside(el);
  return !isInitials(text) && !said.toLowerCase().includes(text.toLowerCase());
}

// What an element shows that has no other text.
function textForEyes(el) {
  if (el.firstElementChild === null) return '';
  return clean([...el.querySelectorAll('[aria-hidden=true]')].filter(isForEyes).map(textInside).join(' '));
}

// Signs without words, such as stars, of a value that shows nothing else.
function signsForEyes(el) {
  const signs = [...el.querySelectorAll('[aria-hidden=true]')].filter((one) => one.firstElementChild === null && one.textContent.trim() && one.checkVisibility(SEEN)
    && !one.closest('svg,button,a[href],[inert]') && !LIGATURE_FONT.test(facts(one).style.fontFamily.split(',')[0]));
  return clean(signs.map((one) => one.textContent).join(' '));
}

// [role, text, element] of the messages in an element that cannot be seen.
function messagesIn(el) {
  const regions = el.closest(LIVE) ? [el] : [...el.querySelectorAll(LIVE)].filter((one) => !one.parentElement.closest(LIVE));
  return regions.map((one) => {
    const live = one.closest(LIVE);
    const urgent = live.getAttribute('role') === 'alert' || live.getAttribute('aria-live') === 'assertive';
    return [urgent ? 'alert' : 'status', clean(textOf(one)).slice(0, MAX_MESSAGE), one];
  }).filter(([, text]) => text && !SAYS_LOADING.test(text));
}

// Messages come before other news.
const isMessage = (node) => { const el = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement; return Boolean(el) && el.closest(LIVE) !== null; };

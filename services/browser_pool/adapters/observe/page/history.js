// What a page keeps of the past: lists of changes, comments and events. What stands there is no current value.

const PAST_ROLES = '[role=feed],[role=log],[itemtype$="/Comment"]';
const PAST_WORDS = new Set(['history', 'changelog', 'changelogs', 'timeline', 'journal', 'journals', 'activity', 'activities', 'audit', 'audits', 'feed', 'comment', 'comments', 'revisions', 'worklog', 'changes']);
const WHOLE_PAGE = new Set(['html', 'body', 'main']);
const MOST_LEVELS = 30;
const pasts = memory();  // element -> whether it is in such a list

function isPast(el) {
  if (!el) return false;
  const known = pasts.get(el);
  if (known !== undefined) return known;
  let past = false;
  const way = [];
  for (let up = el, level = 0; up && level < MOST_LEVELS; up = up.parentElement || up.getRootNode().host || null, level += 1) {
    if (pasts.has(up)) { past = pasts.get(up); break; }
    way.push(up);
    if (WHOLE_PAGE.has(up.localName)) break;
    if (!up.hasAttributes()) continue;
    if (up.getAttribute('role') === 'main') break;
    if (up.matches(PAST_ROLES) || isPastByName(up) && up.querySelector('h1,main,[role=main]') === null) { past = true; break; }
  }
  for (const one of way) pasts.set(one, past);
  return past;
}

// By a word of its class or id: `issue-history`, `activityLog`. A control, cell or lone text is no list of anything.
function isPastByName(el) {
  if (!el.hasAttributes() || el.childElementCount === 0 || el.matches('td,th,dd,dt,a,button,label,span,tr,form')) return false;
  const said = `${el.getAttribute('class') || ''} ${el.getAttribute('id') || ''}`;
  if (said.length > 500) return false;
  return said.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).some((word) => PAST_WORDS.has(word.toLowerCase()));
}

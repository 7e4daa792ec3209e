// A page of records, each with a control that looks like all others. `log` keeps what was really hit: the number of
// the control, which the page alone knows, and what its record said at that moment.
{
const log = (parent.log = []), numbers = (parent.numbers ??= new WeakMap()), roots = new WeakMap();
const within = (r) => roots.get(r) || r;
const who = (r) => within(r).querySelector('.who').textContent;
const control = (r) => within(r).querySelector('.do') || roots.get(within(r).querySelector('x-do')).querySelector('.do');
const number = (el) => { if (!numbers.has(el)) numbers.set(el, parent.count = (parent.count || 0) + 1); return numbers.get(el) };
const CONTROLS = { button: ['button', ''], link: ['a', 'href="#"'], check: ['input', 'type=checkbox aria-label=Open'],
  div: ['div', 'onclick="" style="cursor:pointer"'], named: ['button', ''] };
const doing = (how) => { const [tag, more] = CONTROLS[how]; return `<${tag} class=do ${more}>${tag === 'input' ? '' : `Open</${tag}>`}` };
const INSIDE = {
  table: (how) => `<td class=who></td><td>${doing(how)}</td>`, list: (how) => `<span class=who></span> ${doing(how)}`,
  card: (how) => `<h3 class=who></h3><p>Same</p>${doing(how)}`, div: (how) => `<p class=who></p><div>${doing(how)}</div>`,
  open: (how) => `<p class=who></p>${doing(how)}`, closed: (how) => `<p class=who></p>${doing(how)}`,
  part: (how) => `<span class=who></span><x-do></x-do>` };
const TAG = { table: 'tr', list: 'li', card: 'article', part: 'li' };
function fill(r, said) {
  const { kind, how } = r.dataset;
  const place = within(r);
  place.innerHTML = how === 'named' ? `<button class="who do"></button>` : INSIDE[kind](how);
  const inner = place.querySelector('x-do');
  if (inner) { const root = inner.attachShadow({ mode: 'closed' }); roots.set(inner, root); root.innerHTML = doing(how) }
  place.querySelector('.who').textContent = said;
  const el = control(r);
  number(el);
  el.addEventListener('click', (event) => {
    if (el.localName === 'a') event.preventDefault();
    const home = [r, ...document.querySelectorAll('[data-r]')].find((one) => one.isConnected && control(one) === el);
    log.push([number(el), home ? who(home) : null]) });
}
function make(kind, how, said) {
  const r = document.createElement(TAG[kind] || 'div');
  Object.assign(r.dataset, { r: '', kind, how });
  if (kind === 'open' || kind === 'closed') roots.set(r, r.attachShadow({ mode: kind }));
  fill(r, said);
  return r;
}
function build(kind, how, all) {
  const holder = document.createElement(kind === 'table' ? 'table' : kind === 'list' || kind === 'part' ? 'ul' : 'section');
  (kind === 'table' ? holder.appendChild(document.createElement('tbody')) : holder).append(...all.map((said) => make(kind, how, said)));
  document.body.append(holder);
}
const all = () => [...document.querySelectorAll('[data-r]')];
const shown = (r) => r.checkVisibility() && control(r).checkVisibility();
const list = (r) => [number(r.parentNode), [...r.parentNode.children].filter((one) => all().includes(one)).map(who).sort()];
const told = () => all().filter(shown).map((r) => [number(control(r)), number(r), who(r), control(r).outerHTML, list(r)]);
const swapNodes = (a, b) => { const mark = document.createComment(''); a.replaceWith(mark); b.replaceWith(a); mark.replaceWith(b) };
const CHANGES = {
  swap: (a, b) => { if (a !== b) swapNodes(a, b) },
  reverse: (a) => a.parentNode.append(...[...a.parentNode.children].reverse()),
  write: (a, b, text) => { within(a).querySelector('.who').textContent = text },
  overwrite: (a, b, text) => { within(a).querySelector('.who').firstChild.data = text },
  shift: (a) => { const rows = [...a.parentNode.children].filter((r) => 'r' in r.dataset); const names = rows.map(who);
    rows.forEach((r, i) => { within(r).querySelector('.who').textContent = names[(i + 1) % names.length] }) },
  renew: (a) => a.replaceWith(make(a.dataset.kind, a.dataset.how, who(a))),
  refill: (a) => fill(a, who(a)),
  rename: (a) => { const el = control(a); if (a.dataset.how !== 'named') { el.textContent = 'Close'; el.setAttribute('aria-label', 'Close') } },
  rerole: (a) => control(a).setAttribute('role', 'tab'),
  hide: (a) => { a.style.display = 'none' },
  remove: (a) => { if (all().length > 1) a.remove() },
  exchange: (a, b) => { if (a !== b && ![a, b].some((r) => r.dataset.how === 'named')) swapNodes(control(a), control(b)) },
  insert: (a, b, text) => a.before(make(a.dataset.kind, a.dataset.how, text)),
  again: (a) => a.after(make(a.dataset.kind, a.dataset.how, who(a))),
};
function change(name, i, j, text) { const rows = all(); if (rows.length) CHANGES[name](rows[i % rows.length], rows[j % rows.length], text) }
Object.assign(window, { build, told, change });
}

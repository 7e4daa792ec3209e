// The verbs. Each answers with one JSON string: one round trip, whatever the size of the page.
//
// The engine lives once in the isolated world of each document. It is asked directly through the browser's
// protocol; Playwright, which keeps its own helpers in the same world, reaches the elements of our snapshots
// through it as a selector engine.

function verbs() {
  return {
    survey: (id, how, room) => survey(id, how === 'locators', how === 'weighed', Number(room)),
    details: (id, wanted, withLocators) => details(id, wanted.split(',').filter(Boolean).map(Number), withLocators === 'locators'),
    state: () => pageState(),
    idle: () => { const state = { ...pageState(), appeared: appeared() }; acting = begun = false; lookedAt = null; return state; },
    act: () => { begin(); return pageState(); },
    where: (before, now, wanted) => whereNow(before, now, wanted.split(',').filter(Boolean).map(Number)),
    describe: (id, n) => describe(id, Number(n)),
    find: (id, text, intent) => find(id, text, intent),
    css: (id, css) => findCss(id, css),
    frames: (id) => framesOf(id),
    sought: (id, locators) => sought(id, locators),
    ...handVerbs(),
    ...pictureVerbs(),
    ...inkVerbs(),
    ...sightVerbs(),
    ...hidingVerbs(),
  };
}
const VERBS = verbs();

function ask(verb, ...parameters) {
  forget();
  try { return JSON.stringify(VERBS[verb](...parameters)); } finally { forget(); }
}

// For Playwright: elements, or a <pre> that belongs to no document and holds the answer as its text.
function queryAll(root, selector) {
  const [verb, ...written] = selector.split(':');
  const parameters = written.map(decodeURIComponent);
  if (verb === 'ref') { const item = resolve(parameters[0], Number(parameters[1])); return item ? [item.el] : []; }
  if (verb === 'secrets') return secretFields();
  const pre = document.createElement('pre');
  pre.textContent = ask(verb, ...parameters);
  return [pre];
}

// The visible frames, for a search through all of them.
function framesOf(id) {
  const found = everything('iframe,frame').filter((el) => { const box = el.getBoundingClientRect(); return box.width >= 4 && box.height >= 4 && el.checkVisibility(SEEN); });
  keep(id, found.map((el) => ({ el, role: 'iframe', name: null, nodes: null })));
  return { count: found.length };
}

return {
  ask, queryAll, query: (root, selector) => queryAll(root, selector)[0] || null,
  element: (id, n) => { const item = resolve(id, n); return item ? item.el : null; },
  adoptRoot: (host, root) => { anyClosed = true; closedRoots.set(host, root); if (watching) { seenMutations = -1; watch(); } },
  listensTo: (el) => { if (el && el.nodeType === Node.ELEMENT_NODE) { anyListens = true; listens.add(el); } },
};

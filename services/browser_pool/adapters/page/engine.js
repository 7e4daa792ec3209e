// The verbs. Playwright asks a selector engine for elements; ours answers most questions with a <pre>
// that belongs to no document and whose text is one JSON string: one round trip, whatever the size.

function answer(value) {
  const pre = document.createElement('pre');
  pre.textContent = JSON.stringify(value);
  return [pre];
}

const VERBS = {
  walk: (id) => answer(walk(id)),
  state: () => answer(pageState()),
  idle: () => { const state = pageState(); acting = false; return answer(state); },
  act: () => { acting = true; return answer(pageState()); },
  describe: (id, n) => answer(describe(id, Number(n))),
  find: (id, text, intent) => answer(find(id, decodeURIComponent(text), intent)),
  css: (id, css) => answer(findCss(id, decodeURIComponent(css))),
  ref: (id, n) => { const item = resolve(id, Number(n)); return item ? [item.el] : []; },
  scroll: (dy) => answer(scrollPage(Number(dy))),
  secrets: () => secretFields(),
};

function queryAll(root, selector) {
  const [verb, ...parameters] = selector.split(':');
  forget();
  try { return VERBS[verb](...parameters); } finally { forget(); }
}

return { query: (root, selector) => queryAll(root, selector)[0] || null, queryAll };

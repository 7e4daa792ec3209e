// All times of a page are said in the reader's zone, also those that come later.

tellTimes(document.body);
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) for (const one of addedNodes) if (one instanceof Element) tellTimes(one);
}).observe(document.body, { childList: true, subtree: true });

// Runs first in every document, in the page's own world. Speculation rules make the browser fetch documents on its own
// account, without interception: so they are removed before it reads them. WebRTC and WebTransport connect without it
// too, and no record is shown by them: a page does not have them.
(() => {
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport"]) delete window[name];
  const bound = (native) => Function.prototype.call.bind(native);
  const getter = (type, name) => bound(Object.getOwnPropertyDescriptor(type.prototype, name).get);
  // Taken before the page can replace them.
  const remove = bound(Element.prototype.remove);
  const attribute = bound(Element.prototype.getAttribute);
  const inside = bound(Element.prototype.getElementsByTagName);
  const within = bound(DocumentFragment.prototype.querySelectorAll);
  const lower = bound(String.prototype.toLowerCase);
  const observe = bound(MutationObserver.prototype.observe);
  const nodeType = getter(Node, "nodeType");
  const localName = getter(Element, "localName");
  const shadowRoot = getter(Element, "shadowRoot");
  const addedNodes = getter(MutationRecord, "addedNodes");
  const oldValue = getter(MutationRecord, "oldValue");
  const target = getter(MutationRecord, "target");
  const apply = Reflect.apply;
  const HOW = { childList: true, subtree: true, attributeFilter: ["type"], attributeOldValue: true };

  const isRules = (type) => lower(type || "") === "speculationrules";

  function check(element) {
    if (localName(element) === "script" && isRules(attribute(element, "type"))) remove(element);
  }

  function checkAll(scripts) {
    for (let at = scripts.length - 1; at >= 0; at -= 1) check(scripts[at]);
  }

  function checkRecord(record) {
    // A script that is called something else by now was read as what it was.
    const was = oldValue(record);
    if (was && isRules(was) && localName(target(record)) === "script") remove(target(record));
    const added = addedNodes(record);
    for (let at = 0; at < added.length; at += 1) {
      if (nodeType(added[at]) !== 1) continue;
      check(added[at]);
      checkAll(inside(added[at], "script"));
      // Roots that are written in HTML come without a call of attachShadow, and with what is in them.
      const root = shadowRoot(added[at]);
      if (root) {
        observe(observer, root, HOW);
        checkAll(within(root, "script"));
      }
    }
  }

  const observer = new MutationObserver((records) => {
    for (let at = 0; at < records.length; at += 1) checkRecord(records[at]);
  });
  observe(observer, document, HOW);
  Element.prototype.attachShadow = new Proxy(Element.prototype.attachShadow, {
    apply(attach, host, given) {
      const root = apply(attach, host, given);
      observe(observer, root, HOW);
      return root;
    },
  });
})();

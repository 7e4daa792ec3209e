// Runs first in every document, in the page's own world, because only there is it known which timers are set. It changes
// none of them; it counts. Nothing but the answer to `__exhibitPending(ms)` is told: whether the page may change by
// itself within that time.
(() => {
  const NAME = "__exhibitPending";
  if (Object.hasOwn(window, NAME)) return;  // a document in the window of the blank one before it
  const apply = Reflect.apply, construct = Reflect.construct, now = performance.now.bind(performance);
  const refreshes = Document.prototype.querySelector.bind(document, "meta[http-equiv=refresh i]");
  // A timer that was due so long ago has fired.
  const LATE_MS = 50, FRAME_MS = 20, MOST = 2000;
  let due = Object.create(null), every = Object.create(null);
  let listed = 0, most = MOST, connected = false;

  function note(id, delay, repeats) {
    if (listed >= most) { forgetFired(); most = Math.max(MOST, 2 * listed); }
    const ms = delay > 0 ? delay : 0;
    due[id] = now() + ms;
    listed += 1;
    if (repeats) every[id] = ms > 1 ? ms : 1;
  }

  function forgetFired() {
    const before = due, at = now() - LATE_MS;
    due = Object.create(null);
    listed = 0;
    for (const id in before) if (id in every || before[id] > at) { due[id] = before[id]; listed += 1; }
  }

  function isPending(within) {
    if (connected || refreshes() !== null) return true;
    forgetFired();
    const at = now();
    for (const id in due) {
      const rounds = id in every && due[id] < at ? Math.ceil((at - due[id]) / every[id]) * every[id] : 0;
      if (due[id] + rounds <= at + within) return true;
    }
    return false;
  }

  const wrap = (name, handler) => { if (typeof window[name] === "function") window[name] = new Proxy(window[name], handler); };
  const sets = (repeats) => ({ apply(native, self, given) { const id = apply(native, self, given); note(id, Number(given[1]), repeats); return id; } });
  const clears = { apply(native, self, given) { apply(native, self, given); const id = Number(given[0]); delete due[id]; delete every[id]; } };
  const connects = { construct(native, given, made) { connected = true; return construct(native, given, made); } };
  wrap("setTimeout", sets(false));
  wrap("setInterval", sets(true));
  wrap("clearTimeout", clears);
  wrap("clearInterval", clears);
  wrap("requestAnimationFrame", { apply(native, self, given) { const id = apply(native, self, given); note(`frame ${id}`, FRAME_MS, false); return id; } });
  // What these bring, and when, cannot be known.
  for (const name of ["WebSocket", "EventSource", "Worker", "SharedWorker", "RTCPeerConnection", "BroadcastChannel"]) wrap(name, connects);
  Object.defineProperty(window, NAME, { value: isPending });
})();

// Runs first in every document, in the page's own world, because only there is it known which timers are set. It changes
// none of them; it counts. Nothing but the answer to `__exhibitPending(within, readAgo)` is told, both in milliseconds:
// whether the page may change by itself within the one time, or has done so since it was read, the other time ago.
// "late" says that a timer should have fired and has not, because the page's scripts do not get to run; "due" that one
// is to fire once, soon, that was set while the document was new: what is shown until then may stand in for what comes.
(() => {
  const NAME = "__exhibitPending";
  if (Object.hasOwn(window, NAME)) return;  // a document in the window of the blank one before it
  const apply = Reflect.apply, construct = Reflect.construct, now = performance.now.bind(performance);
  const refreshes = Document.prototype.querySelector.bind(document, "meta[http-equiv=refresh i]");
  const setTimer = window.setTimeout.bind(window);
  // What a callback draws may come a little later. No timer fires to the millisecond, and one of a frame that is not
  // shown may never fire.
  const DRAWN_MS = 50, LATE_MS = 20, NEVER_MS = 5000, FRAME_MS = 20, MOST = 2000;
  // A timer that is set later goes on with something, as a poll does.
  const NEW_MS = 2000, SOON_MS = 5000;
  const began = now();  // the clock has run since the document was asked for
  // When each timer is due, how often it repeats, and when it fired.
  let due = Object.create(null), every = Object.create(null), fired = Object.create(null), early = Object.create(null);
  let listed = 0, most = MOST, connected = false;

  function note(id, delay) {
    if (listed >= most) { forget(now() - NEVER_MS); most = Math.max(MOST, 2 * listed); }
    const ms = Math.max(0, delay | 0);  // as browsers cut it
    due[id] = now() + ms;
    if (now() - began < NEW_MS) early[id] = true;
    delete fired[id];
    listed += 1;
    return ms;
  }

  // Timers of the same delay fire in the order in which they were set, so that this one fires just after the page's.
  const watch = (id, ms) => { setTimer(() => { if (id in due) fired[id] = now(); }, ms); };

  function forget(before) {
    for (const id in due) {
      const over = id in fired ? fired[id] <= before : !(id in every) && due[id] <= before;
      if (over) { delete fired[id]; delete due[id]; delete early[id]; }
    }
    listed = Object.keys(due).length;
  }

  function pending(within, readAgo) {
    const at = now(), readAt = at - readAgo - DRAWN_MS;
    let found = connected || refreshes() !== null, soon = false;
    for (const id in due) {
      const repeats = id in every;
      if (id in fired) { found ||= fired[id] > readAt; continue; }
      if (!repeats && due[id] + LATE_MS < at) { if (due[id] + NEVER_MS > at) return "late"; continue; }
      soon ||= !repeats && id in early && due[id] <= at + SOON_MS;
      const rounds = repeats && due[id] < at ? Math.ceil((at - due[id]) / every[id]) * every[id] : 0;
      found ||= due[id] + rounds <= at + within;
    }
    return soon ? "due" : found;
  }

  const wrap = (name, handler) => { if (typeof window[name] === "function") window[name] = new Proxy(window[name], handler); };
  const sets = (repeats) => ({ apply(native, self, given) {
    const id = apply(native, self, given), ms = note(id, Number(given[1]));
    if (repeats) every[id] = ms > 1 ? ms : 1; else watch(id, ms);
    return id;
  } });
  // Frames that are not shown are not drawn: a frame counts as drawn in time.
  const draws = { apply(native, self, given) {
    const id = apply(native, self, given), key = `frame ${id}`;
    note(key, FRAME_MS);
    fired[key] = due[key];
    return id;
  } };
  const clears = { apply(native, self, given) { apply(native, self, given); const id = Number(given[0]); delete due[id]; delete every[id]; delete fired[id]; delete early[id]; } };
  const connects = { construct(native, given, made) { connected = true; return construct(native, given, made); } };
  wrap("setTimeout", sets(false));
  wrap("setInterval", sets(true));
  wrap("clearTimeout", clears);
  wrap("clearInterval", clears);
  wrap("requestAnimationFrame", draws);
  // What these bring, and when, cannot be known.
  for (const name of ["WebSocket", "EventSource", "Worker", "SharedWorker", "RTCPeerConnection", "BroadcastChannel"]) wrap(name, connects);
  Object.defineProperty(window, NAME, { value: pending });
})();

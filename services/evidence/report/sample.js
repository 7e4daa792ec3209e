// One sample: its values beside the picture that shows them.

async function openSample(id, step) {
  const at = INDEX.get(id);
  if (at === undefined) return unknownSample(id);
  if (open && open.at === at && open.playback) return showPlayback(step);
  const asked = location.hash;
  const detail = await detailOf(at);
  if (location.hash !== asked) return; // another sample was opened meanwhile
  byId("overview").hidden = true;
  byId("sample").hidden = false;
  open = { at, detail, fields: detail.fields || [], files: detail.files || [], chosen: -1 };
  const shots = open.files.filter((file) => file.kind === "screenshot");
  const playback = playbackPane();
  open.values = el("div", { class: `sample-grid ${shots.length ? "" : "alone"}` },
    el("div", { class: "left" }, remarks(detail), fieldList(), judgmentCard(detail), inputCard(detail), timeline(detail), filesCard(detail), workCard(detail)),
    shots.length ? picturePane(shots) : null);
  fill(byId("sample"), sampleHead(), playback ? viewSwitch() : null, open.values, playback);
  document.title = `${detail.key || detail.id} · ${RUN.run_id}`;
  scrollTo(0, 0);
  byId("sample-title").focus({ preventScroll: true });
  showPicture(mostTelling(shots));
  showPlayback(step);
}

function unknownSample(id) {
  byId("overview").hidden = true;
  byId("sample").hidden = false;
  open = NOTHING;
  fill(byId("sample"), el("nav", { class: "sample-nav" }, backLink()), el("h1", { id: "sample-title", tabindex: "-1" }, "No such sample"), el("p", null, "This run has no sample ", el("code", null, said(id)), "."));
}

const backLink = () => el("a", { href: "#", class: "back", onclick: backToList }, glyph("back"), "All samples");

function backToList(event) {
  if (event) event.preventDefault();
  location.hash = "";
}

function neighbour(step) {
  const place = shown.indexOf(open.at);
  const to = place < 0 ? undefined : shown[place + step];
  return to === undefined ? null : ROWS[to][ID];
}

function goTo(step) {
  const id = open && neighbour(step);
  if (id) location.hash = `sample=${encodeURIComponent(id)}`;
}

function turn(step, name, icon) {
  const id = neighbour(step);
  const given = { class: "turn", "aria-label": name, title: name };
  return id ? el("a", { ...given, href: `#sample=${encodeURIComponent(id)}` }, glyph(icon)) : el("span", { ...given, class: "turn off", "aria-hidden": "true" }, glyph(icon));
}

function sampleHead() {
  const { detail } = open;
  const place = shown.indexOf(open.at);
  const where = place < 0 ? "" : `${count(place + 1)} of ${count(shown.length)}${narrowed() ? " shown" : ""}`;
  return [
    el("nav", { class: "sample-nav", "aria-label": "Samples" }, backLink(), el("span", { class: "spacer" }), el("span", { class: "muted" }, where), turn(-1, "Previous sample", "back"), turn(1, "Next sample", "next")),
    el("div", { class: "sample-title" },
      el("h1", { id: "sample-title", tabindex: "-1" }, said(detail.key || detail.id)),
      status(detail.status || "no_result"),
      detail.reason ? el("span", { class: "reason" }, sentence(detail.reason)) : null,
      detail.flagged ? el("span", { class: "status" }, glyph("flag"), "Flagged") : null),
    el("p", { class: "sample-facts muted" },
      [`Row ${detail.row}`, detail.key && detail.key !== detail.id ? el("code", null, detail.id) : null, detail.started_at ? el("span", null, moment(detail.started_at)) : null, detail.decided_by ? el("span", null, "decided by ", said(detail.decided_by)) : null, (detail.attempt || 0) > 1 ? `attempt ${detail.attempt}; what earlier ones left behind lies in its folder` : null, detail.started_at ? lasted(secondsBetween(detail.started_at, detail.finished_at)) : null]
        .filter(Boolean).map((part, i) => [i ? el("span", { class: "dot", "aria-hidden": "true" }, "·") : null, part instanceof Node ? part : el("span", null, part)])),
  ];
}

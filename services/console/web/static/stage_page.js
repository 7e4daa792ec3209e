// The page of a sample: the stage of the report, over the details that the page has as data.

/** @param {number} _at @returns {string[] | null} */
const smallPictures = (_at) => null; // the files themselves are asked for

class EvidenceStage extends HTMLElement {
  connectedCallback() {
    const detail = JSON.parse(byId("detail").textContent);
    open = { at: 0, detail, fields: detail.fields || [], files: detail.files || [], chosen: -1 };
    const shots = open.files.filter((file) => file.kind === "screenshot");
    const playback = playbackPane();
    open.values = el("div", { class: `sample-grid ${shots.length ? "" : "alone"}` },
      el("div", { class: "left" }, remarks(detail), fieldList(), judgmentCard(detail), inputCard(detail), timeline(detail), filesCard(detail), workCard(detail)),
      shots.length ? picturePane(shots) : null);
    fill(this, playback ? viewSwitch() : null, open.values, playback);
    byId("plain").hidden = true;
    showPicture(mostTelling(shots));
    this.route();
    addEventListener("hashchange", () => this.route());
    addEventListener("keydown", (event) => this.key(event));
  }

  route() {
    showPlayback(new URLSearchParams(location.hash.slice(1)).get("step") ?? undefined);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.matches("input, select, textarea")) return;
    if (event.key === "s" && open.playback) return switchView();
    if (event.key === "Escape" && playingBack()) return switchView();
    if (playingBack()) return inPlayback(event);
    if (/^[1-9]$/.test(event.key)) return this.choose(Number(event.key) - 1);
    if (event.key !== "n" && event.key !== "p") return;
    const placed = open.fields.map((field, i) => (placeOf(field) ? i : -1)).filter((i) => i >= 0);
    if (!placed.length) return;
    const at = placed.indexOf(open.chosen);
    const step = event.key === "n" ? 1 : -1;
    this.choose(placed[(at < 0 ? (step > 0 ? 0 : placed.length - 1) : at + step + placed.length) % placed.length]);
  }

  /** @param {number} i */
  choose(i) {
    this.querySelector(`[data-field="${i}"] button.mark-button`)?.focus();
  }
}

customElements.define("evidence-stage", EvidenceStage);

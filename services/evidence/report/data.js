// Data of the page: the row of each sample is parsed at the start, its details on demand.

const CLOSED = JSON.parse(byId("closed").textContent); // when the run was closed, and its review
const RUN = JSON.parse(byId("run").textContent);
const ROWS = JSON.parse(byId("rows").textContent);
byId("rows").remove();
const [ID, KEY, AT, STATUS, REASON, FLAG, VALUES, STATES, ANSWER, SURE, MESSAGE, COST, SECONDS, INPUT, NOTES] = Array(15).keys();
const FIELD_STATES = { v: "has a value", p: "the page says none", n: "not found" };
const FIELDS = RUN.fields || [];
const PER_CHUNK = RUN.pictures.chunk;
const INDEX = new Map(ROWS.map((row, at) => [row[ID], at]));

// --- details

const unpacked = new Map();
const ready = new Map(); // details kept unpacked, so that printing does not wait

async function unpack(chunk) {
  const packed = byId(`d${chunk}`);
  if (packed === null) await parsed;
  const bytes = Uint8Array.from(atob(byId(`d${chunk}`).textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const details = JSON.parse(await new Response(stream).text()).map(withReview);
  ready.set(chunk, details);
  if (ready.size > 40) ready.delete(ready.keys().next().value);
  return details;
}

function withReview(detail) {
  if (!Object.hasOwn(CLOSED.reviews, detail.id)) return detail;
  const { sample, judgment, values = {} } = CLOSED.reviews[detail.id];
  const fields = (detail.fields || []).map((field) => (Object.hasOwn(values, field.n) ? { ...field, review: values[field.n] } : field));
  return { ...detail, fields, review: sample, judgment_review: judgment };
}

const parsed = new Promise((/** @type {(nothing?: undefined) => void} */ done) => {
  if (document.readyState !== "loading") done();
  else document.addEventListener("DOMContentLoaded", () => done());
});

async function detailOf(at) {
  const chunk = Math.floor(at / PER_CHUNK);
  if (!ready.has(chunk)) {
    if (!unpacked.has(chunk)) unpacked.set(chunk, unpack(chunk));
    try {
      await unpacked.get(chunk);
    } finally {
      unpacked.delete(chunk);
    }
  }
  return ready.get(chunk)[at % PER_CHUNK];
}

// --- thumbnails: a list for each chunk of samples; in it a list for each sample, with one entry for each picture

const lists = new Map();

function smallPictures(at) {
  const chunk = Math.floor(at / PER_CHUNK);
  if (!lists.has(chunk)) {
    const block = byId(`t${chunk}`);
    if (block === null) return null; // not parsed yet
    lists.set(chunk, block.textContent.split(","));
    if (lists.size > 24) lists.delete(lists.keys().next().value);
  }
  return (lists.get(chunk)[at % PER_CHUNK] || "").split("|").filter(Boolean).map((picture) => `data:image/${picture.replace(":", ";base64,")}`);
}

// --- filter and order of the samples

const wanted = { q: "", status: "", reason: "", flagged: false, field: "", answer: "", sort: "row", down: false };
let shown = ROWS.map((_, at) => at);
const hay = [];

function folded(said) {
  return /[^\x00-\x7f]/.test(said) ? said.normalize("NFKD").replace(/\p{M}+/gu, "").toLowerCase() : said.toLowerCase();
}

function hayOf(at) {
  if (hay[at] === undefined) {
    const row = ROWS[at];
    const all = [row[ID], row[KEY], ...row[VALUES], row[ANSWER], words(row[REASON]), row[MESSAGE], row[INPUT], row[NOTES]];
    hay[at] = folded(all.join("\n"));
  }
  return hay[at];
}

function fits(at, terms) {
  const row = ROWS[at];
  if (wanted.status && row[STATUS] !== wanted.status) return false;
  if (wanted.reason && row[REASON] !== wanted.reason) return false;
  if (wanted.flagged && !row[FLAG]) return false;
  if (wanted.answer && row[ANSWER] !== wanted.answer) return false;
  if (wanted.field) {
    const [which, state] = wanted.field.split(":");
    if (row[STATES][Number(which)] !== state) return false;
  }
  return terms.every((term) => hayOf(at).includes(term));
}

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
const byText = (of) => (a, b) => collator.compare(of(ROWS[a]), of(ROWS[b])) || a - b;
const byNumber = (of) => (a, b) => (of(ROWS[a]) ?? -1) - (of(ROWS[b]) ?? -1) || a - b;
const SORTS = {
  row: ["Order of the input", (a, b) => a - b],
  id: ["Sample", byText((row) => row[KEY] || row[ID])],
  status: ["Status, the most urgent first", byNumber((row) => URGENCY.indexOf(row[STATUS]))],
  ...(RUN.judgment_question ? { sure: ["Confidence, the least first", byNumber((row) => row[SURE] ?? 2)] } : {}),
  time: ["Time taken", byNumber((row) => row[SECONDS])],
  ...(RUN.cost_usd ? { cost: ["Cost", byNumber((row) => row[COST])] } : {}),
};
FIELDS.forEach((field, at) => {
  SORTS[`f${at}`] = [sentence(field.name), byText((row) => row[VALUES][at] || "\uffff")];
});

function choose() {
  const terms = folded(wanted.q).split(/\s+/).filter(Boolean);
  shown = [];
  for (let at = 0; at < ROWS.length; at += 1) if (fits(at, terms)) shown.push(at);
  if (wanted.sort !== "row") shown.sort(SORTS[wanted.sort][1]);
  if (wanted.down) shown.reverse();
}

const narrowed = () => Boolean(wanted.q || wanted.status || wanted.reason || wanted.flagged || wanted.field || wanted.answer);

function tally(of) {
  const counts = new Map();
  for (const row of ROWS) {
    const key = of(row);
    if (key) counts.set(key, (counts.get(key) || 0) + 1);
  }
  return counts;
}

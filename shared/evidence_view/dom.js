// DOM helpers. Texts are set as text nodes, so that text from web pages is never parsed as markup.

const ODD =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const SVG = "http://www.w3.org/2000/svg";
/** @param {string} id of an element that the page has @returns {HTMLElement} */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * Return the text with invisible characters and direction marks replaced by their code points.
 * @param {unknown} said
 */
function text(said) {
  const whole = String(said);
  ODD.lastIndex = 0;
  if (!ODD.test(whole)) return document.createTextNode(whole);
  const parts = document.createDocumentFragment();
  let from = 0;
  ODD.lastIndex = 0; // matchAll begins where `test` has stopped
  for (const found of whole.matchAll(ODD)) {
    parts.append(whole.slice(from, found.index));
    const code = Number(found[0].codePointAt(0)).toString(16).toUpperCase().padStart(4, "0");
    const shown = document.createElement("span");
    shown.className = "odd";
    shown.title = "A character that cannot be seen";
    shown.textContent = `U+${code}`;
    parts.append(shown);
    from = found.index + found[0].length;
  }
  parts.append(whole.slice(from));
  return parts;
}

const SET = new Set(["hidden", "disabled", "open", "checked"]);

/**
 * Return a new element. `given`: attributes, listeners (`onclick`) and custom properties (`vars`); what is null is left out.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, any> | null} [given]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
function el(tag, given, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (SET.has(name)) /** @type {Record<string, any>} */ (made)[name] = value;
    else if (name === "vars") for (const [key, of] of Object.entries(value)) made.style.setProperty(key, String(of));
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  put(made, children);
  return made;
}

/**
 * @template {Node & ParentNode} T
 * @param {T} parent
 * @param {Child[]} children
 */
function put(parent, children) {
  for (const child of /** @type {Exclude<Child, Child[]>[]} */ (children.flat(3))) {
    if (child === null || child === undefined || child === false || child === "") continue;
    parent.append(child instanceof Node ? child : text(child));
  }
  return parent;
}

/**
 * @template {Node & ParentNode} T
 * @param {T} parent
 * @param {...Child} children
 */
const fill = (parent, ...children) => (parent.replaceChildren(), put(parent, children));

/**
 * Text from a web page, isolated (bidi) from the direction of the surrounding text.
 * @param {Child} words
 * @param {Record<string, any>} [given]
 */
const said = (words, given) => el("bdi", given, words);

/** @type {Record<string, string[]>} */
const GLYPHS = {
  done: ["M8 1.2a6.8 6.8 0 1 1 0 13.6A6.8 6.8 0 0 1 8 1.2Z", "m4.9 8.2 2.2 2.2 4-4.6"],
  partial_success: ["M8 1.2a6.8 6.8 0 1 1 0 13.6A6.8 6.8 0 0 1 8 1.2Z", "M8 4.2v7.6a3.8 3.8 0 0 0 0-7.6Z"],
  needs_review: ["M8 1.6 15 14H1Z", "M8 6.2v3.6M8 11.6v.6"],
  failed: ["M4.9 1.2h6.2l3.7 3.7v6.2l-3.7 3.7H4.9l-3.7-3.7V4.9Z", "m5.5 5.5 5 5m0-5-5 5"],
  auth_required: ["M3 7h10v7.4H3Z", "M5.2 7V4.6a2.8 2.8 0 0 1 5.6 0V7"],
  no_result: ["M8 1.2a6.8 6.8 0 1 1 0 13.6A6.8 6.8 0 0 1 8 1.2Z", "M5 8h6"],
  flag: ["M3.5 15V1.5h9l-2 3.2 2 3.3h-9", ""],
  copy: ["M5.5 5.5h8v8h-8Z", "M3.5 10.5h-1v-8h8v1"],
  out: ["M9 2.5h4.5V7M13.2 2.8 7 9", "M6.5 3.5h-4v10h10v-4"],
  back: ["M10 2.5 4.5 8l5.5 5.5", ""],
  next: ["M6 2.5 11.5 8 6 13.5", ""],
  seal: ["M8 1.3 13.6 3.6V8c0 3.4-2.3 5.6-5.6 6.8C4.7 13.6 2.4 11.4 2.4 8V3.6Z", "m5.4 7.9 1.9 1.9 3.3-3.7"],
  eye: ["M1.2 8S3.7 3.6 8 3.6 14.8 8 14.8 8 12.3 12.4 8 12.4 1.2 8 1.2 8Z", "M8 6a2 2 0 1 1 0 4 2 2 0 0 1 0-4Z"],
};

/** @param {string} name */
function glyph(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", `glyph g-${name}`);
  for (const path of GLYPHS[name] || GLYPHS.no_result) {
    if (!path) continue;
    const line = document.createElementNS(SVG, "path");
    line.setAttribute("d", path);
    svg.append(line);
  }
  return svg;
}

/**
 * An http or https address as a link; any other address as plain text.
 * @param {string} address
 * @param {string} [shown]
 */
function weblink(address, shown) {
  let url = null;
  try {
    url = new URL(address);
  } catch {
    /* not an address: shown as plain text */
  }
  const safe = url && (url.protocol === "https:" || url.protocol === "http:") && !url.username && !url.password;
  if (!url || !safe) return said(shown || address, { class: "address" });
  const given = { href: url.href, rel: "noreferrer noopener", target: "_blank", class: "address", title: url.href };
  return el("a", given, said(shown || address), glyph("out"), el("span", { class: "unseen" }, " (opens the site)"));
}

const SAFE_FOLDER = /^[A-Za-z0-9_-]+$/;
const SAFE_FILE = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
let filesBelow = ""; // where the folders of samples are, for a page that is not beside them
/** @param {string} sample @param {string} file */
const fileAt = (sample, file) => (SAFE_FOLDER.test(sample) && SAFE_FILE.test(file) ? `${filesBelow}${sample}/${file}` : null);

// A downloaded file may be active content: an HTML page opened from disk could read the files beside it. Only types that
// a browser displays or saves without executing them are linked; for others only the name is shown.
const STILL = /\.(png|jpe?g|gif|webp|pdf|txt|log|csv|tsv|json|zst|zip|gz|parquet|xlsx?|docx?|pptx?|ods|odt)$/i;

/** @param {string} sample @param {string} file @param {...Child} shown */
function fileLink(sample, file, ...shown) {
  const at = STILL.test(file) ? fileAt(sample, file) : null;
  const words = shown.length ? shown : [said(file)];
  return at ? el("a", { href: at, target: "_blank", rel: "noreferrer noopener" }, words) : el("span", null, words);
}

/** @param {string} words */
function announce(words) {
  byId("live").textContent = words;
}

/** @param {string} words @param {HTMLElement} button */
async function copied(words, button) {
  let done = true;
  try {
    await navigator.clipboard.writeText(words);
  } catch {
    const box = el("textarea", { class: "unseen", readonly: true });
    box.value = words;
    document.body.append(box);
    box.select();
    done = document.execCommand("copy");
    box.remove();
    button.focus();
  }
  announce(done ? "Copied" : "It could not be copied");
  button.classList.add(done ? "was-copied" : "not-copied");
  setTimeout(() => button.classList.remove("was-copied", "not-copied"), 1600);
}

/** @param {string} words @param {string} name */
const copyButton = (words, name) =>
  el("button", { type: "button", class: "icon copy", "aria-label": name, title: name, onclick: (/** @type {any} */ e) => copied(words, e.currentTarget) }, glyph("copy"));

/** @param {string | null | undefined} sha @param {string} name */
const hash = (sha, name) =>
  sha ? el("span", { class: "hash" }, el("code", { title: sha }, el("span", { class: "short" }, `${sha.slice(0, 10)}…${sha.slice(-4)}`), el("span", { class: "long" }, sha)), copyButton(sha, `Copy the SHA-256 of ${name}`)) : null;

// --- numbers and times

const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
/** @param {number} number */
const count = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, "\u2009");
/** @param {number} number @param {string} one @param {string} [more] */
const many = (number, one, more) => `${count(number)} ${number === 1 ? one : more || `${one}s`}`;
/** @param {string | null | undefined} code */
const words = (code) => String(code).replaceAll("_", " ");
/** @param {string} code */
const sentence = (code) => words(code).replace(/^./u, (first) => first.toUpperCase());
/** @param {number} usd */
const money = (usd) => (usd ? `$${usd < 1 ? usd.toFixed(4) : usd.toFixed(2)}` : "$0");
/** @param {number} part @param {number} whole */
const share = (part, whole) => (whole ? `${((100 * part) / whole).toFixed(part === whole || !part ? 0 : 1)} %` : "–");

/** @param {number} bytes */
function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  /** @type {[number, string]} */
  const unit = bytes < 1e6 ? [1e3, "kB"] : bytes < 1e9 ? [1e6, "MB"] : [1e9, "GB"];
  const number = bytes / unit[0];
  return `${number < 10 ? number.toFixed(1) : Math.round(number)} ${unit[1]}`;
}

/** @param {number | null | undefined} seconds */
function lasted(seconds) {
  if (seconds === null || seconds === undefined) return "";
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  const rest = Math.round(seconds % 60);
  return minutes < 60 ? `${minutes} min ${rest} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** @param {string} begun @param {string | undefined} ended in ISO 8601 */
const secondsBetween = (begun, ended) => (ended ? (Date.parse(ended) - Date.parse(begun)) / 1000 : null);

/** @param {number} number */
const two = (number) => String(number).padStart(2, "0");

/** @param {string} iso */
const day = (iso) => DAY.format(new Date(iso));

/** @param {string} iso @param {boolean} [seconds] */
function clock(iso, seconds) {
  const at = new Date(iso);
  return `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}${seconds ? `:${two(at.getUTCSeconds())}` : ""}`;
}

/** The time of a day. @param {string} iso */
const time = (iso) => el("time", { datetime: iso, title: day(iso) }, `${clock(iso, true)} UTC`);

/** @param {string | null | undefined} iso */
const moment = (iso) => (iso ? el("time", { datetime: iso }, `${day(iso)}, ${clock(iso, true)} UTC`) : null);

// Text that is written or read as code: SQL, the JSON of a task, flow.py and what has changed in it. It stands in a shadow
// of its element, where the sheets of CodeMirror are made by script, as the policy of the page wants it. What the server
// has rendered stays in the page: the text field of a form is what is sent, and without scripts it is what is shown.

import { Decoration, EditorState, EditorView, HighlightStyle, PostgreSQL, RangeSetBuilder, bracketMatching, defaultKeymap, foldGutter, foldKeymap, highlightSpecialChars, history, historyKeymap, indentOnInput, indentUnit, json, keymap, lineNumbers, python, sql, syntaxHighlighting, tags, unifiedMergeView } from "codemirror";

const LANGUAGES = { sql: () => sql({ dialect: PostgreSQL }), json: () => json(), python: () => python() };

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword], color: "var(--accent)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--done)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--review)" },
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.invalid, color: "var(--failed)" },
]);

const LOOK = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--card)", border: "1px solid color-mix(in srgb, var(--soft) 55%, var(--line))", borderRadius: "8px", fontSize: "13.5px", maxHeight: "70vh" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", overflow: "auto" },
  ".cm-content": { padding: "8px 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 10px" },
  ".cm-gutters": { backgroundColor: "var(--faint)", color: "var(--soft)", border: "none", borderRadius: "8px 0 0 8px" },
  ".cm-specialChar": { color: "var(--accent)", fontSize: "11px", border: "1px dashed currentColor", borderRadius: "3px", padding: "0 3px", margin: "0 1px" },
  ".cm-changedLine": { backgroundColor: "color-mix(in srgb, var(--done) 9%, transparent) !important" },
  ".cm-deletedChunk": { backgroundColor: "color-mix(in srgb, var(--failed) 9%, transparent)", padding: "0" },
  ".cm-insertedLine, .cm-deletedLine": { textDecoration: "none" },
  ".cm-deletedLine": { padding: "0 10px" },
  ".cm-changedText, .cm-deletedText": { background: "none !important" },
  ".cm-changedText": { boxShadow: "inset 0 -2px color-mix(in srgb, var(--done) 60%, transparent)" },
  ".cm-deletedText": { boxShadow: "inset 0 -2px color-mix(in srgb, var(--failed) 60%, transparent)", textDecoration: "none" },
  ".cm-place": { color: "var(--soft)", backgroundColor: "var(--faint)", fontStyle: "italic" },
  ".cm-selectionBackground, ::selection": { backgroundColor: "color-mix(in srgb, var(--focus) 30%, transparent) !important" },
});

/** @param {string} found */
const codePoint = (found) => `U+${Number(found.codePointAt(0)).toString(16).toUpperCase().padStart(4, "0")}`;

/** Text that is only read: each character that cannot be seen is named. @param {string} whole */
const seen = (whole) => whole.replace(ODD, codePoint);

/** What is written keeps them, and shows their names. */
const NAMED = highlightSpecialChars({ addSpecialChars: ODD, render: (/** @type {number} */ code) => el("span", { class: "cm-specialChar", title: "A character that cannot be seen" }, codePoint(String.fromCodePoint(code))) });

class CodeElement extends HTMLElement {
  /** @type {any} the view of CodeMirror */
  view = null;

  /** @param {string} doc @param {string} name @param {unknown[]} more */
  show(doc, name, more) {
    const root = this.shadowRoot || this.attachShadow({ mode: "open" });
    const language = LANGUAGES[/** @type {keyof typeof LANGUAGES} */ (this.dataset.language || "")];
    const attributes = { "aria-label": name, tabindex: "0", spellcheck: "false", autocorrect: "off", autocapitalize: "off", translate: "no" };
    const extensions = [language ? language() : [], syntaxHighlighting(COLOURS), LOOK, EditorView.contentAttributes.of(attributes), ...more];
    this.view = new EditorView({ root, parent: root, state: EditorState.create({ doc, extensions }) });
  }

  disconnectedCallback() {
    this.view?.destroy();
    this.view = null;
    this.shadowRoot?.replaceChildren();
  }
}

const READ_ONLY = [EditorState.readOnly.of(true), EditorView.editable.of(false), keymap.of(foldKeymap)];

// A text field of a form. Tab leaves it, as any field; Ctrl and ] or [ moves a line in or out, Ctrl and Enter sends the form.
class CodeEditor extends CodeElement {
  connectedCallback() {
    const field = this.querySelector("textarea");
    if (!field) return;
    const label = field.labels[0];
    const sends = { key: "Mod-Enter", run: () => (field.form?.requestSubmit(), true) };
    const changed = EditorView.updateListener.of((/** @type {any} */ update) => {
      if (update.docChanged) field.value = update.state.doc.toString();
    });
    this.show(field.value, field.getAttribute("aria-label") || label?.dataset.name || label?.textContent?.trim() || "Text", [
      history(), NAMED, bracketMatching(), indentOnInput(), indentUnit.of("  "), EditorView.lineWrapping, changed,
      keymap.of([sends, ...defaultKeymap, ...historyKeymap]),
      EditorView.theme({ ".cm-scroller, .cm-gutters": { minHeight: `calc(${field.rows * 1.55}em + 16px) !important` } }),
      field.dataset.numbered === undefined ? [] : lineNumbers(),
    ]);
    label?.addEventListener("click", () => this.view?.focus());
    addEventListener("pageshow", () => this.#take(field.value)); // a page that was gone back to has its fields as they were left
    field.form?.addEventListener("reset", () => setTimeout(() => this.#take(field.value)));
  }

  /** @param {string} text */
  #take(text) {
    const had = this.view?.state.doc.toString();
    if (this.view && had !== text) this.view.dispatch({ changes: { from: 0, to: had.length, insert: text } });
  }
}

// A source that is read: with line numbers, and parts that fold.
class CodeText extends CodeElement {
  connectedCallback() {
    const lines = [...this.querySelectorAll(".line bdi")].map((line) => seen(line.textContent || ""));
    this.show(lines.join("\n"), this.dataset.name || "Source", [...READ_ONLY, lineNumbers(), foldGutter()]);
    const asked = /^#L(\d+)$/.exec(location.hash);
    if (asked) this.#to(Number(asked[1]));
  }

  /** @param {number} number of a line, from 1 */
  #to(number) {
    const doc = this.view.state.doc;
    if (number < 1 || number > doc.lines) return;
    const at = doc.line(number).from;
    this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
  }
}

// What differs: the text as it is now, with what has gone above what came for it, and the words that have changed marked.
class CodeDiff extends CodeElement {
  connectedCallback() {
    /** @type {string[]} */
    const before = [];
    /** @type {string[]} */
    const after = [];
    /** @type {number[]} lines of `after` that say where what follows stands */
    const places = [];
    const files = this.querySelectorAll(".d-file").length > 2;
    for (const line of /** @type {NodeListOf<HTMLElement>} */ (this.querySelectorAll(".line"))) {
      const text = seen(line.querySelector("bdi")?.textContent || "");
      const { classList } = line;
      if (text.startsWith("\\")) continue; // a remark of diff
      const isFile = classList.contains("d-file");
      if (isFile && (!files || text.startsWith("--- "))) continue; // of one file, the page has the name
      if (isFile || classList.contains("d-place")) {
        places.push(after.push(place(text)));
        before.push(place(text));
      } else if (classList.contains("d-added")) after.push(text.slice(1));
      else if (classList.contains("d-gone")) before.push(text.slice(1));
      else for (const side of [before, after]) side.push(text.slice(1));
    }
    for (const side of [before, after]) side.push(""); // a last line ends as all others
    this.show(after.join("\n"), this.dataset.name || "What differs", [
      ...READ_ONLY, EditorView.decorations.of((/** @type {any} */ view) => placeMarks(view.state.doc, places)),
      unifiedMergeView({ original: before.join("\n"), mergeControls: false, gutter: true, highlightChanges: true, allowInlineDiffs: false }),
    ]);
  }
}

/** @param {string} line as a unified diff has it: `@@ -10,7 +12,9 @@`, or the name of a file after `+++ ` */
function place(line) {
  const found = /^@@ .*\+(\d+)/.exec(line);
  return found ? `# line ${found[1]}` : `# ${line.slice(4)}`;
}

/** @param {any} doc @param {number[]} places */
function placeMarks(doc, places) {
  const marks = new RangeSetBuilder();
  for (const number of places) {
    const at = doc.line(number).from;
    marks.add(at, at, Decoration.line({ class: "cm-place" }));
  }
  return marks.finish();
}

customElements.define("code-editor", CodeEditor);
customElements.define("code-text", CodeText);
customElements.define("code-diff", CodeDiff);

// The comparison with a register: what was compared, and what does not agree.

const VERDICT_GLYPHS = { differs: "failed", missing_here: "failed", missing_there: "failed", duplicate: "needs_review", no_key: "needs_review", unclear: "needs_review", not_read: "auth_required", other_form: "done", same: "done" };
const FIELD_WORDS = { differs: "another value", unclear: "cannot be compared", not_read: "not found by the run", other_form: "another form" };

function reconciliation() {
  const made = RUN.reconciliation;
  if (!made) return null;
  const head = el("h2", { id: "reconciliation-title" }, "Reconciliation", el("small", null, "with ", said(made.register.name)));
  const card = (...parts) => el("section", { class: "card reconciliation", "aria-labelledby": "reconciliation-title" }, head, parts);
  if (!made.verdicts) return card(note("failed", "Not compared.", "The comparison could not be made; the summary of the run says why.", "bad"));
  return card(
    el("p", null, `${many(made.samples, "sample")} of this run and ${many(made.rows, "row")} of the register, each in exactly one record. “Here” is this run, “there” the register.`),
    made.rows ? null : note("needs_review", "The register has no rows.", "Everything is missing there. Is it the right file?", "warn"),
    made.complete ? null : note("needs_review", "The population is not proven to be complete.", "What is missing here may be on a page that was not read.", "warn"),
    made.register.encoding_guessed ? note("needs_review", "The encoding was guessed.", `Nothing in the file says how its letters are written; it was read as ${made.register.encoding}.`, "warn") : null,
    table("verdicts", ["Verdict", "", "#Records"], made.verdicts.map(([verdict, meaning, number]) => el("tr", null, el("th", { scope: "row" }, recordVerdict(verdict)), el("td", { class: "muted" }, meaning), el("td", { class: "number" }, count(number))))),
    (made.listed || []).length ? disagreements(made) : null,
    howCompared(made),
  );
}

const recordVerdict = (verdict) => el("span", { class: "status" }, glyph(VERDICT_GLYPHS[verdict]), sentence(verdict));

function disagreements(made) {
  const rows = made.listed.map((one) => el("tr", null,
    el("td", null, recordVerdict(one.verdict)),
    el("td", null, one.key ? said(one.key) : el("span", { class: "muted" }, "none"), one.key_there && el("small", null, "there: ", said(one.key_there)), one.near && el("small", null, "differs only in form from ", said(one.near), ", which has no partner either")),
    el("td", null, (one.samples || []).map((id, i) => [i ? ", " : "", INDEX.has(id) ? el("a", { href: `#sample=${encodeURIComponent(id)}` }, said(id)) : said(id)]), one.more_samples ? ` and ${count(one.more_samples)} more` : null),
    el("td", null, (one.rows || []).map(count).join(", "), one.more_rows ? ` and ${count(one.more_rows)} more` : null),
    el("td", null, (one.fields || []).map(fieldDifference), one.more_fields ? el("small", null, `and ${count(one.more_fields)} more fields`) : null)));
  return el("div", null, el("h3", null, `${many(made.listed.length, "record")} that ${made.listed.length === 1 ? "is" : "are"} not the same`),
    table("disagreements", ["Verdict", "Key", "Sample", "Row there", "Fields"], rows),
    made.left_out ? el("p", { class: "muted" }, `${count(made.left_out)} more are in reconciliation.json, and in SQL: FROM reconciliation WHERE verdict <> 'same'.`) : null);
}

const fieldDifference = (one) => el("div", null, el("span", { class: "field-name" }, said(fieldWord(one.field))), ` (${FIELD_WORDS[one.verdict] || words(one.verdict)}): `, one.here ? said(one.here) : el("span", { class: "muted" }, "none"), " here, ", one.there ? said(one.there) : el("span", { class: "muted" }, "none"), " there", one.why && el("small", null, said(one.why)));

function howCompared(made) {
  const keys = made.folded ? "Keys that differ only in case, blanks, Unicode form or a mark before them were taken for the same." : "Keys were compared exactly, but for blanks at their ends.";
  const trimmed = made.register.trimmed ? ` ${many(made.register.trimmed, "key")} of the register had such blanks.` : "";
  const columns = (made.columns || []).map(([field, column], i) => [i ? ", " : "", said(column), field === column ? "" : [" as ", said(fieldWord(field))]]);
  const unknown = made.columns_without_field || [];
  return el("dl", { class: "pairs" },
    el("div", null, el("dt", null, "Joined by"), el("dd", null, said(fieldWord(made.key)), made.key_column ? [", in the register ", said(made.key_column)] : null, ". ", keys, trimmed)),
    el("div", null, el("dt", null, "Compared"), el("dd", null, columns.length ? columns : "no field but the key")),
    (made.fields_without_column || []).length ? el("div", null, el("dt", null, "Not in the register"), el("dd", null, said(made.fields_without_column.map(fieldWord).join(", ")))) : null,
    unknown.length ? el("div", null, el("dt", null, "Only in the register"), el("dd", null, said(unknown.join(", ")), made.more_columns ? ` and ${count(made.more_columns)} more` : null)) : null,
    el("div", null, el("dt", null, "The file"), el("dd", null, /^reconciliation\/register_[0-9a-f]{12}\.[a-z]{3,4}$/.test(made.register.path) ? el("a", { href: made.register.path, target: "_blank", rel: "noreferrer noopener" }, said(made.register.path)) : said(made.register.path), " ", hash(made.register.sha256, "the register"))));
}

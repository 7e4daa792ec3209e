// Cards with further facts of a sample: judgment, input row, steps, files and model use.

function judgmentCard(detail) {
  const given = detail.judgment;
  if (!given) return null;
  return el("section", { class: "card judgment", "aria-labelledby": "judged" },
    el("h2", { id: "judged" }, "Judgment"),
    el("p", { class: "question" }, said(given.question)),
    el("div", { class: "answer" }, said(given.answer, { class: "answer-text" }), el("div", { class: "sure" }, el("span", { class: "meter", "aria-hidden": "true" }, el("i", { vars: { width: `${Math.round(given.confidence * 100)}%` } })), `${Math.round(given.confidence * 100)} % sure`)),
    el("blockquote", null, said(given.reasoning)),
    el("p", { class: "origin" }, given.decided_by ? el("span", null, "given by ", said(given.decided_by)) : null, (given.evidence_refs || []).length ? el("span", null, " on the evidence of ", given.evidence_refs.map((name, i) => [i ? ", " : "", evidenceLink(detail, name)])) : null),
    reviewed(detail.judgment_review));
}

function inputCard(detail) {
  const rows = Object.entries(detail.input || {});
  if (detail.url && !Object.values(detail.input || {}).includes(detail.url)) rows.push(["url", detail.url]);
  if (detail.found_on) rows.push(["found on", detail.found_on]);
  if (!rows.length) return null;
  return el("section", { class: "card" }, el("h2", null, "What was asked for"), el("dl", { class: "pairs" }, rows.map(([name, value]) => el("div", null, el("dt", null, said(name)), el("dd", null, /^https?:/i.test(value) ? weblink(value) : said(value || "–"))))), detail.found_at ? el("p", { class: "muted" }, "Found ", moment(detail.found_at)) : null);
}

function timeline(detail) {
  const steps = detail.steps || [];
  if (!steps.length) return el("section", { class: "card" }, el("h2", null, "Steps"), el("p", { class: "muted" }, "No step was taken for this sample alone."));
  const longest = Math.max(...steps.map((step) => step.ms || 0), 1);
  return el("section", { class: "card steps", "aria-labelledby": "steps-title" }, el("h2", { id: "steps-title" }, "Steps", el("small", null, `${many(steps.length, "step")}, ${lasted(steps.reduce((sum, step) => sum + (step.ms || 0), 0) / 1000)}`)), el("ol", null, steps.map((step) => stepItem(detail, step, longest))));
}

function stepItem(detail, step, longest) {
  const lines = [
    ...(step.changes || []).map((line) => el("li", null, said(line))),
    step.saved ? el("li", null, `values: ${step.saved.map(words).join(", ")}`) : null,
    step.picture ? el("li", null, "the picture says: ", said(step.picture)) : null,
    ...(step.files || []).map((name) => el("li", null, "kept: ", fileLink(detail.id, name))),
    ...(step.told || []).map((line) => el("li", null, "told: ", said(line))),
    ...(step.notes || []).map((line) => el("li", null, "remark: ", said(line))),
    ...(step.heals || []).map((line) => el("li", null, "in another way than recorded: ", said(line))),
    ...(step.problems || []).map((line) => el("li", { class: "bad-words" }, said(line))),
  ].filter(Boolean);
  const cost = step.llm_calls ? `${many(step.llm_calls, "model call")}, ${count(step.tokens || 0)} tokens, ${money(step.cost_usd)}` : "";
  return el("li", { class: step.bad ? "went-wrong" : null },
    el("span", { class: "step-number", "aria-hidden": "true" }, step.n),
    el("div", { class: "step-words" },
      el("p", { class: "step-act" }, step.bad ? el("span", { class: "state n" }, "not accepted") : null, said(step.act)),
      step.why ? el("p", { class: "step-why" }, said(step.why)) : null,
      step.did ? el("p", { class: "step-did" }, said(step.did), step.proof ? el("span", { class: "muted" }, step.proof === "proven" ? " (on the right record)" : " (another record was shown)") : null) : null,
      lines.length ? el("ul", { class: "step-lines" }, lines) : null),
    el("div", { class: "step-time" }, el("span", null, lasted((step.ms || 0) / 1000)), el("span", { class: "meter", "aria-hidden": "true" }, el("i", { vars: { width: `${Math.max(2, (100 * (step.ms || 0)) / longest)}%` } })), el("small", null, step.at ? time(step.at) : ""), el("small", null, said(step.by || "")), cost ? el("small", null, cost) : null));
}

function filesCard(detail) {
  const files = detail.files || [];
  const rows = files.map((file) => el("tr", { class: file.problem ? "went-wrong" : null }, el("td", null, fileLink(detail.id, file.name), file.original ? el("small", null, "came as ", said(file.original)) : null), el("td", null, file.kind), el("td", { class: "number" }, size(file.size)), el("td", null, hash(file.sha, file.name))));
  const own = ["sample.json", "result.json", "action_log.json"].map((name, i) => [i ? ", " : "", fileLink(detail.id, name)]);
  return el("section", { class: "card", "aria-labelledby": "files-title" }, el("h2", { id: "files-title" }, "Files"), rows.length ? table("files", ["File", "Kind", "#Size", "SHA-256"], rows) : el("p", { class: "muted" }, "No file was captured."), el("p", { class: "muted" }, "Beside them: ", own));
}

function workCard(detail) {
  const usage = detail.usage || {};
  const learned = detail.lessons ? [...(detail.lessons.patterns || []), ...(detail.lessons.failures || [])] : [];
  if (!usage.llm_calls && !(detail.hints || []).length && !learned.length) return null;
  const tokens = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"].map((name) => [sentence(name.replace("_tokens", "")), count(usage[name] || 0)]);
  return el("section", { class: "card", "aria-labelledby": "use-title" }, el("h2", { id: "use-title" }, "Model use"),
    usage.llm_calls ? el("dl", { class: "pairs" }, [["Calls", count(usage.llm_calls)], ["Cost", money(usage.cost_usd)], ...tokens.map(([name, value]) => [`${name} tokens`, value])].map(([name, value]) => el("div", null, el("dt", null, name), el("dd", null, value)))) : null,
    (detail.hints || []).length ? el("div", null, el("h3", null, "Shown from earlier samples"), el("ul", null, detail.hints.map((line) => el("li", null, said(line))))) : null,
    learned.length ? el("div", null, el("h3", null, "Learned here"), el("ul", null, learned.map((line) => el("li", null, said(line))))) : null);
}

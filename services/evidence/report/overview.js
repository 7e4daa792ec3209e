// The cover: task, input and outcome of the run.

function coverPage() {
  fill(byId("bar"),
    el("a", { class: "brand", href: "#", onclick: toTop }, el("span", { class: "seal", "aria-hidden": "true" }, "E"), "Exhibit"),
    el("span", { class: "bar-run" }, RUN.run_id),
    el("span", { class: "spacer" }),
    el("button", { type: "button", class: "quiet", onclick: () => askPrint() }, "Print"),
    el("button", { type: "button", class: "quiet", onclick: help, "aria-label": "Keyboard" }, el("kbd", null, "?")),
  );
  fill(byId("cover"), title(), el("div", { class: "cover-grid" }, population(), integrity()), reconciliation(), fieldsTable(), judgments(), drivers(), work());
}

function toTop(event) {
  event.preventDefault();
  if (location.hash.startsWith("#sample=")) location.hash = "";
  else scrollTo({ top: 0 });
}

function title() {
  const took = secondsBetween(RUN.started_at, CLOSED.finished_at);
  const drivers = (RUN.workers || []).map((one) => one.by).join(", ") || RUN.planner || "–";
  const files = Object.values(RUN.files || {}).reduce((sum, number) => sum + number, 0);
  const cost = RUN.llm_calls ? `${many(RUN.llm_calls, "call")}, ${money(RUN.cost_usd)}` : "none, $0";
  const goal = el("p", { class: "goal" }, said(RUN.goal || ""));
  return el("div", { class: "title" },
    el("p", { class: "eyebrow" }, "Evidence report"),
    el("h1", null, said(sentence(RUN.task_id || "run"))),
    goal,
    (RUN.goal || "").length > 420 && more(goal),
    notices(),
    el("dl", { class: "facts" },
      (RUN.controls || []).map((one) => fact("Control", said([one.framework, one.id].filter(Boolean).join(" ")), ...(one.title ? [said(one.title)] : []))),
      fact("Asked by", RUN.requested_by ? said(RUN.requested_by) : el("span", { class: "muted" }, "not said")),
      fact("Asked on", `${day(RUN.asked_at)}, ${clock(RUN.asked_at)} UTC`),
      fact("Finished", `${day(CLOSED.finished_at)}, ${clock(CLOSED.finished_at)} UTC`, `after ${lasted(took)}`),
      fact("Decided by", said(drivers), many(RUN.steps || 0, "step")),
      fact("Model calls", cost),
      fact("Site", RUN.hosts ? said(RUN.hosts.join(", ")) : site(RUN.start_url || "")),
      (RUN.read || []).map(([read, ...more]) => fact("Read", said(read), ...more.map((line) => said(line)))),
      fact("Evidence", many(files, "file"), size(RUN.bytes || 0)),
      fact("Run", el("code", null, RUN.run_id), copyButton(RUN.run_id, "Copy the name of the run")),
    ));
}

// The start URL. It may have placeholders for cells of the row, so only its host is certainly valid.
function site(address) {
  const host = /^https?:\/\/(?:[^/?#]*@)?([^/?#{}@]+)/.exec(address);
  return said(host ? host[1] : address.startsWith("{") ? "as the input says" : address || "–");
}

function more(paragraph) {
  paragraph.classList.add("clamped");
  const button = el("button", { type: "button", class: "link", "aria-expanded": "false" }, "Show all of it");
  button.addEventListener("click", () => {
    const open = paragraph.classList.toggle("clamped") === false;
    button.setAttribute("aria-expanded", String(open));
    button.textContent = open ? "Show less" : "Show all of it";
  });
  return button;
}

const fact = (name, ...value) => el("div", null, el("dt", null, name), el("dd", null, value[0], value.slice(1).map((part) => (part instanceof Node ? part : el("small", null, part)))));

function notices() {
  const list = [];
  if (RUN.replay_of) {
    const differing = RUN.differing ? `${many(RUN.differing, "sample")} ${RUN.differing === 1 ? "was" : "were"} not as recorded.` : "No sample differed from the record.";
    list.push(note("eye", "A replay", el("span", null, "The recorded steps of ", el("code", null, RUN.replay_of), ` were taken again. ${differing}`)));
  }
  if (RUN.discovery) {
    const log = el("a", { href: "_discovery/action_log.json", target: "_blank", rel: "noreferrer noopener" }, "how they were found, step by step");
    const only = RUN.phase === "discovery" ? "This run only lists: being found is a sample’s result. " : "";
    list.push(note("eye", "Found by navigating", el("span", null, `${only}The samples were listed on `, weblink(RUN.discovery.start_url), "; ", log, ".")));
  }
  for (const pause of RUN.pauses || []) list.push(note("eye", "The run was paused", said(pause)));
  if (RUN.problems) list.push(note("failed", "Files in trouble", `${many(RUN.problems, "file")} could not be filed as captured; the samples are marked as failed.`, "bad"));
  return list;
}

// --- population

function population() {
  const sums = Object.fromEntries(GROUPS.map(([group]) => [group, 0]));
  for (const one of RUN.outcomes || []) sums[one.group] += one.samples;
  const accounted = Object.values(sums).reduce((all, part) => all + part, 0);
  const parts = GROUPS.map(([group, name, icon], at) => [el("span", { class: "sign", "aria-hidden": "true" }, at ? "+" : "="), figure(sums[group], name, group, icon)]);
  return el("section", { class: "card population", "aria-labelledby": "population-title" },
    el("h2", { id: "population-title" }, "Population"),
    el("div", { class: "sum" }, figure(RUN.samples, "found", "found"), parts),
    RUN.samples ? bar(sums) : null,
    completeness(accounted),
    RUN.samples ? outcomes() : el("p", { class: "muted" }, "No sample was found, so there is nothing to account for."),
  );
}

const figure = (number, name, group, icon) => el("div", { class: `figure p-${group}` }, el("b", null, count(number)), el("span", null, icon && glyph(icon), name));

function bar(sums) {
  const told = GROUPS.map(([group, name]) => `${sums[group]} ${name}`).join(", ");
  return el("div", { class: "stack", role: "img", "aria-label": told }, GROUPS.filter(([group]) => sums[group]).map(([group]) => el("i", { class: `s-${group}`, vars: { "flex-grow": String(sums[group]) } })));
}

function completeness(accounted) {
  if (accounted !== RUN.samples) return note("failed", "It does not add up.", `${RUN.samples} samples were found and ${accounted} are accounted for.`, "bad");
  const told = RUN.population_note ? said(RUN.population_note.replace(/\.?$/, ".")) : "";
  if (!RUN.complete) return note("needs_review", `${RUN.population}.`, el("span", null, told, ` ${RUN.population_advice}`), "warn");
  const attempted = RUN.attempted < RUN.samples && RUN.phase !== "discovery" ? ` Steps were taken at ${count(RUN.attempted)} of them.` : "";
  return note("done", `${RUN.population}.`, el("span", null, RUN.samples ? `Every sample found is accounted for, once.${attempted} ` : "", told));
}

function outcomes() {
  const rows = RUN.outcomes.map((one) => el("tr", null,
    el("td", null, status(one.status)),
    el("td", null, one.reason ? el("span", null, sentence(one.reason), one.about && el("small", null, one.about)) : el("span", { class: "muted" }, "–")),
    el("td", { class: "number" }, el("button", { type: "button", class: "link", "aria-label": `Show the ${one.samples} samples: ${STATUSES[one.status] || one.status} ${words(one.reason)}`, onclick: () => narrow({ status: one.status, reason: one.reason }) }, count(one.samples))),
    el("td", { class: "number muted" }, share(one.samples, RUN.samples)),
  ));
  const flagged = RUN.flagged ? el("tr", { class: "extra" }, el("td", { colspan: 2 }, el("span", { class: "status" }, glyph("flag"), "Flagged: a remark for a person to read")), el("td", { class: "number" }, el("button", { type: "button", class: "link", "aria-label": `Show the ${RUN.flagged} flagged samples`, onclick: () => narrow({ flagged: true }) }, count(RUN.flagged))), el("td", { class: "number muted" }, share(RUN.flagged, RUN.samples))) : null;
  return table("outcomes", ["Status", "Reason", "#Samples", "#Share"], [...rows, flagged]);
}

// --- hash state

function integrity() {
  const command = `exhibit verify ${RUN.run_id}`;
  const files = Object.entries(RUN.files || {}).map(([kind, number]) => many(number, kind === "observation" ? "observation" : kind)).join(", ");
  return el("section", { class: "card integrity", "aria-labelledby": "integrity-title" },
    el("h2", { id: "integrity-title" }, "Integrity"),
    el("p", null, "Every file was hashed (SHA-256) where it was captured and again where it was filed. ", RUN.problems ? el("strong", null, `${many(RUN.problems, "file")} did not agree.`) : files ? "All agreed." : "This run has no captured files."),
    files ? el("p", { class: "muted" }, `${files}; ${size(RUN.bytes || 0)} in all. Each file’s hash stands beside it in this report.`) : null,
    CLOSED.signed_off ? el("p", null, "The review is signed off, ", moment(CLOSED.signed_off.at), ": ", CLOSED.signed_off.by.map(([name, role], i) => [i ? ", " : "", said(name), ` (${role})`]), ".") : null,
    el("p", null, "This page was made before the run was sealed, so it cannot quote the seal. The seal covers it: the signed manifest names this file and all others with their hashes. To check that no byte was changed since:"),
    el("div", { class: "command" }, glyph("seal"), el("code", null, command), copyButton(command, "Copy the command")),
    el("ul", { class: "beside" }, (RUN.tables || []).map(([name, about]) => el("li", null, el("a", { href: name, target: "_blank", rel: "noreferrer noopener" }, name), el("span", { class: "muted" }, ` ${about}`)))),
  );
}

// --- fields

function fieldsTable() {
  if (!FIELDS.length || !RUN.samples) return null;
  const rows = FIELDS.map((field, at) => {
    const whole = field.states.reduce((sum, part) => sum + part, 0);
    return el("tr", null,
      el("th", { scope: "row" }, el("span", { class: "field-name" }, said(fieldWord(field.name))), field.required && el("small", { class: "tag" }, "required"), field.proves && el("small", { class: "tag" }, "proves the record")),
      el("td", { class: "muted" }, field.type),
      el("td", { class: "bar-cell" }, el("div", { class: "stack thin", "aria-hidden": "true" }, ["v", "p", "n"].map((state, i) => field.states[i] ? el("i", { class: `f-${state}`, vars: { "flex-grow": String(field.states[i]) } }) : null))),
      ...["v", "p", "n"].map((state, i) => el("td", { class: "number" }, field.states[i] ? el("button", { type: "button", class: "link", "aria-label": `Show the ${field.states[i]} samples where ${words(field.name)} ${FIELD_STATES[state]}`, onclick: () => narrow({ field: `${at}:${state}` }) }, count(field.states[i])) : el("span", { class: "muted" }, "0"))),
      el("td", { class: "number muted" }, share(field.states[0], whole)),
    );
  });
  return el("section", { class: "card", "aria-labelledby": "fields-title" },
    el("h2", { id: "fields-title" }, "What was read"),
    table("read", ["Field", "Type", "", "#Value", "#Page says none", "#Not found", "#With a value"], rows));
}

function judgments() {
  if (!RUN.judgment_question) return null;
  const rows = (RUN.answers || []).map(([answer, number]) => el("tr", null,
    el("th", { scope: "row" }, said(answer)),
    el("td", { class: "bar-cell" }, el("div", { class: "stack thin", "aria-hidden": "true" }, el("i", { class: "f-a", vars: { "flex-grow": String(number) } }), el("i", { class: "f-rest", vars: { "flex-grow": String(RUN.samples - number) } }))),
    el("td", { class: "number" }, el("button", { type: "button", class: "link", "aria-label": `Show the ${number} samples answered ${answer}`, onclick: () => narrow({ answer }) }, count(number))),
    el("td", { class: "number muted" }, share(number, RUN.samples)),
  ));
  return el("section", { class: "card", "aria-labelledby": "judgment-title" },
    el("h2", { id: "judgment-title" }, "Judgments"),
    el("p", { class: "question" }, said(RUN.judgment_question)),
    rows.length ? table("answers", ["Answer", "", "#Samples", "#Share"], rows) : el("p", { class: "muted" }, "No sample was judged."));
}

// Who has worked on how many samples, and why no flow did the others.
const DRIVERS = { flow: "a flow", workflow: "a workflow", rules: "rules", model: "a model", person: "a person", recording: "a recording" };

function drivers() {
  const told = RUN.worked || [];
  if (!told.length) return null;
  const rows = told.map((one) => el("tr", null, el("th", { scope: "row" }, said(`By ${one.drivers.map((name) => DRIVERS[name] || name).join(", then ")}`)), el("td", { class: "number" }, count(one.samples)), el("td", { class: "number" }, count(one.llm_calls)), el("td", { class: "number" }, money(one.cost_usd))));
  const why = told.flatMap((one) => one.reasons || []).map((one) => el("li", null, many(one.samples, "sample"), ": ", said(one.text)));
  return el("section", { class: "card", "aria-labelledby": "drivers-title" },
    el("h2", { id: "drivers-title" }, "How the samples were done"),
    table("drivers", ["Driver", "#Samples", "#Model calls", "#Cost"], rows),
    why.length ? el("p", { class: "muted" }, "Why not by a flow to the end:") : null,
    why.length ? el("ul", null, ...why) : null);
}

function work() {
  const workers = RUN.workers || [];
  if (!RUN.llm_calls && workers.length < 2) return null;
  const rows = workers.map((one) => el("tr", null, el("th", { scope: "row" }, said(one.by)), el("td", { class: "number" }, count(one.steps)), el("td", { class: "number" }, count(one.calls)), el("td", { class: "number" }, count(one.tokens)), el("td", { class: "number" }, money(one.cost_usd))));
  const rest = RUN.llm_calls - workers.reduce((sum, one) => sum + one.calls, 0);
  const cost = RUN.cost_usd - workers.reduce((sum, one) => sum + one.cost_usd, 0);
  const other = rest > 0 ? el("tr", null, el("th", { scope: "row" }, "Finding the samples, and earlier attempts"), el("td", { class: "number" }, "–"), el("td", { class: "number" }, count(rest)), el("td", { class: "number" }, "–"), el("td", { class: "number" }, money(Math.max(cost, 0)))) : null;
  return el("section", { class: "card", "aria-labelledby": "work-title" },
    el("h2", { id: "work-title" }, "Who decided"),
    table("workers", ["Driver", "#Steps", "#Model calls", "#Tokens", "#Cost"], [...rows, other]));
}

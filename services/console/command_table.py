"""Every command of `exhibit`: where its function is, and what the lists of commands say of it.

A module of a command is imported when the command is called, or asked for its options: help, completion and the
commands that only read files load nothing of services, bus and browsers. `tests/unit/console/test_command_table.py`
holds that each row says what its function says.
"""

from __future__ import annotations

from dataclasses import dataclass

COMMANDS = "services.console.commands"
USUAL_CODES = (
    "Exit codes: 0 all done; 1 finished, not everything done; 2 bad input, nothing started; "
    "3 cannot run; 130 interrupted."
)
SEAL_CODES = (
    "Exit codes: 0 it is what was sealed, by that key; 1 it is not; 2 no run, no key to tell by whom, or bad input."
)


@dataclass(frozen=True)
class CommandRow:
    """``function``: ``module:name`` below `COMMANDS`. ``line``: the first paragraph of its help. ``exit_codes``: what
    its help ends with. ``besides``: what else its first word may ask for. ``takes_minus``: its words may begin with a
    minus."""

    name: str
    function: str
    line: str
    exit_codes: str | None = None
    hidden: bool = False
    besides: tuple[CommandRow, ...] = ()
    takes_minus: bool = False


@dataclass(frozen=True)
class GroupRow:
    """A command that has commands of its own."""

    name: str
    line: str
    commands: tuple[CommandRow, ...]


TOP: tuple[CommandRow | GroupRow, ...] = (
    CommandRow(
        "run",
        "run.run:run",
        "Collect evidence for every sample of a list, or of what a discovery spec finds.",
        USUAL_CODES,
    ),
    CommandRow(
        "web",
        "web:web",
        "Show runs, samples and their evidence in the browser, until Ctrl-C.",
    ),
    CommandRow(
        "demo",
        "demo:demo",
        "Collect 60 practice tickets, from nothing to evidence in this folder, and compare them with the site.",
        USUAL_CODES,
    ),
    CommandRow(
        "settle",
        "settle:settle",
        "Settle a sample of a finished run whose irreversible press has an unknown outcome. The run is sealed again.",
        USUAL_CODES,
    ),
    GroupRow(
        "review",
        "Review what a run has brought: decide, draw samples to look at again, and sign.",
        (
            CommandRow(
                "list",
                "review.standing:list_",
                (
                    "Show how the review of a run stands, and what is for review. Decisions of others are shown after "
                    "your own."
                ),
            ),
            CommandRow(
                "show",
                "review.standing:show",
                (
                    "Show all of one sample that can be decided: its values with page and picture, its judgment, and "
                    "the decisions."
                ),
            ),
            CommandRow(
                "accept",
                "review.decide:accept",
                "Accept what the run has brought: a sample, a value, a judgment, the population or a difference.",
            ),
            CommandRow(
                "correct",
                "review.decide:correct",
                "Correct a value or a judgment. What the run has read stays; tables show both.",
            ),
            CommandRow(
                "reject",
                "review.decide:reject",
                "Reject what the run has brought: it is no evidence of what it should show.",
            ),
            CommandRow(
                "not-applicable",
                "review.decide:not_applicable",
                "Say that the question does not arise for it, such as a sample that is not of the period.",
            ),
            CommandRow(
                "withdraw",
                "review.decide:withdraw",
                "Take back what you have decided of it. Both stay on record, and it is open again.",
            ),
            CommandRow("comment", "review.decide:comment", "Say something of it, without deciding."),
            CommandRow(
                "sign",
                "review.sign:sign",
                "Sign the review of a run. Once all have signed who must, the run is sealed again with the decisions.",
            ),
            CommandRow(
                "reopen",
                "review.sign:reopen",
                "Reopen a review that is signed off. What was decided stands; all have to sign again.",
            ),
            CommandRow(
                "draw",
                "review.sign:draw",
                (
                    "Draw samples to be looked at again, also done ones: each of them must be decided before somebody "
                    "signs."
                ),
            ),
            CommandRow(
                "export",
                "review.standing:export",
                "Write all that is for review and what was decided to a file, as far as you may see it.",
            ),
            CommandRow(
                "key",
                "review.sign:key",
                (
                    "Print the fingerprint of the key that a person signs with, for the key `review` of a task. Makes "
                    "it at first."
                ),
            ),
        ),
    ),
    CommandRow(
        "replay",
        "replay:replay",
        "Repeat the steps of an earlier run, without a model, and show what is different now.",
        USUAL_CODES,
    ),
    CommandRow(
        "reperform",
        "reperform.reperform:reperform",
        "Extract every value of a run again from its stored pages, offline, and show what differs.",
        USUAL_CODES,
    ),
    CommandRow(
        "operate",
        "operate:operate",
        "Decide the steps of samples whose planner is operator, one question at a time, until Ctrl-C.",
        USUAL_CODES,
    ),
    CommandRow(
        "ask",
        "ask:ask",
        "Draft a task spec from a sentence: it is checked, shown and saved, and runs when you say so.",
        USUAL_CODES,
    ),
    CommandRow(
        "sql",
        "sql:sql",
        'Ask the evidence in SQL: "show tables" lists the views, docs/sql.md explains them.',
        USUAL_CODES,
    ),
    CommandRow("up", "up:up", "Run all services, and a bus, in one process until Ctrl-C."),
    CommandRow("serve", "up:serve", "Run one service on an existing bus, to scale it by itself."),
    CommandRow(
        "bus-config",
        "bus_config:bus_config",
        "Write the configuration of a NATS server with a user for each service, for clients, reviewers and operators.",
    ),
    CommandRow(
        "validate",
        "validate:validate",
        "Check a task spec and list every problem. A warning is none: the spec is valid with it.",
    ),
    CommandRow("observe", "observe:observe", "Print a page as the planner sees it."),
    CommandRow(
        "drive",
        "drive:drive",
        "Open URL, print the page, execute actions from standard input, one a line, and print each result.",
    ),
    CommandRow("login", "login:login", "Record a login: in a window, or by steps where there is none.", USUAL_CODES),
    CommandRow(
        "verify",
        "verify:verify",
        "Check that a run is what was sealed: every byte, nothing missing, nothing added. Names every problem.",
        SEAL_CODES,
    ),
    CommandRow(
        "seals",
        "seals:seals",
        "List all seals of a folder or bucket as a chain of hashes, to be published; it is only ever added to.",
        "Exit codes: 0 done; 1 a seal that is listed is not there, or is another one; 2 no list, or bad input.",
    ),
    CommandRow(
        "export",
        "export.export:export",
        "Make one file of a run, to be handed over or filed: a zip, or a paper. It is checked on the way.",
        SEAL_CODES,
    ),
    CommandRow(
        "compare",
        "compare.compare:compare",
        (
            "Compare two finished runs of a task: samples that are new, gone or changed, with both values and what "
            "shows them."
        ),
        (
            "Exit codes: 0 all is the same; 1 something has changed, or is not known; 2 they cannot be compared, or "
            "bad input; 3 no S3 server."
        ),
    ),
    CommandRow(
        "doctor",
        "doctor:doctor",
        "Check this set-up, and say what to mend; with RUN, tell which events were refused for it, and why.",
        (
            "Exit codes: 0 there is no problem, or nothing was refused; 1 there is one, or something was; 2 "
            "no run, or bad input; 3 no S3 server."
        ),
    ),
    CommandRow(
        "fleet",
        "fleet:fleet",
        "Show which services answer on a bus, how busy they are, what waits in the queues, and what was given up.",
        "Exit codes: 0 all services answer, and nothing was given up; 1 not so; 2 no bus is named; 3 cannot run.",
    ),
    CommandRow(
        "health",
        "health:health",
        "Ask the service beside this command whether it is ready (EXHIBIT_HTTP_PORT), and say what is not.",
        "Exit codes: 0 ready; 1 a condition does not hold; 2 no port is set; 3 nobody answers there.",
    ),
    CommandRow(
        "explain",
        "explain.explain:explain",
        "Tell why a sample ended as it did: the row, who decided, the steps, what was read where, and what to do.",
        "Exit codes: 0 it was told; 2 no such run or sample, or bad input; 3 no S3 server.",
    ),
    CommandRow(
        "try",
        "trial.trial:try_",
        (
            "Work on one row and show what each field matched, what nearly matched, and which key of the spec "
            "would settle it."
        ),
        (
            "Exit codes: 0 the sample is done and all of its fields are certain; 1 something is not certain; "
            "2 bad input, nothing started; 3 cannot run; 130 interrupted."
        ),
    ),
    CommandRow(
        "key",
        "key:key",
        "Print the public key that seals your runs, and its fingerprint. The first run makes it, or --new.",
    ),
    CommandRow(
        "build",
        "build.build:build",
        (
            "Build a flow by hand: type what is to be done on the first row, TODO by TODO; `next` does it on "
            "the next row. `build list` lists the sessions."
        ),
        besides=(
            CommandRow(
                "list",
                "build.build_list:list_",
                "List the build sessions of a bus, or without one the workspaces below builds/, with how far each is.",
            ),
        ),
    ),
    CommandRow(
        "compile",
        "flows.compile:compile_",
        "Compile a flow from samples of a run, and check it on the samples that were held out.",
        (
            "Exit codes: 0 it was checked on samples that it had not seen, and is in the library; 1 it stays "
            "a draft, with the reasons; 2 bad input, nothing was compiled; 3 cannot run."
        ),
    ),
    CommandRow(
        "learn",
        "learn.learn:learn",
        "Learn a flow from a few rows whose right values are written down.",
        (
            "Exit codes: 0 every field was learned, and every held-out row is read for certain; 1 something "
            "is left for a person, and it stays a draft; 2 bad input, no page was opened; 3 cannot run."
        ),
    ),
    GroupRow(
        "flows",
        "Flows: what they consist of, their versions, and the drift of their pages.",
        (
            CommandRow("show", "flows.show:show", "Show what a flow acts on, and by which rules it reads each field."),
            CommandRow(
                "run",
                "flows.one_run:run_flow",
                (
                    "Run a flow of the library on one set of values, and keep the evidence. No file of rows and no "
                    "spec is needed."
                ),
                USUAL_CODES,
            ),
            CommandRow(
                "check",
                "flows.check:check",
                (
                    "Run a flow on its recorded samples again, without a browser and without a model, and say "
                    "what differs."
                ),
                (
                    "Exit codes: 0 all equal; 1 something differs; 2 bad input: no such flow, or no samples; "
                    "3 cannot run."
                ),
            ),
            CommandRow(
                "history",
                "flows.versions:history",
                "List every version of a flow: who published it, when, and from which run.",
            ),
            CommandRow(
                "diff", "flows.versions:diff", "Print what differs between two versions: source, selectors, rules."
            ),
            CommandRow(
                "rollback",
                "flows.versions:rollback",
                "Publish an old version again, with its samples. Runs that begin later use it.",
            ),
            CommandRow(
                "drift",
                "flows.drift:drift",
                (
                    "Show which elements and fields the samples of a run found in another way than recorded, "
                    "and by what."
                ),
            ),
            CommandRow(
                "approve",
                "flows.drift:approve",
                (
                    "Publish what all samples of a run found in the same other way, if recorded samples come "
                    "out as before."
                ),
                "Exit codes: 0 published; 1 nothing was published, with the reasons; 2 bad input; 3 cannot run.",
            ),
            CommandRow("log", "flows.log:log", "Show what the compiler of a build session has done."),
        ),
    ),
    GroupRow(
        "schedule",
        "Schedules: tasks that are run again and again, each run compared with the one before.",
        (
            CommandRow(
                "add",
                "schedule.add_schedule:add",
                "Have a task run again and again. Each run is compared with the one before.",
                USUAL_CODES,
            ),
            CommandRow("list", "schedule.show_schedules:list_", "List the schedules, with their next times."),
            CommandRow(
                "show",
                "schedule.show_schedules:show",
                "Show a schedule: its last times, and what has changed from each run to the next.",
            ),
            CommandRow("pause", "schedule.change_schedule:pause", "Request no run at its times, until it is resumed."),
            CommandRow(
                "resume",
                "schedule.change_schedule:resume",
                "Request runs again, from the next time on: those of the pause were not missed.",
            ),
            CommandRow(
                "remove", "schedule.change_schedule:remove", "Forget a schedule. Its runs and their evidence stay."
            ),
            CommandRow("run", "schedule.change_schedule:run", "Request its run now, besides the planned ones."),
        ),
    ),
    GroupRow(
        "runs",
        "Runs: which there are, how they stand, what happened, their tags and controls.",
        (
            CommandRow("list", "runs.listing:list_", "List the runs, the newest first, with their tags."),
            CommandRow(
                "tag",
                "runs.listing:tag",
                "Set and remove tags of a run: +q3 -draft. They are no part of its evidence. Prints those that it has "
                "now.",
                takes_minus=True,
            ),
            CommandRow(
                "status",
                "runs.follow:status",
                "Show how a run stands: what it brought, whether it is paused, how it ended.",
                USUAL_CODES,
            ),
            CommandRow(
                "events",
                "runs.follow:events",
                "Show the event log of a run on the bus, from its beginning or from an index on.",
                USUAL_CODES,
            ),
            CommandRow(
                "pause",
                "runs.steer:pause",
                "Have every sample of a run wait before its next decision. Prints the key of the pause.",
            ),
            CommandRow(
                "resume",
                "runs.steer:resume",
                "End a pause. (`exhibit run --resume` goes on with a run that was cut off.)",
            ),
            CommandRow(
                "interrupt",
                "runs.steer:interrupt",
                "End the samples at work with what they have read, and begin no other.",
            ),
            CommandRow("close", "runs.steer:close", "Begin no other sample; those at work are finished."),
            CommandRow(
                "message",
                "runs.steer:message",
                "Tell whoever decides, a model or an operator: it is shown once in each sample.",
            ),
            CommandRow("answer", "runs.steer:answer", "Answer all questions of that key, in their order."),
        ),
    ),
    GroupRow(
        "workflows",
        "The library of workflows: write, find, run and keep them.",
        (
            CommandRow(
                "create",
                "workflows.library:create",
                "Add a workflow to the library, with the files of the folder NAME.files beside it.",
            ),
            CommandRow(
                "list",
                "workflows.library:list_",
                "List the workflows of the library, and the files that are not loaded.",
            ),
            CommandRow("search", "workflows.library:search", "Find workflows by meaning. Exit code 1: nothing fits."),
            CommandRow("show", "workflows.library:show", "Show a workflow: description, parameters and source."),
            CommandRow(
                "run",
                "workflows.invoke:run",
                "Run a workflow in a sandbox. Its value goes to standard output as JSON.",
                (
                    "Exit codes: 0 the value is on standard output; 1 the workflow failed; 2 bad arguments; 3 "
                    "cannot run. What the workflow prints goes to standard error."
                ),
            ),
            CommandRow(
                "lint",
                "workflows.lint:lint",
                "List what is wrong with workflows, or could be better. Nothing of them is executed.",
                "Exit codes: 0 no errors; 1 a source has errors and would be refused; 2 a file cannot be read.",
            ),
            CommandRow(
                "history",
                "workflows.library:history",
                "List every version of a workflow: who created or deleted it, and when.",
            ),
            CommandRow(
                "delete",
                "workflows.library:delete",
                "Delete a workflow. Its versions stay in the history, and can be run by their hash.",
            ),
            CommandRow(
                "export",
                "workflows.library:export",
                "Write workflows to a zip or a folder, with their descriptions, authors and versions.",
            ),
            CommandRow(
                "import",
                "workflows.library:import_",
                "Add workflows of an export, or Python files. One that exists with the same source is passed over.",
            ),
        ),
    ),
)

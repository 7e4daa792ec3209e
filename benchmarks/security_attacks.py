"""Attacks, each with the tests that try it. An attack is stopped if all of its tests ran and passed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Attack:
    """``tests``: files below tests/, each with ``::`` and the beginning of a test's name where not all of it counts."""

    adversary: str
    what: str
    tests: tuple[str, ...]


_RIGHTS = "handlers/shared/test_bus_rights.py"
_FORGED = "handlers/evidence/test_forged_events.py"
_SEALED = "handlers/evidence/test_sealed_run.py"

ATTACKS = (
    Attack(
        "another user",
        "connect without the secret of the bus",
        ("handlers/shared/test_bus_access.py::test_a_client_with",),
    ),
    Attack(
        "another user",
        "find the secret elsewhere",
        ("handlers/shared/test_bus_access.py::test_the_key_is_told_nowhere_else",),
    ),
    Attack("another user", "put a link in place of the context", ("handlers/shared/test_bus_access.py::test_a_link",)),
    Attack("client", "connect without a key of a user", (f"{_RIGHTS}::test_who_is_no_user",)),
    Attack("client", "publish as another", (f"{_RIGHTS}::test_a_user_publishes", f"{_RIGHTS}::test_what_decides")),
    Attack(
        "client",
        "listen to asks, events and buckets of others",
        (f"{_RIGHTS}::test_a_user_hears", f"{_RIGHTS}::test_buckets"),
    ),
    Attack("client", "read or answer the replies of another", (f"{_RIGHTS}::test_replies",)),
    Attack(
        "client",
        "take the events of a service",
        (f"{_RIGHTS}::test_nobody_reads", f"{_RIGHTS}::test_a_user_calls_of_the_api"),
    ),
    Attack(
        "client",
        "call JetStream, or have the server or a service send bytes where it may not",
        (f"{_RIGHTS}::test_a_client_asks_and_does", f"{_RIGHTS}::test_what_the_server_sends_to_an_ask"),
    ),
    Attack(
        "client",
        "hold up others by a flood of asks, or of events that nobody has signed",
        (
            f"{_RIGHTS}::test_a_flood",
            "unit/shared/test_floods.py",
            "handlers/evidence/test_signed_on_the_bus.py::test_a_flood",
        ),
    ),
    Attack("client", "fill the disk with input files", ("handlers/shared/test_bus.py::test_a_bucket",)),
    Attack("client", "change or delete a stream", (f"{_RIGHTS}::test_nobody_changes",)),
    Attack("client", "be another server", (f"{_RIGHTS}::test_a_server_is_checked",)),
    Attack(
        "client",
        "send an event that a service would sign: unsigned, copied, signed by another",
        ("handlers/evidence/test_signed_events.py", "handlers/shared/test_signing_keys.py"),
    ),
    Attack(
        "client", "claim a response of an API that nobody has filed", ("handlers/evidence/test_forged_responses.py",)
    ),
    Attack(
        "client",
        "have a secret typed at hosts of its own",
        (
            "handlers/browser_pool/test_pool_handlers.py::test_a_secret",
            "browser/test_safety_secrets.py::test_a_secret_that_is_bound",
        ),
    ),
    Attack("client", "change a sealed run by an event", (f"{_FORGED}::test_nothing_changes_a_sealed_run",)),
    Attack("client", "forge results, steps and samples of a run at work", (_FORGED,)),
    Attack(
        "client",
        "send what is no message, or is nested 100,000 deep",
        ("unit/shared/test_decoding.py", "fuzz/test_messages.py"),
    ),
    Attack("client", "break or hold up evidence by any sequence of events", ("fuzz/test_evidence_events.py",)),
    Attack("client", "break discovery by any request", ("fuzz/test_requests.py",)),
    Attack("client", "have a run called good that has claims only", ("unit/console/test_reperform_summary.py",)),
    Attack("page", "leave for a host that the spec does not name", ("browser/test_safety_hosts.py",)),
    Attack("page", "reach a private host after the name was resolved", ("browser/test_safety_addresses.py",)),
    Attack("page", "reach a private host by any way that Chromium has", ("browser/test_ways_out.py",)),
    Attack("page", "be given a secret at another host, or show it", ("browser/test_safety_secrets.py",)),
    Attack("page", "open tabs, frames, workers and dialogs without end", ("browser/test_page_bombs.py",)),
    Attack("page", "hang whoever reads it", ("browser/test_page_bombs.py::test_a_page_whose_script",)),
    Attack("page", "forge elements of its observation", ("fuzz/test_observed_pages.py",)),
    Attack(
        "page",
        "show a login page in place of the record",
        ("end_to_end/test_closed_site.py", "unit/planner/test_planner_login_page.py"),
    ),
    Attack("page", "show a record that looks like the one asked for", ("forged/test_forged_cases.py",)),
    Attack("page", "say that something was stored that was not", ("forged/test_forged_orders.py",)),
    Attack(
        "model",
        "leave the fence, or obey a page",
        ("unit/planner/test_planner_prompt_injection.py", "unit/planner/test_planner_fence.py"),
    ),
    Attack("model", "obey 74 pages that give orders", ("orders/test_orders.py",)),
    Attack(
        "model", "press what may change the site and the task does not name", ("unit/shared/test_unnamed_presses.py",)
    ),
    Attack("model", "report what the page does not show", ("handlers/planner/test_planner_lies.py",)),
    Attack("model", "press an irreversible button twice", ("end_to_end/test_once.py",)),
    Attack("file", "formulas and control characters in cells", ("unit/evidence/test_csv_cells.py",)),
    Attack("file", "a workbook that fills the memory", ("unit/shared/test_hostile_workbooks.py",)),
    Attack("file", "a download without end, or of a hostile name", ("browser/test_downloads.py",)),
    Attack("file", "a PDF that exhausts its reader", ("unit/browser_pool/test_previews.py",)),
    Attack("file", "a stored page that sends or runs something", ("browser/test_restored_pages.py",)),
    Attack("file", "workflow code that leaves its sandbox", ("handlers/workflows/execution/test_escapes.py",)),
    Attack("file", "a query that reads or writes files", ("handlers/evidence/test_sql_sandbox.py",)),
    Attack("thief", "change evidence under its seal", (_SEALED, "fuzz/test_evidence_files.py")),
    Attack("thief", "read a secret in the evidence", ("end_to_end/test_secrets_everywhere.py",)),
    Attack(
        "thief", "read pages, rows or secrets in logs, traces and metrics", ("end_to_end/test_nothing_given_away.py",)
    ),
    Attack("operator", "start the same input twice", ("end_to_end/test_going_on.py",)),
    Attack("operator", "take a part of a list for the whole", ("end_to_end/test_incomplete_lists.py",)),
)

"""Source texts of the tickets. All people are invented."""

from __future__ import annotations

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
STATUSES = ("Backlog", "Todo", "In Progress", "In Review", "Done", "Canceled")
PRIORITIES = ("Urgent", "High", "Medium", "Low", "No priority")
PROJECTS = ("Billing", "Access Control", "Reporting", "Mobile", "Platform")
LABELS = ("bug", "compliance", "customer", "design", "performance", "security")

PEOPLE = (
    "Zoë Lindqvist",
    "Łukasz Nowak",
    "李娜",
    "Amara Okafor",
    "José Álvarez",
    "Priya Raman",
    "Søren Kjær",
    "Fatima Al-Zahrani",
    "Nguyễn Minh Anh",
    "Siobhán O'Neill",
    "Mateus Gonçalves",
    "Hana Kobayashi",
    "Дарья Соколова",
    "Oluwaseun Adeyemi",
    "Eleanor Whitfield-Grant",
    "김서연",
)

SUBJECTS = (
    "Invoice export",
    "Password reset email",
    "Audit log filter",
    "Access review report",
    "Vendor approval form",
    "Quarterly summary",
    "Team invitation",
    "Receipt upload",
    "Single sign-on page",
    "Expense import",
    "Notification digest",
    "Payment retry",
    "Document preview",
    "Search results page",
    "Mobile dashboard",
    "Role editor",
    "Retention setting",
    "Billing address form",
    "Webhook delivery",
    "Time sheet view",
)
TROUBLES = (
    "times out for large accounts",
    "shows the wrong time zone",
    "ignores the selected language",
    "loses its settings after an update",
    "fails without an error message",
    "is slow on the first load",
    "cannot be used with a keyboard",
    "duplicates the last entry",
    "breaks when a name has an accent",
    "needs a confirmation step",
    "is missing for read-only users",
    "does not remember the last choice",
)

DESCRIPTIONS = (
    "Three customers reported this in the same week. It happens on every plan, but only for workspaces "
    "that were created before the last migration.",
    "Steps: sign in as a regular member, open the page from the sidebar, and change any value. "
    "The change is shown at first and is gone after a reload.",
    "The support team has a workaround, but it takes about ten minutes for every request and nobody "
    "likes doing it by hand.",
    "We should agree on the expected behaviour before anything is built. The help article and the "
    "product disagree at the moment.",
    "Nothing shows up in the error tracker, so the failure is probably swallowed on the way back to the browser.",
    "This blocks the access review of the finance team, who need a clean export before the quarter closes.",
)
COMMENTS = (
    "I could reproduce this on the staging workspace with a fresh account.",
    "Happy to take a look after the current release, but please do not wait for me.",
    "The date in the customer's contract is earlier than ours, so let's talk about it on Monday.",
    "Hana and José have seen something similar in the mobile app last year.",
    "Logs are attached to the incident channel. Short version: the second request never leaves the queue.",
    "Could someone from security confirm that the audit trail is complete?",
    "Fixed on my branch, the review is open. A test covers the accented names now.",
    "Not sure this is the same problem. The customer is on the old importer.",
)

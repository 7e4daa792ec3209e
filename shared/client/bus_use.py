"""What people and their programs do on the bus.

A client requests runs and reads what came of them, a reviewer decides on that; an operator does all that people do by
hand.
"""

from __future__ import annotations

from shared.bus.access.use import BusUse
from shared.streams import ANSWERS, ARTIFACTS, INPUTS
from shared.subjects import (
    ACT,
    ADD_SCHEDULE,
    ASK_SQL,
    BEGIN_FLOW,
    CHANGE_SCHEDULE,
    CHECK_ACCESS,
    COMPARE_RUNS,
    CONTROL_RUN,
    CREATE_WORKFLOW,
    DECIDE,
    DECIDE_REVIEW,
    DELETE_WORKFLOW,
    DO_IN_BUILD,
    DRAFT_TASK,
    END_FLOW,
    FIND_RUNS,
    FOLLOW_BUILD,
    FOLLOW_RUN,
    GET_WORKFLOW,
    HEARTBEAT,
    INVOKE_WORKFLOW,
    LEASE,
    LIST_SCHEDULES,
    LIST_WORKFLOWS,
    LOAD_ANSWER,
    LOAD_BUILD_FILE,
    LOAD_EVENTS,
    LOAD_HISTORY,
    LOAD_REVIEW,
    LOAD_RUN,
    LOAD_SAMPLES,
    LOAD_STATUS,
    OBSERVE,
    OPEN_BUILD,
    RELEASE,
    REPERFORM,
    RESUME_FLOW,
    SAVE_PROFILE,
    SEARCH_WORKFLOWS,
    SETTLE_SAMPLE,
    STORE_BUILD_FILE,
    STORE_INPUT,
    SUBMIT_RUN,
    TRY_SAMPLE,
)

CLIENT, REVIEWER, OPERATOR = "client", "reviewer", "operator"

CLIENT_USE = BusUse(
    asks=(
        SUBMIT_RUN,
        CONTROL_RUN,
        ADD_SCHEDULE,
        LIST_SCHEDULES,
        CHANGE_SCHEDULE,
        FIND_RUNS,
        LOAD_RUN,
        LOAD_STATUS,
        LOAD_EVENTS,
        STORE_INPUT,
        FOLLOW_RUN,
        COMPARE_RUNS,
        ASK_SQL,
        LOAD_ANSWER,
        LIST_WORKFLOWS,
        GET_WORKFLOW,
        SEARCH_WORKFLOWS,
        LOAD_HISTORY,
    ),
    hears_runs=True,
)
REVIEWER_USE = BusUse(
    asks=(
        FIND_RUNS,
        LOAD_RUN,
        LOAD_STATUS,
        LOAD_EVENTS,
        FOLLOW_RUN,
        COMPARE_RUNS,
        ASK_SQL,
        LOAD_ANSWER,
        LOAD_REVIEW,
        DECIDE_REVIEW,
    ),
    hears_runs=True,
)
"""Reads what runs have brought, and decides on it, each person with a key of his own; starts none."""
OPERATOR_USE = BusUse(
    asks=(
        *CLIENT_USE.asks,
        LOAD_REVIEW,
        DECIDE_REVIEW,
        SETTLE_SAMPLE,
        DRAFT_TASK,
        REPERFORM,
        TRY_SAMPLE,
        LEASE,
        HEARTBEAT,
        RELEASE,
        OBSERVE,
        ACT,
        CHECK_ACCESS,
        SAVE_PROFILE,
        CREATE_WORKFLOW,
        DELETE_WORKFLOW,
        LOAD_SAMPLES,
        INVOKE_WORKFLOW,
        BEGIN_FLOW,
        RESUME_FLOW,
        END_FLOW,
        OPEN_BUILD,
        DO_IN_BUILD,
        FOLLOW_BUILD,
        STORE_BUILD_FILE,
        LOAD_BUILD_FILE,
    ),
    answers=(DECIDE,),
    hears_runs=True,
    gets=(ANSWERS, ARTIFACTS),
    puts=(INPUTS,),
    removes=(ANSWERS, INPUTS, ARTIFACTS),
)
"""Besides: what is typed into pages, recorded logins, the library, and what came of a press."""

"""Makes the drivers by name, loads the log that a replay repeats, and opens what a model does besides deciding.

Modules that ask a model are imported on first use, because its SDK takes a second to load.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from services.planner.deps import Driver
from services.planner.drivers.decide_workflow import decide_by_workflow
from services.planner.drivers.handing_over import HandedOver
from services.planner.drivers.person.person_driver import OperatorDriver
from services.planner.drivers.recording.decide_replay import decide as decide_by_log
from services.planner.drivers.rules.decide_listing import decide as decide_on_list
from services.planner.drivers.rules.decide_rules import decide as decide_by_rules
from services.planner.drivers.rules.list_navigation import list_navigation
from services.planner.model_tasks.drafting import Draft
from services.planner.model_tasks.memory import Transcript
from services.planner.state.attempt_state import Decision, SampleView
from services.planner.state.workflow_choice import WorkflowChoice
from shared.bus.ports import Asks
from shared.contracts.base import Usage
from shared.contracts.building import BuildDecided, DecideBuild
from shared.contracts.discovery import Problem, RunRecord
from shared.contracts.planner import BY_OPERATOR, BY_REPLAY, BY_RULE, BY_WORKFLOW, PLANNERS
from shared.contracts.steps import StepTaken
from shared.contracts.workflows.library import WorkflowShown
from shared.errors import PermanentError, Unsupported
from shared.recordings.from_bus import load_steps
from shared.settings import Settings
from shared.task.spec import TaskSpec

if TYPE_CHECKING:
    from services.planner.drivers.model.build_model import AnthropicBuildModel
    from services.planner.drivers.model.model_tasks import AnthropicDrafter, AnthropicLessonModel
    from services.planner.drivers.model.workflow_model import AnthropicWorkflowModel


class RulesDriver:
    """Decides by rules, without a model: see `drivers/rules/`, there decide_listing.py for finding samples."""

    name = BY_RULE
    asks_model = False

    def check(self) -> None: ...

    async def decide(self, view: SampleView) -> Decision:
        if view.spec.phase == "discovery":
            return list_navigation(view) or decide_on_list(view)
        return decide_by_rules(view)

    async def aclose(self) -> None: ...


class ReplayDriver:
    """Repeats the recorded log of the view, without a model."""

    name = BY_REPLAY
    asks_model = False

    def check(self) -> None: ...

    async def decide(self, view: SampleView) -> Decision:
        return decide_by_log(view)

    async def aclose(self) -> None: ...


class WorkflowDriver:
    """Uses a workflow of the library that is no flow; what that leaves open, or the gates refuse, it hands over."""

    name = BY_WORKFLOW
    asks_model = False

    def __init__(self, choice: WorkflowChoice) -> None:
        self._choice = choice

    def check(self) -> None: ...

    async def decide(self, view: SampleView) -> Decision | HandedOver:
        return decide_by_workflow(view, self._choice) or HandedOver()


class DriverRegistry:
    """One driver of each name for the whole process. Clients of models stay open until `aclose`."""

    def __init__(self, settings: Settings, asks: Asks) -> None:
        self._settings, self._asks = settings, asks
        self._made: dict[str, Driver] = {}

    def __call__(self, name: str) -> Driver:
        """Return the driver of this name. Raises Unsupported if there is none."""
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    async def aclose(self) -> None:
        for driver in self._made.values():
            await driver.aclose()

    def _make(self, name: str) -> Driver:
        if name == BY_RULE:
            return RulesDriver()
        if name == BY_REPLAY:
            return ReplayDriver()
        if name == BY_OPERATOR:
            return OperatorDriver(self._asks)
        if name == "anthropic":
            from services.planner.drivers.model.model_driver import AnthropicDriver

            return AnthropicDriver(self._settings)
        known = ", ".join(PLANNERS)
        raise Unsupported(f"there is no planner {name!r}; the planners are {known}", code="unknown_planner")


async def load_recorded_steps(record: RunRecord, driver: str, sample_id: str, asks: Asks) -> tuple[StepTaken, ...]:
    """Return the log to repeat; empty if the run is no replay. Raises PermanentError if there is no such log."""
    if driver != BY_REPLAY:
        return ()
    if record.replay_run_id is None:
        message = "the planner 'replay' needs the log of an earlier run: exhibit replay RUN"
        raise PermanentError(message, code="nothing_to_replay")
    log = await load_steps(asks, record.replay_run_id, sample_id)
    if log.problem:
        raise PermanentError(f"{sample_id} cannot be replayed: {log.problem}", code="nothing_to_replay")
    return log.steps


class ModelHelpers:
    """What a model of the process does besides deciding: the teacher, the drafter, the librarian, the finder of
    elements and the builder, each made on first use. Needs a key."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @property
    def name(self) -> str:
        return self._settings.model

    async def distil(self, transcript: Transcript) -> tuple[object, Usage]:
        return await self._teacher.distil(transcript)

    async def draft(self, request: str) -> tuple[Draft | None, tuple[Problem, ...], Usage]:
        return await self._drafter.draft(request)

    async def choose(
        self, spec: TaskSpec, candidates: Sequence[WorkflowShown], problems: Sequence[str], before: object
    ) -> tuple[object, Usage]:
        return await self._librarian.choose(spec, candidates, problems, before)

    async def write(
        self, spec: TaskSpec, row: Mapping[str, str], steps: str, problems: Sequence[str], before: object
    ) -> tuple[object, Usage]:
        return await self._librarian.write(spec, row, steps, problems, before)

    async def find_element(self, request: str) -> tuple[object, Usage]:
        return await self._librarian.find_element(request)

    async def decide_build(self, asked: DecideBuild, spec: TaskSpec) -> BuildDecided:
        return await self._builder.decide(asked, spec)

    async def aclose(self) -> None:
        for name in ("_teacher", "_drafter", "_librarian", "_builder"):
            if name in self.__dict__:
                await self.__dict__[name].aclose()

    @cached_property
    def _teacher(self) -> AnthropicLessonModel:
        from services.planner.drivers.model.model_tasks import AnthropicLessonModel

        return AnthropicLessonModel(self._settings)

    @cached_property
    def _librarian(self) -> AnthropicWorkflowModel:
        from services.planner.drivers.model.workflow_model import AnthropicWorkflowModel

        return AnthropicWorkflowModel(self._settings)

    @cached_property
    def _builder(self) -> AnthropicBuildModel:
        from services.planner.drivers.model.build_model import AnthropicBuildModel

        return AnthropicBuildModel(self._settings)

    @cached_property
    def _drafter(self) -> AnthropicDrafter:
        from services.planner.drivers.model.model_tasks import AnthropicDrafter

        return AnthropicDrafter(self._settings)

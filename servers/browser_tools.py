"""The functions of `exhibit.flow` under another name: flows that were written elsewhere import them from here.

Their files are read from the folder of the flow, though their code names another one (`exhibit.flow.agent_home`)."""

from exhibit import flow
from exhibit.flow import *  # noqa: F403  the one list of these names is in shared.flows.code.functions
from exhibit.flow.agent_home import open_in_agent_home
from exhibit.flow.workspace import FlowFolder

__all__: list[str] = []
__all__ += flow.__all__

open_in_agent_home(FlowFolder.of_program().root)

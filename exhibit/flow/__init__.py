"""What the code of a flow calls: ``python workspace/flow.py`` performs it in a browser.

The functions, with what each does and takes, are those of `shared.flows.code.functions`. Without a bus in the settings,
a server and a browser pool run in this process until the flow ends.
"""

from exhibit.flow.standalone import StandaloneFlow
from shared.flows.code import functions
from shared.flows.code.functions import *  # noqa: F403  the one list of these names is there
from shared.flows.code.functions import bind

__all__: list[str] = []
__all__ += functions.__all__

bind(StandaloneFlow())

"""What the service imports only when it is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.system
def test_the_library_for_mcp_servers_is_imported_for_those_who_use_one():
    program = "import sys, services.workflows.__main__; assert 'mcp' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)

"""The steps of the image are read from its own file, and none is passed over."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases import cases
from tests.container.dockerfile import Copy, Run, SetEnv, SetUser, WorkDir, expanded, read_dockerfile

WRITTEN = """
# A comment
ARG IMAGE=python:3
FROM ${IMAGE} AS build
WORKDIR /build
COPY a.lock b.lock ./
RUN one \\
    # between
    && two --x \\
        y
FROM ${IMAGE}
COPY --from=build /opt/a /opt/b
ENV PATH=/opt/bin:$PATH \\
    A="b c"
USER someone
ENTRYPOINT ["tini", "--", "exhibit"]
CMD ["--help"]
"""


def test_stages_and_steps_are_read():
    build, last = read_dockerfile(WRITTEN)
    assert (build.base, build.name, last.base, last.name) == ("python:3", "build", "python:3", "")
    assert build.steps == [WorkDir("/build"), Copy(("a.lock", "b.lock"), "./"), Run("one && two --x y")]
    paths = [Copy(("/opt/a",), "/opt/b", "build"), SetEnv("PATH", "/opt/bin:$PATH"), SetEnv("A", "b c")]
    assert last.steps == [*paths, SetUser("someone")]
    assert (last.entrypoint, last.command) == (("tini", "--", "exhibit"), ("--help",))
    assert expanded("/opt/bin:$PATH", {"PATH": "/bin"}) == "/opt/bin:/bin"


@cases(
    "line",
    [
        "ADD a b", "HEALTHCHECK CMD true", "SHELL [\"bash\"]", "RUN --mount=type=cache x", "RUN <<EOF", "RUN [\"x\"]",
        "COPY --chown=1 a b", "COPY --from=a --link b c", "ENV A b", "ARG A", "run x", "RUN x \\", "ENTRYPOINT exhibit",
    ],
)  # fmt: skip
def test_what_is_not_known_is_an_error(line: str):
    with pytest.raises(ValueError):
        read_dockerfile(f"FROM a\n{line}")


def test_that_of_the_image_can_be_read():
    build, last = read_dockerfile(Path("deploy/Dockerfile").read_text(encoding="utf-8"))
    assert sum(isinstance(step, Run) for step in (*build.steps, *last.steps)) == 3
    assert [step for step in last.steps if isinstance(step, SetUser)] == [SetUser("exhibit")]

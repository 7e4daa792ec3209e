"""Programs as tools: arguments go into the argument list only, never through a shell."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from services.workflows.ports import HostCallError, ToolContext, ToolFacts
from services.workflows.tools.declared.call_forms import call_forms, command_of, found_form, tool_facts
from services.workflows.tools.declared.declarations import CliDeclaration, Groups
from services.workflows.tools.declared.templates import parse_template, placeholders, render, render_parts
from services.workflows.tools.outputs import decoded, output_value
from services.workflows.tools.processes import Finished, run_program
from services.workflows.tools.tool_secrets import SecretsInUse, secrets_in_use
from shared.contracts.workflows.invocations import JsonValue
from shared.network.checked_transport import TooMuchOutput
from shared.network.host_access import AccessDenied, Resolve, host_access
from shared.secrets.store import SecretStore

TAIL_CHARS = 1000
OPTIONS_END = "--"


class CliTool:
    """See :class:`services.workflows.ports.Tool`."""

    def __init__(self, declaration: CliDeclaration, store: SecretStore, resolve: Resolve) -> None:
        self._declaration, self._store, self._resolve = declaration, store, resolve
        self._forms = call_forms(declaration)
        self._access = host_access(declaration.hosts, declaration.private_hosts)

    @property
    def facts(self) -> ToolFacts:
        return tool_facts(self._declaration.name, "cli", self._declaration.description, self._forms)

    async def call(self, recipe: str, arguments: Mapping[str, JsonValue], context: ToolContext) -> JsonValue:
        form = found_form(self._declaration.name, self._forms, recipe)
        values = form.bind(arguments)
        command = command_of(self._declaration, self._declaration.recipes.get(recipe))
        argv = self._argv(form.title, command, values)
        await self._check_urls(form.title, values)
        secrets = await secrets_in_use(self._store, self._secret_names(), form.title)
        return self._value(form.title, await self._run(form.title, argv, values, secrets), secrets)

    async def release(self, context: ToolContext) -> None:
        """Nothing is held between calls."""

    async def close(self) -> None:
        """Nothing is held between calls."""

    def _argv(self, title: str, command: Groups, values: Mapping[str, JsonValue]) -> list[str]:
        loose = frozenset(name for name, one in self._declaration.parameters.items() if one.may_be_option)
        try:
            return program_arguments(command, values, loose)
        except ValueError as exc:
            raise HostCallError("ValueError", f"{title}(): {exc}") from exc

    async def _check_urls(self, title: str, values: Mapping[str, JsonValue]) -> None:
        for name, one in self._declaration.parameters.items():
            value = values.get(name)
            if one.format == "url" and isinstance(value, str):
                try:
                    await self._access.admit(value, self._resolve)
                except AccessDenied as exc:
                    raise HostCallError("PermissionError", f"{title}(): {name}: {exc}") from exc
                except LookupError as exc:
                    raise HostCallError("ConnectionError", f"{title}(): {name}: {exc}") from exc

    def _secret_names(self) -> list[str]:
        in_stdin = [one.name for one in placeholders(self._declaration.stdin) if one.secret]
        return [*self._declaration.secrets.values(), *in_stdin]

    async def _run(
        self, title: str, argv: Sequence[str], values: Mapping[str, JsonValue], secrets: SecretsInUse
    ) -> Finished:
        declaration = self._declaration
        hidden = {variable: secrets.values[name] for variable, name in declaration.secrets.items()}
        limits = declaration.limits
        with tempfile.TemporaryDirectory(prefix="exhibit-tool-", ignore_cleanup_errors=True) as folder:
            try:
                return await run_program(
                    argv,
                    env={"PATH": os.environ.get("PATH", os.defpath), **declaration.env, **hidden},
                    folder=Path(folder),
                    stdin=(render(declaration.stdin, values, secrets.values) or "").encode(),
                    output_bytes=limits.output_bytes,
                    timeout_s=limits.timeout_s,
                )
            except TimeoutError as exc:
                raise HostCallError("TimeoutError", f"{title}(): took longer than {limits.timeout_s:g} s") from exc
            except TooMuchOutput as exc:
                raise HostCallError("RuntimeError", f"{title}(): {exc}") from exc
            except (OSError, ValueError) as exc:
                told = f"{title}(): {argv[0]} cannot be started: {exc}"
                raise HostCallError("RuntimeError", secrets.masked_text(told)) from exc

    def _value(self, title: str, finished: Finished, secrets: SecretsInUse) -> JsonValue:
        if finished.code != 0:
            tail = secrets.masked_text(decoded(finished.stderr_tail)).strip()[-TAIL_CHARS:]
            ended = f"exit code {finished.code}" if finished.code > 0 else f"killed by signal {-finished.code}"
            raise HostCallError("RuntimeError", f"{title}(): {ended}{f': {tail}' if tail else ''}")
        return output_value(finished.stdout, self._declaration.output, secrets, title)


def program_arguments(command: Groups, values: Mapping[str, JsonValue], loose: frozenset[str]) -> list[str]:
    """Return the argument list. A group without all its values is left out; one with a list is repeated for each item.

    Raises ValueError for a value that would be read as an option: one that begins with ``-``, at the beginning of an
    argument, before ``--``. ``loose``: arguments that may be options.
    """
    argv: list[str] = []
    ended = False
    for group in command:
        for one in _repeated(group, values):
            argv += _group_arguments(group, one, loose, ended=ended)
        ended = ended or OPTIONS_END in group
    return argv


def _repeated(group: Sequence[str], values: Mapping[str, JsonValue]) -> list[Mapping[str, JsonValue]]:
    names = {one.name for one in placeholders(list(group)) if one.shown is None}
    listed = next((name for name in sorted(names) if isinstance(values.get(name), list | tuple)), None)
    return [values] if listed is None else [{**values, listed: item} for item in values[listed]]


def _group_arguments(
    group: Sequence[str], values: Mapping[str, JsonValue], loose: frozenset[str], *, ended: bool
) -> list[str]:
    arguments: list[str] = []
    for template in group:
        parts = render_parts(template, values)
        if parts is None:
            return []
        text = "".join(part.text for part in parts)
        if "\0" in text:
            raise ValueError("a value holds a zero byte, which no argument can")
        named = {one.name for one in placeholders(template)}
        if text.startswith("-") and parts[0].is_value and not ended and not named & loose:
            raise ValueError(f"argument {min(named)!r} must not begin with '-': it would be read as an option")
        if text or not _is_switch(template):
            arguments.append(text)
    return arguments


def _is_switch(template: str) -> bool:
    """Whether it is nothing but ``{name:text}``: without the text there is no argument at all."""
    return all(not isinstance(part, str) and part.shown is not None for part in parse_template(template))

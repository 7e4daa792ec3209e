"""One attempt at a webhook over HTTP: the host is checked, no redirect is followed, the answer's body is not read."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

import httpx2

from services.evidence.webhooks.attempts import ReceiverAnswer
from shared.hosts import Origin, parse_origin
from shared.network.checked_transport import CheckedTransport, tls_context
from shared.network.host_access import AccessDenied, HostAccess, Resolve

NO_ANSWER_BYTES = 0


@dataclass(frozen=True)
class HttpSender:
    """``private_hosts``: rules of hosts that may have a private address. ``timeout_s``: of all of an attempt."""

    resolve: Resolve
    private_hosts: tuple[str, ...]
    timeout_s: float

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> ReceiverAnswer:
        """Return what the attempt came to; no message names more of the address than its host."""
        origin = parse_origin(url)
        if not isinstance(origin, Origin):
            return ReceiverAnswer("refused", message="the address of the webhook is no address of http or https")
        access = HostAccess((origin.rule,), self.private_hosts)
        try:
            async with asyncio.timeout(self.timeout_s):
                status = await self._status(access, url, headers, body)
        except AccessDenied as exc:
            hint = "a private host is allowed by EXHIBIT_WEBHOOK_PRIVATE_HOSTS"
            return ReceiverAnswer("refused", message=f"{exc} ({hint})")
        except (TimeoutError, httpx2.TimeoutException):
            return ReceiverAnswer("timeout", message=f"{origin.netloc} did not answer within {self.timeout_s:g} s")
        except (httpx2.HTTPError, LookupError, OSError) as exc:
            return ReceiverAnswer("unreachable", message=f"{origin.netloc} cannot be reached: {type(exc).__name__}")
        if 200 <= status < 300:
            return ReceiverAnswer("accepted", status)
        followed = "; redirects are not followed" if 300 <= status < 400 else ""
        return ReceiverAnswer("rejected", status, f"{origin.netloc} answered {status}{followed}")

    async def _status(self, access: HostAccess, url: str, headers: Mapping[str, str], body: bytes) -> int:
        access.check(url)
        transport = CheckedTransport(access, self.resolve, await tls_context(), NO_ANSWER_BYTES)
        async with httpx2.AsyncClient(transport=transport, timeout=self.timeout_s, follow_redirects=False) as client:
            response = await client.send(client.build_request("POST", url, headers=headers, content=body), stream=True)
            try:
                return response.status_code
            finally:
                await response.aclose()

"""Asks a time-stamping authority for a token over HTTP (RFC 3161, section 3.4)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from http import HTTPStatus

import httpx2

from shared.errors import Unavailable
from shared.evidence_format.seals.timestamp import MOST_TOKEN_BYTES
from shared.hosts import Origin, parse_origin
from shared.network.checked_transport import CheckedTransport, TooMuchOutput, tls_context
from shared.network.host_access import AccessDenied, HostAccess, Resolve

HEADERS = {
    "Content-Type": "application/timestamp-query",
    "Accept": "application/timestamp-reply",
    "User-Agent": "exhibit",
}


@dataclass(frozen=True)
class TsaClient:
    """``url`` is a setting of the operator, who may name a host with a private address; nothing else is reached: no
    redirect is followed, and no proxy is used. ``timeout_s``: of all of a query."""

    url: str = field(repr=False)
    resolve: Resolve
    timeout_s: float

    async def ask(self, query: bytes) -> bytes:
        """Return what the authority answers, whatever that is. Raises Unavailable (``timestamp_failed``), which names
        no more of the address than its host."""
        origin = parse_origin(self.url)
        if not isinstance(origin, Origin):
            raise _failed("EXHIBIT_TSA_URL is no address of http or https")
        access = HostAccess((origin.rule,), (origin.rule,))
        try:
            async with asyncio.timeout(self.timeout_s):
                status, body = await self._post(access, query)
        except (TimeoutError, httpx2.TimeoutException):
            raise _failed(f"{origin.netloc} did not answer within {self.timeout_s:g} s") from None
        except (httpx2.HTTPError, LookupError, OSError) as exc:
            raise _failed(f"{origin.netloc} cannot be reached: {type(exc).__name__}") from None
        except (AccessDenied, TooMuchOutput) as exc:
            raise _failed(f"{origin.netloc}: {exc}") from None
        if status != HTTPStatus.OK:
            raise _failed(f"{origin.netloc} answered {status}")
        return body

    async def _post(self, access: HostAccess, query: bytes) -> tuple[int, bytes]:
        transport = CheckedTransport(access, self.resolve, await tls_context(), MOST_TOKEN_BYTES)
        async with httpx2.AsyncClient(transport=transport, timeout=self.timeout_s, follow_redirects=False) as client:
            response = await client.post(self.url, headers=HEADERS, content=query)
            return response.status_code, response.content


def _failed(why: str) -> Unavailable:
    return Unavailable(why, code="timestamp_failed")

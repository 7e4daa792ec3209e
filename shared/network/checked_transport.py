"""A transport of the HTTP client that checks every address, and asks the host at an address that was checked."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from functools import lru_cache

import httpx2

from shared.network.host_access import HostAccess, Resolve

MAX_ADDRESSES = 3
"""Of a host, so many are tried."""
_EVENTS = "text/event-stream"


class TooMuchOutput(Exception):
    """A program or a server gave more than it may."""


class CheckedTransport(httpx2.AsyncBaseTransport):
    """Neither proxies nor settings of the environment are used. ``max_bytes``: of the body of an answer, but for
    streams of events, which have no end. Of two hosts at one address a connection must not be used for both: use one
    transport for one host.

    Requests raise AccessDenied, LookupError for an unknown name, TooMuchOutput while the body is read, and what
    httpx2 raises.
    """

    def __init__(self, access: HostAccess, resolve: Resolve, tls: ssl.SSLContext, max_bytes: int) -> None:
        self._access, self._resolve, self._max_bytes = access, resolve, max_bytes
        self._inner = httpx2.AsyncHTTPTransport(verify=tls, trust_env=False)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        admitted = await self._access.admit(str(request.url), self._resolve)
        origin = admitted.origin
        headers = request.headers.copy()
        headers.update({"Host": origin.netloc, "Accept-Encoding": "identity"})
        failure: httpx2.HTTPError | None = None
        for address in admitted.addresses[:MAX_ADDRESSES]:
            place = request.url.copy_with(scheme=origin.scheme, host=address.partition("%")[0], port=origin.port)
            pinned = httpx2.Request(
                request.method,
                place.copy_with(fragment=None),
                headers=headers,
                stream=request.stream,
                extensions={**request.extensions, "sni_hostname": origin.host},
            )
            try:
                return self._bounded(await self._inner.handle_async_request(pinned))
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as exc:
                failure = exc
        assert failure is not None
        raise failure

    async def aclose(self) -> None:
        await self._inner.aclose()

    def _bounded(self, response: httpx2.Response) -> httpx2.Response:
        stream = response.stream
        assert isinstance(stream, httpx2.AsyncByteStream)
        if not response.headers.get("content-type", "").lower().startswith(_EVENTS):
            response.stream = BoundedStream(stream, self._max_bytes)
        return response


class BoundedStream(httpx2.AsyncByteStream):
    """The bytes of a body up to a limit; beyond it TooMuchOutput is raised."""

    def __init__(self, stream: httpx2.AsyncByteStream, max_bytes: int) -> None:
        self._stream, self._max_bytes = stream, max_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._stream:
            size += len(piece)
            if size > self._max_bytes:
                raise TooMuchOutput(f"the answer has more than {self._max_bytes} bytes")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


async def tls_context() -> ssl.SSLContext:
    """Return the settings of TLS; reading the certificates takes tens of milliseconds, once."""
    return await asyncio.to_thread(_tls_context)


@lru_cache(maxsize=1)
def _tls_context() -> ssl.SSLContext:
    return ssl.create_default_context()

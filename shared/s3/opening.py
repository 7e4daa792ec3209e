"""Opens the bucket that the settings name, without a request to the server."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

import urllib3
from minio.credentials.providers import StaticProvider

from shared.errors import PermanentError, Unavailable
from shared.s3.bucket import AT_ONCE, S3Bucket
from shared.s3.client import S3Client
from shared.s3.location import parse_location
from shared.settings import Settings

CONNECT_BOUND_S, READ_BOUND_S = 5.0, 60.0


def open_bucket(settings: Settings, url: str | None = None) -> S3Bucket:
    """Return the bucket of the evidence, or that of ``url`` on the same server; no request is made yet.

    Raises PermanentError when ``url`` or the endpoint is not valid, Unavailable when there are no credentials.
    """
    location = parse_location(url or settings.evidence_bucket or "")
    endpoint = urlsplit(settings.s3_endpoint)
    if endpoint.scheme not in ("http", "https") or not endpoint.netloc or endpoint.path not in ("", "/"):
        told = f"EXHIBIT_S3_ENDPOINT is {settings.s3_endpoint!r}: it is to be http://host:port or https://host"
        raise PermanentError(told, code="bad_place")
    client = S3Client(
        endpoint.netloc,
        credentials=StaticProvider(*find_credentials(settings)),
        secure=endpoint.scheme == "https",
        region=settings.s3_region,
        http_client=_connections(),
    )
    return S3Bucket(client, location, settings.s3_endpoint)


def find_credentials(settings: Settings) -> tuple[str, str, str | None]:
    """Return access key, secret key and session token, from the settings or else from the usual AWS variables.

    Raises Unavailable (``store_credentials``) when there are none.
    """
    if settings.s3_access_key and settings.s3_secret_key:
        return settings.s3_access_key.get_secret_value(), settings.s3_secret_key.get_secret_value(), None
    access, secret = os.environ.get("AWS_ACCESS_KEY_ID"), os.environ.get("AWS_SECRET_ACCESS_KEY")
    if not access or not secret:
        told = "no credentials for the S3 server: set EXHIBIT_S3_ACCESS_KEY and EXHIBIT_S3_SECRET_KEY"
        raise Unavailable(told, code="store_credentials")
    return access, secret, os.environ.get("AWS_SESSION_TOKEN")


def _connections() -> urllib3.PoolManager:
    """Without retries: the runner is the one layer that retries."""
    timeout = urllib3.Timeout(connect=CONNECT_BOUND_S, read=READ_BOUND_S)
    return urllib3.PoolManager(timeout=timeout, maxsize=AT_ONCE, retries=False, cert_reqs="CERT_REQUIRED")

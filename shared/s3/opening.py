"""Opens the bucket that the settings name: with the extra ``s3``, whose packages are imported when one is opened."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from shared.errors import PermanentError, Unavailable
from shared.extras import need_extra
from shared.s3.location import parse_location
from shared.settings import Settings

if TYPE_CHECKING:
    from shared.s3.bucket import S3Bucket


def open_bucket(settings: Settings, url: str | None = None) -> S3Bucket:
    """Return the bucket of the evidence, or that of ``url`` on the same server; no request is made yet.

    Raises PermanentError when ``url`` or the endpoint is not valid, or the extra is not installed (``not_installed``);
    Unavailable when there are no credentials.
    """
    location = parse_location(url or settings.evidence_bucket or "")
    endpoint = urlsplit(settings.s3_endpoint)
    if endpoint.scheme not in ("http", "https") or not endpoint.netloc or endpoint.path not in ("", "/"):
        told = f"EXHIBIT_S3_ENDPOINT is {settings.s3_endpoint!r}: it is to be http://host:port or https://host"
        raise PermanentError(told, code="bad_place")
    need_extra("s3")
    from shared.s3.bucket import S3Bucket
    from shared.s3.client import make_client

    client = make_client(
        endpoint.netloc,
        find_credentials(settings),
        settings.s3_region,
        secure=endpoint.scheme == "https",
        ca=settings.s3_ca,
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


def make_duckdb_secret(settings: Settings) -> dict[str, str]:
    """Return the options of the secret with which DuckDB reads the bucket of the evidence, and no other."""
    server = urlsplit(settings.s3_endpoint)
    access, secret_key, token = find_credentials(settings)
    return {
        "KEY_ID": access,
        "SECRET": secret_key,
        **({"SESSION_TOKEN": token} if token else {}),
        "REGION": settings.s3_region,
        "ENDPOINT": server.netloc,
        "URL_STYLE": "path",
        "USE_SSL": "false" if server.scheme == "http" else "true",
        "SCOPE": f"s3://{parse_location(settings.evidence_bucket or '').bucket}/",
    }

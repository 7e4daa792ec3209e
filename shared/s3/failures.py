"""What an S3 server, or the way to it, says when something fails, in our words: said once, here.

All of it is Unavailable: credentials are put right, a bucket is made, a server comes back, and the run goes on.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import urllib3
from minio.error import InvalidResponseError, MinioException, S3Error, ServerError

from shared.contracts.error_codes import TransientCode
from shared.errors import Unavailable
from shared.s3.place import Place

ABSENT = frozenset({"NoSuchKey", "NoSuchVersion", "NoSuchUpload", "ResourceNotFound"})
TAKEN = frozenset({"PreconditionFailed", "ConditionalRequestConflict"})
"""Answers to a conditional write: somebody else was first, or is just being first."""
LACKING = frozenset(
    {
        *("NotImplemented", "XNotImplemented", "MethodNotAllowed", "InvalidRequest", "InvalidArgument"),
        *("InvalidBucketState", "VersioningNotConfigured"),
    }
)
"""Answers of servers that lack what they are asked for."""
_KEYS = "set EXHIBIT_S3_ACCESS_KEY and EXHIBIT_S3_SECRET_KEY"
_SAID = {
    "InvalidAccessKeyId": f"the server does not know this access key; {_KEYS}",
    "XAdminUserNotFound": f"the server does not know this access key; {_KEYS}",
    "SignatureDoesNotMatch": f"the secret key is not that of the access key; {_KEYS}",
    "InvalidToken": f"the credentials are of no use there; {_KEYS}",
    "ExpiredToken": f"the credentials have expired; {_KEYS}",
    "AccessDenied": "these credentials may not do that; give their user the right to read and write, or use others",
    "AllAccessDisabled": "these credentials may do nothing there; use others",
    "NoSuchBucket": "there is no such bucket; make it, or name another with --evidence s3://bucket",
    "RequestTimeTooSkewed": "the clocks of this machine and of the server differ by too much; set this machine's clock",
    "AuthorizationHeaderMalformed": "the server is in another region; set EXHIBIT_S3_REGION",
    "XMinioStorageFull": "the server's disk is full; make room there",
    "InsufficientStorage": "the server's disk is full; make room there",
    "QuotaExceeded": "the bucket's quota is used up; make room there",
    "XMinioAdminBucketQuotaExceeded": "the bucket's quota is used up; make room there",
    "SlowDown": "the server asks for fewer requests",
}
_CREDENTIALS = ("InvalidAccessKeyId", "XAdminUserNotFound", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken")
_CODES: dict[str, TransientCode] = {
    "NoSuchBucket": "no_bucket",
    **dict.fromkeys(("XMinioStorageFull", "InsufficientStorage"), "disk_full"),
    **dict.fromkeys(("QuotaExceeded", "XMinioAdminBucketQuotaExceeded"), "disk_full"),
    **dict.fromkeys(_CREDENTIALS, "store_credentials"),
    **dict.fromkeys(("AccessDenied", "AllAccessDisabled"), "store_denied"),
}


@contextmanager
def mapped(endpoint: str, place: Place, doing: str) -> Generator[None]:
    """Foreign errors become Unavailable; ``doing`` is what was tried: "read run_1/run.json"."""
    try:
        yield
    except S3Error as exc:
        code = _code(exc)
        why = _SAID.get(code, f"{exc.message or 'no reason given'} ({code})")
        raise Unavailable(_told(endpoint, place, doing, why), code=_CODES.get(code, "store_unavailable")) from exc
    except (InvalidResponseError, ServerError, MinioException) as exc:
        why = f"what answers there does not speak S3; look at EXHIBIT_S3_ENDPOINT ({str(exc)[:200]})"
        if isinstance(exc, ServerError) and exc.status_code >= 500:
            why = f"the server is not able to serve now ({exc.status_code})"
        raise Unavailable(_told(endpoint, place, doing, why), code="store_unavailable") from exc
    except (urllib3.exceptions.HTTPError, ConnectionError, TimeoutError) as exc:
        why = f"the server does not answer ({_plain(exc)})"
        raise Unavailable(_told(endpoint, place, doing, why), code="store_unavailable") from exc


def _code(exc: S3Error) -> str:
    """A disk that is full in the middle of a write is an error like any other to some servers, but for its words."""
    full = "no space left on device" in (exc.message or "").lower()
    return "InsufficientStorage" if full else exc.code or "no code"


def _told(endpoint: str, place: Place, doing: str, why: str) -> str:
    return f"{place} at {endpoint}: cannot {doing}: {why}; the run goes on when it can"


def _plain(exc: Exception) -> str:
    """Without the object that urllib3 puts in front: ``<urllib3...object at 0x...>: Failed to ...``."""
    text = str(exc)
    return text.rpartition(">: ")[2][:200] or type(exc).__name__

"""Maps errors of S3 servers, and of the way to them, to ours.

All of them become Unavailable: once the credentials are right, the bucket exists or the server is back, the run
continues.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import urllib3
from minio.error import InvalidResponseError, MinioException, S3Error, ServerError

from shared.contracts.error_codes import TransientCode
from shared.errors import Unavailable
from shared.s3.location import S3Location

ABSENT = frozenset({"NoSuchKey", "NoSuchVersion", "NoSuchUpload", "ResourceNotFound"})
TAKEN = frozenset({"PreconditionFailed", "ConditionalRequestConflict"})
"""Answers to a conditional write when another process was first, or is writing now."""
LACKING = frozenset(
    {
        *("NotImplemented", "XNotImplemented", "MethodNotAllowed", "InvalidRequest", "InvalidArgument"),
        *("InvalidBucketState", "VersioningNotConfigured"),
    }
)
"""Answers of servers that do not implement the call."""
_KEYS = "set EXHIBIT_S3_ACCESS_KEY and EXHIBIT_S3_SECRET_KEY"
_EXPLANATIONS = {
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
def map_s3_errors(endpoint: str, location: S3Location, doing: str) -> Generator[None]:
    """Raise foreign errors of the block as Unavailable; ``doing`` is what was tried: "read run_1/run.json"."""
    try:
        yield
    except S3Error as exc:
        code = _code(exc)
        why = _EXPLANATIONS.get(code, f"{exc.message or 'no reason given'} ({code})")
        raise Unavailable(_message(endpoint, location, doing, why), code=_CODES.get(code, "store_unavailable")) from exc
    except (InvalidResponseError, ServerError, MinioException) as exc:
        why = f"what answers there does not speak S3; look at EXHIBIT_S3_ENDPOINT ({str(exc)[:200]})"
        if isinstance(exc, ServerError) and exc.status_code >= 500:
            why = f"the server is not able to serve now ({exc.status_code})"
        raise Unavailable(_message(endpoint, location, doing, why), code="store_unavailable") from exc
    except (urllib3.exceptions.HTTPError, ConnectionError, TimeoutError) as exc:
        why = f"the server does not answer ({_short_message(exc)})"
        raise Unavailable(_message(endpoint, location, doing, why), code="store_unavailable") from exc


def _code(exc: S3Error) -> str:
    """Return the error's code; some servers report a full disk as a general error, told only by its message."""
    full = "no space left on device" in (exc.message or "").lower()
    return "InsufficientStorage" if full else exc.code or "no code"


def _message(endpoint: str, location: S3Location, doing: str, why: str) -> str:
    return f"{location} at {endpoint}: cannot {doing}: {why}; the run goes on when it can"


def _short_message(exc: Exception) -> str:
    """Return the message without the object that urllib3 puts in front: ``<urllib3...object at 0x...>: ...``."""
    text = str(exc)
    return text.rpartition(">: ")[2][:200] or type(exc).__name__

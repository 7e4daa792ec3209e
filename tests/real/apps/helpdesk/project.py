"""A help desk as an agent of it sees it: who asks is signed in as the auditor, by Django's own remote user."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import django
from django.conf import settings

AUDITOR = "auditor"
DJANGO = ("auth", "contenttypes", "sessions", "sites", "messages", "staticfiles", "humanize")
CONTEXT = (
    "django.template.context_processors.request",
    "django.template.context_processors.i18n",
    "django.contrib.auth.context_processors.auth",
    "django.contrib.messages.context_processors.messages",
)


def signed_in(respond: Callable) -> Callable:
    """Middleware that says of each request what a server with single sign-on says."""

    def answer(request: object) -> object:
        request.META["REMOTE_USER"] = AUDITOR
        return respond(request)

    return answer


def set_up(folder: Path) -> None:
    """Configure Django with the database of the folder."""
    settings.configure(
        SECRET_KEY="only on loopback",
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF="pages",
        SITE_ID=1,
        INSTALLED_APPS=[*(f"django.contrib.{name}" for name in DJANGO), "rest_framework", "helpdesk"],
        MIDDLEWARE=[
            "project.signed_in",
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.auth.middleware.RemoteUserMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
        ],
        AUTHENTICATION_BACKENDS=["django.contrib.auth.backends.RemoteUserBackend"],
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "APP_DIRS": True,
                "OPTIONS": {"context_processors": list(CONTEXT)},
            }
        ],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(folder / "helpdesk.db")}},
        DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        EMAIL_BACKEND="django.core.mail.backends.dummy.EmailBackend",
        HELPDESK_TEAMS_MODE_ENABLED=False,
        STATIC_URL="/static/",
        MEDIA_ROOT=str(folder / "media"),
        USE_TZ=False,
        LANGUAGE_CODE="en-us",
    )
    django.setup()

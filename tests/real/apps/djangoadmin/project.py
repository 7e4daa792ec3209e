"""A register of assets in Django's own admin: everybody may look at it, nobody may change it."""

from __future__ import annotations

from pathlib import Path

import django
from django.conf import settings

APPS = ("admin", "auth", "contenttypes", "sessions", "messages", "staticfiles")
CONTEXT = (
    "django.template.context_processors.request",
    "django.contrib.auth.context_processors.auth",
    "django.contrib.messages.context_processors.messages",
)


def set_up(folder: Path) -> None:
    """Configure Django with the database of the folder."""
    settings.configure(
        SECRET_KEY="only on loopback",
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF="pages",
        INSTALLED_APPS=[*(f"django.contrib.{name}" for name in APPS), "register"],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
        ],
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "APP_DIRS": True,
                "OPTIONS": {"context_processors": list(CONTEXT)},
            }
        ],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(folder / "assets.db")}},
        DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        STATIC_URL="/static/",
        USE_TZ=False,
    )
    django.setup()

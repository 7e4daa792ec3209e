"""The addresses of the help desk."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [path("", include("helpdesk.urls", namespace="helpdesk"))]

"""The admin and its address: two groups of fields, and the changes of the past below them."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest
from django.urls import path
from models import Asset, Change, Person


class Register(admin.AdminSite):
    def has_permission(self, request: HttpRequest) -> bool:
        return True


class Shown:
    """Everybody may look, nobody may change."""

    def has_view_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return True

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    has_change_permission = has_delete_permission = has_add_permission

    def has_module_permission(self, request: HttpRequest) -> bool:
        return True


class Changes(Shown, admin.TabularInline):
    model = Change


class Assets(Shown, admin.ModelAdmin):
    inlines = (Changes,)
    list_display = ("tag", "name", "condition")
    fieldsets = (
        (None, {"fields": ("tag", "name", ("condition", "holder"))}),
        ("Purchase", {"fields": ("price", "bought_on", "retired_on", "leased", "remarks")}),
    )


class People(Shown, admin.ModelAdmin):
    pass


site = Register()
site.register(Asset, Assets)
site.register(Person, People)
urlpatterns = [path("admin/", site.urls)]

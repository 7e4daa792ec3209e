"""The register of assets that the admin shows."""

from __future__ import annotations

from django.db import models


class Person(models.Model):
    name = models.CharField(max_length=80)

    class Meta:
        app_label = "register"
        db_table = "people"

    def __str__(self) -> str:
        return self.name


class Asset(models.Model):
    tag = models.CharField(max_length=10)
    name = models.CharField(max_length=80)
    condition = models.CharField(max_length=20)
    holder = models.ForeignKey(Person, models.CASCADE, null=True)
    price = models.DecimalField(max_digits=10, decimal_places=2)
    bought_on = models.DateField()
    retired_on = models.DateField(null=True)
    leased = models.BooleanField()
    remarks = models.TextField()

    class Meta:
        app_label = "register"
        db_table = "assets"

    def __str__(self) -> str:
        return f"{self.tag} {self.name}"


class Change(models.Model):
    asset = models.ForeignKey(Asset, models.CASCADE)
    field = models.CharField(max_length=20)
    before = models.CharField(max_length=80)
    after = models.CharField(max_length=80)

    class Meta:
        app_label = "register"
        db_table = "changes"

    def __str__(self) -> str:
        return f"{self.field}: {self.before} → {self.after}"

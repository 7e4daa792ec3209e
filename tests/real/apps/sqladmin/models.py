"""The register of assets that the admin shows, and where its database is."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path

from sqlalchemy import Engine, ForeignKey, Numeric, create_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship


class Base(DeclarativeBase):
    pass


class Person(Base):
    __tablename__ = "people"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]

    def __str__(self) -> str:
        return self.name


class Asset(Base):
    __tablename__ = "assets"
    id: Mapped[int] = mapped_column(primary_key=True)
    tag: Mapped[str]
    name: Mapped[str]
    condition: Mapped[str]
    price: Mapped[Decimal] = mapped_column(Numeric(10, 2))
    bought_on: Mapped[datetime.date]
    retired_on: Mapped[datetime.date | None]
    leased: Mapped[bool]
    remarks: Mapped[str]
    holder_id: Mapped[int | None] = mapped_column(ForeignKey("people.id"))
    holder: Mapped[Person | None] = relationship()
    changes: Mapped[list[Change]] = relationship(back_populates="asset")

    def __str__(self) -> str:
        return f"{self.tag} {self.name}"


class Change(Base):
    __tablename__ = "changes"
    id: Mapped[int] = mapped_column(primary_key=True)
    asset_id: Mapped[int] = mapped_column(ForeignKey("assets.id"))
    asset: Mapped[Asset] = relationship(back_populates="changes")
    field: Mapped[str]
    before: Mapped[str]
    after: Mapped[str]

    def __str__(self) -> str:
        return f"{self.field}: {self.before} → {self.after}"


def engine_of(folder: Path) -> Engine:
    return create_engine(f"sqlite:///{folder / 'assets.db'}", connect_args={"check_same_thread": False})

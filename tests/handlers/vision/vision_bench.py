"""Drawn test pictures, questions about them, and the vision service on a bus."""

from __future__ import annotations

import asyncio
import hashlib
import io
from typing import Any

from PIL import Image, ImageDraw

from services.vision.deps import PictureReader, VisionDeps
from services.vision.handlers import actor
from services.vision.pictures import open_picture
from services.vision.readers.local import LocalReader
from shared.contracts.vision import AskVision, VisionAnswered
from shared.streams import ARTIFACTS
from shared.subjects import VISION_ASK
from shared.testing.bus import MemoryBus

BLOB = "run_1/s_1/icon"
STATES = ("passed", "failed", "pending", "skipped")
GREEN, RED, AMBER = "#1a7f37", "#cf222e", "#dbab09"


def encoded(picture: Image.Image, kind: str = "PNG") -> bytes:
    out = io.BytesIO()
    picture.save(out, kind)
    return out.getvalue()


def check_icon(colour: str = GREEN, ground: str = "white", size: int = 24) -> Image.Image:
    """Return a check mark with antialiased edges (drawn large and scaled down)."""
    picture = Image.new("RGB", (240, 240), ground)
    ImageDraw.Draw(picture).line([(45, 130), (95, 180), (195, 70)], fill=colour, width=24, joint="curve")
    return picture.resize((size, size), Image.Resampling.LANCZOS)


def cross_icon(colour: str = RED, ground: str = "white", size: int = 24) -> Image.Image:
    picture = Image.new("RGB", (240, 240), ground)
    pen = ImageDraw.Draw(picture)
    pen.line([(60, 60), (180, 180)], fill=colour, width=24)
    pen.line([(60, 180), (180, 60)], fill=colour, width=24)
    return picture.resize((size, size), Image.Resampling.LANCZOS)


def dot_icon(colour: str = AMBER, ground: str = "white", size: int = 24) -> Image.Image:
    picture = Image.new("RGB", (240, 240), ground)
    ImageDraw.Draw(picture).ellipse([60, 60, 180, 180], fill=colour)
    return picture.resize((size, size), Image.Resampling.LANCZOS)


def question_about(data: bytes, **changes: Any) -> AskVision:
    asked: dict[str, Any] = {
        "run_id": "run_1",
        "sample_id": "s_1",
        "question": "What is the state of the check 'build'?",
        "choices": STATES,
        "blob": BLOB,
        "sha256": hashlib.sha256(data).hexdigest(),
        "size_bytes": len(data),
        "media_type": "image/png",
    }
    return AskVision(**{**asked, **changes})


def deps_on(bus: Any, reader: PictureReader | None = None, slots: int = 4) -> VisionDeps:
    return VisionDeps(
        blobs=bus, open_picture=open_picture, reader=reader or LocalReader(), slots=asyncio.Semaphore(slots)
    )


async def ask(data: bytes, reader: PictureReader | None = None, **changes: Any) -> VisionAnswered:
    """Ask over a bus in memory that holds the picture."""
    bus = MemoryBus()
    bus.host(actor, deps_on(bus, reader))
    await bus.put(ARTIFACTS, BLOB, data)
    return await bus.ask(VISION_ASK, question_about(data, **changes))

"""One question about one picture: answers, refusals, and their wording."""

from __future__ import annotations

import asyncio
import struct
import zlib

import pytest
from PIL import Image, ImageChops

from services.vision.handlers import MAX_BYTES, actor
from shared.bus.nats_bus import connect_bus
from shared.contracts.results import Box
from shared.contracts.vision import VisionAnswered
from shared.errors import PermanentError
from shared.host.services import run_services
from shared.streams import ARTIFACTS
from shared.subjects import VISION_ASK
from shared.testing.bus import MemoryBus
from shared.testing.settings import isolated_settings
from tests.handlers.vision.vision_bench import (
    BLOB,
    GREEN,
    ask,
    check_icon,
    cross_icon,
    deps_on,
    dot_icon,
    encoded,
    question_about,
)


@pytest.mark.parametrize(
    ("picture", "answer"), [(check_icon(), "passed"), (cross_icon(), "failed"), (dot_icon(), "pending")]
)
async def test_without_a_model_a_status_icon_is_read_by_colour_and_shape(picture, answer):
    told = await ask(encoded(picture))
    assert (told.answer, told.answered_by) == (answer, "local")
    assert told.confidence >= 0.8
    assert told.usage.llm_calls == 0


STATES = {
    "question": 'What does the picture show as "approved"?',
    "answer_type": "enum",
    "choices": ("approved", "rejected"),
}


@pytest.mark.parametrize(
    ("picture", "answer"), [(check_icon(), "approved"), (cross_icon(), "rejected"), (dot_icon(), None)]
)
async def test_without_a_model_an_enum_of_states_is_read_in_its_words(picture, answer):
    assert (await ask(encoded(picture), **STATES)).answer == answer


async def test_what_a_field_is_called_is_no_witness_unless_it_is_bad():
    cross, check = encoded(cross_icon()), encoded(check_icon())
    assert (await ask(cross, **STATES, field="approved", hints=("Approved",))).answer == "rejected"
    assert (await ask(cross, **STATES, field="signed", hints=("Approved",))).answer is None
    failed = {**STATES, "choices": ("passed", "failed"), "field": "failed", "hints": ("Failed",)}
    assert (await ask(check, **failed)).answer is None


async def test_an_icon_says_neither_yes_nor_no_since_a_cross_may_be_either():
    assert (await ask(encoded(cross_icon()), **{**STATES, "choices": (), "answer_type": "boolean"})).answer is None


async def test_the_part_that_is_asked_about_is_looked_at_and_told():
    page = Image.new("RGB", (600, 400), "white")
    page.paste(check_icon(), (100, 50))
    page.paste(cross_icon(), (100, 90))
    data = encoded(page)
    upper, lower = Box(x=100, y=50, width=24, height=24), Box(x=100, y=90, width=24, height=24)
    assert (await ask(data, region=upper)).answer == "passed"
    told = await ask(data, region=lower)
    assert (told.answer, told.region) == ("failed", lower)
    assert (await ask(data)).answer is None  # the whole page is no icon


async def test_words_that_contradict_the_picture_leave_no_answer_and_both_are_named():
    told = await ask(encoded(check_icon()), hints=("build failed after 3 min",))
    assert (told.answer, told.confidence, told.region) == (None, 0.0, None)
    assert "green" in told.reasoning
    assert "failed" in told.reasoning


async def test_a_question_that_is_not_about_a_state_needs_a_model():
    told = await ask(encoded(check_icon()), question="How many bars has the chart?", choices=())
    assert (told.answer, told.confidence) == (None, 0.0)
    assert "needs a model" in told.reasoning


@pytest.mark.parametrize(
    ("words", "changes"),
    [
        ("open-ended", {"question": "Describe this page."}),
        ("more than one", {"question": "Is it green? " * 100}),
        ("too many choices", {"choices": tuple(map(str, range(51)))}),
        ("outside of the picture", {"region": Box(x=500, y=0, width=9, height=9)}),
    ],
)
async def test_what_is_no_targeted_question_is_refused_in_words(words, changes):
    with pytest.raises(PermanentError, match=words) as caught:
        await ask(encoded(check_icon()), **changes)
    assert caught.value.code == "invalid_message"


# --- the picture is the one that was captured, or none


async def test_a_picture_that_is_gone_or_another_is_not_looked_at():
    bus, data = MemoryBus(), encoded(check_icon())
    bus.host(actor, deps_on(bus))
    with pytest.raises(PermanentError, match="no object") as gone:
        await bus.ask(VISION_ASK, question_about(data))
    assert gone.value.code == "no_blob"
    for other in (encoded(cross_icon()), data[:-1], data[:-1] + b"x"):
        await bus.put(ARTIFACTS, BLOB, other)
        with pytest.raises(PermanentError) as caught:
            await bus.ask(VISION_ASK, question_about(data))
        assert caught.value.code == "artifact_mismatch"


def png(width: int, height: int, pixels: bytes = b"") -> bytes:
    """A file whose header says this size, whatever is in it."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (png(20_000, 20_000), "too_large", "20000 x 20000"),
        (png(2**31 - 1, 2**31 - 1), "too_large", "too large"),
        (png(6000, 6000, b"\0" * 1000), "not_a_picture", "no whole PNG"),
        (encoded(check_icon(size=200))[:-400], "not_a_picture", "no whole PNG"),
        (b"", "not_a_picture", "no whole PNG"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not_a_picture", "no whole PNG"),
        (encoded(check_icon(), "JPEG"), "not_a_picture", "no whole PNG"),
    ],
)
async def test_a_hostile_picture_is_refused_in_words(data, code, words):
    with pytest.raises(PermanentError, match=words) as caught:
        await ask(data)
    assert caught.value.code == code


async def test_what_is_no_picture_or_too_many_bytes_is_not_even_opened():
    data = encoded(check_icon())
    with pytest.raises(PermanentError, match="no picture that can be looked at"):
        await ask(data, media_type="application/pdf")
    with pytest.raises(PermanentError, match="too large to look at"):
        await ask(data, size_bytes=MAX_BYTES + 1)


async def test_a_picture_with_see_through_ground_and_a_photograph_are_read():
    clear = Image.new("RGBA", (24, 24), (0, 0, 0, 0))
    drawn = ImageChops.invert(check_icon().convert("L")).point(lambda level: level and 255)
    clear.paste(check_icon(), mask=drawn)
    assert (await ask(encoded(clear))).answer == "passed"
    jpeg = encoded(check_icon(size=48), "JPEG")
    assert (await ask(jpeg, media_type="image/jpeg")).answer == "passed"


# --- as a service


class Held:
    """A reader that answers when it is let go."""

    name = "held"

    def __init__(self) -> None:
        self.now = self.most = 0
        self.arrived, self.go = asyncio.Event(), asyncio.Event()

    async def answer(self, request, picture):
        self.now += 1
        self.most = max(self.most, self.now)
        if self.now == 3:
            self.arrived.set()
        await self.go.wait()
        self.now -= 1
        return VisionAnswered(answer="x", confidence=1.0, reasoning="", answered_by=self.name)

    async def aclose(self) -> None: ...


async def test_several_questions_are_worked_on_at_a_time_and_no_more_than_there_are_slots():
    bus, reader, data = MemoryBus(), Held(), encoded(check_icon())
    bus.host(actor, deps_on(bus, reader, slots=3))
    await bus.put(ARTIFACTS, BLOB, data)
    asked = [asyncio.create_task(bus.ask(VISION_ASK, question_about(data))) for _ in range(9)]
    await asyncio.wait_for(reader.arrived.wait(), 60)
    reader.go.set()
    assert [one.answer for one in await asyncio.gather(*asked)] == ["x"] * 9
    assert reader.most == 3


async def test_the_service_alone_answers_on_a_real_bus(nats_url, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    data = encoded(check_icon(GREEN))
    page = encoded(Image.effect_noise((900, 900), 90))  # several chunks on the bus
    async with run_services(isolated_settings(), nats_url, ("vision",)), connect_bus(nats_url, name="test") as bus:
        await bus.put(ARTIFACTS, "icon", data)
        await bus.put(ARTIFACTS, "page", page)
        told = await bus.ask(VISION_ASK, question_about(data, blob="icon"))
        on_page = await bus.ask(VISION_ASK, question_about(page, blob="page"))
        with pytest.raises(PermanentError) as gone:
            await bus.ask(VISION_ASK, question_about(data, blob="nothing"))
        with pytest.raises(PermanentError, match="open-ended"):
            await bus.ask(VISION_ASK, question_about(data, blob="icon", question="Describe the page"))
    assert (told.answer, told.answered_by) == ("passed", "local")
    assert on_page.answer is None
    assert gone.value.code == "no_blob"

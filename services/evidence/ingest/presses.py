"""Claims of presses that cannot be undone, stored with their sample: of several attempts one may press.

A claim is given back only by the attempt that has it, and only where the press was certainly not made. Its file stays,
and says so; the next claim has the next number, so that a message that comes late gives back nothing else.
"""

from __future__ import annotations

import msgspec

from services.evidence.deps import EvidenceDeps
from services.evidence.lifecycle import require_open_attempt
from services.evidence.settlements import times_released
from shared.contracts.evidence import ClaimPress
from shared.contracts.steps import PressClaim
from shared.evidence_format import layout
from shared.evidence_format.files.json_files import encode_file
from shared.evidence_format.files.sample import PressFile


async def hold_press(deps: EvidenceDeps, request: ClaimPress) -> PressClaim | None:
    """Return the claim that stands once the request is done; the caller holds the lock of claims."""
    asked = request.pressed
    folder = layout.sample_key(asked.run_id, asked.sample_id)
    released = await times_released(deps.store, asked.run_id, asked.sample_id)
    key = f"{folder}/{layout.pressed_file(asked.step, released)}"
    written = await deps.store.read(key)
    file = None if written is None else msgspec.json.decode(written, type=PressFile)
    held = None if file is None or file.given_back else file.to_pressed()
    if request.give_back:
        if held is None or held != asked:
            return held
        after, claim = PressFile.of(asked, given_back=True), None
    elif held is not None or not request.claim:
        return held
    else:
        claim = msgspec.structs.replace(asked, number=0 if file is None else file.number + 1)
        after = PressFile.of(claim)
    await require_open_attempt(deps, await deps.ledger.lock_and_read(asked.run_id), asked)
    await deps.store.write(key, encode_file(after))
    await deps.store.make_durable(folder)
    return claim

"""Zstandard data: what comes back, and what hostile or damaged data costs: never more than the limit."""

from __future__ import annotations

import pytest

from shared.zstd import MAX_WINDOW_LOG, PIECE_BYTES, UnpacksToTooMuch, pack_zstd, unpack_pieces, unpack_zstd, zstd
from tests.cases import cases

LARGE = bytes(range(256)) * 4_000
UNTOLD: dict[int, int] = {zstd.CompressionParameter.content_size_flag: 0}
"""The header does not say how large the data is."""


@cases("data", [b"", b"one", LARGE])
def test_what_was_packed_comes_back_in_pieces_of_a_bounded_size(data: bytes):
    pieces = list(unpack_pieces(pack_zstd(data), len(data)))
    assert b"".join(pieces) == data
    assert all(0 < len(piece) <= PIECE_BYTES for piece in pieces)


@cases("packed", [pack_zstd(b"0" * 1_000_000), zstd.compress(b"0" * 1_000_000, options=UNTOLD)])
def test_what_unpacks_to_too_much_is_refused_whatever_its_header_says(packed: bytes):
    assert unpack_zstd(packed, 1_000_000) == b"0" * 1_000_000
    told = list[bytes]()
    with pytest.raises(UnpacksToTooMuch, match="more than 300000 bytes"):
        told.extend(unpack_pieces(packed, 300_000))
    assert sum(map(len, told)) <= 300_000


def test_data_that_asks_for_too_much_memory_is_refused():
    window: dict[int, int] = {zstd.CompressionParameter.window_log: MAX_WINDOW_LOG + 1, **UNTOLD}
    packer = zstd.ZstdCompressor(options=window)
    packed = packer.compress(b"one") + packer.flush()
    with pytest.raises(ValueError, match="cannot be unpacked"):
        unpack_zstd(packed, 1_000)


@cases("packed", [b"", b"no data", pack_zstd(LARGE)[:-1], pack_zstd(LARGE)[:9]])
def test_what_is_no_whole_frame_is_refused(packed: bytes):
    with pytest.raises(ValueError, match="cannot be unpacked"):
        unpack_zstd(packed, 10**9)


def test_what_stands_behind_the_frame_is_not_read():
    assert unpack_zstd(pack_zstd(b"one") + b"more", 3) == b"one"
    assert unpack_zstd(pack_zstd(b"one") + pack_zstd(b"two"), 3) == b"one"

"""Members are unpacked alike by whatever unpacks them; what is broken is refused, and bombs come in pieces."""

from __future__ import annotations

import gzip
import zlib
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ronda.archive import gzip_members
from ronda.archive.gzip_members import PIECE_BYTES, BrokenMember, Members

# Bytes and how often they are repeated: drawn as they are, a megabyte would be too much for Hypothesis to name.
CONTENT = st.tuples(st.binary(max_size=300), st.just(1) | st.integers(0, 5_000))


def unpacked(data: bytes, start: int = 0, end: int | None = None) -> list[tuple[int, bytes]]:
    members = Members(BytesIO(data), start, end)
    found = []
    while members.has_more():
        found.append((members.position, b"".join(members.pieces())))
    return found


@given(st.lists(CONTENT, max_size=5), st.binary(max_size=40))
def test_members_and_their_places(drawn: list[tuple[bytes, int]], before: bytes) -> None:
    contents = [piece * times for piece, times in drawn]
    packed = [gzip.compress(content) for content in contents]
    places = [len(before) + sum(map(len, packed[:number])) for number in range(len(packed))]
    data = before + b"".join(packed)
    assert unpacked(data, len(before)) == list(zip(places, contents, strict=True))
    assert unpacked(data + b"what others wrote", len(before), len(data)) == unpacked(data, len(before))


@settings(max_examples=300)
@given(st.binary(min_size=1, max_size=300), st.data())
def test_both_unpackers_agree_on_what_is_broken(content: bytes, data: st.DataObject) -> None:
    packed = bytearray(gzip.compress(content, mtime=0))
    for _ in range(data.draw(st.integers(1, 3))):
        # Mostly in the head, which has the most to get wrong.
        place = data.draw(st.integers(0, 11) | st.integers(0, len(packed) - 1))
        packed[place] = data.draw(st.integers(0, 255))
    verdicts = []
    for unpacker, errors in ((gzip_members.new_unpacker, gzip_members.UNPACK_ERRORS), PLAIN):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(gzip_members, "new_unpacker", unpacker)
            patch.setattr(gzip_members, "UNPACK_ERRORS", errors)
            try:
                verdicts.append(unpacked(bytes(packed)))
            except BrokenMember:
                verdicts.append([])
    assert verdicts[0] == verdicts[1]


PLAIN = (zlib.decompressobj, (zlib.error,))


def test_a_file_that_ends_within_a_member() -> None:
    packed = gzip.compress(b"x" * 10_000)
    for cut in range(1, len(packed)):
        with pytest.raises(BrokenMember, match="ends within"):
            unpacked(packed[:cut])


def test_a_bomb_comes_in_pieces() -> None:
    members = Members(BytesIO(gzip.compress(bytes(50 * 1024**2))))
    sizes = [len(piece) for piece in members.pieces()]
    assert sum(sizes) == 50 * 1024**2
    assert max(sizes) <= PIECE_BYTES

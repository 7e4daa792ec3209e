"""Values that a message may have by its type, as JSON: built from what msgspec knows of the type."""

from __future__ import annotations

import base64
from typing import Any

from hypothesis import strategies as st
from msgspec import inspect

from tests.fuzz.hostile import LEAVES, NUMBERS, TEXTS, VALUES

MAX_LEVELS = 5
TIMES = ["2026-11-21T08:00:00Z", "2026-11-21T08:00:00+14:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]

_STRUCTS: dict[tuple[type, int], st.SearchStrategy[Any]] = {}
"""Those that were made, by their class and the levels that are left."""


def json_of(type_: Any) -> st.SearchStrategy[Any]:
    """Return a strategy of JSON values that mostly have this type: one leaf in some is anything."""
    return _json_of(inspect.type_info(type_), MAX_LEVELS)


def _json_of(info: inspect.Type, levels: int) -> st.SearchStrategy[Any]:
    match info:
        case inspect.StructType():
            if (info.cls, levels) not in _STRUCTS:
                _STRUCTS[info.cls, levels] = _struct(info, levels)
            return _STRUCTS[info.cls, levels]
        case inspect.UnionType(types=types):
            return st.one_of([_json_of(one, levels) for one in _least(types, levels)])
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item) | inspect.SetType(item_type=item):
            return st.just([]) if levels <= 0 else st.lists(_json_of(item, levels - 1), max_size=2)
        case inspect.FrozenSetType(item_type=item):
            return st.lists(_json_of(item, levels - 1), max_size=2)
        case inspect.TupleType(item_types=items):
            return st.tuples(*(_json_of(one, levels - 1) for one in items)).map(list)
        case inspect.DictType(value_type=value):
            return st.just({}) if levels <= 0 else st.dictionaries(TEXTS, _json_of(value, levels - 1), max_size=2)
        case inspect.LiteralType(values=values):
            return st.one_of(st.sampled_from(values), TEXTS)
        case inspect.EnumType(cls=cls):
            return st.sampled_from([one.value for one in cls])
        case inspect.StrType():
            return TEXTS
        case inspect.IntType() | inspect.FloatType():
            return NUMBERS
        case inspect.BoolType():
            return st.booleans()
        case inspect.NoneType():
            return st.none()
        case inspect.DateTimeType():
            return st.one_of(st.sampled_from(TIMES), TEXTS)
        case inspect.BytesType():
            return st.one_of(st.binary(max_size=20).map(lambda data: base64.b64encode(data).decode()), TEXTS)
        case inspect.AnyType() | inspect.RawType():
            return VALUES
        case _:
            return LEAVES


def _least(types: tuple[inspect.Type, ...], levels: int) -> tuple[inspect.Type, ...]:
    """Of a union that is deep already take what has no parts, if there is such."""
    flat = tuple(one for one in types if not isinstance(one, inspect.StructType | inspect.ListType))
    return flat if levels <= 0 and flat else types


def _struct(info: inspect.StructType, levels: int) -> st.SearchStrategy[Any]:
    required = {one.encode_name: _json_of(one.type, levels - 1) for one in info.fields if one.required}
    optional = {one.encode_name: _deferred(one.type, levels - 1) for one in info.fields if not one.required}
    if info.tag is not None and info.tag_field is not None:
        required[info.tag_field] = st.just(info.tag)
    if info.array_like:
        fields = [_json_of(one.type, levels - 1) for one in info.fields]
        return st.tuples(*fields).map(list)
    return st.fixed_dictionaries(required, optional={} if levels <= 0 else optional)


def _deferred(info: inspect.Type, levels: int) -> st.SearchStrategy[Any]:
    return st.deferred(lambda: _json_of(info, levels))

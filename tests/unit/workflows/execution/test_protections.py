from __future__ import annotations

from services.workflows.execution.isolation.plan import LAYERS, protected
from services.workflows.ports import Protections


def told(*missing: str) -> Protections:
    return Protections(**protected(dict.fromkeys(missing, "not here")))


def test_all_layers_protect_from_everything():
    assert told() == Protections(processes=True, network=True, files=True, system_calls=True)


def test_one_layer_stands_in_for_another():
    assert told("network").network
    assert told("seccomp").network
    assert told("mounts").files
    assert told("landlock").files


def test_what_no_layer_protects_is_said_first():
    without = told("network", "seccomp")
    assert not without.network
    assert without.missing[0] == "the network can be reached"
    without = told("mounts", "landlock")
    assert not without.files
    assert without.missing[0].startswith("files of this machine can be read")


def test_every_layer_that_is_missing_is_said_with_its_reason():
    for layer in LAYERS:
        assert [text.endswith("(not here)") for text in told(layer).missing] == [True]

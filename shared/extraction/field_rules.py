"""What is learned of one field, as data of a flow."""

from __future__ import annotations

from msgspec.structs import force_setattr

from shared.contracts.base import Part
from shared.extraction.absence import LeftOut
from shared.extraction.addresses import AddressPart
from shared.extraction.rules import ExtractionRule
from shared.extraction.values import FieldType
from shared.text.normal import label_form


class FieldRules(Part, frozen=True, kw_only=True):
    """What was learned of one field.

    ``variants``: where no rule holds for all examples, sets of rules that each hold for two or more of them and find
    nothing else on the others: pages of one kind may be built in a few ways. ``trusted``: a person has confirmed
    readings of pages that were not learned from, so that a place alone may tell the value. ``homes``: for each of the
    ``rules`` the number of the element that it found on an example: values may stand in several places, by chance too.
    ``labels``: what the field is called, in the form of labels. ``shape``: that of every example's text, where all have
    digits and one shape. ``form``: how its values are compared. ``left_out``: what tells that a page has none of it,
    and no label. ``beside``: the labels of values that stand on every example, in their order; where they have moved,
    order says nothing any more. ``joined``: an example's value is all of an element that shows several texts.
    ``address``: the part of the page's address that is the value on every example. ``over_page``: on every example it
    stood in a dialog, and is looked for in what lies over the page only.
    """

    rules: tuple[ExtractionRule, ...]
    labels: tuple[str, ...] = ()
    shape: str = ""
    form: FieldType = FieldType()
    variants: tuple[tuple[ExtractionRule, ...], ...] = ()
    trusted: bool = False
    homes: tuple[int, ...] = ()
    left_out: LeftOut | None = None
    beside: tuple[str, ...] = ()
    joined: bool = False
    address: AddressPart | None = None
    over_page: bool = False

    def __post_init__(self) -> None:
        # Earlier versions wrote labels in another form.
        for name in ("labels", "beside"):
            force_setattr(self, name, tuple(map(label_form, getattr(self, name))))

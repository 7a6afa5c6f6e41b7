"""Tables as comma-separated text: every digit, one row a point, a heading for each column."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from io import StringIO

from bursar.accounting.accountants import Answer
from bursar.accounting.curve import PrivacyCurve
from bursar.accounting.risk import TradeOff
from bursar.truth import Estimate, Proved, number


def profile_csv(curve: PrivacyCurve) -> str:
    """ε, δ, and each direction: lower and upper ends; a cell is empty where nothing is known."""
    about = curve.points[0].worst.about if curve.points else None
    given, found = (about.given_name, about.quantity) if about else ("epsilon", "delta")
    head = [given, *_columns(found), *_columns("remove"), *_columns("add"), "kind", "method"]
    rows = [
        [
            point.given.text,
            *ends(point.worst),
            *ends(point.remove),
            *ends(point.add),
            point.worst.kind,
            point.worst.about.method,
        ]
        for point in curve
    ]
    return text(head, rows)


def trade_off_csv(curve: TradeOff) -> str:
    """The false positive rate, and both ends of the largest true positive rate."""
    head = ["false_positive_rate", *_columns("true_positive_rate"), "kind"]
    return text(head, ([repr(rate), *ends(tpr), tpr.kind] for rate, tpr in curve))


def steps_csv(rows: Iterable[tuple[int, Proved]]) -> str:
    """The number of steps, and both ends of ε after them."""
    head = ["steps", *_columns("epsilon"), "kind", "method"]
    return text(head, ([str(k), *ends(e), e.kind, e.about.method] for k, e in rows))


def ends(result: Answer | None) -> tuple[str, str]:
    """Lower and upper end; an estimate stands in neither column but as upper, its kind beside."""
    if result is None:
        return "", ""
    if isinstance(result, Estimate):
        return "", str(number(result.value))
    values = result.values()
    return (str(number(values["lower"])) if "lower" in values else ""), str(number(result.upper))


def text(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows beneath a heading."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return out.getvalue()


def _columns(name: str) -> tuple[str, str]:
    return f"{name}_lower", f"{name}_upper"

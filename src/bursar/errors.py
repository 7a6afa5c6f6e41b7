"""The closed family of errors.

Each error names the thing, shows the value, says the need and gives the way out, and carries
all four as fields, so that the command line, a server and a person read the same object.
`exit_code` is the contract of the command line.  No message holds private data.
"""

from __future__ import annotations

from typing import Any, ClassVar


class BursarError(Exception):
    """Any refusal of bursar: a kind, and the field, value, need and hint that explain it."""

    exit_code: ClassVar[int] = 2

    def __init__(
        self,
        need: str,
        *,
        field: str | None = None,
        value: object = None,
        hint: str | None = None,
    ) -> None:
        self.field = field
        self.value = value
        self.need = need
        self.hint = hint
        super().__init__(self._sentence())

    @property
    def kind(self) -> str:
        """The name of the error in JSON."""
        return type(self).__name__

    def _sentence(self) -> str:
        told = f"{self.need}."
        if self.field is not None and self.value is None:
            told = f"{self.field}: {told}"
        elif self.field is not None:
            told = f"{self.field} = {shown(self.value)}, but {told}"
        return f"{told} {self.hint}" if self.hint else told

    def to_json(self) -> dict[str, Any]:
        """The one error object: `{"error": {"kind", "field", "value", "need", "hint"}}`."""
        value = None if self.value is None else _short(_text(self.value))
        body = {"kind": self.kind, "field": self.field, "value": value}
        return {"error": {**body, "need": self.need, "hint": self.hint}}


class InvalidParameter(BursarError, ValueError):
    """A value outside what its field allows."""


class NoProof(BursarError):
    """Nothing is proved for what was asked: this adjacency, this view, this accountant."""


class NotCharged(BursarError, TypeError):
    """A number without proof was used where only a proved one may stand."""


class NotACertificate(BursarError):
    """What should be checked is no certificate of a known format."""


class Unreachable(BursarError):
    """A calibration has no answer in its bracket; `best` is the best value that was proved."""

    def __init__(self, need: str, *, best: object = None, hint: str | None = None) -> None:
        self.best = best
        super().__init__(need, hint=hint)


class MissingExtra(BursarError, ImportError):
    """An optional dependency is not installed; the hint says which extra brings it."""


class Refused(BursarError):
    """A request that the books do not allow."""

    exit_code = 1


class BudgetExceeded(Refused):
    """A request costs more than is left.  Nothing was released, nothing was charged."""


class NotVerified(Refused):
    """A gate did not pass its claim, so nothing was run; `record` says why."""

    def __init__(self, need: str, *, record: Any = None, hint: str | None = None) -> None:
        self.record = record
        super().__init__(need, field="claim", hint=hint)


class CorruptBooks(BursarError):
    """State that contradicts itself.  Everything after it is refused."""

    exit_code = 3


class LimitReached(BursarError):
    """A limit of time or memory; `partial` is the safe answer so far, or None."""

    exit_code = 4

    def __init__(self, need: str, *, partial: Any = None, hint: str | None = None) -> None:
        self.partial = partial
        super().__init__(need, hint=hint)

    def to_json(self) -> dict[str, Any]:
        """The error object, with the safe answer so far beside it."""
        partial = self.partial.to_json() if hasattr(self.partial, "to_json") else self.partial
        body = super().to_json()
        body["error"]["partial"] = partial
        return body


class InternalError(BursarError):
    """bursar found itself inconsistent: a bug of ours.  It refuses rather than guess."""

    exit_code = 70


def shown(value: object) -> str:
    """The value as a sentence shows it: text in quotes, long text cut."""
    return _short(repr(value) if isinstance(value, str) else _text(value))


def _text(value: object) -> str:
    try:
        return str(value)
    except ValueError:  # Python does not print a longer one
        return "a number of more than 4,300 digits"


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."

"""Draws of a design on a device, through torch: the law of `numerics.envelope`, one block at once.

The same alias table, the same places to 24 bits, the same decided coins, in the device's float64;
words are ChaCha20 under a key that the block's coins give.  So two devices draw the same, and a GPU
can be tested on a CPU; the words are not those of `Manner(cores=…)`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, final

import numpy as np

from bursar.accounting.monte_carlo_bounded import Bounded
from bursar.accounting.monte_carlo_coins import Coins
from bursar.accounting.monte_carlo_designs import Design, Stratum
from bursar.accounting.monte_carlo_draws import Summand, at_most_one, picks
from bursar.accounting.monte_carlo_runs import Fold, Sums
from bursar.errors import InternalError, InvalidParameter, MissingExtra, NoProof
from bursar.machines import chacha
from bursar.numerics.envelope import CELLS, Envelope
from bursar.numerics.groups import Group
from bursar.numerics.tilts import Coordinate, Floats

if TYPE_CHECKING:
    from torch import Tensor

_PAD = 2.0**-44
_ROUNDS = 64
_LARGEST = 600.0


@final
class TorchDevice:
    """A device of torch: the first GPU where there is one, else the CPU."""

    stream = "torch-chacha20"

    def __init__(self, name: str | None = None) -> None:
        try:
            import torch
        except ImportError as error:
            raise MissingExtra(
                "torch is not installed", hint="pip install 'bursar[learning]' brings it."
            ) from error
        self._torch: Any = torch
        chosen = name or ("cuda" if torch.cuda.is_available() else "cpu")
        try:
            self.device = torch.device(chosen)
            torch.zeros(1, dtype=torch.float64, device=self.device)
        except (RuntimeError, TypeError, AssertionError) as error:
            need = "it must be a device of torch with float64"
            raise InvalidParameter(need, field="device", value=chosen) from error

    def blocks(
        self, design: Bounded, coins: Coins, fold: Fold, sizes: Mapping[int, int]
    ) -> Iterator[tuple[int, Sums]]:
        """What each block comes to."""
        if not isinstance(design, Design):
            raise NoProof(
                f"a {type(design).__name__} is not drawn on a device",
                hint="Cores and clusters draw everything.",
            )
        there: dict[int, _OnDevice | _GroupOnDevice] = {}
        for block, size in sizes.items():
            words = _Words(self._torch, self.device, coins.source(block)(4).tobytes())
            yield block, fold(self._draw(design, size, words, there))

    def _draw(
        self,
        design: Design,
        size: int,
        words: _Words,
        there: dict[int, _OnDevice | _GroupOnDevice],
    ) -> Floats:
        """So many X: `monte_carlo_draws.draw`, with the coordinates on the device."""
        units = picks(design)
        edges = np.cumsum(np.array(units, dtype=np.uint64))
        chosen = np.searchsorted(edges, words.host(size) >> np.uint64(2), side="right")
        found = np.empty(size)
        for i, stratum in enumerate(design.strata):
            where = np.flatnonzero(chosen == i)
            if len(where):
                share = math.log(units[i]) - 62 * math.log(2)
                scale = share + design.log_bound
                found[where] = self._values(stratum, len(where), words, scale, there)
        return found

    def _values(
        self,
        stratum: Stratum,
        size: int,
        words: _Words,
        log_scale: float,
        there: dict[int, _OnDevice | _GroupOnDevice],
    ) -> Floats:
        total = self._torch.zeros(size, dtype=self._torch.float64, device=self.device)
        for envelope, count in stratum.envelopes:
            if id(envelope) not in there:
                there[id(envelope)] = self._moved(envelope)
            total += there[id(envelope)].losses(size * count, words).view(size, count).sum(dim=1)
        return at_most_one(stratum.log_values(total.cpu().numpy()) - log_scale)

    def _moved(self, envelope: Summand) -> _OnDevice | _GroupOnDevice:
        if isinstance(envelope, Group):
            return _GroupOnDevice(self._torch, self.device, envelope)
        if isinstance(envelope, Envelope):
            return _OnDevice(self._torch, self.device, envelope)
        raise InternalError(f"a {type(envelope).__name__} is not drawn on a device")


class _Words:
    """The words of a block, call after call."""

    def __init__(self, torch: Any, device: Any, key: bytes) -> None:
        self._torch, self._device, self._key, self._call = torch, device, key, 0

    def pairs(self, size: int) -> tuple[Tensor, Tensor]:
        """Lower and upper halves, on the device."""
        self._call += 1
        return chacha.words(self._torch, self._key, self._call, size, self._device)

    def host(self, size: int) -> Any:
        """Whole words, here."""
        low, high = (half.cpu().numpy().astype(np.uint64) for half in self.pairs(size))
        return low | high << np.uint64(32)


class _OnDevice:
    """An envelope's tables on a device: `numerics.envelope.Envelope`, in torch."""

    def __init__(self, torch: Any, device: Any, envelope: Envelope) -> None:
        self._torch, self._of, self._law = torch, envelope, envelope.law

        def moved(array: Any, kind: Any) -> Any:
            return torch.as_tensor(np.ascontiguousarray(array), device=device).to(kind)

        self._cuts = moved(envelope.cuts, torch.int64)
        self._other = moved(envelope.other, torch.int64)
        self._sure = moved(envelope.sure, torch.int64)
        self._weights = moved(envelope.weights, torch.float64)

    def log_w(self, t: Tensor) -> Tensor:
        """ℓ(t)."""
        return _log_w(self._torch, self._law, t)

    def losses(self, size: int, words: _Words) -> Tensor:
        """ℓ or −ℓ of so many draws."""
        found = self.log_w(self.draw(size, words))
        return found if self._law.removes else -found

    def draw(self, size: int, words: _Words) -> Tensor:
        """So many draws; NaN where a coin stayed undecided."""
        parts: list[Tensor] = []
        filled = 0
        for _ in range(_ROUNDS):
            missing = size - filled
            if not missing:
                found: Tensor = self._torch.cat(parts)
                return found
            more = int(missing / max(self._of.share, 0.05) * 1.01) + 16
            parts.append(self._round(*words.pairs(more), words)[:missing])
            filled += len(parts[-1])
        raise InternalError("an envelope rejects nearly everything")

    def _round(self, low: Tensor, high: Tensor, words: _Words) -> Tensor:
        torch, one = self._torch, self._of
        column = low & CELLS - 1
        cell = torch.where(low >> 12 < self._cuts[column], column, self._other[column])
        place = (high >> 8).to(torch.float64)
        t: Tensor = one.low + one.width * (cell + (place + 0.5) * 2.0**-24)
        coin = high & 255
        sure = coin < self._sure[cell]
        doubtful = torch.nonzero(~sure).view(-1)
        if not len(doubtful):
            return t
        accepted, undecided = self._decide(
            cell[doubtful], place[doubtful], coin[doubtful], *words.pairs(len(doubtful))
        )
        t[doubtful[undecided]] = math.nan
        sure[doubtful[accepted | undecided]] = True
        found: Tensor = t[sure]
        return found

    def _decide(
        self, cell: Tensor, place: Tensor, coin: Tensor, low: Tensor, high: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Coins of 40 bits against the ratio at places of 56 bits: accepted, undecided."""
        torch, one = self._torch, self._of
        coins = (coin + low.to(torch.float64) * 2.0**-32) / 256
        t = one.low + one.width * (cell + (place + high.to(torch.float64) * 2.0**-32) * 2.0**-24)
        power = self._law.power(one.lam)
        log_w = self.log_w(t)
        log_ratio = power * log_w - 0.5 * t * t + one.scale
        size = 1 + (power * log_w).abs() + 0.5 * t * t + abs(one.scale)
        ratio = torch.exp(log_ratio) / self._weights[cell]
        doubt = ratio * _PAD * size + 2.0**-39
        accepted = coins + doubt < ratio
        return accepted, ~accepted & (coins - doubt <= ratio)


class _GroupOnDevice:
    """A table of sums on a device: `numerics.groups.Group`, in torch."""

    def __init__(self, torch: Any, device: Any, group: Group) -> None:
        self._torch, self._of = torch, group
        self._bits = (len(group.cuts) - 1).bit_length()
        self._cuts = torch.as_tensor(group.cuts.astype(np.int64), device=device)
        self._other = torch.as_tensor(group.other.astype(np.int64), device=device)

    def losses(self, size: int, words: _Words) -> Tensor:
        """So many sums."""
        low, high = words.pairs(size)
        column = low & (1 << self._bits) - 1
        kept = (high << 32 - self._bits | low >> self._bits) < self._cuts[column]
        place = self._torch.where(kept, column, self._other[column])
        found: Tensor = (place + self._of.first).to(self._torch.float64) * self._of.step
        return found


def _log_w(torch: Any, law: Coordinate, t: Tensor) -> Tensor:
    x: Tensor = law.slope * t - 0.5 * law.slope**2
    if not law.sampled:
        return x
    if not len(x) or float(x.max()) < _LARGEST:
        found: Tensor = torch.log((1.0 - law.share) + law.share * torch.exp(x))
        return found
    floor = torch.full_like(x, math.log1p(-law.share))
    bent: Tensor = torch.logaddexp(floor, x + math.log(law.share))
    return bent

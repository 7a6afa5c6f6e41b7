"""ChaCha20 on a device: words that a key decides, the same on every device.

A GPU has no operating system to ask, and its usual generators are made for speed.  ChaCha20 is a
few hundred operations on whole tensors, as many blocks at once as there are.  RFC 8439, §2.3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

_MASK = 0xFFFFFFFF
_CONSTANTS = (0x61707865, 0x3320646E, 0x79622D32, 0x6B206574)
_ROUNDS = 10  # double rounds


def words(
    torch: Any, key: bytes, call: int, size: int, device: Any, first: int = 0
) -> tuple[Tensor, Tensor]:
    """The lower and the upper halves of so many 64-bit words, as 64-bit integers below 2^32.

    The call's number is the nonce, and blocks are counted from `first`.
    """
    blocks = -(-size // 8)
    numbers = [int.from_bytes(key[i : i + 4], "little") for i in range(0, 32, 4)]
    nonce = [call & _MASK, call >> 32 & _MASK, 0]
    state = torch.empty((16, blocks), dtype=torch.int64, device=device)
    for row, value in enumerate((*_CONSTANTS, *numbers, 0, *nonce)):
        state[row] = value
    state[12] = torch.arange(first, first + blocks, dtype=torch.int64, device=device)
    found = stirred(torch, state).view(16, blocks).T.reshape(-1)
    return found[0::2][:size], found[1::2][:size]


def stirred(torch: Any, state: Tensor) -> Tensor:
    """The block function: twenty rounds on the state, added to it."""
    a, b, c, d = (state[row : row + 4].clone() for row in (0, 4, 8, 12))
    for _ in range(_ROUNDS):
        a, b, c, d = _quarters(a, b, c, d)
        b, c, d = (torch.roll(row, -by, 0) for row, by in ((b, 1), (c, 2), (d, 3)))
        a, b, c, d = _quarters(a, b, c, d)
        b, c, d = (torch.roll(row, by, 0) for row, by in ((b, 1), (c, 2), (d, 3)))
    found: Tensor = torch.cat((a, b, c, d)) + state & _MASK
    return found


def _quarters(a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    a = a + b & _MASK
    d = _turned(d ^ a, 16)
    c = c + d & _MASK
    b = _turned(b ^ c, 12)
    a = a + b & _MASK
    d = _turned(d ^ a, 8)
    c = c + d & _MASK
    b = _turned(b ^ c, 7)
    return a, b, c, d


def _turned(x: Tensor, by: int) -> Tensor:
    return (x << by | x >> 32 - by) & _MASK

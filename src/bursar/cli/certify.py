"""`bursar certify`: what a run costs, with a certificate that a stranger can check."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from bursar.cli.answer import Answer, answered
from bursar.cli.flags import ASKED, HOW, FromFile, Manner, Neighbours, Steps, asks, option
from bursar.cli.limits import within
from bursar.cli.request import must, requested
from bursar.errors import InvalidParameter

EXAMPLES = (
    "bursar certify --noise-multiplier 1.0 --sampling-probability 0.001 --steps 1000 "
    "--delta 1e-5 --out proof.json",
)


@asks
def certify(
    steps: Steps,
    file: FromFile,
    neighbours: Neighbours,
    manner: Manner,
    *,
    delta: Annotated[
        str | None, option("--delta", "NUMBER", "The δ, above 0 and below 1.", ASKED)
    ] = None,
    out: Annotated[
        str | None, option("--out", "FILE", "Where the certificate is written.", HOW)
    ] = None,
) -> Answer:
    """What a run costs, with a certificate.

    The certificate is a file from which a stranger, who trusts nobody, proves the ε again.
    """
    request = requested(steps, file, neighbours)
    at, path = must(delta=delta), Path(must(out=out))
    if path.is_dir() or not path.parent.is_dir():
        raise InvalidParameter(
            "it must be a file in a directory that is there", field="out", value=out
        )

    def ask() -> Answer:
        from bursar.verification.certify import certify

        proof = certify(request.plan, delta=at, adjacency=request.adjacency)
        try:
            proof.save(path)
        except OSError as error:
            need = f"it must be a file that can be written: {error.strerror}"
            raise InvalidParameter(need, field="out", value=str(path)) from None
        told = answered(proof.result, request)
        row = ("certificate", f"{path}; to prove it again: bursar check {path}")
        return replace(
            told, object={"certificate": str(path), **told.object}, rows=[*told.rows, row]
        )

    def otherwise() -> Answer:
        from bursar.accounting.choose import epsilon

        bound = epsilon(request.plan, delta=at, adjacency=request.adjacency, method="rdp")
        return answered(bound, request)

    return within(manner.timeout, ask, otherwise)

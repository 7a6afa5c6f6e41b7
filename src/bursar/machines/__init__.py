"""Where simulations run that outgrow a core: a device through torch, many machines through Ray.

Both are engines of `accounting.monte_carlo_runs`: they compute blocks, and what a block comes to
does not depend on who computed it, or in which order.  Each opens its package when it is made.
"""

from bursar.machines.cluster import RayCluster
from bursar.machines.device import TorchDevice

__all__ = ["RayCluster", "TorchDevice"]

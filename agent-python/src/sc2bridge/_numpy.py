"""numpy, which the package does without until somebody asks for arrays."""

from __future__ import annotations

try:
    import numpy as np
except ImportError:
    raise ImportError(
        "sc2bridge: arrays need numpy: `pip install sc2bridge[numpy]`, or Debian's python3-numpy"
    ) from None

__all__ = ["np"]

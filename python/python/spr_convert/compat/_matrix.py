"""An array that is also called as kaldi_native_io's matrices are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    _Base = np.ndarray[Any, Any]
else:
    _Base = np.ndarray


class Matrix(_Base):
    """An array with a method that gives it as such."""

    def numpy(self) -> Any:
        """The plain array over the same memory."""
        return self.view(np.ndarray)

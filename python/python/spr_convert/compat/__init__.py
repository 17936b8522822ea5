"""The calls of other packages, over this one: :mod:`.kaldiio`, :mod:`.kaldi_io`,
:mod:`.kaldi_native_io`, and :mod:`.torchaudio` for what torchaudio.kaldi_io was."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

if _TYPE_CHECKING:
    from . import kaldi_io, kaldi_native_io, kaldiio, torchaudio

__all__ = ["kaldi_io", "kaldi_native_io", "kaldiio", "torchaudio"]

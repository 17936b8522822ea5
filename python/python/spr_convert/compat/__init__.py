"""The calls of other packages, over this one: :mod:`.kaldiio`, :mod:`.kaldi_io`,
:mod:`.kaldi_native_io`, and :mod:`.torchaudio` for what torchaudio.kaldi_io was."""

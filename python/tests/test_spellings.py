"""Spellings of steps: options, stages, methods and the program's flags make the same bytes."""

import itertools
import subprocess
import sys

import numpy as np
import pytest

import spr_convert as spr

RATES = (None, 8000, 11025)
CHANNELS = (None, 1, "mix")
TYPES = (None, "f32", "i16")


@pytest.fixture
def tone(tmp_path):
    samples = np.arange(8000).reshape(4000, 2) * [[37, 91]] % 20001 - 10000
    path = str(tmp_path / "in.wav")
    with spr.Writer(path) as writer:
        writer["in"] = 16000, samples.astype(np.int16)
    return path


@pytest.mark.parametrize("rate,channel,dtype", list(itertools.product(RATES, CHANNELS, TYPES)))
def test_sound(tone, tmp_path, rate, channel, dtype):
    if rate is None and channel is None:
        pytest.skip("no step")
    outputs = iter(str(tmp_path / f"{number}.npz") for number in range(9))
    how = {"dtype": dtype, "allow_loss": "all"}

    def told(names):
        pairs = zip(names, (rate, channel))
        return {name: str(value) for name, value in pairs if value is not None}

    values = ",".join(f"{name}={value}" for name, value in told(("rate", "channel")).items())
    made = []

    def written(write):
        output = next(outputs)
        write(output)
        with open(output, "rb") as file:
            made.append(file.read())

    options = told(("resample", "channel"))
    written(lambda out: spr.convert(tone, out, options=options, **how))
    written(lambda out: spr.convert(tone, out, stages=f"sound({values})", **how))
    written(lambda out: spr.open(tone, options=options).write(out, **how))
    written(lambda out: spr.open(tone).stage(f"sound({values})").write(out, **how))
    if channel is None:
        written(lambda out: spr.open(tone).resample(rate).write(out, **how))
    if rate is None:
        written(lambda out: spr.open(tone).channel(channel).write(out, **how))
    flags = [f"--{name}={value}" for name, value in told(("rate", "channel")).items()]
    flags += [] if dtype is None else [f"--dtype={dtype}"]
    program = [sys.executable, "-m", "spr_convert", "--quiet", "--allow-loss=all"]
    written(lambda out: subprocess.run([*program, *flags, tone, out], check=True))
    assert all(other == made[0] for other in made)


def test_plans_are_values(tone):
    import pickle

    ds = spr.open(tone).resample(8000)
    again = pickle.loads(pickle.dumps(ds))
    assert again == ds and hash(again) == hash(ds)
    assert ds != spr.open(tone).resample(11025)
    assert again[0].audio.samples.shape == ds[0].audio.samples.shape

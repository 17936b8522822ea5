"""What is logged, and what the import of the package brings along."""

import logging
import subprocess
import sys

import pytest

import spr_convert as spr


def test_jobs_are_logged(fbank, caplog):
    with caplog.at_level(logging.DEBUG, "spr_convert"):
        spr.open(fbank).first(2).write("two.ark")
        list(spr.open("two.ark"))
    done, opened = caplog.records
    assert {done.name, opened.name} == {"spr_convert"}
    assert done.levelname == "INFO" and opened.levelname == "DEBUG"
    told = done.getMessage()
    assert told.startswith(f"{fbank} | first(2) -> two.ark: 2 utterances, 518 frames")
    assert opened.getMessage() == "pass 0 of two.ark"


def test_nothing_is_printed_by_default(fbank):
    code = f"import spr_convert as spr; spr.convert({fbank!r}, 'a.ark'); list(spr.open('a.ark'))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert run.stdout == run.stderr == b""


def test_losses_are_objects_of_outcomes_and_errors(fbank, ali):
    with pytest.raises(spr.LossError) as caught:
        spr.open(fbank).join(labels=ali).write("x.ark")
    (loss,) = caught.value.losses
    assert isinstance(loss, spr.Loss) and loss[:3] == ("labels", 12, 0) and loss.first == "ann-001"
    outcome = spr.open(fbank).join(labels=ali).write("x.ark", allow_loss="labels")
    assert [(loss.kind, loss.utterances) for loss in outcome.losses] == [("labels", 12)]
    import pickle

    again = pickle.loads(pickle.dumps(caught.value))
    assert again.losses == caught.value.losses and str(again) == str(caught.value)
    with spr.Writer("y.ark") as writer, pytest.raises(spr.LossError) as caught:
        writer.write("a", [[0.5]], labels=[1])
    assert [loss.kind for loss in caught.value.losses] == ["labels"]


CODE = """
import signal, sys
NAMES = ("SigCgt:", "SigIgn:", "SigBlk:")
def caught():
    lines = [line.split() for line in open("/proc/self/status") if line.startswith(NAMES)]
    # Above are those that the C library keeps for its threads.
    return {name: int(mask, 16) % 2**31 for name, mask in lines}
before = caught(), {n: signal.getsignal(n) for n in range(1, 32)}, set(sys.modules)
import spr_convert as spr
heavy = {"numpy", "logging", "json", "inspect", "tempfile", "subprocess", "asyncio"} - before[2]
assert not heavy & set(sys.modules), heavy & set(sys.modules)
spr.convert(sys.argv[1], "a.ark")
list(spr.open("a.ark").prefetch())
assert (caught(), {n: signal.getsignal(n) for n in range(1, 32)}) == before[:2]
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_the_import_is_light_and_leaves_signals_alone(fbank):
    subprocess.run([sys.executable, "-c", CODE, fbank], check=True)

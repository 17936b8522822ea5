"""Exceptions."""

import pathlib
import pickle

import pytest

import spr_convert as spr

CASES = [
    (lambda: spr.open("nowhere.ark"), FileNotFoundError, "missing"),
    (lambda: spr.open("/"), spr.Error, None),
    (lambda: spr.open(b"neither this nor that \x00\x01"), ValueError, "unrecognised"),
    (lambda: spr.open(b"[[["), spr.DataError, None),
    (lambda: list(spr.open("big.jsonl", max_alloc=10)), MemoryError, "limit"),
    (lambda: spr.convert("big.jsonl", "x.nothing"), ValueError, "usage"),
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_kinds(apart, case):
    pathlib.Path("big.jsonl").write_text(
        '{"key":"a","features":{"dtype":"f32","shape":[9],"data":[1,2,3,4,5,6,7,8,9]}}\n'
    )
    work, parent, kind = CASES[case]
    with pytest.raises(parent) as caught:
        work()
    error = caught.value
    assert isinstance(error, spr.Error)
    assert kind is None or error.kind == kind
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is type(error) and str(back) == str(error)
    assert vars(back) == vars(error)


def test_errors_say_where(apart):
    pathlib.Path("a.jsonl").write_text('{"key":"a","labels":[1]}\n{"key":\n')
    with pytest.raises(spr.DataError) as caught:
        list(spr.open("a.jsonl"))
    error = caught.value
    assert (error.file, error.line) == ("a.jsonl", 2)
    assert str(error).startswith("a.jsonl:2: ")


def test_bad_types_are_type_errors(fbank):
    for work in (lambda: spr.open(3), lambda: spr.open(None), lambda: spr.load(fbank)[3]):
        with pytest.raises(TypeError):
            work()

"""All fixtures: values as other programs' files are known to hold, and as other packages read them."""

import json
import warnings

import numpy as np
import pytest

import spr_convert as spr
from conftest import ROOT

DTYPES = {
    "f32": "f4", "f64": "f8", "f16": "f2", "bf16": "f4", "i8": "i1", "u8": "u1", "i16": "i2",
    "u16": "u2", "i32": "i4", "u32": "u4", "i64": "i8", "u64": "u8", "bool": "?",
}  # fmt: skip

CASES = sorted(
    case.parent
    for case in (ROOT / "fixtures").glob("*/*/expect.jsonl")
    if case.parts[-3] not in ("pdnn", "samples")
)
REFUSED = sorted(case.parent for case in (ROOT / "fixtures").glob("*/refused/*/error.txt"))


def the_input(case):
    script = case / "input.scp"
    if script.exists():
        return script
    (found,) = (
        path
        for path in case.iterdir()
        if path.name.startswith("input") and not path.name.endswith(".utt2num_frames")
    )
    return found


def word(told):
    if isinstance(told, dict):
        return bytes.fromhex(told["bytes"]).decode("utf-8", "surrogateescape")
    return told


def array(told):
    dtype = DTYPES[told["dtype"]]
    flat = np.array(told["data"], dtype=object).reshape(-1)
    if dtype[0] in "iu":
        values = [int(value) for value in flat]
    elif dtype == "?":
        values = [bool(value) for value in flat]
    else:
        values = [float(value) for value in flat]
    return np.array(values, dtype).reshape(told["shape"])


def same(got, expected):
    assert got.dtype == expected.dtype and got.shape == expected.shape
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_values(case, apart):
    lines = [json.loads(line) for line in (case / "expect.jsonl").read_text().splitlines()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", spr.DataWarning)
        utterances = list(spr.open(the_input(case), samples=False))
    assert [utt.key for utt in utterances] == [word(line["key"]) for line in lines]
    for utt, line in zip(utterances, lines):
        if line.get("features"):
            same(utt.features, array(line["features"]))
        else:
            assert utt.features is None
        if line.get("labels") is not None:
            expected = np.array(line["labels"], DTYPES[line.get("label_dtype", "i32")])
            np.testing.assert_array_equal(utt.labels, expected.reshape(utt.labels.shape))
        else:
            assert utt.labels is None
        if line.get("audio", {}).get("data") is not None:
            assert utt.audio.rate == line["audio"]["rate"]
            expected = array(line["audio"])
            same(utt.audio.samples, expected[:, 0] if expected.shape[1] == 1 else expected)
        if "text" in line:
            assert utt.text == word(line["text"])
        if "kind" in line:
            assert utt.object.kind == line["kind"]
    # What was read is written and is the same.
    if not any(isinstance(utt.audio, spr.AudioReference) for utt in utterances):
        with spr.Writer("copy.jsonl") as writer:
            for utt in utterances:
                writer.write(utt)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", spr.DataWarning)
            told = spr.diff("copy.jsonl", case / "expect.jsonl")
        assert told["same"], told["findings"]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: f"{case.parents[1].name}/{case.name}")
def test_refusals(case):
    path = the_input(case)
    with pytest.raises(spr.Error) as caught, warnings.catch_warnings():
        warnings.simplefilter("ignore", spr.DataWarning)
        list(spr.open(path, samples=False))
    assert (case / "error.txt").read_text().strip() in str(caught.value).replace(str(case), "")


KALDI = [
    path
    for path in sorted((ROOT / "fixtures" / "kaldi").glob("*/input.ark"))
    if path.parent.name.split("-")[0] in ("fm", "dm", "fv", "dv", "cm", "int32", "omniio")
]


#: Where it loses its way: behind an empty CM matrix, and in integers without brackets.
BEYOND_OMNIIO = {"cm-empty", "int32-vector-text", "int32-vector-text-empty"}


@pytest.mark.parametrize("path", KALDI, ids=lambda path: path.parent.name)
def test_as_omniio_reads_it(path):
    if path.parent.name in BEYOND_OMNIIO:
        pytest.skip("omniio does not read it")
    omniio = pytest.importorskip("omniio.kaldi")
    theirs = dict(omniio.load_ark(str(path)))
    ours = {utt.key: utt.value for utt in spr.open(path)}
    assert list(ours) == list(theirs)
    for key, value in theirs.items():
        assert (ours[key].dtype, ours[key].ndim) == (value.dtype, value.ndim) or not value.size
        # Its numbers of CM matrices are not rounded as Kaldi's are.
        rtol = 2e-7 if "cm" in path.parent.name else 0
        np.testing.assert_allclose(ours[key].ravel(), value.ravel(), rtol=rtol)


@pytest.mark.parametrize("path", KALDI, ids=lambda path: path.parent.name)
def test_as_kaldi_native_io_reads_it(path):
    knio = pytest.importorskip("kaldi_native_io")
    if path.parent.name == "cm-empty":
        pytest.skip("Kaldi's own reader does not find the end of an empty CM matrix")
    ours = list(spr.open(path))
    if any(utt.labels is not None for utt in ours):
        reader = knio.SequentialInt32VectorReader(f"ark:{path}")
    else:
        sort = {2: "Matrix", 1: "Vector"}[ours[0].features.ndim]
        width = {"f": "Float", "d": "Double"}[ours[0].features.dtype.char]
        reader = getattr(knio, f"Sequential{width}{sort}Reader")(f"ark:{path}")
    with reader:
        theirs = [(key, np.array(value)) for key, value in reader]
    assert [key for key, _ in theirs] == [utt.key for utt in ours]
    for utt, (_, value) in zip(ours, theirs):
        if value.size and value.dtype == utt.value.dtype:
            np.testing.assert_array_equal(utt.value, value)

"""WebDataset's own package, and NeMo's rules for tarred data."""
import gzip
import io
import json
import os
import re
import shutil
import tarfile
import wave

import numpy as np
import soundfile

import without_torch
from harness import same

RATE = 8000
KEYS = ["ann-1", "d/bob-2", "c.d/cy-3", "d\u00e9-4", "k" * 140]


def samples(n):
    return (2000 * np.sin(np.arange(300 + 100 * n) / (3 + n))).astype("<i2")


def wav(values):
    out = io.BytesIO()
    with wave.open(out, "wb") as f:
        f.setnchannels(1)
        f.setsampwidth(2)
        f.setframerate(RATE)
        f.writeframes(values.tobytes())
    return out.getvalue()


def corpus(keys=KEYS):
    """Utterances: key, features, labels, samples, text, speaker."""
    for n, key in enumerate(keys):
        rs = np.random.RandomState(n)
        yield (key, rs.standard_normal((4 + n, 3)).astype("f4"), rs.randint(0, 9, 4 + n).astype("i4"), samples(n),
               "\u00fcber %d" % n, "speaker %d" % (n % 2))


def write_jsonl(t, name, utterances):
    """The corpus in the canonical form."""
    with open(t.path(name), "w", encoding="utf-8") as f:
        for key, features, labels, sound, said, speaker in utterances:
            entry = {"key": key}
            if features is not None:
                entry["features"] = {"dtype": "f32", "shape": features.shape, "data": features.tolist()}
                entry["labels"] = labels.tolist()
            entry["audio"] = {"rate": RATE, "dtype": "i16", "shape": [len(sound), 1], "data": [[int(v)] for v in sound]}
            entry["text"], entry["meta"] = said, {"speaker": speaker}
            f.write(json.dumps(entry) + "\n")


def refused(t, *args):
    """The error of a command that must fail."""
    try:
        t.convert(*args)
    except RuntimeError as error:
        return str(error)
    raise AssertionError("not refused: " + " ".join(args))


def says(error, phrase):
    assert phrase in error, error


def shards(t, folder):
    return sorted(t.path(folder + "/" + name) for name in os.listdir(t.path(folder)))


def read(urls):
    import webdataset
    return list(webdataset.WebDataset(urls, shardshuffle=False).decode())


def webdataset_reads(t):
    for options in ("", ",shard-count=2", ",shard-size=20k", ",audio=flac"):
        with t.check("tars: webdataset reads ours%s" % options):
            write_jsonl(t, "in.jsonl", corpus())
            t.convert("in.jsonl", "webdataset:ours/" + options)
            found = read(shards(t, "ours"))
            assert [s["__key__"] for s in found] == KEYS
            for s, (key, features, labels, sound, said, speaker) in zip(found, corpus()):
                same(s["npy"], features, key)
                same(s["labels.npy"], labels, key)
                assert s["txt"] == said and s["json"] == {"speaker": speaker}, key
                stored, rate = soundfile.read(io.BytesIO(s["flac" if "flac" in options else "wav"]), dtype="int16")
                assert rate == RATE
                same(stored, sound.astype("i2"), key)
    with t.check("tars: webdataset gets a packed file, escaped keys, and the same bytes again"):
        keys = ["a.b", "__m__/x", "c"]
        write_jsonl(t, "odd.jsonl", corpus(keys))
        says(refused(t, "odd.jsonl", "odd.tar"), "names=escape")
        t.convert("odd.jsonl", "odd.tar.gz,names=escape")
        found = read([t.path("odd.tar.gz")])
        got = [s["__key__"] for s in found]
        assert got == ["a%2eb", "%5f_m__/x", "c"], got
        assert [s["json"].get("__key__") for s in found] == ["a.b", "__m__/x", None]
        assert [u[0] for u in t.jsonl("odd.tar.gz")] == keys
        t.convert("in.jsonl", "one.tar")
        t.convert("in.jsonl", "two.tar", "-j", "1")
        with open(t.path("one.tar"), "rb") as one, open(t.path("two.tar"), "rb") as two:
            assert one.read() == two.read()


def webdataset_writes(t):
    import webdataset

    for name, more in (("times", {}), ("plain", {"mtime": 0})):
        with t.check("tars: we read webdataset's shards, %s" % name):
            shutil.rmtree(t.path("theirs"), ignore_errors=True)
            os.makedirs(t.path("theirs"))
            pattern = t.path("theirs/shard-%06d.tar")
            with webdataset.ShardWriter(pattern, maxcount=2, verbose=0, **more) as out:
                for key, features, labels, sound, said, speaker in corpus():
                    out.write({"__key__": key, "wav": wav(sound), "npy": features, "labels.npy": labels, "txt": said,
                               "json": {"speaker": speaker}, "cls": 7, "pyd": {"a": 1}})
            for source in ("theirs", t.path("theirs/shard-{000000..000002}.tar"), "::".join(shards(t, "theirs"))):
                got = t.jsonl(source)
                assert [u[0] for u in got] == KEYS
                for (key, features, labels, meta), expected in zip(got, corpus()):
                    same(features, expected[1], key)
                    same(labels, expected[2], key)
                    assert meta["speaker"] == expected[5] and ["manifest", "cls", "7"] in meta["tags"], meta
                    assert [tag[:2] for tag in meta["tags"]] == [["manifest", "cls"], ["webdataset", "pyd"]], meta
            t.convert("theirs", "back.tar")
            for s, theirs in zip(read([t.path("back.tar")]), read(shards(t, "theirs"))):
                for field in ("__key__", "wav", "txt", "json", "cls", "pyd"):
                    assert s[field] == theirs[field], field
                same(s["npy"], theirs["npy"])


def dropped(t):
    """What webdataset drops or merges in silence is refused."""
    import webdataset

    with webdataset.TarWriter(t.path("good.tar"), mtime=0) as out:
        for n in range(5):
            out.write({"__key__": "u%d" % n, "txt": "%d" % n, "json": {}})
    with open(t.path("good.tar"), "rb") as f:
        good = f.read()

    def broken(name, data, phrase, keys):
        with open(t.path(name), "wb") as f:
            f.write(data)
        assert [s["__key__"] for s in read([t.path(name)])] == keys, name
        says(refused(t, name, "x.jsonl"), phrase)

    with t.check("tars: what webdataset drops in silence is refused"):
        broken("header.tar", good[:2048] + b"x" + good[2049:], "the header of a member is damaged", ["u0"])
        broken("end.tar", good[:2048 + 1024], "the archive has no end", ["u0", "u1"])
        broken("behind.tar", good + good, "data behind the end", ["u%d" % n for n in range(5)])
        t.convert("behind.tar,all=false", "x.jsonl")
        assert len(t.jsonl("behind.tar,all=true", "--duplicates", "keep")) == 10


AUDIO = re.compile(r"audio[^/]*_(\d+)[^/]*\.tar")
MANIFEST = re.compile(r"manifest[^/]*_(\d+)[^/]*\.json")
PIECE = re.compile(r"^(.+)(-sub\d+)(\.\w+)?$")


def numbered(pattern, folder):
    paths = [os.path.join(folder, name) for name in os.listdir(folder)]
    return {int(found.group(1)): path for path in paths if (found := pattern.search(path))}


def nemo(folder):
    """Tarred data as NeMo's adapter for Lhotse reads them: lines in the order of members."""
    tars, manifests = numbered(AUDIO, folder), numbered(MANIFEST, os.path.join(folder, "sharded_manifests"))
    assert set(tars) == set(manifests) == set(range(len(tars)))
    for n in range(len(tars)):
        lines = {}
        with open(manifests[n], encoding="utf-8") as manifest:
            said = [json.loads(line) for line in manifest]
        for line in said:
            found = PIECE.match(line["audio_filepath"])
            name = "".join(part or "" for part in found.group(1, 3)) if found else line["audio_filepath"]
            lines.setdefault(name, []).append(line)
        with tarfile.open(tars[n], "r|*") as tar:
            for member in tar:
                sound, rate = soundfile.read(io.BytesIO(tar.extractfile(member).read()), dtype="int16")
                assert member.name in lines, member.name
                for line in sorted(lines[member.name], key=lambda line: line["audio_filepath"]):
                    start = line.get("offset", 0.0)
                    if abs(line["duration"] - len(sound) / rate) < 0.2:
                        yield line, sound
                    else:
                        yield line, sound[round(start * rate):round((start + line["duration"]) * rate)]


def nemo_reads(t):
    for options in ("", ",shard-count=2", ",audio=flac", ",shard-size=3k"):
        with t.check("tars: NeMo's rules find all of ours%s" % options):
            shutil.rmtree(t.path("nemo"), ignore_errors=True)
            bare = [(key, None, None, *rest) for key, _, _, *rest in corpus()]
            write_jsonl(t, "bare.jsonl", bare)
            t.convert("bare.jsonl", "nemo-tarred:nemo/" + options)
            found = list(nemo(t.path("nemo")))
            assert [line["utt_id"] for line, _ in found] == KEYS
            for (line, sound), (key, _, _, expected, said, speaker) in zip(found, bare):
                same(sound, expected.astype("i2"), key)
                assert line["text"] == said and line["speaker"] == speaker, key
                assert line["duration"] == len(expected) / RATE and line["sampling_rate"] == RATE, key
            with open(t.path("nemo/tarred_audio_manifest.json"), encoding="utf-8") as f:
                assert [json.loads(line) for line in f] == [line for line, _ in found]
            assert [u[0] for u in t.jsonl("nemo")] == KEYS


def nemo_writes(t):
    """Tarred data as NeMo's script writes them, with pieces of one recording."""
    folder = t.path("script")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder + "/sharded_manifests")
    sound = [samples(30), samples(40)]
    lines = [[], []]
    for n in range(2):
        with tarfile.open(folder + "/audio_%d.tar" % n, "w") as tar:
            info = tarfile.TarInfo("rec_%d.wav" % n)
            data = wav(sound[n])
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        for piece, (start, duration) in enumerate([(0.0, 0.1), (0.1, 0.15)]):
            name = "rec_%d%s.wav" % (n, "-sub%d" % piece if piece else "")
            lines[n].append({"audio_filepath": name, "offset": start, "duration": duration, "text": "%d %d" % (n, piece),
                             "shard_id": n, "utt_id": "%d-%d" % (n, piece)})
    def write(name, entries):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.writelines(json.dumps(line) + "\n" for line in entries)

    def check():
        t.convert("nemo-tarred:script", "wav:script-wav/", "--allow-loss", "all")
        for n in range(2):
            for line in lines[n]:
                start = round(line["offset"] * RATE)
                expected = sound[n][start:start + round(line["duration"] * RATE)]
                got, _ = soundfile.read(t.path("script-wav/%s.wav" % line["utt_id"]), dtype="int16")
                same(got, expected.astype("i2"), line["utt_id"])

    with t.check("tars: pieces of recordings as NeMo's script writes them"):
        write("tarred_audio_manifest.json", lines[1] + lines[0])
        check()
        for n in range(2):
            write("sharded_manifests/manifest_%d.json" % n, lines[n])
        check()
        # The same in packed tar files.
        for n in range(2):
            with open(folder + "/audio_%d.tar" % n, "rb") as f:
                data = f.read()
            with open(folder + "/audio_%d.tar" % n, "wb") as f:
                f.write(gzip.compress(data))
        check()
    with t.check("tars: lines without a member, and members without a line, are named"):
        write("sharded_manifests/manifest_1.json", lines[1] + [dict(lines[1][0], audio_filepath="none.wav", utt_id="x")])
        says(refused(t, "nemo-tarred:script", "x.jsonl"), "has no member none.wav")
        write("sharded_manifests/manifest_1.json", [])
        says(refused(t, "nemo-tarred:script", "x.jsonl"), "rec_1.wav: has no line in")
        os.remove(folder + "/sharded_manifests/manifest_1.json")
        says(refused(t, "nemo-tarred:script", "x.jsonl"), "has no lines for the tar file of the number 1")


def checks(t):
    with without_torch.hidden():
        webdataset_reads(t)
        webdataset_writes(t)
        dropped(t)
    nemo_reads(t)
    nemo_writes(t)

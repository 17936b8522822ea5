"""Kaldi archives against kaldi_native_io, which is Kaldi's own code, and omniio."""
import os
import subprocess

import kaldi_native_io as kni
import numpy as np
import omniio.kaldi as omniio

import data
from harness import same, same_sets

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "fixtures", "samples", "kaldi")

KINDS = [
    ("FM", "float matrices", "FloatMatrix", data.matrices("f4"), data.finite("f4")),
    ("DM", "double matrices", "DoubleMatrix", data.matrices("f8"), data.finite("f8")),
    ("FV", "float vectors", "FloatVector", data.vectors("f4"), [(k, m[:, 2].copy()) for k, m in data.finite("f4")]),
    ("DV", "double vectors", "DoubleVector", data.vectors("f8"), [(k, m[:, 2].copy()) for k, m in data.finite("f8")]),
]


def theirs(kind, spec):
    """All that kaldi_native_io reads, copied out of its buffers."""
    dtype = {"F": "f4", "D": "f8", "I": "i4"}[kind[0]]
    with getattr(kni, "Sequential%sReader" % kind)(spec) as table:
        return [(key, np.array(value, dtype)) for key, value in table]


def write(kind, spec, items, *extra):
    with getattr(kni, kind + "Writer")(spec) as out:
        for key, value in items:
            out.write(key, value.tolist() if kind == "Int32Vector" else value, *extra)


def seven_digits(items):
    return [(key, np.array([m.dtype.type("%.7g" % v) for v in m.ravel().tolist()], m.dtype).reshape(m.shape))
            for key, m in items]


def ascii_keys(items):
    """omniio's sequential reader takes keys apart into single bytes."""
    return [(key.encode("ascii", "replace").decode(), m) for key, m in items]


def content(path):
    with open(path, "rb") as f:
        return f.read()


def checks(t):
    written(t)
    read(t)
    compressed(t)
    objects(t)
    samples(t)


def written(t):
    for token, name, kind, items, finite in KINDS:
        source = t.write_jsonl("data.jsonl", data.features_only(items))
        ark, scp = t.path("o.ark"), t.path("o.scp")
        with t.check("kaldi: %s (%s) written, read by kaldi_native_io" % (name, token)):
            t.convert(source, "ark:" + ark)
            assert content(ark).count(b"\0B" + token.encode() + b" ") == len(items), "token"
            same_sets(theirs(kind, "ark:" + ark), items)
        with t.check("kaldi: %s written, the same bytes as kaldi_native_io's" % name):
            write(kind, "ark:" + t.path("k.ark"), items)
            t.convert("ark:" + t.path("k.ark"), "ark:" + ark)
            assert content(ark) == content(t.path("k.ark"))
        with t.check("kaldi: %s with a script file, by offset, read by kaldi_native_io" % name):
            t.convert(source, "ark,scp:%s,%s" % (ark, scp))
            same_sets(theirs(kind, "scp:" + scp), items)
            with getattr(kni, "RandomAccess%sReader" % kind)("scp:" + scp) as table:
                for key, m in reversed(items):
                    same(np.array(table[key], m.dtype), m, key)
        with t.check("kaldi: %s written, read by omniio" % name):
            t.convert(t.write_jsonl("ascii.jsonl", data.features_only(ascii_keys(items))), "ark:" + ark)
            same_sets(omniio.load_ark(ark), ascii_keys(items))
            t.convert(source, "ark,scp:%s,%s" % (ark, scp))
            same_sets([(key, omniio.load_scp(scp)[key]) for key, _ in items], items)

        source = t.write_jsonl("finite.jsonl", data.features_only(finite))
        with t.check("kaldi: %s as text, read by kaldi_native_io" % name):
            t.convert(source, "ark,t:" + ark)
            same_sets(theirs(kind, "ark,t:" + ark), finite)
        with t.check("kaldi: %s as text with a script file, read by kaldi_native_io" % name):
            t.convert(source, "t,ark,scp:%s,%s" % (ark, scp))
            same_sets(theirs(kind, "scp:" + scp), finite)
        with t.check("kaldi: %s with Kaldi's digits, the same text as kaldi_native_io's" % name):
            write(kind, "ark,t:" + t.path("k.ark"), finite)
            t.convert(source, "ark,t:" + ark, "--co", "digits=kaldi")
            assert content(ark) == content(t.path("k.ark"))

    items = data.labels()
    source = t.write_jsonl("labels.jsonl", data.labels_only(items))
    ark, scp = t.path("l.ark"), t.path("l.scp")
    for name, option in [("binary", ""), ("text", ",t")]:
        with t.check("kaldi: int32 vectors (%s) written, the same bytes as kaldi_native_io's" % name):
            t.convert(source, "ark%s:%s" % (option, ark))
            write("Int32Vector", "ark%s:%s" % (option, t.path("k.ark")), items)
            assert content(ark) == content(t.path("k.ark"))
            same_sets(theirs("Int32Vector", "ark:" + ark), items)
    with t.check("kaldi: int32 vectors with a script file, read by kaldi_native_io and omniio"):
        t.convert(source, "ark,scp:%s,%s" % (ark, scp))
        same_sets(theirs("Int32Vector", "scp:" + scp), items)
        same_sets([(key, omniio.load_scp(scp)[key]) for key, _ in items], items)


def read(t):
    ark, scp = t.path("k.ark"), t.path("k.scp")
    for token, name, kind, items, finite in KINDS:
        with t.check("kaldi: %s (%s) by kaldi_native_io, read" % (name, token)):
            write(kind, "ark,scp:%s,%s" % (ark, scp), items)
            same_sets(t.jsonl("ark:" + ark), data.features_only(items))
            same_sets(t.jsonl("scp:" + scp), data.features_only(items))
            same_sets(t.jsonl(ark), data.features_only(items))
        with t.check("kaldi: %s by omniio, read" % name):
            omniio.save_ark(ark, dict(items), scp=scp)
            same_sets(t.jsonl("ark:" + ark), data.features_only(items))
            same_sets(t.jsonl("scp:" + scp), data.features_only(items))
        with t.check("kaldi: %s as text by kaldi_native_io, read" % name):
            write(kind, "ark,scp,t:%s,%s" % (ark, scp), finite)
            option = ["--oo", "dtype=f64"] if token[0] == "D" else []
            same_sets(t.jsonl("ark:" + ark, *option), data.features_only(seven_digits(finite)))
            same_sets(t.jsonl("scp:" + scp, *option), data.features_only(seven_digits(finite)))
    items = data.labels()
    for name, option in [("binary", ""), ("text", ",t")]:
        with t.check("kaldi: int32 vectors (%s) by kaldi_native_io, read" % name):
            write("Int32Vector", "ark,scp%s:%s,%s" % (option, ark, scp), items)
            same_sets(t.jsonl("ark:" + ark), data.labels_only(items))
            same_sets(t.jsonl("scp:" + scp), data.labels_only(items))
    with t.check("kaldi: int32 vectors by omniio, read"):
        omniio.save_ark(ark, dict(items))
        same_sets(t.jsonl("ark:" + ark), data.labels_only(items))
    with t.check("kaldi: through pipes, commands and gzip"):
        items = data.matrices()
        write("FloatMatrix", "ark:" + ark, items)
        assert t.run("ark:-", "ark:-", "--quiet", stdin=content(ark)) == content(ark)
        t.run("ark:cat %s |" % ark, "ark:| gzip -c > %s" % t.path("p.ark.gz"), "--quiet")
        done = subprocess.run(["gzip", "-dc", t.path("p.ark.gz")], stdout=subprocess.PIPE, check=True)
        assert done.stdout == content(ark)
        same_sets(t.jsonl("ark:gunzip -c %s |" % t.path("p.ark.gz")), data.features_only(items))
        same_sets(t.jsonl(t.path("p.ark.gz")), data.features_only(items))
    with t.check("kaldi: ranges as kaldi_native_io cuts them"):
        write("FloatMatrix", "ark,scp:%s,%s" % (ark, scp), items)
        with open(scp) as lines:
            where = dict(line.split() for line in lines)["bob-004"]
        with open(scp, "w") as lines:
            for i, cut in enumerate(["0:0", ":", "3:32", "30:34", "1:2,0:4", ":,2:3", "+0:07,1:1"]):
                lines.write("cut%d %s[%s]\n" % (i, where, cut))
        same_sets(t.jsonl("scp:" + scp), data.features_only(theirs("FloatMatrix", "scp:" + scp)))


def compressed(t):
    rs = np.random.RandomState(5)
    items = []
    for rows in (1, 2, 4, 5, 8, 9, 10, 31, 64, 200, 257):
        for columns in (1, 3, 13, 40):
            m = rs.standard_normal((rows, columns)) * 10 ** rs.uniform(-3, 3)
            items.append(("r%dc%d" % (rows, columns), m.astype("f4")))
        items.append(("constant%d" % rows, np.full((rows, 2), rs.standard_normal(), "f4")))
        items.append(("steps%d" % rows, np.round(rs.standard_normal((rows, 6)) * 2).astype("f4")))
    path = t.path("cm.ark")
    for name, method in sorted(kni.CompressionMethod.__members__.items(), key=lambda item: item[1].value):
        with t.check("kaldi: compressed, method %d (%s): the bits that kaldi_native_io decodes" % (method.value, name)):
            write("CompressedMatrix", "ark:" + path, items, method)
            t.convert("ark:" + path, "ark:" + t.path("fm.ark"))
            write("FloatMatrix", "ark:" + t.path("k.ark"), theirs("FloatMatrix", "ark:" + path))
            assert content(t.path("fm.ark")) == content(t.path("k.ark"))


def objects(t):
    """Objects of other kinds there and back, through the canonical form: the same bytes."""
    def vector(*values):
        return kni.FloatVector(np.array(values, "f4"))

    rs = np.random.RandomState(9)
    frames = [[(int(i), float(np.float32(w))) for i, w in zip(rs.randint(0, 5000, n), rs.rand(n))]
              for n in rs.randint(0, 4, 30)]
    lists = [rs.randint(0, 64, n).tolist() for n in rs.randint(0, 6, 30)]
    keys = [key for key, _ in data.LENGTHS]
    kinds = [
        ("posteriors", "Posterior", [frames, [], frames[:3], [[]]]),
        ("posteriors of Gaussians", "GaussPost", [[[(2, vector(1, 0.1))], []], [], [[(1, vector(-3)), (7, vector(4))]], [[]]]),
        ("lists of int32", "Int32VectorVector", [lists, [], lists[:2], [[]]]),
        ("pairs of int32", "Int32PairVector", [[(1, 2), (-3, 4)], [], [(5, 6)], [(7, 8)]]),
        ("pairs of floats", "FloatPairVector", [[(1.5, 2), (-3, 0.1)], [], [(5, 6.5)], [(7, 8)]]),
        ("int32 scalars", "Int32", [5, -6, 2**31 - 1, 0]),
        ("float scalars", "Float", [0.5, -0.1, 1e10, 0]),
        ("double scalars", "Double", [0.5, -0.1, 1e10, 0]),
        ("bools", "Bool", [True, False, False, True]),
        ("tokens", "Token", ["one", "w\u00f6rld", "3", "x"]),
    ]
    ours, theirs = t.path("o.ark"), t.path("k.ark")
    for name, kind, values in kinds:
        for form, option in [("binary", ""), ("text", ",t")]:
            with t.check("kaldi: %s (%s) there and back, the same bytes as kaldi_native_io's" % (name, form)):
                with getattr(kni, kind + "Writer")("ark%s:%s" % (option, theirs)) as out:
                    for key, value in zip(keys, values):
                        out.write(key, value)
                digits = ["--co", "digits=kaldi"] if option else []
                t.convert("ark:" + theirs, "ark%s:%s" % (option, ours), *digits)
                assert content(ours) == content(theirs)
                t.convert("ark:" + theirs, "jsonl:" + t.path("o.jsonl"))
                t.convert("jsonl:" + t.path("o.jsonl"), "ark%s:%s" % (option, ours), *digits)
                assert content(ours) == content(theirs)
                with getattr(kni, "Sequential%sReader" % kind)("ark:" + ours) as table:
                    assert [key for key, _ in table] == keys
    with t.check("kaldi: transcripts, read by kaldi_native_io"):
        words = [["the", "cat"], [], ["sat"], ["on", "w\u00f6rld"]]
        with open(theirs, "w", encoding="utf-8") as out:
            out.writelines("%s %s\n" % (key, " ".join(line)) for key, line in zip(keys, words))
        t.convert("ark:" + theirs, "ark:" + ours)
        # Kaldi ends every word with a blank.
        expected = "".join("%s %s\n" % (key, "".join(w + " " for w in line)) for key, line in zip(keys, words))
        assert content(ours).decode("utf-8") == expected
        with kni.SequentialTokenVectorReader("ark:" + ours) as table:
            assert [(key, list(line)) for key, line in table] == list(zip(keys, words))
    with t.check("kaldi: waves there and back, the same bytes as kaldi_native_io's"):
        with kni.WaveWriter("ark:" + theirs) as out:
            for n, key in enumerate(keys):
                samples = rs.randint(-32768, 32768, (1 + n % 2, 500)).astype("f4")
                out.write(key, kni.WaveData(8000.0 * (1 + n % 2), kni.FloatMatrix(samples)))
        t.convert("ark:" + theirs, "ark:" + ours)
        assert content(ours) == content(theirs)
        t.convert("ark:" + theirs, "jsonl:" + t.path("o.jsonl"))
        t.convert("jsonl:" + t.path("o.jsonl"), "ark:" + ours)
        assert content(ours) == content(theirs)


def samples(t):
    def sample(name):
        return os.path.join(SAMPLES, name)

    with t.check("samples: Kaldi's feature archive comes back byte for byte, through its script file"):
        t.convert("scp:" + sample("fbank.scp"), "ark:" + t.path("s.ark"))
        assert content(t.path("s.ark")) == content(sample("fbank.ark"))
    with t.check("samples: Kaldi's text features come back byte for byte with its digits"):
        t.convert("ark:" + sample("fbank_text.ark"), "ark,t:" + t.path("s.ark"), "--co", "digits=kaldi")
        assert content(t.path("s.ark")) == content(sample("fbank_text.ark"))
    with t.check("samples: Kaldi's alignments, text and binary, come back byte for byte"):
        t.convert("ark:" + sample("ali.txt"), "ark:" + t.path("s.ark"))
        assert content(t.path("s.ark")) == content(sample("ali.ark"))
        t.convert("scp:" + sample("ali.scp"), "ark,t:" + t.path("s.ark"))
        # Kaldi ends a line with a blank, the script that made the sample does not.
        assert content(t.path("s.ark")) == content(sample("ali.txt")).replace(b"\n", b" \n")
    with t.check("samples: Kaldi's double statistics come back byte for byte"):
        t.convert("ark:" + sample("cmvn.ark"), "ark:" + t.path("s.ark"))
        assert content(t.path("s.ark")) == content(sample("cmvn.ark"))
    with t.check("samples: Kaldi's compressed features, as kaldi_native_io decodes them"):
        t.convert("scp:" + sample("mfcc_cm.scp"), "ark:" + t.path("s.ark"))
        decoded = theirs("FloatMatrix", "ark:" + sample("mfcc_cm.ark"))
        same_sets(theirs("FloatMatrix", "ark:" + t.path("s.ark")), decoded)
    with t.check("samples: features and labels through a PFile and back, byte for byte"):
        t.convert("scp:" + sample("fbank.scp"), "--labels", sample("ali.txt"), t.path("s.pfile"))
        t.convert(t.path("s.pfile"), "ark:" + t.path("s.ark"), "--labels-out", "ark:" + t.path("s.ali.ark"))
        assert content(t.path("s.ark")) == content(sample("fbank.ark"))
        assert content(t.path("s.ali.ark")) == content(sample("ali.ark"))

"""What is timed: the jobs, what they are made of, who else does them.

A job's arguments name inputs by `in…` and by the files of the corpus, outputs by `out…`. Its goal
is wall time without waiting for the disk, divided by that of `cp` of the same input.
"""
from collections import namedtuple

Job = namedtuple("Job", "name arguments inputs goal peers")

JOBS = [
    Job("ark to ark and scp", "feats.ark ark,scp:out.ark,out.scp", "feats.ark", 1.1, "kaldi kaldi_native_io numpy"),
    Job("scp to ark", "feats.scp out.ark", "feats.ark", 1.2, "kaldi"),
    Job("select, all kept", "select feats.ark out.ark --keys keys.txt", "feats.ark", 1.15, ""),
    Job("ark and labels to pfile", "feats.ark --labels ali.ark out.pfile", "feats.ark ali.ark", 1.6, "numpy"),
    Job("pfile to ark and labels", "in.pfile out.ark --labels-out out.ali.ark", "in.pfile", 1.6, "numpy"),
    Job("ark and labels to pickle, protocol 4", "feats.ark --labels ali.ark out.pkl,protocol=4",
        "feats.ark ali.ark", 1.6, "numpy"),
    Job("ark and labels to pickle, protocol 2", "feats.ark --labels ali.ark out.pkl", "feats.ark ali.ark", 4, "numpy"),
    Job("pickle, protocol 4, to ark", "in4.pkl out.ark --labels-out out.ali.ark", "in4.pkl", None, ""),
    Job("pickle, protocol 2, to ark", "in2.pkl out.ark --labels-out out.ali.ark", "in2.pkl", None, ""),
    Job("pickle of one array to ark", "one.pkl,keys=none out.ark", "one.pkl", 2.5, "numpy"),
    Job("pickle of Python 2 to ark", "python2.pkl,keys=none out.ark", "python2.pkl", 2.5, "numpy"),
    Job("npy to pfile, one array", "one.npy out.pfile", "one.npy", None, ""),
    Job("ark to folder of spr", "feats.ark out.spr/", "feats.ark", None, ""),
    Job("folder of spr to ark", "in.spr/ out.ark", "in.spr", None, ""),
    Job("ark to text", "small.ark ark,t:out.txt", "small.ark", 6, "kaldi kaldi_native_io"),
    Job("text to ark", "in.txt out.ark", "in.txt", 2.5, "kaldi kaldi_native_io"),
    Job("ark to jsonl", "small.ark out.jsonl", "small.ark", None, ""),
    Job("jsonl to ark", "in.jsonl out.ark", "in.jsonl", None, ""),
    Job("text labels to binary", "ali.txt out.ark", "ali.txt", 4, "kaldi kaldi_native_io"),
    Job("CM to ark", "in.cm.ark out.ark", "in.cm.ark", 4, "kaldi kaldi_native_io"),
    Job("ark to CM", "feats.ark out.ark,compress=auto", "feats.ark", 4, "kaldi kaldi_native_io"),
    Job("gz to ark", "in.ark.gz out.ark", "in.ark.gz", 11, "gzip pigz igzip"),
    Job("ark to gz, level 6", "small.ark out.ark.gz,level=6", "small.ark", 25, "gzip pigz igzip libdeflate-gzip"),
    Job("bz2 to ark", "in.ark.bz2 out.ark", "in.ark.bz2", 100, "bzip2 lbzip2"),
    Job("ark to gz, level 1", "small.ark out.ark.gz,level=1", "small.ark", 6, "igzip libdeflate-gzip"),
    Job("context of 11 frames", "feats.ark out.ark --context 5", "feats.ark", 8, ""),
    Job("3 million utterances to npz", "many.ark out.npz", "many.ark", None, ""),
    Job("3 million utterances, sorted", "sort many.ark out.ark", "many.ark", None, ""),
    Job("3 million utterances, checked", "check many.ark", "many.ark", None, ""),
    Job("info of a small file", "info tiny.ark", "tiny.ark", None, ""),
]

# Inputs that the program makes, and how.
MADE = {
    "in.pfile": "feats.ark --labels ali.ark in.pfile",
    "in2.pkl": "feats.ark --labels ali.ark in2.pkl",
    "in4.pkl": "feats.ark --labels ali.ark in4.pkl,protocol=4",
    "in.spr": "feats.ark in.spr/",
    "in.txt": "small.ark ark,t:in.txt",
    "in.jsonl": "small.ark in.jsonl",
    "in.cm.ark": "feats.ark in.cm.ark,compress=auto",
}

# Commands of other programs: `{i}` is the input, `{o}` the output; Kaldi's are looked for in $KALDI_BIN.
COMMANDS = {
    ("ark to ark and scp", "kaldi"): "copy-feats ark:{i} ark,scp:{o},{o}.scp",
    ("scp to ark", "kaldi"): "copy-feats scp:feats.scp ark:{o}",
    ("ark to text", "kaldi"): "copy-feats ark:{i} ark,t:{o}",
    ("text to ark", "kaldi"): "copy-feats ark,t:{i} ark:{o}",
    ("text labels to binary", "kaldi"): "copy-int-vector ark,t:{i} ark:{o}",
    ("CM to ark", "kaldi"): "copy-feats ark:{i} ark:{o}",
    ("ark to CM", "kaldi"): "copy-feats --compress=true ark:{i} ark:{o}",
    ("gz to ark", "gzip"): "gzip -dc {i} > {o}",
    ("gz to ark", "pigz"): "pigz -dc {i} > {o}",
    ("gz to ark", "igzip"): "igzip -dc {i} > {o}",
    ("ark to gz, level 1", "igzip"): "igzip -1 -c {i} > {o}",
    ("ark to gz, level 1", "libdeflate-gzip"): "libdeflate-gzip -1 -c {i} > {o}",
    ("ark to gz, level 6", "gzip"): "gzip -6 -c {i} > {o}",
    ("ark to gz, level 6", "pigz"): "pigz -6 -c {i} > {o}",
    ("ark to gz, level 6", "igzip"): "igzip -3 -c {i} > {o}",
    ("ark to gz, level 6", "libdeflate-gzip"): "libdeflate-gzip -6 -c {i} > {o}",
    ("bz2 to ark", "bzip2"): "bzip2 -dc {i} > {o}",
    ("bz2 to ark", "lbzip2"): "lbzip2 -dc {i} > {o}",
}

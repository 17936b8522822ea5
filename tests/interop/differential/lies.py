"""Names that lie about content: what is read is what is there, or nothing is."""
import os

from . import lines, plain
from .formats import Holds
from .loss import fit
from .model import difference, expect

EXTENSIONS = ("ark scp ali pfile pkl spr trk sam seg cor lex key wav sph au flac mp3 ogg track htk fea mfc npy npz safetensors "
              "ctm stm rttm trn TextGrid lab mlf phn wrd txt jsonl json llc uem sh cpp csv log dat").split()
# Words and whole numbers are lines of these, too, where the name says so.
LABELS = ("lab", "phn", "wrd", "ctm", "stm", "trn")


def run(case):
    rng = case.rng
    case.name = "x"
    kind, source, path = plain.draw(case)
    extension = rng.choice(EXTENSIONS + [""])
    with open(path, "rb") as file:
        binary = b"\0" in file.read(4096)
    if extension in LABELS and not binary and path.endswith((".ark", ".scp")):
        return
    if kind == "text" and path.endswith(".ark") or kind == "objects":
        kind = "objects"
    name = os.path.splitext(path)[0] if not path.endswith((".gz", ".bz2")) else os.path.splitext(os.path.splitext(path)[0])[0]
    name += "." + extension if extension else ""
    os.rename(path, name)
    if os.path.exists(path + ".utt2num_frames"):
        os.rename(path + ".utt2num_frames", name + ".utt2num_frames")
    want, losses = fit(source.data, Holds(**lines.JSONL), None, False, source.generated)
    status, _, said = case.call(name, "out/o.jsonl", "--allow-loss", "all", "--no-sync")
    if losses.hard or status == 2:
        expect(status == 2, "status %d where %s is refused: %s", status, losses.hard, said)
        expect(name in said, "%s is not named: %s", name, said)
        expect(not os.listdir("out"), "left behind: %r", os.listdir("out"))
        return
    expect(status == 0, "status %d: %s", status, said)
    if "the bytes don't tell which" in said:
        return
    with open("out/o.jsonl", "rb") as file:
        got = [lines.decode(line) for line in file]
    wrong = difference(want, got)
    expect(not wrong, "read as something else: %s: %s", wrong, said)

"""FLAC, MP3, Ogg and ESPnet's archives against libsndfile, by way of soundfile."""
import os

import numpy as np
import soundfile

RATE = 16000
#: How far the samples of two decoders of lossy sound may be apart, of a range from -1 to 1.
NEAR = 1e-5


def tone(rows, channels, bits):
    """Samples of so many bits, at the top of 32."""
    noise = np.random.RandomState(rows + channels).randint(-1000, 1000, (rows, channels))
    time = np.arange(rows)[:, None] * (0.05 + 0.01 * np.arange(channels))
    wave = (np.sin(time) * 2**30).astype("i8") + noise * 2**12
    wave[:2] = [[-2**31], [2**31 - 1]]
    return (wave >> (32 - bits) << (32 - bits)).astype("<i4")


def write(t, name, samples, subtype, **how):
    path = t.path(name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    soundfile.write(path, samples, RATE, subtype=subtype, **how)
    return path


def samples(path):
    """All samples of a file as 32-bit integers."""
    return soundfile.read(path, dtype="int32", always_2d=True)[0]


def archive(path):
    """Keys and sound files of an archive such as ESPnet's."""
    with open(path, "rb") as f:
        while True:
            key = b""
            while (byte := f.read(1)) not in (b" ", b""):
                key += byte
            if not byte:
                return
            assert f.read(5) == b"AUDIO", key
            size = int.from_bytes(f.read(f.read(1)[0]), "little")
            yield key.decode(), f.read(size)


def flac(t):
    subtypes = {8: "PCM_U8", 16: "PCM_16", 24: "PCM_24"}
    for bits, subtype in subtypes.items():
        for channels in 1, 2, 3, 5, 8:
            for rows in 3, 4096, 10000:
                with t.check("flac: %d bits, %d channels, %d samples" % (bits, channels, rows)):
                    wanted = tone(rows, channels, bits)
                    wav = write(t, "sound/a.wav", wanted, subtype)
                    ours, back = t.path("sound/ours.flac"), t.path("sound/back.wav")
                    t.convert(wav, ours)
                    assert soundfile.info(ours).subtype == subtype.replace("U", "S"), soundfile.info(ours).subtype
                    np.testing.assert_array_equal(samples(ours), wanted)
                    theirs = write(t, "sound/theirs.flac", wanted, subtype.replace("U", "S"))
                    t.convert(theirs, back)
                    np.testing.assert_array_equal(samples(back), wanted)


def lossy(t):
    for name, subtype in ("mp3", "MPEG_LAYER_III"), ("ogg", "VORBIS"):
        for channels in 1, 2:
            for rows in 100, 5000, 40000:
                with t.check("%s: %d channels, %d samples" % (name, channels, rows)):
                    path = write(t, "sound/lossy." + name, tone(rows, channels, 16) // 4, subtype)
                    t.convert(path, t.path("sound/lossy.wav"))
                    theirs = soundfile.read(path, dtype="float32", always_2d=True)[0]
                    ours = soundfile.read(t.path("sound/lossy.wav"), dtype="float32", always_2d=True)[0]
                    assert ours.shape == theirs.shape, (ours.shape, theirs.shape)
                    assert np.abs(ours - theirs).max() < NEAR, np.abs(ours - theirs).max()


def espnet(t):
    folder = t.path("sound/flac")
    wanted = {}
    for n, key in enumerate(["ann-1", "bob-2", "cy-3"]):
        wanted[key] = tone(1000 * (n + 1), 1 + n, 16)
        write(t, "sound/flac/%s.flac" % key, wanted[key], "PCM_16")
    ark, scp = t.path("sound/x.ark"), t.path("sound/wav.scp")
    t.convert(folder, "ark,scp:%s,%s" % (ark, scp), "--co", "audio=flac")
    with t.check("espnet: files stay as they are"):
        for key, file in archive(ark):
            with open(os.path.join(folder, key + ".flac"), "rb") as f:
                assert file == f.read(), key
        assert [key for key, _ in archive(ark)] == sorted(wanted)
    with t.check("espnet: a script file points at the sound"):
        with open(scp, encoding="utf-8") as f:
            lines = [line.split() for line in f]
        for key, place in lines:
            with open(ark, "rb") as f:
                f.seek(int(place.rpartition(":")[2]))
                assert f.read(5) == b"AUDIO"
                size = int.from_bytes(f.read(f.read(1)[0]), "little")
                with open(t.path("sound/one.flac"), "wb") as one:
                    one.write(f.read(size))
            np.testing.assert_array_equal(samples(t.path("sound/one.flac")), wanted[key])
    for audio in "flac", "wav":
        with t.check("espnet: waves become %s" % audio):
            t.convert(folder, t.path("sound/waves/"), "--to", "wav")
            t.convert(t.path("sound/waves/"), "ark:" + t.path("sound/y.ark"), "--co", "audio=" + audio)
            for key, file in archive(t.path("sound/y.ark")):
                with open(t.path("sound/one." + audio), "wb") as one:
                    one.write(file)
                np.testing.assert_array_equal(samples(t.path("sound/one." + audio)), wanted[key])


def checks(t):
    flac(t)
    lossy(t)
    espnet(t)

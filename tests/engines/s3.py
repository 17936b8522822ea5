"""The tests that s3.sh runs: the program against moto."""

import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

import boto3

PROGRAM = sys.argv[1]
SAMPLES = pathlib.Path(__file__).parents[2] / "fixtures/samples/kaldi"
BUCKET = "bucket"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


PORT = free_port()
ENDPOINT = f"http://127.0.0.1:{PORT}"
ENV = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()} | {
    "AWS_ENDPOINT": ENDPOINT,
    "AWS_ACCESS_KEY_ID": "someone",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_REGION": "us-east-1",
}


def run(*words, status=0):
    done = subprocess.run([PROGRAM, *map(str, words)], env=ENV, capture_output=True, text=True)
    assert done.returncode == status, f"{words}: {done.returncode} {done.stderr}"
    return done


def names(s3):
    return {entry["Key"] for entry in s3.list_objects_v2(Bucket=BUCKET).get("Contents", [])}


def uploads(s3):
    return s3.list_multipart_uploads(Bucket=BUCKET).get("Uploads", [])


def outputs(s3):
    """Each sort of output comes back as what it was, is not replaced unasked, and is replaced when asked."""
    want = run(SAMPLES / "fbank.scp", "jsonl:-", "-q").stdout
    for output, back in [
        ("s3://bucket/a.ark", None),
        ("ark,scp:s3://bucket/b.ark,s3://bucket/b.scp", "s3://bucket/b.scp"),
        ("s3://bucket/c.pfile", None),
        ("s3://bucket/d.pkl", None),
        ("s3://bucket/e.jsonl.zst", None),
        ("s3://bucket/f.ark.gz", None),
        ("spr:s3://bucket/spr/", "s3://bucket/spr/"),
        ("npy:s3://bucket/npy/", "s3://bucket/npy/"),
    ]:
        allow = ["--allow-loss", "all", "-q"]
        run(SAMPLES / "fbank.scp", output, *allow)
        back = back or output
        got = run(back, "jsonl:-", *allow).stdout
        if output.endswith((".ark", ".scp", ".jsonl.zst", ".ark.gz")):
            assert got == want, output
        assert got.count("\n") == 12, output
        said = run(SAMPLES / "fbank.scp", output, *allow, status=2).stderr
        assert "exists already" in said, said
        run(SAMPLES / "fbank.scp", output, *allow, "--overwrite")
    assert "c.pfile.utt2num_frames" in names(s3)
    assert not uploads(s3)


def shards(s3):
    for n in (1, 2, 3):
        run("s3://bucket/b.scp", "s3://bucket/shard.{shard}.pfile", "--shard", f"{n}/3", "-q")
    s3.delete_object(Bucket=BUCKET, Key="shard.00002-of-00003.pfile.shard.json")
    missing = run("shards", "status", "s3://bucket/shard.{shard}.pfile", status=1).stdout
    assert missing.strip() == "2", missing
    run("s3://bucket/b.scp", "s3://bucket/shard.{shard}.pfile", "--shard", "2/3", "--resume", "-q")
    run("shards", "merge", "s3://bucket/shard.{shard}.pfile", "-o", "s3://bucket/merged.pfile", "-q")
    read = lambda key: s3.get_object(Bucket=BUCKET, Key=key)["Body"].read()
    run("s3://bucket/b.scp", "s3://bucket/whole.pfile", "-q")
    assert read("merged.pfile") == read("whole.pfile")


def killed(s3, how):
    """A run that is stopped in the middle of an upload."""
    one = (SAMPLES / "fbank.ark").read_bytes()
    words = ["-", "-f", "kaldi", "s3://bucket/killed.ark", "-q", "--remote-block", "5m"]
    job = subprocess.Popen([PROGRAM, *words], env=ENV, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    for n in range(26):
        job.stdin.write(one.replace(b" \0BFM", b"-%d \0BFM" % n))
    job.stdin.flush()
    end = time.monotonic() + 30
    while not uploads(s3):
        assert time.monotonic() < end, "no upload began"
        time.sleep(0.01)
    job.send_signal(how)
    job.communicate()
    assert "killed.ark" not in names(s3)
    return uploads(s3)


def changed(s3):
    """Content that changes between two blocks."""
    import threading

    s3.put_object(Bucket=BUCKET, Key="pin.ark", Body=(SAMPLES / "fbank.ark").read_bytes())
    reader, writer = os.pipe()
    job = subprocess.Popen(
        [PROGRAM, "s3://bucket/pin.ark", "ark,t:-", "-q"], env=ENV, stdout=writer, stderr=subprocess.PIPE
    )
    os.close(writer)
    os.read(reader, 1)
    s3.put_object(Bucket=BUCKET, Key="pin.ark", Body=b"x" * 500_000)
    drain = threading.Thread(target=lambda: [None for _ in iter(lambda: os.read(reader, 1 << 16), b"")])
    drain.start()
    said = job.stderr.read().decode()
    assert job.wait() in (0, 2), said
    # It may have been quick enough to have all of it before; half of each it never gives.
    assert job.returncode == 0 or "changed while it was read" in said, said


def main():
    server = subprocess.Popen(
        [pathlib.Path(sys.executable).parent / "moto_server", "-H", "127.0.0.1", "-p", str(PORT)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        keys = {"aws_access_key_id": "someone", "aws_secret_access_key": "secret"}
        s3 = boto3.client("s3", endpoint_url=ENDPOINT, region_name="us-east-1", **keys)
        end = time.monotonic() + 60
        while True:
            try:
                s3.create_bucket(Bucket=BUCKET)
                break
            except Exception:
                assert time.monotonic() < end, "moto does not start"
                time.sleep(0.2)
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            outputs(s3)
            shards(s3)
            changed(s3)
            assert killed(s3, signal.SIGTERM) == [], "a signal left an upload"
            left = killed(s3, signal.SIGKILL)
            assert len(left) == 1, "what a kill leaves is an upload that nobody sees"
            assert os.listdir(".") == []
        print("s3: outputs, shards, signals and kills on moto are as they should be")
    finally:
        server.terminate()
        server.wait()


main()

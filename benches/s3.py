"""Object stores on loopback: the program beside a plain client of one stream, in the same run.

    python benches/s3.py PATH_TO_SPR_CONVERT [--mib 256] [--rounds 5] [--endpoint URL]

needs NumPy, boto3 and, without --endpoint, moto (`pip install 'moto[server,s3]' numpy`). The program must be built
with the feature remote. The plain client is boto3 with one thread; it moves the same bytes without looking
at them. A figure is its time divided by ours, so 1 is as fast, and 0.7 is the goal.
"""

import argparse
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time

import boto3
from boto3.s3.transfer import TransferConfig

import corpus

BUCKET = "bench"
ONE_STREAM = TransferConfig(use_threads=False, multipart_chunksize=8 << 20)


def start_moto():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    program = pathlib.Path(sys.executable).parent / "moto_server"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([program, "-H", "127.0.0.1", "-p", str(port)], **quiet), f"http://127.0.0.1:{port}"


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def peak(words, env):
    """Runs a command and gives its seconds and its peak memory in MiB."""
    start = time.perf_counter()
    job = subprocess.Popen(words, env=env)
    _, status, used = os.wait4(job.pid, 0)
    assert status == 0, words
    return time.perf_counter() - start, used.ru_maxrss / 1024


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--mib", type=int, default=256)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--endpoint")
    args = arguments.parse_args()
    server, endpoint = (None, args.endpoint) if args.endpoint else start_moto()
    keys = {"AWS_ACCESS_KEY_ID": "someone", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}
    env = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    env |= keys | {"AWS_ENDPOINT": endpoint}
    s3 = boto3.client(
        "s3",
        endpoint_url=endpoint,
        region_name=keys["AWS_REGION"],
        aws_access_key_id=keys["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=keys["AWS_SECRET_ACCESS_KEY"],
    )
    try:
        end = time.monotonic() + 60
        while True:
            try:
                s3.create_bucket(Bucket=BUCKET)
                break
            except Exception:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)
        with tempfile.TemporaryDirectory() as folder:
            measure(args, s3, env, pathlib.Path(folder))
    finally:
        if server:
            server.terminate()
            server.wait()


def measure(args, s3, env, folder):
    corpus.make(folder, args.mib)
    ark = folder / "feats.ark"
    url = f"s3://{BUCKET}/out.ark"
    there, here = folder / "copy", folder / "out.ark"
    found = {"ark to s3": [], "s3 to ark": []}
    memory = dict.fromkeys(found, 0.0)
    for n in range(args.rounds + 1):
        plain = seconds(lambda: s3.upload_file(str(ark), BUCKET, "plain", Config=ONE_STREAM))
        ours, mib = peak([args.program, str(ark), url, "-q", "--overwrite"], env)
        up = (plain, ours, mib)
        plain = seconds(lambda: s3.download_file(BUCKET, "plain", str(there), Config=ONE_STREAM))
        ours, mib = peak([args.program, url, str(here), "-q", "--overwrite", "--no-sync"], env)
        down = (plain, ours, mib)
        # The first round warms up.
        for name, (plain, ours, mib) in zip(found, (up, down)):
            if n:
                found[name].append((plain, ours))
            memory[name] = max(memory[name], mib)
    print("| job | plain client, s | ours, s | plain / ours | peak MiB |\n|---|---:|---:|---:|---:|")
    for name, times in found.items():
        plain, ours = (statistics.median(column) for column in zip(*times))
        ratio = statistics.median(plain / ours for plain, ours in times)
        print(f"| {name}, {args.mib} MiB | {plain:.2f} | {ours:.2f} | **{ratio:.2f}** | {memory[name]:.0f} |")


main()

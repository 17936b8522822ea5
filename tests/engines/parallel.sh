#!/usr/bin/env bash
# Shards by GNU parallel: some jobs fail, `--resume-failed` runs those again, and what is merged is
# what one job writes.
#
#     tests/engines/parallel.sh PATH_TO_SPR_CONVERT
#
# Says so and ends with status 77 where GNU parallel is not there.
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: $0 PATH_TO_SPR_CONVERT" >&2; exit 2; }
program=$(realpath "$1")
samples=$(realpath "$(dirname "$0")/../../fixtures/samples/kaldi")
parallel --version 2>/dev/null | grep -q "GNU parallel" || { echo "not tested: there is no GNU parallel"; exit 77; }
shards=8
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cp "$samples"/fbank.* .
"$program" fbank.scp one.pfile --quiet
sed '5,6s/fbank/later/' fbank.scp >in.scp
convert() {
    seq $shards | parallel --jobs 2 --joblog log --resume-failed --quote \
        "$program" in.scp 'out.{shard}.pfile' --shard "{}/$shards" --shard-by entries --resume --quiet
}
convert 2>errors && { echo "a failed job is not told"; exit 1; }
missing=$("$program" shards status 'out.{shard}.pfile' --quiet) && { echo "a missing shard is not told"; exit 1; }
cp fbank.ark later.ark
convert
"$program" shards merge 'out.{shard}.pfile' -o all.pfile --quiet
cmp one.pfile all.pfile
cmp one.pfile.utt2num_frames all.pfile.utt2num_frames
echo "$shards shards by GNU parallel, $missing run again: the same bytes as of one job"

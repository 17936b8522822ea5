#!/usr/bin/env bash
# Shards by the convention of Kaldi's run.pl, queue.pl and slurm.pl: `JOB=1:8 LOG COMMAND…`, where JOB
# stands for the number in the log's name and in the command. The runner here does what run.pl does: all
# jobs at once, a log each, and a failure if one of them fails.
#
#     tests/engines/kaldi.sh PATH_TO_SPR_CONVERT
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: $0 PATH_TO_SPR_CONVERT" >&2; exit 2; }
program=$(realpath "$1")
samples=$(realpath "$(dirname "$0")/../../fixtures/samples/kaldi")
shards=8
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

run() {
    local last="${1#JOB=1:}" log="$2" job failed=0 pids=()
    shift 2
    for job in $(seq "$last"); do
        # run.pl hands the command to a shell, which strips a layer of quotes.
        bash -c "${*//JOB/$job}" >"${log//JOB/$job}" 2>&1 &
        pids+=($!)
    done
    for job in "${pids[@]}"; do wait "$job" || failed=$((failed + 1)); done
    [ $failed = 0 ] || { echo "run: $failed of $last jobs failed"; return 1; }
}

cp "$samples"/fbank.* .
"$program" fbank.scp ark,scp:one.ark,one.scp --quiet
out='ark,scp:out.{shard}.ark,out.{shard}.scp'
mkdir log

# The fourth list of jobs names an archive that is not there yet.
convert="'$program' in.scp '$out' --shard JOB/$shards --shard-by entries --resume --quiet"
sed '5,6s/fbank/later/' fbank.scp >in.scp
run JOB=1:$shards log/convert.JOB.log "$convert" && { echo "a failed job is not told"; exit 1; }
missing=$("$program" shards status "$out" --quiet) && { echo "a missing shard is not told"; exit 1; }
[ -n "$missing" ] && [ "$missing" != "1-$shards" ] || { echo "missing: '$missing'"; exit 1; }
cp fbank.ark later.ark
run JOB=1:$shards log/convert.JOB.log "$convert"
grep -q "error" log/convert.*.log && { echo "an error in a log of the second run"; exit 1; }
"$program" shards status "$out" --quiet
"$program" shards merge "$out" -o ark,scp:all.ark,all.scp --quiet
cmp one.ark all.ark
sed 's/all.ark/one.ark/' all.scp | cmp - one.scp
echo "$shards shards as Kaldi's JOB=1:$shards, $missing run again: the same bytes as of one job"

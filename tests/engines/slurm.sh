#!/usr/bin/env bash
# Shards as an array job of a real Slurm, which runs on this machine and listens on 127.0.0.1 only:
# one task is killed while it writes and requeued, one is run again alone, and what is merged is what
# one job writes.
#
#     tests/engines/slurm.sh PATH_TO_SPR_CONVERT
#
# Needs Debian's slurm-wlm and munge, and root. Says so and ends with status 77 where they are not there.
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: $0 PATH_TO_SPR_CONVERT" >&2; exit 2; }
program=$(realpath "$1")
samples=$(realpath "$(dirname "$0")/../../fixtures/samples/kaldi")
for needed in slurmctld slurmd sbatch munged; do
    PATH=$PATH:/usr/sbin command -v $needed >/dev/null || { echo "not tested: there is no $needed"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "not tested: only root starts Slurm here"; exit 77; }
PATH=$PATH:/usr/sbin

shards=8
work=$(mktemp -d)
host=$(hostname -s)
stop() {
    for pid in "$work"/slurm/*.pid /run/munge/munged.pid; do
        [ -e "$pid" ] && kill "$(cat "$pid")" 2>/dev/null || true
    done
    sleep 1
    rm -rf "$work"
}
trap stop EXIT

mkdir -p "$work"/slurm/{state,spool}
[ -e /etc/munge/munge.key ] || { install -d -o munge -g munge -m 0700 /etc/munge; runuser -u munge -- mungekey --create; }
install -d -o munge -g munge -m 0755 /run/munge
runuser -u munge -- "$(command -v munged)" --force
cat >"$work/slurm/slurm.conf" <<END
ClusterName=shards
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
StateSaveLocation=$work/slurm/state
SlurmdSpoolDir=$work/slurm/spool
SlurmctldPidFile=$work/slurm/controller.pid
SlurmdPidFile=$work/slurm/node.pid
SlurmctldLogFile=$work/slurm/controller.log
SlurmdLogFile=$work/slurm/node.log
SlurmctldPort=16817
SlurmdPort=16818
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
JobRequeue=1
RequeueExit=137
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$work/slurm/slurm.conf
slurmctld
for _ in $(seq 40); do sinfo >/dev/null 2>&1 && break; sleep 0.25; done
slurmd
for _ in $(seq 80); do sinfo -h -o %t 2>/dev/null | grep -q idle && break; sleep 0.25; done

cd "$work"
cp "$samples"/fbank.* .
"$program" fbank.scp ark,scp:one.ark,one.scp --quiet
out='ark,scp:out.{shard}.ark,out.{shard}.scp'

# The first time, the third shard waits long enough to be killed while it writes.
cat >job.sh <<END
#!/bin/sh
export SPR_SHARD=\$SLURM_ARRAY_TASK_ID
if [ "\$SLURM_ARRAY_TASK_ID" = 3 ] && [ "\${SLURM_RESTART_COUNT:-0}" = 0 ]; then
    mkfifo slow.pipe
    (sleep 60 >slow.pipe) &
    # The shell tells Slurm by its status, 137, that the program was killed.
    "$program" slow.scp '$out' --shard 3/$shards --resume --allow-pipes --quiet
    exit \$?
fi
exec "$program" fbank.scp '$out' --shard auto/$shards --resume --quiet
END
# Every entry of the slow list waits for a pipe that says nothing.
sed 's/ .*/ cat slow.pipe |/' fbank.scp >slow.scp

job=$(sbatch --parsable --array=1-$shards --requeue --output=log.%a job.sh)
for _ in $(seq 120); do
    ls .out.00003-of-*.tmp >/dev/null 2>&1 && break
    sleep 0.25
done
ls .out.00003-of-*.tmp >/dev/null || { echo "the third shard never began"; cat log.3; exit 1; }
pkill -KILL -f "slow.scp" || true
sleep 1
# A job that is requeued waits for two minutes unless it is told not to.
for _ in $(seq 120); do
    scontrol update jobid="${job}_3" StartTime=now 2>/dev/null || true
    [ -z "$(squeue -h -j "$job" 2>/dev/null)" ] && break
    sleep 0.5
done
[ -e out.00003-of-00008.ark ] || { echo "the third shard was not requeued"; squeue; cat log.3; exit 1; }

# One is lost, and run again alone.
rm out.00005-of-*
missing=$("$program" shards status "$out" --quiet) && { echo "a missing shard is not told"; exit 1; }
[ "$missing" = 5 ] || { echo "expected 5 to be missing, found $missing"; exit 1; }
sbatch --wait --array="$missing" --output=log.again job.sh >/dev/null
"$program" shards status "$out" --quiet
"$program" shards merge "$out" -o ark,scp:all.ark,all.scp --quiet
cmp one.ark all.ark
sed 's/all.ark/one.ark/' all.scp | cmp - one.scp
echo "$shards shards by Slurm, one killed and requeued, one run again: the same bytes as of one job"

#!/usr/bin/env bash
# Object stores on a real S3 server, moto, which runs on this machine and listens on 127.0.0.1 only:
# every sort of output goes there and comes back, shards are merged, and a run that is killed leaves
# nothing that anybody sees.
#
#     tests/engines/s3.sh PATH_TO_SPR_CONVERT
#
# The program must be built with the feature remote. Needs Python and PyPI, once; says so and ends with
# status 77 where they are not there.
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: $0 PATH_TO_SPR_CONVERT" >&2; exit 2; }
program=$(realpath "$1")
root=$(realpath "$(dirname "$0")/../..")
"$program" convert --help | grep -q -- --remote-block \
    || { echo "not tested: $1 is built without the feature remote"; exit 77; }
venv=$root/target/s3
if [ ! -x "$venv/bin/moto_server" ]; then
    { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check 'moto[server,s3]==5.*'; } \
        >/dev/null 2>&1 || { echo "not tested: moto can't be had from PyPI"; exit 77; }
fi
exec "$venv/bin/python" "$root/tests/engines/s3.py" "$program"

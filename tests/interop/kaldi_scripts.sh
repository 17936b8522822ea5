#!/usr/bin/env bash
# Kaldi's own scripts on data directories that the program wrote, where KALDI_ROOT is a tree of Kaldi:
# validate_data_dir.sh takes each of them, and refuses what `check` finds at fault.
set -euo pipefail
program="$(realpath "$1")"
if [ -z "${KALDI_ROOT:-}" ]; then
    echo "Kaldi's scripts: not run, KALDI_ROOT is not set"
    exit 0
fi
utils="$KALDI_ROOT/egs/wsj/s5/utils"
[ -x "$utils/validate_data_dir.sh" ] || { echo "there is no $utils/validate_data_dir.sh"; exit 1; }
root="$(cd "$(dirname "$0")/../.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"
ln -s "$utils" utils
printf 'export LC_ALL=C\n' > path.sh
cp -r "$root/fixtures/kaldi/data-directory/input" train
cp -r "$root/fixtures/samples/kaldi-data" audio

validate() { utils/validate_data_dir.sh --non-print "$@" >said 2>&1; }
written() {
    "$program" "$@" -q
    validate "${options[@]}" "$output" || { cat said; echo "refused: $*"; exit 1; }
    "$program" check "$output" -q
}

options=()
output=copy; written train kaldi-data:copy
output=bob; written select train bob --speakers bobb
"$program" split train 'set-{part}' --valid 0.5 --by speaker --seed 2 -q
output=both; written merge set-train set-valid -o both
options=(--no-feats)
"$program" select train ann.json --speakers annc --to nemo -q
output=manifest; written ann.json kaldi-data:manifest

# What the script refuses, `check` finds.
fault() {
    rm -rf bad
    cp -r train bad
    sed -i "$2" "bad/$1"
    if validate bad; then echo "taken by the script: $1 $2"; exit 1; fi
    if "$program" check bad -q >/dev/null; then echo "not found: $1 $2"; exit 1; fi
}
fault text '1d'
fault text 's/ONE/<s>/'
fault text '1s/$/\r/'
fault utt2spk '2s/annc$/bobb/'
fault spk2utt '2d'
fault segments '2s/0.45 0.8/0.8 0.45/'
fault segments '2s/annc-rec1 /rec9 /'
fault wav.scp '2d'
fault feats.scp '$d'
fault spk2gender '1s/f/x/'
fault utt2dur '1s/0.4/0/'
fault utt2num_frames '1s/38/-1/'
fault reco2dur '1d'
fault utt2lang '1h;1d;2G'
echo "Kaldi's scripts: all as expected"

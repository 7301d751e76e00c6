#!/usr/bin/env bash
# Runs what build.sh left beside this script: run.sh OUT [PROGRAM...]
#
# OUT gets readings.jsonl, a line a reading; machine.csv, what the readings were
# made on; power.csv, power and clocks in the meantime; log.txt. Each program has
# 60 s, and changes no setting of the GPU.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${1:?where to put the readings}
shift
programs=("$@")
if [[ $# -eq 0 ]]; then
  programs=(l2_load l2_ring address start epilogue operands copies units
            multicast rows slices scopes fences streams places sync boxes pairs
            writes words flags crowds mixes energy
            power)
fi
mkdir -p "$out"
: >"$out/readings.jsonl"
nvidia-smi --query-gpu=timestamp,name,driver_version,power.limit \
  --format=csv,noheader >"$out/machine.csv"
nvidia-smi --query-gpu=timestamp,power.draw,clocks.sm,clocks.mem,temperature.gpu \
  --format=csv,noheader -lms 200 >"$out/power.csv" &
watcher=$!
failed=0
for program in "${programs[@]}"; do
  start=$SECONDS
  timeout -k 5 60 "$here/$program" "$out/part" 2>&1 | tee -a "$out/log.txt"
  status=${PIPESTATUS[0]}
  cat "$out/part" >>"$out/readings.jsonl"
  rm -f "$out/part"
  echo "$program: status $status, $((SECONDS - start)) s" |
    tee -a "$out/log.txt"
  [[ $status -eq 0 ]] || failed=1
done
kill "$watcher"
exit "$failed"

#!/usr/bin/env bash
# Runs what build.sh put into a folder: run.sh DIR OUT
#
# OUT gets probes.json, a list of readings; machine.csv, what they were made on;
# log.txt, what the programs say of themselves. proxy and scopes have 60 s each,
# a case of exits 10 s. Cases that may hang come last. No setting of the GPU is
# changed. Exit status 1: a program failed, and readings are missing.
set -uo pipefail
dir=$(cd "${1:?folder of the programs}" && pwd) || exit
out=${2:?where to put the readings}
mkdir -p "$out"
: >"$out/lines"
: >"$out/log.txt"
nvidia-smi --query-gpu=timestamp,name,driver_version,clocks.sm \
  --format=csv,noheader >"$out/machine.csv"
failed=0

say() { echo "$*" | tee -a "$out/log.txt"; }

# watched SECONDS PROGRAM ARGUMENT...: its readings are kept however it ends.
watched() {
  local start=$SECONDS
  : >"$out/part"
  timeout -k 5 "$1" "$dir/$2" "${@:3}" "$out/part" 2>&1 | tee -a "$out/log.txt"
  local status=${PIPESTATUS[0]}
  cat "$out/part" >>"$out/lines"
  say "${*:2}: status $status, $((SECONDS - start)) s"
  [[ $status -eq 0 ]] || failed=1
}

watched 60 proxy
watched 60 scopes
cases=$("$dir/exits") || failed=1
for case in $cases; do
  watched 10 exits "$case"
done
rm -f "$out/part"
{
  echo "["
  sed '$!s/$/,/' "$out/lines"
  echo "]"
} >"$out/probes.json"
rm -f "$out/lines"
say "$(grep -c '"probe"' "$out/probes.json") readings, $SECONDS s"
exit "$failed"

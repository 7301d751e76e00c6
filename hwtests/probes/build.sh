#!/usr/bin/env bash
# Compiles the probes for an H100 or H200.
#
#   build.sh DIR       programs, and run.sh beside them
#   build.sh --check   device code alone, to see that it compiles; exit status
#                      77 without nvcc
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here
export PATH="$PATH:/usr/local/cuda/bin"
readonly NVCC=(nvcc -gencode=arch=compute_90a,code=sm_90a -O3 -std=c++17
  -Werror all-warnings -I "$here/../..")
readonly PROGRAMS=(proxy scopes exits)

check() {
  command -v nvcc >/dev/null || exit 77
  local program
  scratch=$(mktemp -d)  # not local: it is removed on exit
  trap 'rm -rf "$scratch"' EXIT
  for program in "${PROGRAMS[@]}"; do
    "${NVCC[@]}" -cubin "$here/$program.cu" -o "$scratch/code"
  done
}

build() {
  local out=$1 program
  mkdir -p "$out"
  cp "$here/run.sh" "$out/"
  # The driver is found at run time, the runtime is part of the program.
  for program in "${PROGRAMS[@]}"; do
    "${NVCC[@]}" -cudart static "$here/$program.cu" -o "$out/$program"
  done
}

if [[ ${1:?where to put the programs, or --check} == --check ]]; then
  check
else
  build "$1"
fi

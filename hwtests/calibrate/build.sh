#!/usr/bin/env bash
# Compiles the microbenchmarks for an H200.
#
#   build.sh OUT [PROGRAM...]     programs, and run.sh beside them
#   build.sh --check              device code alone, to see that it compiles;
#                                 exit status 77 without nvcc
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here
export PATH="$PATH:/usr/local/cuda/bin"
readonly NVCC=(nvcc -gencode=arch=compute_90a,code=sm_90a -O3 -std=c++17
  -Werror all-warnings -I "$here/../..")

check() {
  command -v nvcc >/dev/null || exit 77
  local source
  scratch=$(mktemp -d)  # not local: it is removed on exit
  trap 'rm -rf "$scratch"' EXIT
  for source in "$here"/*.cu; do
    "${NVCC[@]}" -cubin "$source" -o "$scratch/code"
  done
}

build() {
  local out=$1 program programs=("${@:2}")
  if [[ ${#programs[@]} -eq 0 ]]; then
    for program in "$here"/*.cu; do
      programs+=("$(basename "$program" .cu)")
    done
  fi
  mkdir -p "$out"
  cp "$here/run.sh" "$out/"
  # The driver is found at run time, the runtime is part of the program.
  for program in "${programs[@]}"; do
    "${NVCC[@]}" -cudart static "$here/$program.cu" -o "$out/$program"
  done
}

if [[ ${1:?where to put the programs, or --check} == --check ]]; then
  check
else
  build "$@"
fi

#!/usr/bin/env bash
# Compiles the microbenchmarks for an sm_90a: build.sh OUT [PROGRAM...]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${1:?where to put the programs}
shift
mkdir -p "$out"
cp "$here/run.sh" "$out/"
programs=("$@")
if [[ $# -eq 0 ]]; then
  for source in "$here"/*.cu; do programs+=("$(basename "$source" .cu)"); done
fi
for program in "${programs[@]}"; do
  # The driver is found at run time, the runtime is part of the program.
  nvcc -gencode=arch=compute_90a,code=sm_90a -O3 -std=c++17 -cudart static \
    -Werror all-warnings -I "$here/../.." "$here/$program.cu" -o "$out/$program"
done

"""What a standalone program fills, reads and compares, without a GPU.

usage: standalone.py TILESIM [CXX]

The part behind the kernel is compiled for the CPU: its own kernels are called
as functions of one thread, and the lowered one is replaced by plain loops over
the elements that the program's strides name. Rows with a pitch, one row that
stands for all, and one number for all: the check must pass, fail where the
loops are wrong, and never touch a byte that was not allocated.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM = """kernel strides target sm_90a {
  param M : 1.. = 100
  param P : 32.. = 40
  global X : f32[M, 32] stride (P, 1)
  global B : f32[M, 32] stride (0, 1)
  global S : s32[M] stride (0) in 2..5
  global D : f32[M, 32] stride (P + 8, 1)
  computes D = X + B within 0.01
  grid (cdiv(M, 32))
  block 32
  reg x, b : f32[32, 32] fragment row
  var k = 0
  ld k, S[cta.x]
  if k < 2 || k > 5 { bar.warp.sync }
  ld.global x, X[32 * cta.x :+ 32, :]
  ld.global b, B[32 * cta.x :+ 32, :]
  add x, x, b
  st.global D[32 * cta.x :+ 32, :], x
}
"""
STUBS = """
#include <cstdint>
#include <cstdlib>
#include <cstring>
#define __global__
#define __device__
#define __host__
using cudaError_t = int;
using cudaEvent_t = int;
constexpr int cudaSuccess = 0, cudaMemcpyDefault = 0;
struct { unsigned x; } blockIdx{0}, threadIdx{0}, gridDim{1};
inline int cudaMalloc(void** p, size_t n) { *p = std::malloc(n); return 0; }
inline int cudaMemset(void* p, int v, size_t n) {
  std::memset(p, v, n);
  return 0;
}
inline int cudaMemcpy(void* to, const void* from, size_t n, int) {
  std::memcpy(to, from, n);
  return 0;
}
inline int cudaDeviceSynchronize() { return 0; }
inline int cudaEventCreate(int*) { return 0; }
inline int cudaEventRecord(int) { return 0; }
inline int cudaEventElapsedTime(float* ms, int, int) { *ms = 1; return 0; }
inline const char* cudaGetErrorString(int) { return ""; }
namespace tile {  // of types that the program has not
inline uint16_t pack_f16(float, int) { std::abort(); }
inline float from_f16(uint16_t, int) { std::abort(); }
inline uint16_t pack_bf16(float, int) { std::abort(); }
inline float from_bf16(uint16_t, int) { std::abort(); }
inline uint8_t pack_e4m3(float, int, int, int) { std::abort(); }
inline float from_e4m3(uint8_t, int) { std::abort(); }
inline uint8_t pack_e5m2(float, int, int, int) { std::abort(); }
inline float from_e5m2(uint8_t, int) { std::abort(); }
}  // namespace tile
namespace strides_code {
inline int launch(float* x, float* b, int32_t* s, float* d, int m, int p) {
  if (*s < 2 || *s > 5) return 1;
  for (int r = 0; r < m; ++r)
    for (int c = 0; c < 32; ++c) d[r * (p + 8) + c] = x[r * p + c] + b[BIAS];
  return 0;
}
}  // namespace strides_code
"""


def for_cpu(cuda):
    text = cuda[cuda.index("// --- Inputs, reference"):]
    text = text[:text.rindex("#endif")]
    text = text.replace("256ll", "1ll")
    text = re.sub(r"<<<\s*\d+,\s*\d+>>>", "", text)
    return STUBS + text


def main():
    tilesim, cxx = sys.argv[1], (sys.argv[2:] or ["g++"])[0]
    with tempfile.TemporaryDirectory() as where:
        folder = pathlib.Path(where)
        (folder / "strides.tile").write_text(PROGRAM)
        lowered = subprocess.run(
            [tilesim, "lower", folder / "strides.tile", "--standalone"],
            capture_output=True, text=True, check=True).stdout
        (folder / "main.cc").write_text(for_cpu(lowered))
        for bias, ends in (("c", 0), ("(c + 1) % 32", 1)):
            subprocess.run([cxx, "-std=c++17", "-O1", "-fsanitize=address",
                            f"-DBIAS={bias}", "main.cc", "-o", "main"],
                           cwd=folder, check=True)
            done = subprocess.run([folder / "main"], capture_output=True,
                                  text=True, env={"ASAN_OPTIONS":
                                                  "detect_leaks=0"})
            assert done.returncode == ends, (bias, done)
            assert ("FAIL" in done.stdout) == bool(ends), done.stdout


if __name__ == "__main__":
    main()

// A libcublas.so.13 that multiplies nothing, for tests of what stands around
// it. TILESIM_FAKE_CUBLAS=fail: every product fails.
#include <cstdlib>

extern "C" {

int cublasCreate_v2(void** handle) { return *handle = nullptr, 0; }

int cublasGemmEx(void*, int, int, int, int, int, const void*, const void*, int,
                 int, const void*, int, int, const void*, void*, int, int, int,
                 int) {
  return std::getenv("TILESIM_FAKE_CUBLAS") == nullptr ? 0 : 13;
}

}  // extern "C"

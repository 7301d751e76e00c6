// --- Host: tensor maps and launch ---------------------------------------------
#include <cuda_runtime.h>

#include <algorithm>
#include <initializer_list>

// Returns from the function that it stands in where a call fails.
#define HOST_TRY(call)                                                        \
  if (const cudaError_t e_ = (call); e_ != cudaSuccess) return e_

namespace host {

// cuTensorMapEncodeTiled, without linking the driver. Extents and box are in
// elements, innermost first; pitches in bytes, of the dimensions but the first.
inline cudaError_t tensor_map(CUtensorMap* map, void* base,
                              CUtensorMapDataType type,
                              CUtensorMapSwizzle swizzle,
                              std::initializer_list<int64_t> extents,
                              std::initializer_list<int64_t> pitches,
                              std::initializer_list<int64_t> box) {
  void* f = nullptr;
  cudaDriverEntryPointQueryResult found;
  HOST_TRY(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000,
                                            cudaEnableDefault, &found));
  cuuint64_t dims[5] = {}, strides[5] = {};
  cuuint32_t boxes[5] = {}, steps[5] = {1, 1, 1, 1, 1};
  std::copy(extents.begin(), extents.end(), dims);
  std::copy(pitches.begin(), pitches.end(), strides);
  std::copy(box.begin(), box.end(), boxes);
  const CUresult r = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(f)(
      map, type, static_cast<cuuint32_t>(extents.size()), base, dims, strides,
      boxes, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
      CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return r == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

// `programmatic`: may start before the kernel before it in the stream has ended
// (griddepcontrol).
template <class... Params, class... Args>
cudaError_t launch(void (*kernel)(Params...), dim3 grid, dim3 cluster,
                   dim3 block, int shared_bytes, bool programmatic,
                   cudaStream_t stream, const Args&... args) {
  HOST_TRY(cudaFuncSetAttribute(
      kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = attributes;
  const unsigned ctas = cluster.x * cluster.y * cluster.z;
  if (ctas > 8) {
    HOST_TRY(cudaFuncSetAttribute(
        kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  }
  if (ctas > 1) {
    cudaLaunchAttribute& a = attributes[config.numAttrs++];
    a.id = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim.x = cluster.x;
    a.val.clusterDim.y = cluster.y;
    a.val.clusterDim.z = cluster.z;
  }
  if (programmatic) {
    cudaLaunchAttribute& a = attributes[config.numAttrs++];
    a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a.val.programmaticStreamSerializationAllowed = 1;
  }
  return cudaLaunchKernelEx(&config, kernel, static_cast<Params>(args)...);
}

}  // namespace host

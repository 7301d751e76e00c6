#include "hwtests/run/inputs.h"

#include "ir/values/convert.h"
#include "ir/values/layout.h"
#include "ir/values/seeded.h"

namespace tilesim::hwtests {
namespace {

int64_t ElementsOf(const GlobalPlan& g) {
  int64_t n = 1;
  for (int64_t extent : g.shape) n *= extent;
  return n;
}

bool IsDense(const GlobalPlan& g) {
  int64_t stride = 1;
  for (size_t d = g.shape.size(); d-- > 0;) {
    if (g.strides[d] != stride) return false;
    stride *= g.shape[d];
  }
  return true;
}

values::Layout LayoutOf(const GlobalPlan& g) { return {g.shape, g.strides}; }

values::Tensor Seeded(const GlobalPlan& g, uint64_t seed) {
  values::SeedSpec spec;
  spec.seed = seed;
  spec.tensor = values::TensorId(g.name);
  if (values::IsInteger(g.dtype)) {
    spec.distribution = values::Distribution::kUniform;
    if (g.low && g.high) spec.range = values::IntegerRange{*g.low, *g.high};
  }
  int64_t n = ElementsOf(g);
  values::Tensor tensor{g.dtype, g.shape, {}};
  tensor.data.resize(static_cast<size_t>(values::BytesOf(g.dtype, n)));
  values::Layout layout = LayoutOf(g);
  if (values::SharesPlaces(layout)) {
    values::FillSeededByPlace(g.dtype, spec, layout, 0, n, tensor.data.data());
  } else {
    values::FillSeeded(g.dtype, spec, 0, static_cast<size_t>(n),
                       tensor.data.data());
  }
  return tensor;
}

}  // namespace

std::map<std::string, std::vector<uint8_t>> SeededInputs(const LaunchPlan& plan,
                                                         uint64_t seed) {
  std::map<std::string, std::vector<uint8_t>> inputs;
  for (const GlobalPlan& g : plan.globals) {
    if (g.zero || g.undefined || !g.read) continue;
    inputs[g.name] = FromTensor(g, Seeded(g, seed));
  }
  return inputs;
}

values::Tensor ToTensor(const GlobalPlan& g,
                        const std::vector<uint8_t>& bytes) {
  values::Tensor tensor{g.dtype, g.shape, {}};
  if (IsDense(g)) {
    tensor.data = bytes;
    return tensor;
  }
  values::Layout layout = LayoutOf(g);
  int64_t n = ElementsOf(g);
  tensor.data.resize(static_cast<size_t>(values::BytesOf(g.dtype, n)));
  for (int64_t i = 0; i < n; ++i) {
    values::StoreCode(
        g.dtype, tensor.data.data(), i,
        values::LoadCode(g.dtype, bytes.data(), layout.PlaceOf(i)));
  }
  return tensor;
}

std::vector<uint8_t> FromTensor(const GlobalPlan& g,
                                const values::Tensor& tensor) {
  if (IsDense(g)) return tensor.data;
  values::Layout layout = LayoutOf(g);
  std::vector<uint8_t> bytes(static_cast<size_t>(g.bytes), 0);
  int64_t n = ElementsOf(g);
  for (int64_t i = 0; i < n; ++i) {
    values::StoreCode(g.dtype, bytes.data(), layout.PlaceOf(i),
                      values::LoadCode(g.dtype, tensor.data.data(), i));
  }
  return bytes;
}

}  // namespace tilesim::hwtests

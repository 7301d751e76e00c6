#include "hwtests/run/inputs.h"

#include "ir/values/convert.h"
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

// Where element `i` in C order lies, in elements from the start.
int64_t PlaceOf(const GlobalPlan& g, int64_t i) {
  int64_t place = 0;
  for (size_t d = g.shape.size(); d-- > 0;) {
    place += i % g.shape[d] * g.strides[d];
    i /= g.shape[d];
  }
  return place;
}

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
  values::FillSeeded(g.dtype, spec, 0, static_cast<size_t>(n),
                     tensor.data.data());
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
  int64_t n = ElementsOf(g);
  tensor.data.resize(static_cast<size_t>(values::BytesOf(g.dtype, n)));
  for (int64_t i = 0; i < n; ++i) {
    values::StoreCode(g.dtype, tensor.data.data(), i,
                      values::LoadCode(g.dtype, bytes.data(), PlaceOf(g, i)));
  }
  return tensor;
}

std::vector<uint8_t> FromTensor(const GlobalPlan& g,
                                const values::Tensor& tensor) {
  if (IsDense(g)) return tensor.data;
  std::vector<uint8_t> bytes(static_cast<size_t>(g.bytes), 0);
  int64_t n = ElementsOf(g);
  for (int64_t i = 0; i < n; ++i) {
    values::StoreCode(g.dtype, bytes.data(), PlaceOf(g, i),
                      values::LoadCode(g.dtype, tensor.data.data(), i));
  }
  return bytes;
}

}  // namespace tilesim::hwtests

#include "ir/values/layout.h"

#include <algorithm>

#include "ir/values/convert.h"

namespace tilesim::values {

int64_t Layout::PlaceOf(int64_t i) const {
  int64_t place = 0;
  for (size_t d = shape.size(); d-- > 0;) {
    place += i % shape[d] * strides[d];
    i /= shape[d];
  }
  return place;
}

int64_t Layout::places() const {
  int64_t last = 0;
  for (size_t d = 0; d < shape.size(); ++d) last += (shape[d] - 1) * strides[d];
  return last + 1;
}

// In order of strides, each must step over all that the smaller ones reach:
// then places are numbers whose digits are the coordinates.
bool SharesPlaces(const Layout& layout) {
  std::vector<std::pair<int64_t, int64_t>> dims;  // stride, extent
  for (size_t d = 0; d < layout.shape.size(); ++d) {
    if (layout.shape[d] > 1)
      dims.emplace_back(layout.strides[d], layout.shape[d]);
  }
  std::sort(dims.begin(), dims.end());
  int64_t reach = 0;
  for (auto [stride, extent] : dims) {
    if (stride <= reach) return true;
    reach += (extent - 1) * stride;
  }
  return false;
}

void FillSeededByPlace(DType type, const SeedSpec& spec, const Layout& layout,
                       int64_t first, int64_t count, void* data) {
  for (int64_t i = 0; i < count; ++i) {
    auto place = static_cast<uint64_t>(layout.PlaceOf(first + i));
    StoreCode(type, data, i, SeededCode(type, spec, place));
  }
}

std::optional<std::pair<int64_t, int64_t>> Disagreement(const Tensor& tensor,
                                                        const Layout& layout) {
  constexpr int64_t kNone = -1;
  std::vector<int64_t> at(layout.places(), kNone);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    int64_t& other = at[layout.PlaceOf(i)];
    if (other == kNone) other = i;
    if (LoadCode(tensor.type, tensor.data.data(), other) !=
        LoadCode(tensor.type, tensor.data.data(), i))
      return std::pair(other, i);
  }
  return std::nullopt;
}

}  // namespace tilesim::values

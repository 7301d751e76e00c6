// Where the elements of a global tensor lie, and whether two of them lie at one
// place: a stride of 0 (a row that every batch reads), windows that overlap.
// Elements of one place have one value.
//
// Units: elements from the start of the tensor. Errors: none; a layout has as
// many strides as extents.
#ifndef TILESIM_IR_VALUES_LAYOUT_H_
#define TILESIM_IR_VALUES_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ir/values/seeded.h"
#include "ir/values/tensor.h"

namespace tilesim::values {

struct Layout {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;

  // Of element `i` in C order.
  int64_t PlaceOf(int64_t i) const;
  // One past the last place.
  int64_t places() const;
};

// False only if every element has a place of its own. Strides that interleave
// (2 x 3 elements with strides 3 and 2) are taken to share.
bool SharesPlaces(const Layout& layout);

// FillSeeded (values/seeded.h) where elements share places: element i has the
// value that element PlaceOf(i) of a dense tensor would have.
void FillSeededByPlace(DType type, const SeedSpec& spec, const Layout& layout,
                       int64_t first, int64_t count, void* data);

// Two elements of one place that have different values, if there are such.
std::optional<std::pair<int64_t, int64_t>> Disagreement(const Tensor& tensor,
                                                        const Layout& layout);

}  // namespace tilesim::values

#endif  // TILESIM_IR_VALUES_LAYOUT_H_

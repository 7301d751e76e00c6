#include "ptx/machine/tensor_box.h"

#include <algorithm>
#include <string_view>

#include "fmt/format.h"

namespace tilesim::ptx {
namespace {

// Bits of an element; 0: its type is not followed, as its elements are padded
// in shared memory.
int64_t ElementBits(std::string_view dtype) {
  if (dtype == "b4x16") return 4;
  if (dtype == "u8") return 8;
  if (dtype == "f16" || dtype == "bf16" || dtype == "u16") return 16;
  if (dtype == "u64" || dtype == "s64" || dtype == "f64") return 64;
  if (dtype.starts_with("b")) return 0;
  return 32;
}

int64_t SpanOf(std::string_view swizzle) {
  if (swizzle == "32B") return 32;
  if (swizzle == "64B") return 64;
  // Of longer atoms, too: which bytes of a row go where, nobody asks here.
  return swizzle.starts_with("128B") ? 128 : 0;
}

bool Refuse(std::string text, std::string* why) {
  *why = std::move(text);
  return false;
}

}  // namespace

bool BoxOf(const TensorMap& map, const std::vector<int64_t>& start,
           TensorBox* out, std::string* why) {
  const int64_t element = ElementBits(map.dtype);
  if (element == 0)
    return Refuse(
        fmt::format("tensor maps of `{}` elements are not followed", map.dtype),
        why);
  if (map.interleave != "none")
    return Refuse("tensor maps with interleave are not followed", why);
  for (int64_t step : map.element_strides) {
    if (step != 1)
      return Refuse("tensor maps that leave elements out are not followed",
                    why);
  }
  const int64_t span = SpanOf(map.swizzle);
  if (span != 0 && map.box[0] * element / 8 != span)
    return Refuse("boxes narrower than their swizzle are not followed", why);
  out->bytes = element;
  int64_t rows = 1;
  for (size_t d = 0; d < map.box.size(); ++d) {
    out->bytes *= map.box[d];
    if (d > 0) rows *= map.box[d];
  }
  out->bytes /= 8;
  const int64_t first = std::clamp<int64_t>(start[0], 0, map.dims[0]);
  const int64_t last =
      std::clamp<int64_t>(start[0] + map.box[0], 0, map.dims[0]);
  out->global.clear();
  for (int64_t r = 0; r < rows && first < last; ++r) {
    auto at = static_cast<int64_t>(map.offset);
    int64_t rest = r;
    bool inside = true;
    for (size_t d = 1; d < map.box.size(); ++d) {
      int64_t x = start[d] + rest % map.box[d];
      rest /= map.box[d];
      inside &= x >= 0 && x < map.dims[d];
      at += x * map.strides[d - 1];
    }
    if (inside)
      out->global.push_back(
          {at + first * element / 8, at + last * element / 8});
  }
  std::sort(out->global.begin(), out->global.end());
  return true;
}

std::optional<int64_t> FirstOfWhole(const TensorMap& map,
                                    const std::vector<int64_t>& start) {
  const int64_t bits = start[0] * ElementBits(map.dtype);
  if (bits % 8 != 0) return std::nullopt;
  auto at = static_cast<int64_t>(map.offset) + bits / 8;
  for (size_t d = 0; d < start.size(); ++d) {
    if (start[d] < 0 || start[d] + map.box[d] > map.dims[d])
      return std::nullopt;
    if (d > 0) at += start[d] * map.strides[d - 1];
  }
  return at;
}

}  // namespace tilesim::ptx

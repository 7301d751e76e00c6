// Copies by tensor maps: boxes, rows at a time.
#include <algorithm>
#include <array>
#include <cstring>

#include "ptx/machine/device_maps.h"
#include "ptx/machine/tensor_box.h"
#include "ptx/scalar/scalar.h"
#include "ptx/values/threads.h"

namespace tilesim::ptx {
namespace {

constexpr int64_t kChunk = 16;

// One box of a map, and where its bytes lie on both sides.
class Box {
 public:
  // False: it is not followed, which was told.
  static bool Of(Threads& t, const TensorMap& map, std::vector<int64_t> start,
                 Box* out) {
    std::string why;
    TensorBox box;
    if (!BoxOf(map, start, &box, &why)) {
      t.Fail(why);
      return false;
    }
    if (map.swizzle.starts_with("128B_ATOM")) {
      t.Fail("what a swizzle of " + map.swizzle +
             " puts where is not computed");
      return false;
    }
    out->map_ = map;
    out->start_ = std::move(start);
    out->bytes_ = box.bytes;
    int64_t rows = 1;
    for (size_t d = 1; d < map.box.size(); ++d) rows *= map.box[d];
    out->rows_ = rows;
    out->row_bytes_ = box.bytes / rows;
    out->bits_ = out->row_bytes_ * 8 / map.box[0];
    out->swizzle_ = map.swizzle == "128B"  ? 128
                    : map.swizzle == "64B" ? 64
                    : map.swizzle == "32B" ? 32
                                           : 0;
    return true;
  }

  int64_t bytes() const { return bytes_; }
  int64_t rows() const { return rows_; }
  int64_t row_bytes() const { return row_bytes_; }

  // Where byte `b` of row `r` lies in shared memory, from `first` on, which is
  // the box's offset there: swizzles permute by the address.
  int64_t InShared(int64_t first, int64_t r, int64_t b) const {
    const int64_t at = first + r * row_bytes_ + b;
    if (swizzle_ == 0) return at;
    return at ^ ((at >> 7 & (swizzle_ / kChunk - 1)) << 4);
  }

  // Bytes [*from, *to) of row `r` that the tensor has, and where the row's
  // first byte would be in its buffer. False: none.
  bool InBuffer(int64_t r, int64_t* from, int64_t* to, int64_t* at) const {
    *at = static_cast<int64_t>(map_.offset) + start_[0] * bits_ / 8;
    int64_t rest = r;
    for (size_t d = 1; d < map_.box.size(); ++d) {
      const int64_t x = start_[d] + rest % map_.box[d];
      rest /= map_.box[d];
      if (x < 0 || x >= map_.dims[d]) return false;
      *at += x * map_.strides[d - 1];
    }
    const int64_t first = std::clamp<int64_t>(-start_[0], 0, map_.box[0]);
    const int64_t last =
        std::clamp<int64_t>(map_.dims[0] - start_[0], 0, map_.box[0]);
    *from = first * bits_ / 8;
    *to = last * bits_ / 8;
    return *from < *to;
  }

 private:
  TensorMap map_;
  std::vector<int64_t> start_;
  int64_t bytes_ = 0, rows_ = 0, row_bytes_ = 0, bits_ = 0, swizzle_ = 0;
};

// What an instruction names: a map, coordinates, a place in shared memory.
struct TensorCopy {
  std::vector<In> box;  // the map, then coordinates, innermost first
  In shared;
  std::optional<In> mask;

  // A map of the launch, or one that the CTA has built, as the guide knows it.
  std::optional<TensorMap> MapAt(Threads& t, uint64_t at) const {
    // What the kernel itself has put there since comes first.
    const TensorMap* map = t.memory().MapAt(at);
    if (map != nullptr && t.memory().GlobalAt(at) == nullptr) return *map;
    std::optional<DeviceMap> built =
        MapIn(t.cta().words, t.kernel().guide->PlaceOfMapAt(at), t.memory());
    if (!built && map != nullptr) return *map;
    if (!built) {
      t.Fail(
          "no tensor map is known at that address: its CTA has built none "
          "there that is whole, and none is a parameter of the launch");
      return std::nullopt;
    }
    return built->map;
  }

  std::optional<TensorMap> Find(Threads& t, size_t thread, Box* out) const {
    std::optional<TensorMap> map = MapAt(t, t.Get(box[0], thread));
    if (!map) return std::nullopt;
    std::vector<int64_t> start;
    for (size_t d = 1; d < box.size(); ++d)
      start.push_back(static_cast<int32_t>(t.Get(box[d], thread)));
    if (start.size() != map->dims.size()) {
      t.Fail("the box has another number of dimensions than its tensor map");
      return std::nullopt;
    }
    if (!Box::Of(t, *map, std::move(start), out)) return std::nullopt;
    return map;
  }
};

bool Reads(ActionMaking& m, size_t box, size_t shared, TensorCopy* out) {
  for (std::string_view mode :
       {".im2col", ".tile::gather4", ".tile::scatter4", ".im2col_no_offs"}) {
    if (m.Has(mode)) return false;
  }
  std::optional<In> at = m.One(shared);
  if (at) out->shared = *at;
  return at && m.Ins(box, &out->box) && out->box.size() > 1;
}

constexpr uint64_t kSharedOffset = (uint64_t{1} << kRankShift) - 1;

// Elements that the tensor lacks are zeros, or NaNs of its type.
void Fill(const TensorMap& map, uint8_t* row, int64_t bytes) {
  std::memset(row, map.oob == "nan" ? 0xff : 0, static_cast<size_t>(bytes));
}

void LoadBox(Threads& t, const TensorMap& map, const Box& box, int rank,
             int64_t first) {
  uint8_t* shared = t.SharedOf(rank, first, box.bytes());
  if (shared == nullptr) return;
  uint8_t* base = shared - first;
  std::vector<uint8_t> row(static_cast<size_t>(box.row_bytes()));
  for (int64_t r = 0; r < box.rows(); ++r) {
    int64_t from = 0, to = 0, at = 0;
    const bool some = box.InBuffer(r, &from, &to, &at);
    if (!some || from > 0 || to < box.row_bytes())
      Fill(map, row.data(), box.row_bytes());
    if (some) {
      const uint8_t* in = t.values().globals().Of(
          map.buffer, at + from, to - from, GlobalBytes::For::kReading);
      if (in == nullptr) return t.Fail("the box leaves its buffer");
      std::memcpy(row.data() + from, in, static_cast<size_t>(to - from));
    }
    for (int64_t b = 0; b < box.row_bytes(); b += kChunk)
      std::memcpy(base + box.InShared(first, r, b), row.data() + b,
                  static_cast<size_t>(std::min(kChunk, box.row_bytes() - b)));
  }
}

Action Load(ActionMaking& m) {
  TensorCopy c;
  if (!Reads(m, 1, 0, &c)) return m.Refuse("of tensor copies, .tile is");
  if (m.Has(".multicast::cluster")) {
    c.mask = m.One(3);
    if (!c.mask) return m.Refuse("");
  }
  return [c](Threads& t) {
    t.Each([&](size_t i) {
      Box box;
      const std::optional<TensorMap> map = c.Find(t, i, &box);
      if (!map) return;
      const uint64_t to = t.Get(c.shared, i);
      const auto first = static_cast<int64_t>(to & kSharedOffset);
      if (!c.mask)
        return LoadBox(t, *map, box, static_cast<int>(to >> kRankShift & 0xff),
                       first);
      for (uint64_t rest = t.Get(*c.mask, i) & 0xffff; rest != 0;
           rest &= rest - 1)
        LoadBox(t, *map, box, __builtin_ctzll(rest), first);
    });
  };
}

// What becomes of an element of the buffer: `element` bytes each.
using Combine =
    std::function<void(uint8_t* to, const uint8_t* from, int64_t bytes)>;

void StoreBox(Threads& t, const TensorMap& map, const Box& box, uint64_t from,
              const Combine& combine) {
  const auto first = static_cast<int64_t>(from & kSharedOffset);
  const uint8_t* shared = t.Shared(from, box.bytes());
  if (shared == nullptr) return;
  const uint8_t* base = shared - first;
  std::vector<uint8_t> row(static_cast<size_t>(box.row_bytes()));
  for (int64_t r = 0; r < box.rows(); ++r) {
    int64_t begin = 0, end = 0, at = 0;
    if (!box.InBuffer(r, &begin, &end, &at)) continue;
    for (int64_t b = 0; b < box.row_bytes(); b += kChunk)
      std::memcpy(row.data() + b, base + box.InShared(first, r, b),
                  static_cast<size_t>(std::min(kChunk, box.row_bytes() - b)));
    uint8_t* out = t.values().globals().Of(map.buffer, at + begin, end - begin,
                                           GlobalBytes::For::kWriting);
    if (out == nullptr) return t.Fail("the box leaves its buffer");
    combine(out, row.data() + begin, end - begin);
  }
}

Action Stores(const TensorCopy& c, Combine combine) {
  return [c, combine = std::move(combine)](Threads& t) {
    t.Each([&](size_t i) {
      Box box;
      if (const std::optional<TensorMap> map = c.Find(t, i, &box))
        StoreBox(t, *map, box, t.Get(c.shared, i), combine);
    });
  };
}

Action Tensor(ActionMaking& m) {
  if (!m.Has(".bulk_group")) return Load(m);
  TensorCopy c;
  if (!Reads(m, 0, 1, &c)) return m.Refuse("of tensor copies, .tile is");
  return Stores(c, [](uint8_t* to, const uint8_t* from, int64_t bytes) {
    std::memcpy(to, from, static_cast<size_t>(bytes));
  });
}

// By the scalar instruction of the map's type: float sums are rounded to
// nearest even.
Action Reduce(ActionMaking& m) {
  TensorCopy c;
  if (!Reads(m, 0, 1, &c)) return m.Refuse("of tensor copies, .tile is");
  const std::string op = m.Has(".add")   ? "add"
                         : m.Has(".min") ? "min"
                         : m.Has(".max") ? "max"
                         : m.Has(".and") ? "and"
                         : m.Has(".or")  ? "or"
                         : m.Has(".xor") ? "xor"
                                         : "";
  if (op.empty()) return m.Refuse("");
  return [c, op](Threads& t) {
    t.Each([&](size_t i) {
      Box box;
      const std::optional<TensorMap> map = c.Find(t, i, &box);
      if (!map) return;
      const bool adds_float =
          op == "add" && map->dtype.find('f') != std::string::npos;
      const bool bits = op == "and" || op == "or" || op == "xor";
      const auto bytes = static_cast<int64_t>(ScalarBytes(map->dtype));
      Instruction scalar;
      scalar.opcode = op + (adds_float ? ".rn." : ".") +
                      (bits ? "b" + std::to_string(8 * bytes) : map->dtype);
      Operand name;
      name.name = "%r";
      scalar.operands = {name, name, name};
      std::string why;
      std::optional<ScalarOp> compiled = CompileScalar(scalar, &why);
      if (!compiled || bytes == 0) return t.Fail(why);
      StoreBox(t, *map, box, t.Get(c.shared, i),
               [&](uint8_t* to, const uint8_t* from, int64_t all) {
                 for (int64_t at = 0; at < all; at += bytes) {
                   uint64_t a = 0, b = 0;
                   std::memcpy(&a, to + at, static_cast<size_t>(bytes));
                   std::memcpy(&b, from + at, static_cast<size_t>(bytes));
                   const uint64_t now = Execute(*compiled, {a, b})[0];
                   std::memcpy(to + at, &now, static_cast<size_t>(bytes));
                 }
               });
    });
  };
}

}  // namespace

const std::vector<ActionRow>& TensorCopyActions() {
  static const std::vector<ActionRow> kRows = {
      {"cp.async.bulk.tensor", Tensor},
      {"cp.reduce.async.bulk.tensor", Reduce}};
  return kRows;
}

}  // namespace tilesim::ptx

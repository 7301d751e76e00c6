#include "ptx/machine/matrix.h"

#include <algorithm>
#include <vector>

#include "fmt/format.h"
#include "ir/warp.h"

namespace tilesim::ptx {
using machine::ByteSets;

namespace {

constexpr int64_t kChunk = kMatrixChunk;
constexpr int64_t kCore = 8;  // rows of a core matrix

using Layout = MatrixLayout;

int64_t Field(uint64_t bits, int at) {
  return static_cast<int64_t>(bits >> at & 0x3fff) << 4;
}

// The 16-byte chunks of a row of as many bytes as the swizzle are permuted by
// the bits of the address above them.
int64_t Swizzled(int64_t address, int64_t swizzle) {
  if (swizzle == 0) return address;
  int64_t mask = swizzle / kChunk - 1;
  return address ^ ((address >> 7 & mask) << 4);
}

// Byte `k` of row `r`, K contiguous.
int64_t KMajor(const Layout& l, int64_t r, int64_t k) {
  if (l.swizzle == 0)
    return l.start + r / kCore * l.stride + r % kCore * kChunk +
           k / kChunk * l.leading + k % kChunk;
  return l.start + r / kCore * l.stride + r % kCore * l.swizzle + k;
}

// Byte `b` along M or N of row `k` of K. Without a swizzle, blocks of 16 bytes
// by 8 rows are `stride` apart along M or N and `leading` along K; with one,
// panels as wide as it are `leading` apart, 8 rows `stride`.
int64_t MnMajor(const Layout& l, int64_t k, int64_t b) {
  if (l.swizzle == 0)
    return l.start + b / kChunk * l.stride + k / kCore * l.leading +
           k % kCore * kChunk + b % kChunk;
  return l.start + b / l.swizzle * l.leading + k / kCore * l.stride +
         k % kCore * l.swizzle + b % l.swizzle;
}

}  // namespace

int64_t ChunkOf(const MatrixLayout& layout, bool mn_major, int64_t row,
                int64_t k) {
  return Swizzled(mn_major ? MnMajor(layout, k, row) : KMajor(layout, row, k),
                  layout.swizzle);
}

std::optional<MatrixLayout> WgmmaLayout(uint64_t descriptor, std::string* why) {
  constexpr int64_t kSwizzles[] = {0, 128, 64, 32};
  if ((descriptor >> 49 & 7) != 0) {
    *why = fmt::format("the base offset of descriptor {:#x} is not followed",
                       descriptor);
    return std::nullopt;
  }
  return MatrixLayout{Field(descriptor, 0), Field(descriptor, 16),
                      Field(descriptor, 32), kSwizzles[descriptor >> 62]};
}

std::optional<MatrixLayout> Tcgen05Layout(uint64_t descriptor,
                                          std::string* why) {
  constexpr int64_t kSwizzles[] = {0, -1, 128, -1, 64, -1, 32, -1};
  const int64_t swizzle = kSwizzles[descriptor >> 61];
  if ((descriptor >> 49 & 7) != 0 || swizzle < 0) {
    *why = fmt::format("the layout of descriptor {:#x} is not followed",
                       descriptor);
    return std::nullopt;
  }
  return MatrixLayout{Field(descriptor, 0), Field(descriptor, 16),
                      Field(descriptor, 32), swizzle};
}

namespace {

// Chunks of 16 bytes, joined where they touch.
void Add(int64_t address, std::vector<ByteSets::Run>& out) {
  if (!out.empty() && out.back().end == address) {
    out.back().end = address + kChunk;
  } else {
    out.push_back({address, address + kChunk});
  }
}

void Tidy(std::vector<ByteSets::Run>& runs) {
  std::sort(runs.begin(), runs.end());
  std::vector<ByteSets::Run> out;
  for (const ByteSets::Run& r : runs) {
    if (!out.empty() && r.begin <= out.back().end) {
      out.back().end = std::max(out.back().end, r.end);
    } else {
      out.push_back(r);
    }
  }
  runs = std::move(out);
}

std::vector<ByteSets::Run> Rows(const Layout& l, const MatrixShape& s,
                                int64_t first, int64_t count) {
  std::vector<ByteSets::Run> out;
  if (!s.mn_major) {
    for (int64_t r = first; r < first + count; ++r) {
      for (int64_t k = 0; k < s.k_bytes; k += kChunk)
        Add(ChunkOf(l, false, r, k), out);
    }
  } else {
    const int64_t depth = s.k_bytes * 8 / s.element_bits;
    const int64_t bytes = count * s.element_bits / 8;
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t b = 0; b < bytes; b += kChunk)
        Add(ChunkOf(l, true, b, k), out);
    }
  }
  Tidy(out);
  return out;
}

void Parts(const Layout& l, const MatrixShape& s, ByteSets::Parts* out) {
  out->clear();
  if (!s.quarters) {
    out->push_back({0, ir::kMaxWarps, ir::kAllLanes, Rows(l, s, 0, s.rows)});
    return;
  }
  const int64_t share = s.rows / ir::kWarpgroupWarps;
  for (int w = 0; w < ir::kMaxWarps; ++w)
    out->push_back({w, 1, ir::kAllLanes,
                    Rows(l, s, w % ir::kWarpgroupWarps * share, share)});
}

}  // namespace

bool WgmmaMatrix(uint64_t descriptor, const MatrixShape& shape,
                 ByteSets::Parts* out, std::string* why) {
  std::optional<MatrixLayout> l = WgmmaLayout(descriptor, why);
  if (l) Parts(*l, shape, out);
  return l.has_value();
}

bool Tcgen05Matrix(uint64_t descriptor, const MatrixShape& shape,
                   ByteSets::Parts* out, std::string* why) {
  std::optional<MatrixLayout> l = Tcgen05Layout(descriptor, why);
  if (l) Parts(*l, shape, out);
  return l.has_value();
}

}  // namespace tilesim::ptx

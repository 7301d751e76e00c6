#include "sim/timing/banks.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "ir/banks.h"
#include "ir/layout.h"
#include "ir/matrix_row.h"
#include "ir/vectors.h"

namespace tilesim::timing {
namespace {

constexpr int kBytesOfBanks =
    ir::kBanks * ir::kBankBytes;                   // that all give in a cycle
constexpr int kMatrixRows = 8, kMatrixBytes = 16;  // of ldmatrix, stmatrix

int64_t FirstColumn(const ir::TileValue& box) {
  return box.rank == 0 ? 0 : box.start[box.rank - 1];
}

// One op's accesses, by who makes them at the same time.
class Accesses {
 public:
  Accesses(const ir::BoundKernel& bound, const ir::TileValue& shared,
           const ir::TileValue& reg, int32_t threads)
      : decl_(bound.decls[shared.decl]),
        shared_(shared),
        reg_(reg),
        fragment_(bound.decls[reg.decl].fragment) {
    if (fragment_.threads == 0) fragment_.threads = threads;
    turned_ = reg.rows() != shared.rows() || reg.cols() != shared.cols();
  }

  BankCycles OfMatrices() {
    const int64_t cols = kMatrixBytes * 8 / decl_.layout.bits;
    for (int64_t r = 0; r < shared_.rows(); ++r) {
      for (int64_t c = 0; c < shared_.cols(); c += cols)
        Add((r / kMatrixRows) * shared_.cols() + c, r, c, kMatrixBytes);
    }
    return Sum();
  }

  BankCycles OfThreads() {
    const int64_t column = FirstColumn(shared_);
    const int64_t vector = ir::WidestVector(
        std::gcd(std::gcd(column, decl_.layout.cols),
                 turned_ ? 1 : ir::NeighboursOf(fragment_, reg_.cols())),
        decl_.layout.bits);
    const int64_t bytes = std::max<int64_t>(1, vector * decl_.layout.bits / 8);
    // Lanes that fill a line go at a time.
    const int64_t lanes =
        std::min<int64_t>(ir::kWarpThreads, kBytesOfBanks / bytes);
    for (int64_t r = 0; r < shared_.rows(); ++r) {
      for (int64_t c = 0; c < shared_.cols(); ++c) {
        const ir::FragmentPlace place = PlaceOf(r, c);
        if (place.element % vector != 0) continue;
        const int64_t access = place.element / vector;
        Add(access * kMaxThreads + place.thread / lanes, r, c, bytes);
      }
    }
    return Sum();
  }

 private:
  static constexpr int64_t kMaxThreads = 1024;

  ir::FragmentPlace PlaceOf(int64_t row, int64_t col) const {
    if (turned_) std::swap(row, col);
    const int64_t first_row = reg_.rank > 1 ? reg_.start[reg_.rank - 2] : 0;
    return fragment_.Place(static_cast<int32_t>(first_row + row),
                           static_cast<int32_t>(FirstColumn(reg_) + col));
  }
  void Add(int64_t together, int64_t row, int64_t col, int64_t bytes) {
    const int64_t at = decl_.layout.Offset(ir::MatrixRow(shared_, decl_, row),
                                           FirstColumn(shared_) + col);
    groups_[together].push_back({at, at + bytes});
  }
  BankCycles Sum() const {
    BankCycles sum;
    for (const auto& [_, bytes] : groups_) {
      sum.taken += static_cast<double>(ir::WavefrontsOf(bytes));
      sum.least += static_cast<double>(ir::LeastWavefrontsOf(bytes));
      std::set<int64_t> lines;
      for (const ir::BankedBytes& b : bytes)
        lines.insert(b.begin / kBytesOfBanks);
      sum.lines += static_cast<double>(lines.size());
    }
    return sum;
  }

  const ir::BoundDecl& decl_;
  const ir::TileValue& shared_;
  const ir::TileValue& reg_;
  ir::FragmentLayout fragment_;
  bool turned_ = false;
  std::map<int64_t, std::vector<ir::BankedBytes>> groups_;
};

}  // namespace

BankCycles Banks::Wavefronts(const ir::BoundKernel& bound,
                             const ir::TileValue& shared,
                             const ir::TileValue& reg, int32_t threads,
                             bool matrices) {
  const ir::BoundDecl& decl = bound.decls[shared.decl];
  // A row further on moves all words alike, but for a swizzle's pattern.
  const int64_t row = decl.layout.swizzle == ir::Swizzle::kNone
                          ? 0
                          : ir::MatrixRow(shared, decl, 0) % ir::kSwizzleRows;
  std::vector<int64_t> key = {reinterpret_cast<int64_t>(&bound),
                              shared.decl,
                              reg.decl,
                              row,
                              FirstColumn(shared),
                              FirstColumn(reg),
                              shared.rows(),
                              shared.cols(),
                              reg.rows(),
                              threads,
                              matrices};
  auto [at, fresh] = counted_.try_emplace(std::move(key));
  if (fresh) {
    Accesses accesses(bound, shared, reg, threads);
    at->second = matrices ? accesses.OfMatrices() : accesses.OfThreads();
  }
  return at->second;
}

}  // namespace tilesim::timing

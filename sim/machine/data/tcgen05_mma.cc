// tcgen05.mma: accumulators, and perhaps A and scale factors, in tensor memory.
// Each CTA of a pair multiplies its half of A's rows by all rows of B.
#include <optional>

#include "ir/cat.h"
#include "ir/tmem.h"
#include "sim/machine/data/compute.h"
#include "sim/machine/data/multiply.h"

namespace tilesim::machine {
namespace {

using Op = ir::ops::Tcgen05Mma;
using Scaled = ir::ops::Tcgen05MmaBlockScale;
using Side = arith::Prepared::Side;
using ir::DType;

class TmemMma {
 public:
  TmemMma(Job& job, int accumulate, bool scaled)
      : job_(job),
        accumulate_(job.op().number(accumulate) != 0),
        scaled_(scaled),
        pair_(ir::ops::IsPair(job.op())) {
    first_rank_ = pair_ ? job.op().cluster_rank & ~1 : Job::kOwn;
    half_m_ = MmaRows(job.tile(Op::kA));
    n_ = MmaRows(job.tile(Op::kB)) * (pair_ ? 2 : 1);
    k_ = MmaK(job.tile(Op::kB));
  }

  void Run() {
    if (!Legal()) return;
    MmaOperand b = ReadB();
    std::optional<MmaSide> right;
    for (int half = 0; half < (pair_ ? 2 : 1); ++half) {
      int rank = pair_ ? first_rank_ + half : Job::kOwn;
      CtaMemory* cta = job_.Peer(rank);
      if (cta == nullptr) return;
      MmaOperand a = ReadA(rank, *cta);
      if (scaled_) {
        a.scales = ReadScales(*cta, Scaled::kSfa, half_m_);
        b.scales = ReadScales(*cta, Scaled::kSfb, n_);
      }
      if (!right || scaled_) right.emplace(*rule_, b, Side::kB);
      Half(*cta, MmaSide(*rule_, std::move(a), Side::kA), *right);
    }
  }

 private:
  bool Legal() {
    const ir::TileValue &a = job_.tile(Op::kA), &b = job_.tile(Op::kB);
    rule_ = RuleFor(job_, Key(), k_);
    if (rule_ == nullptr || !ShapesFit(job_, a, b, half_m_, MmaRows(b)))
      return false;
    std::optional<ir::DataPath> path =
        ir::DataPathOf(half_m_ * (pair_ ? 2 : 1), pair_);
    if (path) path_ = *path;
    if (!path || n_ % 2 != 0) {
      job_.Fault("shape/instruction",
                 ir::Cat("no tcgen05.mma has M = ", half_m_ * (pair_ ? 2 : 1),
                         ", N = ", n_, pair_ ? " for a pair of CTAs" : ""));
    }
    return path && n_ % 2 == 0;
  }

  arith::MmaKey Key() const {
    arith::MmaKey key{.unit = arith::Unit::kTcgen05,
                      .a = job_.tile(Op::kA).dtype,
                      .b = job_.tile(Op::kB).dtype,
                      .d = job_.tile(Op::kD).dtype};
    if (!scaled_) return key;
    // Scale factors declared as M x K/block say the block themselves.
    const ir::TileValue& scales = job_.tile(Scaled::kSfa);
    key.scale_type = scales.dtype;
    key.scale_block = *key.scale_type == DType::kUE4M3 ? 16 : 32;
    if (k_ == int64_t{16} * scales.cols()) key.scale_block = 16;
    return key;
  }

  MmaOperand ReadB() {
    MmaOperand b;
    b.transposed = job_.tile(Op::kB).transposed;
    b.codes = job_.ReadShared(Op::kB, first_rank_);
    if (!pair_) return b;
    // B's rows of the second CTA follow those of the first.
    Dense second = job_.ReadShared(Op::kB, first_rank_ + 1);
    b.codes = b.transposed ? Beside(b.codes, second) : Below(b.codes, second);
    return b;
  }

  static Dense Below(const Dense& x, const Dense& y) {
    Dense out(x.type, x.rows + y.rows, x.cols);
    std::memcpy(out.Row(0), x.Row(0), x.data.size());
    std::memcpy(out.Row(x.rows), y.Row(0), y.data.size());
    return out;
  }

  static Dense Beside(const Dense& x, const Dense& y) {
    Dense out(x.type, x.rows, x.cols + y.cols);
    for (int64_t r = 0; r < x.rows; ++r) {
      CopyCodes(x.type, out.Row(r), 0, x.Row(r), 0, x.cols);
      CopyCodes(x.type, out.Row(r), x.cols, y.Row(r), 0, y.cols);
    }
    return out;
  }

  MmaOperand ReadA(int rank, CtaMemory& cta) {
    const ir::TileValue& tile = job_.tile(Op::kA);
    MmaOperand a;
    a.transposed = tile.transposed;
    if (tile.space == ir::Space::kShared) {
      a.codes = job_.ReadShared(Op::kA, rank);
      return a;
    }
    // Packed, as many as fit in a column; with layout B both halves of the
    // lanes hold the same rows.
    a.codes = Dense(tile.dtype, half_m_, k_);
    int64_t byte = job_.TmemByte(Op::kA);
    for (int64_t m = 0; m < half_m_; ++m)
      job_.ReadTmem(cta, tile.start[0] + ir::LaneOf(path_, m, 0, 2), byte,
                    a.codes.pitch(), a.codes.Row(m));
    return a;
  }

  Dense ReadScales(CtaMemory& cta, int operand, int64_t rows) {
    Dense out(DType::kU8, rows, k_ / rule_->scale_block);
    int64_t byte = job_.ScaleByte(operand);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t b = 0; b < out.cols; ++b) {
        ir::ScalePlace at = ir::ScaleAt(r, b, rows);
        job_.ReadTmem(cta, at.lane, byte + at.byte, 1, out.Row(r) + b);
      }
    }
    return out;
  }

  // Calls f(lane, byte, row, first column, columns) for the runs of D.
  template <typename F>
  void ForD(F f) {
    const ir::TileValue& tile = job_.tile(Op::kD);
    int64_t byte = job_.TmemByte(Op::kD);
    int64_t run = ir::LaneColumns(path_, n_);
    for (int64_t m = 0; m < half_m_; ++m) {
      for (int64_t n = 0; n < n_; n += run)
        f(tile.start[0] + ir::LaneOf(path_, m, n, n_), byte, m, n, run);
    }
  }

  void Half(CtaMemory& cta, const MmaSide& a, const MmaSide& b) {
    Dense d(job_.tile(Op::kD).dtype, half_m_, n_);
    int64_t bytes = values::BytesOf(d.type, 1);
    auto at = [&](int64_t m, int64_t n) { return d.Row(m) + n * bytes; };
    if (accumulate_) {
      ForD([&](int64_t lane, int64_t byte, int64_t m, int64_t n, int64_t run) {
        job_.ReadTmemRow(cta, Op::kD, lane, byte, run, at(m, n));
      });
    }
    Multiply(job_, a, b, d, accumulate_);
    ForD([&](int64_t lane, int64_t byte, int64_t m, int64_t n, int64_t run) {
      job_.WriteTmemRow(cta, Op::kD, lane, byte, run, at(m, n));
    });
  }

  Job& job_;
  bool accumulate_;
  bool scaled_;
  bool pair_;
  int first_rank_ = Job::kOwn;
  int64_t half_m_ = 0;  // rows of A that one CTA holds
  int64_t n_ = 0;       // columns of D in all
  int64_t k_ = 0;
  ir::DataPath path_ = ir::DataPath::kD;
  const arith::MmaRule* rule_ = nullptr;
};

}  // namespace

void Compute(ir::ops::Tcgen05Mma, Job& job) {
  TmemMma(job, Op::kAccumulate, /*scaled=*/false).Run();
}

void Compute(ir::ops::Tcgen05MmaBlockScale, Job& job) {
  TmemMma(job, Scaled::kAccumulate, /*scaled=*/true).Run();
}

}  // namespace tilesim::machine

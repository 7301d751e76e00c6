// What the clock takes operations of PTX for (sim/machine/guide.h, Prices).
//
// Costs are those of ops of `.tile` text, which know the shapes of their
// tiles. PTX has addresses: which bytes each thread touches, which rows of
// which pitch a tensor map copies, what a descriptor describes. From these
// follow a box of a matrix (a buffer, as rows of the pitch by which it was
// first accessed), how many sectors and cycles of shared memory accesses take,
// and what an instruction of a tensor core multiplies.
#ifndef TILESIM_PTX_MACHINE_PRICED_H_
#define TILESIM_PTX_MACHINE_PRICED_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ptx/machine/guide.h"

namespace tilesim::ptx {

class Priced : public machine::Prices {
 public:
  // The guide and the kernel that it guides must outlive it.
  Priced(const PtxGuide& guide, const machine::Code& code);

  const ir::BoundKernel& kernel() const override { return bound_; }
  const ir::ConcreteOp& Of(int32_t op, const ir::ConcreteOp& executed) override;
  bool Has(int32_t op) const override;
  std::vector<bool> Written() const override;
  int Addresses(int32_t op) const override;

 private:
  // What threads touch of a buffer, in sectors or byte by byte.
  struct Rows {
    int64_t bytes = 0, width = 0, pitch = 0, count = 0;
    int64_t sectors = 0;
    bool lines = false;  // it is whole lines, or nearly
    bool whole = false;  // whole sectors
  };
  enum class By : uint8_t { kBytes, kSectors };
  const Rows& RowsOf(const ir::TileValue& box, By by);
  int64_t SharedCycles(const ir::TileValue& box, const ir::ThreadSet& threads);

  void Global(int operand, By by = By::kBytes);
  void Matrix(const ir::TileValue& box, const Rows& rows,
              ir::OperandValue& out);
  void Shared(int operand);
  void Product(const Step& step);
  void LoadGlobal();
  void StoreGlobal(int operand);
  void Flat(int operand, ir::Space space, int64_t bytes);
  void Registers(int operand, int32_t decl);

  void Copy(const ir::ConcreteOp& executed, bool out);
  void CopyByThreads(int64_t each);
  void Reduction(const Step& step);
  void Replacement();
  void Plain();
  void AsOp(const ir::Op& op);

  const PtxGuide& guide_;
  const machine::Code& code_;
  ir::Op fence_, atom_;  // what others are taken for
  ir::Kernel declared_;
  ir::BoundKernel bound_;
  std::vector<int32_t> step_of_;  // by op
  ir::ConcreteOp out_;
  using Key = std::pair<int64_t, int64_t>;  // set, and the start's remainder
  absl::flat_hash_map<Key, Rows> rows_[2];
  absl::flat_hash_map<Key, int64_t> cycles_;
  Rows box_;  // of one without a set
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_PRICED_H_

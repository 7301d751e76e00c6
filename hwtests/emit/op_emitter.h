// What an op's emit function works with: operands as C++ text, geometry of
// tiles, and calls of the device header.
#ifndef TILESIM_HWTESTS_EMIT_OP_EMITTER_H_
#define TILESIM_HWTESTS_EMIT_OP_EMITTER_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hwtests/emit/kernel_emitter.h"
#include "ir/op.h"

namespace tilesim::hwtests {

// One dimension of a box, outermost first.
struct BoxDim {
  const ir::Expr* start = nullptr;  // nullptr: 0
  int64_t extent = 1;
  bool kept = true;  // not a plain index
};

// A tile operand: which object, and the box in it.
struct TileRef {
  int32_t decl = -1;
  const ir::BoundDecl* bound = nullptr;
  const ir::Ref* ref = nullptr;
  std::vector<BoxDim> dims;

  ir::Space space() const { return bound->space; }
  ir::DType dtype() const { return bound->dtype; }
  int bits() const { return values::BitsOf(bound->dtype); }
  int64_t cols() const { return dims.empty() ? 1 : dims.back().extent; }
  int64_t rows() const {
    int64_t n = 1;
    for (size_t i = 0; i + 1 < dims.size(); ++i) n *= dims[i].extent;
    return n;
  }
  int64_t bytes() const { return (rows() * cols() * bits() + 7) / 8; }
};

class OpEmitter {
 public:
  OpEmitter(KernelEmitter& kernel, const ir::Op& op)
      : kernel_(kernel), op_(op) {}

  const ir::Op& op() const { return op_; }
  KernelEmitter& kernel() { return kernel_; }
  ExpressionPrinter& print() { return kernel_.print(); }
  GlobalTensors& globals() { return kernel_.globals(); }
  Writer& out() { return kernel_.out(); }
  bool has(int i) const { return op_.has(i); }
  bool is_tile(int i) const {
    return op_.operands[i].kind == ir::Operand::Kind::kRef;
  }

  // `tile::function(args);`
  void Call(std::string_view function, const std::vector<std::string>& args);
  // lower/unsupported, lower/shape at the op.
  void Unsupported(std::string_view message);
  void Shape(std::string_view message);

  // Scalars.
  const ir::Expr& expr(int i) const { return op_.operands[i].expr; }
  std::string Int(int i) { return print().Text(expr(i)); }
  std::optional<int64_t> Constant(int i) {
    return kernel_.facts().Constant(expr(i));
  }
  // Of an immediate; reports when it is not a constant.
  std::optional<int64_t> Immediate(int i, std::string_view what);
  // `tile::function<n>();` of a wait for all but `n` groups, operand i. A count
  // that is no constant, but lies among few, is a switch over them.
  void WaitGroup(std::string_view function, int i);
  std::string Var(int i);

  // mbarriers: the address, through mapa for a peer's.
  std::string Barrier(int i);
  bool IsPeer(int i) const { return !op_.operands[i].ref.cta.empty(); }
  // Which barrier of its array operand i is.
  std::string BarrierIndex(int i);
  // "tile::Site{...}" of a wait on operand i.
  std::string Site(int i);

  // Tiles.
  TileRef Tile(int i);
  // A box of shared memory has rows (all dimensions but the last) that do not
  // follow each other, which no code that is emitted goes through. True: said.
  bool RefusesRowsApart();
  // Which object of its array, as text; "0" without an array.
  std::string Index(const TileRef& tile) {
    return Index(*tile.ref, *tile.bound);
  }
  // The address of the object (no box applied), own or a peer's.
  std::string SharedBase(const TileRef& tile);
  // The address of the first byte of the box, before any swizzle.
  std::string SharedAddress(const TileRef& tile);
  // Row and column of the box's first element in the object's matrix.
  std::string StartRow(const TileRef& tile);
  std::string StartCol(const TileRef& tile);
  std::optional<int64_t> ConstantStart(const TileRef& tile, size_t dim);
  int64_t StartDivisor(const TileRef& tile, size_t dim);
  std::string StartText(const TileRef& tile, size_t dim);
  // `A + (m) * K + k`: a pointer to the first element of a global box.
  std::string GlobalAddress(const TileRef& tile);
  // The words of a register tile's box.
  std::string Registers(const TileRef& tile);
  // "tile::Wgmma<128>" for its box; empty after a diagnostic.
  std::string FragmentType(const TileRef& tile);
  // Elements that each thread holds of the box.
  int64_t PerThread(const TileRef& tile);
  // Threads that own the tile (of blocked: the scope's).
  ir::FragmentLayout Fragment(const TileRef& tile);

 private:
  std::string Index(const ir::Ref& ref, const ir::BoundDecl& bound);

  KernelEmitter& kernel_;
  const ir::Op& op_;
};

// `a * b` and `a + b` of texts, simplified where one is 0 or 1.
std::string TimesText(std::string_view factor, int64_t by);
std::string PlusText(std::string_view a, std::string_view b);
// In parentheses unless it is one word.
std::string WordText(std::string_view text);

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_OP_EMITTER_H_

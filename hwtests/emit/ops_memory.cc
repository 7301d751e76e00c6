// Register tiles to and from global and shared memory, vectors as wide as
// fragment and alignment allow.
#include <algorithm>
#include <numeric>

#include "hwtests/emit/global_box.h"
#include "hwtests/emit/op_table.h"
#include "ir/cat.h"
#include "ir/vectors.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
namespace ops = ir::ops;

struct Access {
  std::string call;  // "st_global<tile::Wgmma<128>, 16, 2>"
  std::string registers;
};

bool SameShape(const TileRef& a, const TileRef& b) {
  return a.rows() == b.rows() && a.cols() == b.cols();
}

// A column of registers that lies along a row of memory, or the other way.
bool Turned(const TileRef& reg, const TileRef& memory) {
  return !SameShape(reg, memory) && reg.rows() == memory.cols() &&
         reg.cols() == memory.rows() && std::min(reg.rows(), reg.cols()) == 1;
}

std::optional<Access> RegisterSide(OpEmitter& e, const TileRef& reg,
                                   const TileRef& memory,
                                   std::string_view function, int64_t vector,
                                   std::string_view more) {
  bool turned = Turned(reg, memory);
  std::string fragment = e.FragmentType(reg);
  if (fragment.empty()) return std::nullopt;
  if (turned) fragment = Cat("tile::Turned<", fragment, ">");
  int64_t neighbours =
      turned ? 1 : ir::NeighboursOf(e.Fragment(reg), reg.cols());
  int64_t v = ir::WidestVector(std::gcd(vector, neighbours), reg.bits());
  if (v * reg.bits() < 8) {
    e.Unsupported("fewer than 8 bits at a time");
    return std::nullopt;
  }
  return Access{
      Cat(function, "<", fragment, ", ", reg.bits(), ", ", v, more, ">"),
      e.Registers(reg)};
}

struct SharedSide {
  std::string base, row, col;
  std::string space;       // "_cluster" of a peer's tile, whose base is mapa's
  std::string parameters;  // ", 128, 64, 128": the tile's shape and swizzle
  int64_t vector = 1;
};

SharedSide SharedOf(OpEmitter& e, const TileRef& s) {
  const ir::SharedLayout& layout = s.bound->layout;
  SharedSide side;
  side.space = s.ref->cta.empty() ? "" : "_cluster";
  side.base = e.SharedBase(s);
  side.row = e.StartRow(s);
  side.col = e.StartCol(s);
  side.parameters = Cat(", ", layout.rows, ", ", layout.cols, ", ",
                        static_cast<int>(layout.swizzle));
  side.vector = std::gcd(e.StartDivisor(s, s.dims.size() - 1), layout.cols);
  return side;
}

}  // namespace

template <>
void EmitOp<ops::StGlobal>(OpEmitter& e) {
  TileRef g = e.Tile(ops::StGlobal::kDst), reg = e.Tile(ops::StGlobal::kSrc);
  std::optional<GlobalBox> box = GlobalBoxOf(e, g);
  if (!box) return;
  std::optional<Access> access = RegisterSide(
      e, reg, g, box->begins_before() ? "st_global_from" : "st_global",
      box->vector, "");
  if (!access) return;
  e.globals().MarkWritten(g.decl);
  std::vector<std::string> args = {box->address, box->pitch, access->registers};
  AddLimits(*box, "", &args);
  AddFirst(*box, &args);
  if (!box->guard.empty()) e.out().Open(Cat("if (", box->guard, ")"));
  e.Call(access->call, args);
  if (!box->guard.empty()) e.out().Close();
}

template <>
void EmitOp<ops::LdGlobal>(OpEmitter& e) {
  TileRef reg = e.Tile(ops::LdGlobal::kDst), g = e.Tile(ops::LdGlobal::kSrc);
  std::optional<GlobalBox> box = GlobalBoxOf(e, g);
  if (!box) return;
  std::optional<Access> access = RegisterSide(
      e, reg, g, box->begins_before() ? "ld_global_from" : "ld_global",
      box->vector, "");
  if (!access) return;
  e.globals().MarkRead(g.decl);
  std::vector<std::string> args = {access->registers, box->address, box->pitch};
  AddLimits(*box, box->guard, &args);
  AddFirst(*box, &args);
  e.Call(access->call, args);
}

template <>
void EmitOp<ops::StShared>(OpEmitter& e) {
  TileRef s = e.Tile(ops::StShared::kDst), reg = e.Tile(ops::StShared::kSrc);
  SharedSide side = SharedOf(e, s);
  std::optional<Access> access = RegisterSide(
      e, reg, s, Cat("st_shared", side.space), side.vector, side.parameters);
  if (access)
    e.Call(access->call, {side.base, side.row, side.col, access->registers});
}

template <>
void EmitOp<ops::StAsync>(OpEmitter& e) {
  using Op = ops::StAsync;
  TileRef s = e.Tile(Op::kDst), reg = e.Tile(Op::kSrc);
  SharedSide side = SharedOf(e, s);
  std::optional<Access> access =
      RegisterSide(e, reg, s, "st_async", side.vector, side.parameters);
  if (access)
    e.Call(access->call, {side.base, side.row, side.col, access->registers,
                          e.Barrier(Op::kBar)});
}

template <>
void EmitOp<ops::LdShared>(OpEmitter& e) {
  TileRef reg = e.Tile(ops::LdShared::kDst), s = e.Tile(ops::LdShared::kSrc);
  SharedSide side = SharedOf(e, s);
  std::optional<Access> access = RegisterSide(
      e, reg, s, Cat("ld_shared", side.space), side.vector, side.parameters);
  if (access)
    e.Call(access->call, {access->registers, side.base, side.row, side.col});
}

}  // namespace tilesim::hwtests

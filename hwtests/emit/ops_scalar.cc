// ld, st, atom, red of one integer: the wrapper is made from the words of the
// op, since they combine freely.
#include "hwtests/emit/op_table.h"
#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
namespace ops = ir::ops;

// Where the word is: how PTX calls the space, and its address.
struct Word {
  std::string space;  // "global", "shared::cta", "shared::cluster"
  std::string address;
  int bits = 32;
  bool is_signed = false;
  std::string name;  // "s32"
  bool global() const { return space == "global"; }
};

Word WordOf(OpEmitter& e, int operand) {
  TileRef tile = e.Tile(operand);
  Word w;
  w.bits = tile.bits();
  w.name = std::string(values::NameOf(tile.dtype()));
  w.is_signed = values::Info(tile.dtype()).is_signed();
  if (tile.space() == ir::Space::kGlobal) {
    w.space = "global";
    w.address = e.GlobalAddress(tile);
    return w;
  }
  w.space = tile.ref->cta.empty() ? "shared::cta" : "shared::cluster";
  const ir::SharedLayout& l = tile.bound->layout;
  w.address = Cat(e.SharedBase(tile), " + tile::tile_offset<", l.rows, ", ",
                  l.cols, ", ", l.bits, ", ", static_cast<int>(l.swizzle), ">(",
                  e.StartRow(tile), ", ", e.StartCol(tile), ")");
  return w;
}

// ".acquire.gpu", "" for weak.
template <class OpT, class SemT, class ScopeT>
std::string Order(const OpEmitter& e, std::string_view absent_scope) {
  std::string_view sem = e.op().spelling<OpT, SemT>();
  std::string_view scope = e.op().spelling<OpT, ScopeT>();
  if (sem.empty()) return "";
  return Cat(".", sem, ".", scope.empty() ? absent_scope : scope);
}

std::string WordCType(const Word& w) {
  return Cat(w.is_signed ? "int" : "uint", w.bits < 32 ? 32 : w.bits, "_t");
}

std::string NameFrom(std::string_view instruction) {
  std::string name;
  for (char c : instruction) {
    bool word = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (word || (!name.empty() && name.back() != '_')) name += word ? c : '_';
  }
  return name;
}

// One wrapper: `values` are the operands after the address.
std::string Wrapper(OpEmitter& e, const Word& w, std::string_view instruction,
                    bool returns, int values) {
  // Bits have no sign; what is returned has that of the memory.
  std::string name = NameFrom(instruction);
  if (!instruction.ends_with(w.name)) ir::Append(&name, "_", w.name);
  std::string type = WordCType(w);
  std::string_view constraint = w.bits == 64 ? "l" : "r";
  std::string parameters = w.global() ? "const void* p" : "uint32_t p";
  std::string outs,
      ins = w.global() ? "\"l\"(__cvta_generic_to_global(p))" : "\"r\"(p)";
  std::string format;
  int next = 0;
  if (returns) format = Cat(" %", next++, ",");
  ir::Append(&format, " [%", next++, "]");
  for (int i = 0; i < values; ++i) {
    std::string v = Cat("v", i);
    ir::Append(&parameters, ", ", type, " ", v);
    ir::Append(&ins, ", \"", constraint, "\"(", v, ")");
    ir::Append(&format, ", %", next++);
  }
  if (returns) outs = Cat("\"=", constraint, "\"(r)");
  e.kernel().file().wrappers[name] =
      Cat("TILE_DEVICE ", returns ? type : "void", " ", name, "(", parameters,
          ") {\n", returns ? Cat("  ", type, " r;\n") : "", "  asm volatile(\"",
          instruction, format, ";\"\n               : ", outs,
          "\n               : ", ins, "\n               : \"memory\");\n",
          returns ? "  return r;\n" : "", "}\n");
  return Cat("tile::", name);
}

// `operands`: after the address. An atomic returns what was there, a reduction
// nothing.
template <class OpT, class SemT>
void Atomic(OpEmitter& e, std::string_view op,
            const std::vector<int>& operands) {
  constexpr int mem = OpT::kMem;
  constexpr bool returns = requires { OpT::kDst; };
  Word w = WordOf(e, mem);
  if (w.global()) {
    e.globals().MarkWritten(e.Tile(mem).decl);
    e.globals().MarkRead(e.Tile(mem).decl);
  }
  // add is typed; of 64 bits only the unsigned one exists, which is the same.
  std::string type = op != "add"    ? Cat("b", w.bits)
                     : w.bits == 64 ? std::string("u64")
                                    : w.name;
  std::string order = Order<OpT, SemT, ops::AtomScope>(e, "gpu");
  std::string instruction =
      Cat(returns ? "atom" : "red", order, ".", w.space, ".", op, ".", type);
  std::string call = Cat(
      Wrapper(e, w, instruction, returns, static_cast<int>(operands.size())),
      "(", w.address);
  for (int operand : operands) ir::Append(&call, ", ", e.Int(operand));
  std::string target;
  if constexpr (returns) target = Cat(e.Var(OpT::kDst), " = ");
  e.out().Statement(Cat(target, call, ");"));
}

}  // namespace

template <>
void EmitOp<ops::Ld>(OpEmitter& e) {
  Word w = WordOf(e, ops::Ld::kSrc);
  if (w.global()) e.globals().MarkRead(e.Tile(ops::Ld::kSrc).decl);
  std::string order = Order<ops::Ld, ops::LdSem, ops::AccessScope>(e, "cta");
  // A weak load that the compiler may not merge or move past a wait.
  std::string function =
      Wrapper(e, w, Cat("ld", order, ".", w.space, ".", w.name), true, 0);
  e.out().Statement(
      Cat(e.Var(ops::Ld::kDst), " = ", function, "(", w.address, ");"));
}

template <>
void EmitOp<ops::St>(OpEmitter& e) {
  Word w = WordOf(e, ops::St::kDst);
  if (w.global()) e.globals().MarkWritten(e.Tile(ops::St::kDst).decl);
  std::string order = Order<ops::St, ops::StSem, ops::AccessScope>(e, "cta");
  std::string function =
      Wrapper(e, w, Cat("st", order, ".", w.space, ".", w.name), false, 1);
  e.out().Statement(
      Cat(function, "(", w.address, ", ", e.Int(ops::St::kSrc), ");"));
}

template <>
void EmitOp<ops::AtomAdd>(OpEmitter& e) {
  using Op = ops::AtomAdd;
  Atomic<Op, ops::AtomSem>(e, "add", {Op::kValue});
}

template <>
void EmitOp<ops::AtomExch>(OpEmitter& e) {
  using Op = ops::AtomExch;
  Atomic<Op, ops::AtomSem>(e, "exch", {Op::kValue});
}

template <>
void EmitOp<ops::AtomCas>(OpEmitter& e) {
  using Op = ops::AtomCas;
  Atomic<Op, ops::AtomSem>(e, "cas", {Op::kCompare, Op::kValue});
}

template <>
void EmitOp<ops::RedAdd>(OpEmitter& e) {
  using Op = ops::RedAdd;
  Atomic<Op, ops::RedSem>(e, "add", {Op::kValue});
}

}  // namespace tilesim::hwtests

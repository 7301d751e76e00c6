#include "cli/run/other_sizes.h"

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "ir/bind.h"
#include "ir/cat.h"
#include "ir/walk.h"

namespace tilesim::cli {
namespace {

std::optional<int64_t> ValueOf(const machine::Code& code, int32_t slot) {
  if (slot < 0 || !code.bound.slots[slot]) return std::nullopt;
  const ir::Value& v = *code.bound.slots[slot];
  return v.is_float ? std::nullopt : std::optional(v.number);
}

using Names = std::set<std::string>;
// Parameters that the text cuts into pieces, and the constants that are their
// sizes: `M / BM`, `cdiv(M, BM)`, `for c in 0..COLS step CHUNK`.
using Pieces = std::set<std::pair<std::string, std::string>>;

void AddPair(const ir::Expr& whole, const ir::Expr& part, Pieces& out) {
  Names parts;
  ir::ForEachName(part, [&](const std::string& n) { parts.insert(n); });
  ir::ForEachName(whole, [&](const std::string& n) {
    for (const std::string& p : parts) out.emplace(n, p);
  });
}

void AddPieces(const ir::Expr& e, Pieces& out) {
  const bool divides = e.kind == ir::ExprKind::kBinary &&
                       (e.op == ir::ExprOp::kDiv || e.op == ir::ExprOp::kRem);
  const bool calls = e.kind == ir::ExprKind::kCall && e.name == "cdiv";
  if ((divides || calls) && e.args.size() == 2)
    AddPair(e.args[0], e.args[1], out);
  for (const ir::Expr& arg : e.args) AddPieces(arg, out);
}

Pieces PiecesOf(const ir::Kernel& of) {
  Pieces out;
  ir::Kernel kernel = of;  // walks of expressions may change them
  const auto add = [&](const ir::Expr& e) { AddPieces(e, out); };
  ir::ForEachExpr(kernel, add);
  ir::ForEachStmt(kernel.body, [&](ir::Stmt& s) {
    ir::ForEachExpr(s, add);
    if (s.kind == ir::Stmt::Kind::kFor && s.step) AddPair(s.high, *s.step, out);
  });
  return out;
}

// The largest size of a piece that divides the parameter here, and not where it
// is a step larger.
std::string TailOf(const machine::Code& code, const ir::Param& p,
                   const Pieces& pieces) {
  const std::optional<int64_t> value = ValueOf(code, p.slot);
  if (!value || *value > INT32_MAX || p.step < 1 || p.step > INT32_MAX)
    return "";
  const ir::Constant* tile = nullptr;
  int64_t size = 1;
  for (const ir::Constant& c : code.kernel().constants) {
    const std::optional<int64_t> n = ValueOf(code, c.slot);
    if (c.is_let || !n || pieces.count({p.name, c.name}) == 0 || *n <= size ||
        *value % *n != 0 || p.step % *n == 0)
      continue;
    tile = &c;
    size = *n;
  }
  if (tile == nullptr) return "";
  ir::Overrides sizes;
  for (const ir::Param& other : code.kernel().params) {
    if (std::optional<int64_t> n = ValueOf(code, other.slot))
      sizes[other.name] = *n;
  }
  sizes[p.name] = *value + p.step;
  ir::Diagnostics not_permitted;
  if (!ir::Bind(code.kernel(), sizes, code.bound.sm_count, not_permitted))
    return "";
  return ir::Cat("; ", p.name, " also takes sizes that are no multiple of ",
                 tile->name, ": try -D ", p.name, "=", *value + p.step);
}

}  // namespace

std::string ComparedAt(const std::vector<const machine::Code*>& codes) {
  std::string out;
  for (const machine::Code* code : codes) {
    const Pieces pieces = PiecesOf(code->kernel());
    for (const ir::Param& p : code->kernel().params) {
      if (out.empty()) out = "these sizes only";
      const std::string tail = TailOf(*code, p, pieces);
      if (!tail.empty()) return out + tail;
    }
  }
  return out;
}

}  // namespace tilesim::cli

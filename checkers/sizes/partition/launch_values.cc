#include "checkers/sizes/partition/launch_values.h"

#include <algorithm>
#include <string>

#include "checkers/sizes/partition/element_load.h"
#include "checkers/sizes/partition/expressions.h"
#include "checkers/sizes/partition/next_trip.h"
#include "ir/cat.h"
#include "ir/walk.h"

namespace tilesim::checkers::sizes::partition {
using ir::Block;
using ir::Builtin;
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::NameKind;
using ir::Stmt;

namespace {

bool HasVariables(const Expr& e) {
  return e.name_kind == NameKind::kVar ||
         std::any_of(e.args.begin(), e.args.end(), HasVariables);
}

}  // namespace

bool Mentions(const Expr& e, int32_t slot) {
  return ir::SlotOf(e) == slot ||
         std::any_of(e.args.begin(), e.args.end(),
                     [=](const Expr& arg) { return Mentions(arg, slot); });
}

bool AsksForPlace(const Expr& e) {
  const bool place = e.name_kind == NameKind::kBuiltin ||
                     e.name_kind == NameKind::kVar;  // an element
  return (e.kind == ExprKind::kName && place) ||
         std::any_of(e.args.begin(), e.args.end(), AsksForPlace);
}

bool Assigns(const Stmt& s, int32_t slot) {
  const bool here =
      (s.kind == Stmt::Kind::kAssign || s.kind == Stmt::Kind::kVar) &&
      s.slot == slot;
  bool by_op = false;
  for (size_t i = 0; s.op && i < s.op->operands.size(); ++i) {
    by_op |= (s.op->info->operands[i].types & ir::kTakesVar) != 0 &&
             s.op->has(i) && ir::SlotOf(s.op->operands[i].expr) == slot;
  }
  auto inside = [&](const Stmt& inner) { return Assigns(inner, slot); };
  return here || by_op || std::any_of(s.body.begin(), s.body.end(), inside) ||
         std::any_of(s.orelse.begin(), s.orelse.end(), inside);
}

LaunchValues::LaunchValues(const ir::Overrides& defines,
                           const std::set<int32_t>& inputs,
                           const ir::Kernel& kernel)
    : inputs_(inputs), positive_(defines, kernel) {
  for (const Expr& e : kernel.cluster)
    cluster_.push_back(positive_.known().Of(e).value_or(0));
  cluster_.resize(3, 1);
}

std::optional<Expr> LaunchValues::Written(
    const Expr& e, int32_t counter, const std::set<int32_t>& moving) const {
  if (e.kind == ExprKind::kName) return WrittenName(e, counter, moving);
  if (IsPlaceOfCluster(e)) return e;
  Expr out = e;
  for (Expr& arg : out.args) {
    auto written = Written(arg, counter, moving);
    if (!written) return std::nullopt;
    arg = *std::move(written);
  }
  if (!IsANumber(e)) return std::nullopt;
  return out;
}

std::optional<Expr> LaunchValues::WrittenName(
    const Expr& e, int32_t counter, const std::set<int32_t>& moving) const {
  if (counter >= 0 && ir::SlotOf(e) == counter)
    return NameOf(NameKind::kLoop, "#", kCounter, {});
  auto known = known_.find(ir::SlotOf(e));
  if (known != known_.end()) return known->second;
  // Of a variable it has what that was when it was set: see known_.
  if (const Expr* let = positive_.LetOf(e); let && !HasVariables(*let))
    return Written(*let, moving.contains(e.slot) ? counter : -1, moving);
  switch (e.name_kind) {
    case NameKind::kParam:
    case NameKind::kConst:
      return e;
    case NameKind::kBuiltin:
      if (!SameInCluster(static_cast<Builtin>(e.slot))) return std::nullopt;
      return e;
    default:
      return std::nullopt;
  }
}

bool LaunchValues::SameInCluster(Builtin which) const {
  switch (which) {
    case Builtin::kCtaX:
    case Builtin::kCtaY:
    case Builtin::kCtaZ:
      return cluster_[static_cast<int>(which)] == 1;
    case Builtin::kGridX:
    case Builtin::kGridY:
    case Builtin::kGridZ:
    case Builtin::kClusterSize:
    case Builtin::kClusterIdX:
    case Builtin::kClusterIdY:
    case Builtin::kSmCount:
      return true;
    default:
      return false;
  }
}

// cta.x / 2 where clusters have two CTAs along x.
bool LaunchValues::IsPlaceOfCluster(const Expr& e) const {
  if (e.kind != ExprKind::kBinary || e.op != ExprOp::kDiv) return false;
  const Expr& of = e.args[0];
  if (of.kind != ExprKind::kName || of.name_kind != NameKind::kBuiltin)
    return false;
  const int32_t d = of.slot - static_cast<int32_t>(Builtin::kCtaX);
  return d >= 0 && d < 3 && cluster_[d] > 0 &&
         positive_.known().Of(e.args[1]) == cluster_[d];
}

// It divides by what is at least 1, and shifts by a number that is known.
bool LaunchValues::IsANumber(const Expr& e) const {
  const bool divides = (e.kind == ExprKind::kBinary &&
                        (e.op == ExprOp::kDiv || e.op == ExprOp::kRem)) ||
                       (e.kind == ExprKind::kCall && e.name == "cdiv");
  const bool shifts = e.kind == ExprKind::kBinary &&
                      (e.op == ExprOp::kShl || e.op == ExprOp::kShr);
  if (divides) return positive_.Is(e.args[1]);
  return !shifts || positive_.known().Of(e.args[1]).value_or(-1) >= 0;
}

void LaunchValues::Walk(Block& block, Known known, const Visit& visit) {
  for (Stmt& s : block) {
    const Known before = known;
    auto value = ValueSet(s, before);
    std::erase_if(known, [&](const auto& k) { return Assigns(s, k.first); });
    known_ = known;
    visit(s, before);
    const bool loop =
        s.kind == Stmt::Kind::kFor || s.kind == Stmt::Kind::kWhile;
    Walk(s.body, loop ? known : before, visit);
    Walk(s.orelse, before, visit);
    if (value) known[value->first] = std::move(value->second);
  }
}

// The scalar that the statement sets, and to what.
std::optional<std::pair<int32_t, Expr>> LaunchValues::ValueSet(
    const Stmt& s, const Known& before) {
  known_ = before;
  const bool sets = s.kind == Stmt::Kind::kLet || s.kind == Stmt::Kind::kVar ||
                    s.kind == Stmt::Kind::kAssign;
  auto value = sets ? Written(s.value) : std::nullopt;
  if (value) return std::pair(s.slot, *std::move(value));
  if (const auto load = ElementLoadOf(s)) {
    if (auto element = Element(*load->from))
      return std::pair(load->to->slot, *std::move(element));
  }
  return std::nullopt;
}

// One number all through a launch, as nobody writes it.
std::optional<Expr> LaunchValues::Element(
    const ir::Ref& ref, int32_t counter,
    const std::set<int32_t>& moving) const {
  if (!inputs_.contains(ref.decl)) return std::nullopt;
  std::string name = ref.name;
  std::vector<Expr> indices;
  for (const auto& group : ref.groups) {
    for (const ir::Subscript& s : group) {
      auto at = s.kind == ir::Subscript::Kind::kIndex
                    ? Written(s.start, counter, moving)
                    : std::nullopt;
      if (!at) return std::nullopt;
      ir::Append(&name, "[", ir::ToString(*at), "]");
      indices.push_back(*std::move(at));
    }
  }
  Expr out = NameOf(NameKind::kVar, name, -1, {});
  out.args = std::move(indices);
  return out;
}

}  // namespace tilesim::checkers::sizes::partition

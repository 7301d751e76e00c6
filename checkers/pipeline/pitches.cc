#include "checkers/pipeline/pitches.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>

#include "ir/cat.h"

namespace tilesim::checkers::pipeline {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;

// Of SizesBeside: what divides by less is looked at.
constexpr int64_t kPeriod = 64;
constexpr int64_t kFewValues = 16;

class Pitches {
 public:
  explicit Pitches(const KernelPlan& plan) : plan_(plan) {}

  std::vector<std::string> Run() const {
    std::vector<std::string> out;
    for (const ir::Decl& d : plan_.kernel->decls) {
      if (d.space != ir::Space::kGlobal) continue;
      for (const Expr* e : PitchesOf(d)) {
        if (!Sampled(*e))
          out.push_back(ir::Cat("that ", ToString(*e), " elements are a legal ",
                                "pitch of ", d.name,
                                " was looked at at some sizes only"));
      }
    }
    return out;
  }

 private:
  static std::vector<const Expr*> PitchesOf(const ir::Decl& d) {
    std::vector<const Expr*> out;
    for (const Expr& e : d.strides) out.push_back(&e);
    for (size_t i = 1; d.strides.empty() && i < d.shape.size(); ++i)
      out.push_back(&d.shape[i]);
    return out;
  }

  // Whether sizes that were looked at stand for all.
  bool Sampled(const Expr& e) const {
    if (ParamsIn(e).empty()) return true;
    if (const Expr* value = ValueOf(e)) return Sampled(*value);
    if (e.kind == ExprKind::kSelect)
      return FewValues(e.args[0]) && Sampled(e.args[1]) && Sampled(e.args[2]);
    if (e.kind == ExprKind::kCall) return false;
    bool divides = e.op == ExprOp::kDiv || e.op == ExprOp::kRem;
    if (divides && InSteps(e.args[0], e.args[1])) return true;
    bool plain = e.op == ExprOp::kAdd || e.op == ExprOp::kSub ||
                 e.op == ExprOp::kNeg || e.op == ExprOp::kMul;
    if (e.kind == ExprKind::kBinary && divides && !SmallPower(e.args[1]))
      return false;
    if (e.kind == ExprKind::kBinary && e.op == ExprOp::kMul &&
        !ParamsIn(e.args[0]).empty() && !ParamsIn(e.args[1]).empty() &&
        (Divides(e.args[0]) || Divides(e.args[1])))
      return false;
    bool known = e.kind == ExprKind::kName || divides || plain;
    return known && std::all_of(e.args.begin(), e.args.end(),
                                [&](const Expr& arg) { return Sampled(arg); });
  }

  bool Divides(const Expr& e) const {
    if (const Expr* value = ValueOf(e)) return Divides(*value);
    return e.op == ExprOp::kDiv || e.op == ExprOp::kRem ||
           std::any_of(e.args.begin(), e.args.end(),
                       [&](const Expr& arg) { return Divides(arg); });
  }

  bool SmallPower(const Expr& e) const {
    if (const Expr* value = ValueOf(e)) return SmallPower(*value);
    return e.kind == ExprKind::kInt && e.value > 0 && e.value <= kPeriod &&
           std::has_single_bit(static_cast<uint64_t>(e.value));
  }

  // A parameter whose steps are whole numbers of the divisor.
  bool InSteps(const Expr& e, const Expr& divisor) const {
    if (const Expr* value = ValueOf(divisor)) return InSteps(e, *value);
    const ir::Param* p = ParamOf(e);
    return p != nullptr && divisor.kind == ExprKind::kInt &&
           divisor.value > 0 && p->step % divisor.value == 0 &&
           p->low % divisor.value == 0;
  }

  // Each value of what decides was looked at.
  bool FewValues(const Expr& e) const {
    const std::set<std::string> names = ParamsIn(e);
    return std::all_of(
        plan_.kernel->params.begin(), plan_.kernel->params.end(),
        [&](const ir::Param& p) {
          return names.count(p.name) == 0 ||
                 (p.high && (*p.high - p.low) / p.step < kFewValues);
        });
  }

  const ir::Param* ParamOf(const Expr& e) const {
    for (const ir::Param& p : plan_.kernel->params) {
      if (e.kind == ExprKind::kName && p.name == e.name) return &p;
    }
    return nullptr;
  }

  // Of a constant or `let`.
  const Expr* ValueOf(const Expr& e) const {
    if (e.kind != ExprKind::kName) return nullptr;
    for (const ir::Constant& c : plan_.kernel->constants) {
      if (c.name == e.name) return &c.value;
    }
    return nullptr;
  }

  // Those that may vary.
  std::set<std::string> ParamsIn(const Expr& e) const {
    std::set<std::string> out;
    AddParams(e, out);
    return out;
  }

  void AddParams(const Expr& e, std::set<std::string>& out) const {
    if (const Expr* value = ValueOf(e)) return AddParams(*value, out);
    if (ParamOf(e) != nullptr && plan_.given.count(e.name) == 0)
      out.insert(e.name);
    for (const Expr& arg : e.args) AddParams(arg, out);
  }

  const KernelPlan& plan_;
};

}  // namespace

std::vector<std::string> PitchesNotShown(const KernelPlan& plan) {
  return Pitches(plan).Run();
}

}  // namespace tilesim::checkers::pipeline

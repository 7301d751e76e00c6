#include "checkers/pipeline/pitches.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <set>

#include "ir/cat.h"
#include "ir/values/dtype.h"

namespace tilesim::checkers::pipeline {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;

// Of SizesBeside: what divides by less is run.
constexpr int64_t kPeriod = 64;
constexpr int64_t kFewValues = 16;
// Pitches are multiples of so many bits (layout/stride).
constexpr int64_t kPitchBits = 128;
// Of a number that matters as a whole, not by what it leaves when divided.
constexpr int64_t kWhole = 0;

// Of `factor * x`, what remains by `of` is decided by what of x does by this.
int64_t RemainderThatDecides(int64_t factor, int64_t of) {
  return of == kWhole ? kWhole : of / std::gcd(of, factor);
}

class Pitches {
 public:
  explicit Pitches(const KernelPlan& plan) : plan_(plan) {}

  std::vector<std::string> Run() const {
    std::vector<std::string> out;
    for (const ir::Decl& d : plan_.kernel->decls) {
      if (d.space != ir::Space::kGlobal) continue;
      const int64_t elements =
          kPitchBits / std::gcd<int64_t>(kPitchBits, values::BitsOf(d.dtype));
      for (const Expr* e : PitchesOf(d)) {
        if (!Sampled(*e, elements))
          out.push_back(ir::Cat("that ", ToString(*e), " elements are a legal ",
                                "pitch of ", d.name,
                                " was checked at some sizes only"));
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

  // Whether sizes that were checked show all remainders of it by `of`.
  bool Sampled(const Expr& e, int64_t of) const {
    if (of == 1 || ParamsIn(e).empty()) return true;
    if (const Expr* value = ValueOf(e)) return Sampled(*value, of);
    if (e.kind == ExprKind::kSelect)
      return FewValues(e.args[0]) && Sampled(e.args[1], of) &&
             Sampled(e.args[2], of);
    if (e.kind == ExprKind::kName) return true;
    if (e.kind == ExprKind::kCall) return false;
    switch (e.op) {
      case ExprOp::kDiv:
      case ExprOp::kRem:
        return InSteps(e.args[0], e.args[1]) ||
               (SmallPower(e.args[1]) && Sampled(e.args[0], kWhole));
      case ExprOp::kMul:
        return ProductSampled(e.args[0], e.args[1], of);
      case ExprOp::kAdd:
      case ExprOp::kSub:
      case ExprOp::kNeg:
        return std::all_of(e.args.begin(), e.args.end(),
                           [&](const Expr& arg) { return Sampled(arg, of); });
      default:
        return false;
    }
  }

  bool ProductSampled(const Expr& a, const Expr& b, int64_t of) const {
    if (const Expr* n = NumberIn(a))
      return Sampled(b, RemainderThatDecides(n->value, of));
    if (const Expr* n = NumberIn(b))
      return Sampled(a, RemainderThatDecides(n->value, of));
    bool both = !ParamsIn(a).empty() && !ParamsIn(b).empty();
    if (both && (Divides(a) || Divides(b))) return false;
    return Sampled(a, of) && Sampled(b, of);
  }

  // A literal, or a constant that is one.
  const Expr* NumberIn(const Expr& e) const {
    if (const Expr* value = ValueOf(e)) return NumberIn(*value);
    return e.kind == ExprKind::kInt ? &e : nullptr;
  }

  bool Divides(const Expr& e) const {
    if (const Expr* value = ValueOf(e)) return Divides(*value);
    return e.op == ExprOp::kDiv || e.op == ExprOp::kRem ||
           std::any_of(e.args.begin(), e.args.end(),
                       [&](const Expr& arg) { return Divides(arg); });
  }

  bool SmallPower(const Expr& e) const {
    const Expr* n = NumberIn(e);
    return n != nullptr && n->value > 0 && n->value <= kPeriod &&
           std::has_single_bit(static_cast<uint64_t>(n->value));
  }

  // A parameter whose steps are whole numbers of the divisor.
  bool InSteps(const Expr& e, const Expr& divisor) const {
    const ir::Param* p = ParamOf(e);
    const Expr* n = NumberIn(divisor);
    return p != nullptr && n != nullptr && n->value > 0 &&
           p->step % n->value == 0 && p->low % n->value == 0;
  }

  // Each value of what decides was checked.
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

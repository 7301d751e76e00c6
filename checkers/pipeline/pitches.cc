#include "checkers/pipeline/pitches.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <optional>
#include <set>

#include "ir/apply.h"
#include "ir/cat.h"
#include "ir/values/dtype.h"
#include "ir/values/seeded.h"
#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;

// Of SizesBeside: what divides by less is run.
constexpr int64_t kPitchPeriod = 64;
constexpr int64_t kFewValues = 16;
// Of what expressions leave, divided by something.
constexpr int64_t kMostNumbers = 4096, kMostPairs = 1 << 20;
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
    const std::vector<ir::Decl>& decls = plan_.kernel->decls;
    for (size_t i = 0; i < decls.size(); ++i) {
      const ir::Decl& d = decls[i];
      if (d.space != ir::Space::kGlobal) continue;
      if (d.domain_low && !DomainFits(d))
        out.push_back(ir::Cat("that ", values::NameOf(d.dtype),
                              " holds the domain of ", d.name,
                              " was checked at some sizes only"));
      if (!d.strides.empty() && NumberIn(d.strides.back()) == nullptr)
        out.push_back(
            ir::Cat("that neighbours in a row of ", d.name, " are ",
                    ToString(d.strides.back()),
                    " elements apart was checked at some sizes only"));
      if (AnyPitch(static_cast<int32_t>(i))) continue;
      const int64_t elements =
          kPitchBits / std::gcd<int64_t>(kPitchBits, values::BitsOf(d.dtype));
      for (const Pitch& pitch : PitchesOf(d)) {
        if (!Sampled(*pitch.of, RemainderThatDecides(pitch.times, elements)))
          out.push_back(ir::Cat("that ", ToString(*pitch.of),
                                " elements are a legal pitch of ", d.name,
                                " was checked at some sizes only"));
      }
    }
    TakenWhole(plan_.kernel->body, out);
    for (const ir::Computes& c : plan_.kernel->computes) {
      const std::set<int32_t> tensors = TensorsIn(c);
      for (int32_t decl : tensors) InReference(plan_.kernel->decls[decl], out);
    }
    return out;
  }

 private:
  // Whether any pitch is legal: no op asks where its rows begin. Threads load
  // and store elements wherever they lie.
  bool AnyPitch(int32_t decl) const {
    bool any = true;
    ir::ForEachStmt(plan_.kernel->body, [&](const ir::Stmt& s) {
      for (size_t i = 0; s.op && i < s.op->operands.size(); ++i) {
        const ir::Operand& o = s.op->operands[i];
        if (o.kind == ir::Operand::Kind::kRef && o.ref.decl == decl)
          any = any &&
                (s.op->info->operands[i].element ||
                 s.op->info->operands[i].start == ir::StartRule::kAnywhere);
      }
    });
    // What subtracts may be below 0, which no stride is.
    const std::vector<Expr>& strides = plan_.kernel->decls[decl].strides;
    return any && std::none_of(strides.begin(), strides.end(),
                               [&](const Expr& e) { return Subtracts(e); });
  }

  // A dimension that an op takes whole, which has to be as large as what it
  // works on.
  void TakenWhole(const ir::Block& block, std::vector<std::string>& out) const {
    for (const ir::Stmt& s : block) {
      TakenWhole(s.body, out);
      TakenWhole(s.orelse, out);
      if (!s.op) continue;
      for (const ir::Operand& o : s.op->operands) {
        if (o.kind == ir::Operand::Kind::kRef) TakenWhole(*s.op, o.ref, out);
      }
    }
  }

  void TakenWhole(const ir::Op& op, const ir::Ref& ref,
                  std::vector<std::string>& out) const {
    const ir::Decl& d = plan_.kernel->decls[ref.decl];
    if (d.space != ir::Space::kGlobal) return;
    std::vector<ir::Subscript::Kind> given;  // what has none is taken whole
    for (const auto& group : ref.groups) {
      for (const ir::Subscript& s : group) given.push_back(s.kind);
    }
    for (size_t i = 0; i < d.shape.size(); ++i) {
      const bool whole =
          i >= given.size() || given[i] == ir::Subscript::Kind::kAll;
      if (whole && !Sampled(d.shape[i], kWhole))
        out.push_back(ir::Cat("that ", op.info->mnemonic, " on line ",
                              op.span.text_line(), " fits ", d.name, " of ",
                              ToString(d.shape[i]),
                              " elements was checked at some sizes only"));
    }
  }

  // At all sizes. (Of constants, binding has looked.)
  bool DomainFits(const ir::Decl& d) const {
    const bool low = NumberIn(*d.domain_low) != nullptr;
    if (low && NumberIn(*d.domain_high) != nullptr) return true;
    if (!low) return false;
    const std::optional<int64_t> most = Most(*d.domain_high);
    return (most && *most <= values::RangeOf(d.dtype).hi) ||
           (values::BitsOf(d.dtype) >= 32 && FitsWord(*d.domain_high));
  }

  // A natural number is no more than that at any size; nullopt: not shown.
  std::optional<int64_t> Most(const Expr& e) const {
    if (const Expr* value = ValueOf(e)) return Most(*value);
    if (const ir::Param* p = ParamOf(e))
      return p->low >= 0 ? p->high : std::nullopt;
    if (e.kind == ExprKind::kInt)
      return e.value >= 0 ? std::optional(e.value) : std::nullopt;
    if (e.kind != ExprKind::kBinary) return std::nullopt;
    const std::optional<int64_t> a = Most(e.args[0]), b = Most(e.args[1]);
    if (!a || !b) return std::nullopt;
    switch (e.op) {
      case ExprOp::kSub:
      case ExprOp::kDiv:
        return a;
      case ExprOp::kAdd:
      case ExprOp::kMul:
        return ir::Apply(e.op, *a, *b);
      default:
        return std::nullopt;
    }
  }

  // Parameters are below 2^31; so is what is no more than they are.
  bool FitsWord(const Expr& e) const {
    if (const Expr* value = ValueOf(e)) return FitsWord(*value);
    if (NumberIn(e) != nullptr || ParamOf(e) != nullptr) return true;
    const bool less = e.kind == ExprKind::kBinary &&
                      (e.op == ExprOp::kSub || e.op == ExprOp::kDiv) &&
                      NumberIn(e.args[1]) != nullptr;
    return less && FitsWord(e.args[0]);
  }

  static std::set<int32_t> TensorsIn(const ir::Computes& c) {
    std::set<int32_t> out{c.decl};
    AddTensors(c.value, out);
    return out;
  }
  static void AddTensors(const ir::TensorExpr& e, std::set<int32_t>& out) {
    if (e.kind == ir::TensorExpr::Kind::kTensor) out.insert(e.decl);
    for (const ir::TensorExpr& arg : e.args) AddTensors(arg, out);
  }

  void InReference(const ir::Decl& d, std::vector<std::string>& out) const {
    const bool shown =
        std::all_of(d.shape.begin(), d.shape.end(),
                    [&](const Expr& e) { return Sampled(e, kWhole); });
    if (!shown)
      out.push_back(ir::Cat("that the shape of ", d.name,
                            " fits what is computed was checked at some sizes "
                            "only"));
  }

  // `times` such extents lie in one pitch: those behind it that are constants.
  struct Pitch {
    const Expr* of;
    int64_t times = 1;
  };
  std::vector<Pitch> PitchesOf(const ir::Decl& d) const {
    std::vector<Pitch> out;
    for (const Expr& e : d.strides) out.push_back({&e});
    int64_t behind = 1;
    for (size_t i = d.shape.size(); d.strides.empty() && i > 1; --i) {
      const Expr& extent = d.shape[i - 1];
      out.push_back({&extent, behind});
      // What it is a multiple of is all that counts.
      if (const Expr* n = NumberIn(extent))
        behind = std::gcd(behind * (n->value % kPitchBits), kPitchBits);
    }
    return out;
  }

  using Numbers = std::set<int64_t>;

  // What it may leave when it is divided by `of`, or more.
  Numbers Remainders(const Expr& e, int64_t of) const {
    if (const Expr* value = ValueOf(e)) return Remainders(*value, of);
    if (e.kind == ExprKind::kInt) return {Remainder(e.value, of)};
    if (const ir::Param* p = ParamOf(e)) return OfParam(*p, of);
    if (e.kind != ExprKind::kBinary) return Any(of);
    switch (e.op) {
      case ExprOp::kAdd:
        return OfBoth(e, of, [](int64_t a, int64_t b) { return a + b; });
      case ExprOp::kSub:
        return OfBoth(e, of, [](int64_t a, int64_t b) { return a - b; });
      case ExprOp::kMul:
        return OfBoth(e, of, [](int64_t a, int64_t b) { return a * b; });
      case ExprOp::kDiv:
        return OfQuotient(e, of);
      case ExprOp::kBitAnd:
        return OfMask(e, of);
      default:
        return Any(of);
    }
  }

  static int64_t Remainder(int64_t n, int64_t of) { return (n % of + of) % of; }

  static Numbers Any(int64_t of) {
    Numbers out;
    for (int64_t n = 0; n < of; ++n) out.insert(n);
    return out;
  }

  // Of its steps, those that `requires P % c == 0` permits.
  Numbers OfParam(const ir::Param& p, int64_t of) const {
    auto given = plan_.given.find(p.name);
    if (given != plan_.given.end()) return {Remainder(given->second, of)};
    const int64_t divisor = DivisorOf(p);
    Numbers out;
    for (int64_t n = 0; n < of * divisor; ++n) {
      const int64_t value = p.low + n * p.step;
      if (value % divisor == 0) out.insert(Remainder(value, of));
    }
    return out;
  }

  int64_t DivisorOf(const ir::Param& p) const {
    for (const ir::Requirement& r : plan_.kernel->requirements) {
      const Expr& e = r.condition;
      const bool zero =
          e.kind == ExprKind::kBinary && e.op == ExprOp::kEq &&
          e.args[1].is_int(0) && e.args[0].kind == ExprKind::kBinary &&
          e.args[0].op == ExprOp::kRem && ParamOf(e.args[0].args[0]) == &p;
      const Expr* by = zero ? NumberIn(e.args[0].args[1]) : nullptr;
      if (by != nullptr && by->value > 0 && by->value <= kMostNumbers)
        return by->value;
    }
    return 1;
  }

  template <typename F>
  Numbers OfBoth(const Expr& e, int64_t of, const F& f) const {
    const Numbers all = Remainders(e.args[0], of),
                  others = Remainders(e.args[1], of);
    if (std::ssize(all) * std::ssize(others) > kMostPairs) return Any(of);
    Numbers out;
    for (int64_t a : all) {
      for (int64_t b : others) out.insert(Remainder(f(a, b), of));
    }
    return out;
  }

  // k * of * d + r, divided by d, is k * of + r / d. Sizes are natural; a
  // difference may not be.
  Numbers OfQuotient(const Expr& e, int64_t of) const {
    const Expr* by = NumberIn(e.args[1]);
    if (by == nullptr || by->value < 1 || by->value > kMostNumbers / of ||
        Subtracts(e.args[0]))
      return Any(of);
    Numbers out;
    for (int64_t r : Remainders(e.args[0], of * by->value))
      out.insert(r / by->value);
    return out;
  }

  // x & (2^k - 1) is what x leaves divided by 2^k, x & ~(2^k - 1) the rest of
  // it, below 0 as well.
  Numbers OfMask(const Expr& e, int64_t of) const {
    const std::optional<int64_t> mask = MaskIn(e.args[1]);
    if (!mask || *mask == -1) return mask ? Remainders(e.args[0], of) : Any(of);
    const bool low = *mask >= 0;
    const int64_t power = low ? *mask + 1 : -*mask;
    const bool legal = power > 0 && power <= kMostNumbers &&
                       std::has_single_bit(static_cast<uint64_t>(power)) &&
                       std::lcm(power, of) <= kMostNumbers;
    if (!legal) return Any(of);
    Numbers out;
    for (int64_t r : Remainders(e.args[0], std::lcm(power, of)))
      out.insert(Remainder(low ? r % power : r - r % power, of));
    return out;
  }

  // A number, also written ~7 or -8.
  std::optional<int64_t> MaskIn(const Expr& e) const {
    if (const Expr* value = ValueOf(e)) return MaskIn(*value);
    if (const Expr* n = NumberIn(e)) return n->value;
    if (e.kind != ExprKind::kUnary) return std::nullopt;
    const Expr* n = NumberIn(e.args[0]);
    if (n == nullptr) return std::nullopt;
    if (e.op == ExprOp::kBitNot) return ~n->value;
    if (e.op == ExprOp::kNeg) return -n->value;
    return std::nullopt;
  }

  bool Subtracts(const Expr& e) const {
    if (const Expr* value = ValueOf(e)) return Subtracts(*value);
    const bool here = e.op == ExprOp::kSub || e.kind == ExprKind::kUnary;
    const ir::Param* p = ParamOf(e);
    return here || (p != nullptr && p->low < 0) ||
           std::any_of(e.args.begin(), e.args.end(),
                       [&](const Expr& arg) { return Subtracts(arg); });
  }

  bool AlwaysMultiple(const Expr& e, int64_t of) const {
    if (e.kind == ExprKind::kSelect)
      return AlwaysMultiple(e.args[1], of) && AlwaysMultiple(e.args[2], of);
    return Remainders(e, of) == Numbers{0};
  }

  // `requires` may leave out the sizes beside those that are permitted.
  bool IsRestricted(const Expr& e) const {
    const std::set<std::string> names = ParamsIn(e);
    return std::any_of(
        plan_.kernel->requirements.begin(), plan_.kernel->requirements.end(),
        [&](const ir::Requirement& r) {
          const std::set<std::string> by = ParamsIn(r.condition);
          return std::any_of(by.begin(), by.end(), [&](const std::string& p) {
            return names.contains(p);
          });
        });
  }

  // Whether sizes that were checked show all remainders of it by `of`.
  bool Sampled(const Expr& e, int64_t of) const {
    if (of == 1 || ParamsIn(e).empty()) return true;
    if (of != kWhole && AlwaysMultiple(e, of)) return true;
    if (of != kWhole && IsRestricted(e)) return false;
    if (const Expr* value = ValueOf(e)) return Sampled(*value, of);
    // With each value of what decides, each branch was checked at one size.
    if (e.kind == ExprKind::kSelect)
      return FewValues(e.args[0]) &&
             std::all_of(e.args.begin() + 1, e.args.end(),
                         [&](const Expr& arg) {
                           return of == kWhole ? Sampled(arg, of)
                                               : ParamsIn(arg).empty();
                         });
    if (e.kind == ExprKind::kName) return true;
    if (e.kind == ExprKind::kCall) return false;
    switch (e.op) {
      case ExprOp::kDiv:
      case ExprOp::kRem:
        return InSteps(e.args[0], e.args[1]) ||
               (SmallPower(e.args[1], of) && Sampled(e.args[0], kWhole));
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
    // Each parameter was changed by itself.
    const bool both = !ParamsIn(a).empty() && !ParamsIn(b).empty();
    return (of == kWhole || !both) && Sampled(a, of) && Sampled(b, of);
  }

  // A literal, or a constant that is one.
  const Expr* NumberIn(const Expr& e) const {
    if (const Expr* value = ValueOf(e)) return NumberIn(*value);
    return e.kind == ExprKind::kInt ? &e : nullptr;
  }

  // Sizes beside go far enough for all remainders of the quotient.
  bool SmallPower(const Expr& e, int64_t of) const {
    const Expr* n = NumberIn(e);
    return n != nullptr && n->value > 0 &&
           n->value <= kPitchPeriod / std::max<int64_t>(of, 1) &&
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

std::vector<std::string> LegalityNotShown(const KernelPlan& plan) {
  return Pitches(plan).Run();
}

}  // namespace tilesim::checkers::pipeline

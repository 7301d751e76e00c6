// Operators on the scalars of a family (symbolic.h), decided by what is known
// of its symbols: a comparison that the facts decide is a number, and one that
// they do not is unknown, because of the number that was compared.
// That each operator is defined for its operands is another question
// (checkers/grid/defined.h).
#ifndef TILESIM_CHECKERS_SIZES_STATE_FAMILY_ARITHMETIC_H_
#define TILESIM_CHECKERS_SIZES_STATE_FAMILY_ARITHMETIC_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "checkers/sizes/state/family.h"
#include "checkers/sizes/state/guard.h"

namespace tilesim::checkers::sizes::state {

class FamilyArithmetic {
 public:
  explicit FamilyArithmetic(Family family) : family_(std::move(family)) {}

  algebra::Symbolic Compute(ir::ExprOp op, const algebra::Symbolic& a,
                            const algebra::Symbolic& b);
  algebra::Symbolic Unary(ir::ExprOp op, const algebra::Symbolic& a);
  // Whether it is not 0, as 1 or 0.
  algebra::Symbolic Truth(const algebra::Symbolic& condition);
  // min, max, cdiv.
  algebra::Symbolic Call(int32_t function, const algebra::Symbolic& a,
                         const algebra::Symbolic& b);

  // Whether an index of an element is at least 0, and below the extent.
  algebra::Symbolic Natural(const algebra::Symbolic& index);
  algebra::Symbolic Below(const algebra::Symbolic& index,
                          const algebra::Symbolic& extent);

  const Family& family() const { return family_; }
  void Know(const algebra::Facts& facts) { family_.facts = facts; }
  // What else is known, for a while.
  void Push(Rewrite rewrite) { rewrites_.push_back(std::move(rewrite)); }
  void Pop() { rewrites_.pop_back(); }
  // Whether a number that was compared is at least 0.
  std::optional<bool> AtLeast0(const algebra::Polynomial& number) const;

  // By the last comparison since it was forgotten.
  const std::optional<algebra::Polynomial>& compared() const {
    return compared_;
  }
  void Compared(std::optional<algebra::Polynomial> number) {
    compared_ = std::move(number);
  }
  void ForgetCompared() { compared_.reset(); }

  // The first guard that is not the same for the whole family.
  const std::optional<Guard>& undecided() const { return undecided_; }
  void Undecided(Guard guard);

  // What takes the place of a number that cannot be said, made by an operator
  // or a function (else -1).
  using Unsaid = std::function<algebra::Symbolic(
      ir::ExprOp op, int32_t function, const algebra::Symbolic& a,
      const algebra::Symbolic& b)>;
  void OnUnsaid(Unsaid f) { unsaid_ = std::move(f); }

 private:
  std::optional<algebra::Symbolic> Divided(ir::ExprOp op,
                                           const algebra::Symbolic& a,
                                           const algebra::Symbolic& b) const;
  std::optional<algebra::Polynomial> WithoutRest(const algebra::Polynomial& of,
                                                 int64_t by) const;
  algebra::Symbolic Decided(ir::ExprOp op,
                            const algebra::Polynomial& compared) const;

  Family family_;
  std::vector<Rewrite> rewrites_;
  std::optional<algebra::Polynomial> compared_;
  std::optional<Guard> undecided_;
  Unsaid unsaid_;
};

}  // namespace tilesim::checkers::sizes::state

#endif  // TILESIM_CHECKERS_SIZES_STATE_FAMILY_ARITHMETIC_H_

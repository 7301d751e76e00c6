#include "checkers/sizes/induction/ring_following.h"

#include <utility>

namespace tilesim::checkers::sizes::induction {
using algebra::Polynomial;
using algebra::Symbolic;

namespace {

using Kind = Symbolic::Kind;

// The digit of / by % values, with `by` as small as it can be made, down to
// `least`.
Symbolic Cancelled(const Symbolic& digit, int64_t least) {
  if (digit.kind != Kind::kDigit || digit.by % least != 0) return digit;
  const int64_t by = digit.by / least;
  if (digit.of.VariesByMultiplesOf(by)) {
    // What is rounded off is the same for all: n / (by * least) is
    // n / by / least.
    Polynomial of = *digit.of.Varying().DividedBy(by);
    return Symbolic::Digit(of + Polynomial(digit.of.base() / by), least,
                           digit.values);
  }
  auto of = digit.of.DividedBy(by);
  return of ? Symbolic::Digit(*of, least, digit.values) : digit;
}

// A digit of single turns is a remainder.
Symbolic AsRemainder(const Symbolic& s) {
  Symbolic out = Cancelled(s, 1);
  bool single = out.kind == Kind::kDigit && out.by == 1;
  return single ? Symbolic{Kind::kRemainder, out.of, out.values} : out;
}

// A parity as that of a quotient by the slots of a ring, for a barrier in
// `slot` of it.
Symbolic AsPhase(const Symbolic& parity, int64_t slots, int64_t slot) {
  Symbolic p = Cancelled(parity, slots);
  if (p.kind == Kind::kRemainder && p.by == 2) p = Symbolic::Digit(p.of, 1, 2);
  // A barrier of the ring that has its own count of phases: n is the parity of
  // (n * slots + slot) / slots.
  if (p.kind == Kind::kDigit && p.by == 1)
    p = Symbolic::Digit(p.of * Polynomial(slots) + Polynomial(slot), slots,
                        p.values);
  return p;
}

Following Fits(const Polynomial& number, int64_t by) {
  if (number.VariesByMultiplesOf(by)) return {true, std::nullopt};
  return {false, Unfit{number.Varying(), by}};
}

}  // namespace

Following TurnedRing::FollowedBy(const Symbolic& index) const {
  if (turned.constant() && index.known()) return {true, std::nullopt};
  Polynomial rest = turned;
  if (!index.known()) {
    Symbolic i = AsRemainder(index);
    auto residue = algebra::ResidueOf(i);
    if (i.unknown() && i.by > 1) return {false, Unfit{i.of.Varying(), i.by}};
    if (!residue) return {};
    if (i.kind == Kind::kDigit || i.by != slots)
      return {false, Unfit{i.of.Varying(), residue->period}};
    rest -= i.of.Varying();
  }
  return Fits(rest, slots);
}

Following TurnedRing::FollowedByParity(const Symbolic& index, int64_t slot,
                                       const Symbolic& parity) const {
  if (parity.known()) return Fits(turned, 2 * slots);
  if (parity.unknown()) return {false, Unfit{parity.of, parity.by}};
  Symbolic p = AsPhase(parity, slots, slot);
  if (p.unknown() || index.unknown() || p.kind != Kind::kDigit ||
      p.values != 2 || p.by != slots)
    return {};
  // Whole turns more than in the run: what is left over does not count.
  if (p.of.VariesByMultiplesOf(slots))
    p.of += Polynomial(slot - p.of.base() % slots);
  if (p.of.base() % slots != slot) return {};
  return Fits(p.of.Varying() - turned, 2 * slots);
}

std::optional<Symbolic> Flattened(const Symbolic& first, int64_t extent,
                                  int64_t next) {
  if (std::optional<int64_t> known = first.known())
    return Symbolic::Number(*known * extent + next);
  Symbolic out = AsRemainder(first);
  if (out.kind != Kind::kRemainder) return std::nullopt;
  return Symbolic{Kind::kRemainder,
                  out.of * Polynomial(extent) + Polynomial(next),
                  out.by * extent};
}

}  // namespace tilesim::checkers::sizes::induction

// Answers of cluster launch control in an inductive run: which request each of
// them is to, as a polynomial. Requests are answered in turn, so all that
// decides whether one gets a cluster is how many were made before it.
#ifndef TILESIM_CHECKERS_SIZES_PROTOCOL_ANSWERS_H_
#define TILESIM_CHECKERS_SIZES_PROTOCOL_ANSWERS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "checkers/run/log.h"
#include "checkers/sizes/algebra/polynomial.h"
#include "checkers/sizes/state/rings.h"

namespace tilesim::checkers::sizes::protocol {

class Answers {
 public:
  // What an event asks for or overwrites.
  void Executed(const machine::Code& code, const run::Event& event);
  // The request whose answer is in the tile of an operand; nullopt: unknown.
  std::optional<algebra::Polynomial> NumberOf(const run::Event& event,
                                              int operand) const;

  void Replace(algebra::Symbol symbol, const algebra::Polynomial& value);
  // What has been added since, rings turned; of those that both have.
  Answers Since(const Answers& earlier, const machine::Code& code,
                const state::Rotation& rotation) const;
  // `moved` added so many times; without those that it has not.
  Answers MovedOn(const Answers& moved, const algebra::Polynomial& times) const;
  // Whether all of `begun` has moved on by that, rings turned.
  bool HasMoved(const Answers& begun, const Answers& moved,
                const machine::Code& code,
                const state::Rotation& rotation) const;

 private:
  using Place = std::tuple<int32_t, int32_t, int32_t>;  // CTA, decl, object

  algebra::Polynomial requests_;  // so far
  std::map<Place, algebra::Polynomial> numbers_;
};

}  // namespace tilesim::checkers::sizes::protocol

#endif  // TILESIM_CHECKERS_SIZES_PROTOCOL_ANSWERS_H_

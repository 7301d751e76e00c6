// Answers of cluster launch control in a walk: which request each of them is
// to, as a polynomial. The first that is refused is known by its number.
#ifndef TILESIM_CHECKERS_SIZES_ANSWERS_H_
#define TILESIM_CHECKERS_SIZES_ANSWERS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "checkers/run/log.h"
#include "checkers/sizes/polynomial.h"
#include "checkers/sizes/rings.h"

namespace tilesim::checkers::sizes {

class Answers {
 public:
  // What an event asks for or overwrites.
  void Executed(const machine::Code& code, const run::Event& event);
  // The request whose answer is in the tile of an operand; nullopt: unknown.
  std::optional<Polynomial> NumberOf(const run::Event& event,
                                     int operand) const;

  void Replace(Symbol symbol, const Polynomial& value);
  // What has been added since, rings turned; of those that both have.
  Answers Since(const Answers& earlier, const machine::Code& code,
                const Rotation& rotation) const;
  // `moved` added so many times; without those that it has not.
  Answers MovedOn(const Answers& moved, const Polynomial& times) const;
  // Whether all of `begun` has moved on by that, rings turned.
  bool HasMoved(const Answers& begun, const Answers& moved,
                const machine::Code& code, const Rotation& rotation) const;

 private:
  using Place = std::tuple<int32_t, int32_t, int32_t>;  // CTA, decl, object

  Polynomial requests_;  // so far
  std::map<Place, Polynomial> numbers_;
};

}  // namespace tilesim::checkers::sizes

#endif  // TILESIM_CHECKERS_SIZES_ANSWERS_H_

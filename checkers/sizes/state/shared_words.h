// Integers that threads hand each other in words of shared memory: what a load
// finds is what the store before it left there. That it is that store in every
// schedule is a matter of order, which the certificate of the instance shows.
// In an iteration, and after it, nothing is known of what was stored before:
// words are no induction variables.
#ifndef TILESIM_CHECKERS_SIZES_STATE_SHARED_WORDS_H_
#define TILESIM_CHECKERS_SIZES_STATE_SHARED_WORDS_H_

#include <array>
#include <cstdint>
#include <map>
#include <tuple>

#include "absl/functional/function_ref.h"
#include "checkers/run/log.h"
#include "checkers/sizes/algebra/symbolic.h"

namespace tilesim::checkers::sizes::state {

class SharedWords {
 public:
  struct Word {
    algebra::Symbolic value = algebra::Symbolic::Unknown();
    bool if_small = false;  // it fits if parameters are below 2^31
  };

  // `value_of`: an operand of the event, for the whole family.
  void Executed(const run::Event& event,
                absl::FunctionRef<Word(int operand)> value_of);
  // What an op that reads one word, and does nothing else, sets a scalar to.
  Word LoadedBy(const run::Event& event) const;
  void Forget() { known_.clear(); }

 private:
  // Declaration, CTA, object, element.
  using Place =
      std::tuple<int32_t, int32_t, int32_t, std::array<int64_t, ir::kMaxRank>>;

  static Place PlaceOf(const run::Event& event, const ir::TileValue& tile);

  std::map<Place, Word> known_;
};

}  // namespace tilesim::checkers::sizes::state

#endif  // TILESIM_CHECKERS_SIZES_STATE_SHARED_WORDS_H_

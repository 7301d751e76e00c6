// In which iterations of their loops strands are. Register tiles that are
// declared in a loop are others in each of its iterations, so for their ops it
// is noted (Log::iterations); most programs have none.
#ifndef TILESIM_CHECKERS_RUN_ITERATIONS_H_
#define TILESIM_CHECKERS_RUN_ITERATIONS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "checkers/run/log.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::run {

// What of the text matters.
class TilesInLoops {
 public:
  explicit TilesInLoops(const machine::Code& code);

  bool any() const { return !ops_.empty(); }
  // Whether the op has a register tile that is declared in a loop.
  bool Has(int32_t op) const { return ops_.contains(op); }
  // The instruction of such an op.
  int32_t PcOf(int32_t op) const { return ops_.at(op); }
  // The last instruction of the loop that begins at one; -1: none does.
  int32_t EndOf(int32_t pc) const {
    auto found = ends_.find(pc);
    return found == ends_.end() ? -1 : found->second;
  }

 private:
  std::map<int32_t, int32_t> ops_;   // instructions
  std::map<int32_t, int32_t> ends_;  // by the first instruction
};

class Iterations {
 public:
  // A strand is about to execute the control instruction at `pc`.
  void Control(const TilesInLoops& text, int32_t strand, int32_t pc);
  // `other` has split off, and is in the same iterations.
  void Divided(int32_t strand, int32_t other);
  // `other`, at the same instruction, is one with it from now on.
  void Absorbed(int32_t strand, int32_t other);

  // By loop around an op that the strand has just executed, outermost first.
  LoopIterations::Nest Of(const TilesInLoops& text, int32_t strand, int32_t op);

  // An iteration of threads that went on with others, in theirs.
  const std::map<int64_t, int64_t>& went_on_as() const { return went_on_as_; }

 private:
  struct Loop {
    int32_t begin;
    int64_t iteration;
  };
  using Loops = std::vector<Loop>;

  Loops& LoopsOf(int32_t strand);
  static void Leave(const TilesInLoops& text, int32_t pc, Loops& loops);

  std::vector<Loops> strands_;
  std::map<int64_t, int64_t> went_on_as_;
  int64_t next_ = 0;
};

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_ITERATIONS_H_

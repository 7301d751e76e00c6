// What a guide says of words in which CTAs count (checkers/run/ticket.h,
// checkers/run/grid_barrier.h), as Guide says it of flags. A guide may be one
// of these as well.
#ifndef TILESIM_SIM_MACHINE_COUNTING_H_
#define TILESIM_SIM_MACHINE_COUNTING_H_

#include <cstdint>
#include <optional>

#include "sim/machine/code.h"

namespace tilesim::machine {

class Counting {
 public:
  // Whether the op, which reads a word, is all there is in a loop that goes on
  // with each number from 0 on, and ends with `value`.
  virtual bool AsksUntilGrown(const CompiledOp& op, int64_t value) const = 0;
  // Up to which number the op counts, before the word is 0 again; nullopt: on
  // and on.
  virtual std::optional<int64_t> CountsUpTo(const CompiledOp& op) const = 0;
  // Whether all that the op does is to store 0 in one word.
  virtual bool StoresZero(const CompiledOp& op) const = 0;
  // Whether the op, which reads a word, asks for it in a loop that goes on
  // until the word is one number, and does nothing else; or has asked before.
  virtual bool AsksInTurn(const CompiledOp& op) const = 0;
  // From now on, of the words of that declaration: who has asked for one in
  // vain finds it to be what it asks for when it asks again.
  virtual void TakeInTurn(int32_t decl) const = 0;
  // What the op found that element to be when it went on, or has made of it, in
  // runs of that CTA; nullopt: neither.
  virtual std::optional<int64_t> TurnOf(const CompiledOp& op, int64_t cta,
                                        int64_t element) const = 0;
  // ... or it was not one number.
  static constexpr int64_t kSeveral = INT64_MIN;

 protected:
  ~Counting() = default;
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_COUNTING_H_

// The memory that decides control and that the program writes, as plain bytes:
// put into a state when it is left, and back when it is gone on from.
#ifndef TILESIM_CHECKERS_EXPLORE_SNAPSHOT_H_
#define TILESIM_CHECKERS_EXPLORE_SNAPSHOT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/machine/code.h"
#include "sim/machine/data/globals.h"
#include "sim/machine/data/memory.h"

namespace tilesim::checkers::explore {

class Snapshot {
 public:
  // CTAs 0 to `ctas` run.
  Snapshot(const machine::Code& code, int32_t ctas,
           const machine::Inputs& inputs);

  // Null: nothing decides control.
  machine::Memory* memory() const { return memory_.get(); }
  const std::string& why_not() const { return why_not_; }

  // Once CTAs are there.
  void Save(std::vector<uint8_t>& out) const;
  void Restore(const std::vector<uint8_t>& bytes) const;

  // The words that a tile in the memory of `cta` means, numbered. A word is an
  // element, or all of a declaration that has many.
  struct Words {
    int32_t begin = 0;
    int32_t end = 0;
  };
  Words WordsOf(int32_t cta, const ir::TileValue& tile) const;
  int32_t words() const { return words_; }

 private:
  struct Range {
    int32_t cta = -1;  // -1: global
    int32_t decl = 0;
    int64_t place = 0;
    int64_t bytes = 0;
    Words words;
  };
  uint8_t* At(const Range& range) const;
  // -1: more than one element, or outside.
  int64_t ElementOf(const ir::TileValue& tile) const;

  const machine::Code& code_;
  std::unique_ptr<machine::Memory> memory_;
  std::vector<Range> ranges_;
  std::string why_not_;
  int32_t words_ = 0;
};

}  // namespace tilesim::checkers::explore

#endif  // TILESIM_CHECKERS_EXPLORE_SNAPSHOT_H_

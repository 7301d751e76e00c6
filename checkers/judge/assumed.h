// What a verdict takes for granted: of the lanes of a warp what PTX does not
// promise, and of sizes what nobody has said. Where it decides, the verdict
// line says so.
#ifndef TILESIM_CHECKERS_JUDGE_ASSUMED_H_
#define TILESIM_CHECKERS_JUDGE_ASSUMED_H_

namespace tilesim::checkers::judge {

struct Assumed {
  // Schedules were searched, and lanes of a warp act by themselves: that they
  // wait for each other at the end of a block.
  bool lanes_wait = false;
  // Likewise: that they execute an instruction at once.
  bool at_once = false;
  // What they do together depends on what each has read
  // (sim/machine/lane_reads.h): that they read the same.
  bool equal_reads = false;
  // What is stored to a word of 32 bits and read again is no more than a
  // parameter: that these are below 2^31 (docs/all_sizes.md 7).
  bool small_sizes = false;
  // Tiles are drawn from a word of 32 bits: that there are less than 2^31
  // (docs/all_sizes.md 3.10).
  bool few_tiles = false;
  // Numbers that may leave 64 bits at some size: that they fit
  // (pipeline/large_numbers.h).
  bool numbers_fit = false;

  void Add(const Assumed& other) {
    lanes_wait |= other.lanes_wait;
    at_once |= other.at_once;
    equal_reads |= other.equal_reads;
    small_sizes |= other.small_sizes;
    few_tiles |= other.few_tiles;
    numbers_fit |= other.numbers_fit;
  }
};

}  // namespace tilesim::checkers::judge

#endif  // TILESIM_CHECKERS_JUDGE_ASSUMED_H_

// What a verdict takes for granted of the lanes of a warp. PTX promises none of
// it; where it decides, the verdict line says so.
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

  void Add(const Assumed& other) {
    lanes_wait |= other.lanes_wait;
    at_once |= other.at_once;
    equal_reads |= other.equal_reads;
  }
};

}  // namespace tilesim::checkers::judge

#endif  // TILESIM_CHECKERS_JUDGE_ASSUMED_H_

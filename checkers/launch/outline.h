// What of a kernel's code decides which boxes of global tensors its CTAs touch:
// the ops that touch a tensor in whose elements CTAs may be in each other's
// way, and the scalars and jumps that they hang on. Everything else a walk of
// the code passes over, loops over K above all. Cluster launch control is taken
// to refuse what it is asked for, as it may: then each CTA does its own work.
#ifndef TILESIM_CHECKERS_LAUNCH_OUTLINE_H_
#define TILESIM_CHECKERS_LAUNCH_OUTLINE_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "checkers/grid/touches.h"
#include "checkers/grid/words.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::launch {

struct Outline {
  std::vector<std::vector<grid::Touch>> touches;  // by op: those followed
  // By pc: where the code goes on after a loop, a branch or a scope that is
  // passed over; -1: it is executed.
  std::vector<int32_t> past;
  std::vector<int32_t> end;     // by pc of a branch: after it and its else
  std::vector<bool> may;        // by pc: memory decides whether
  std::vector<bool> by_memory;  // by pc of a branch or scope: it is that
  std::vector<bool> needed;     // by slot
  // By op, of a query of cluster launch control: the slots that it sets, to 0.
  std::vector<std::vector<int32_t>> refused;
  bool hands_out = false;  // CTAs ask for clusters, and may get some
  std::string limit;       // why the walk cannot be made; "": it can
  // Then: declarations of which memory decides what is stored, or whether.
  std::set<int32_t> by_memory_stores;
};

// Of tensors that `computes` names, those that CTAs write other than by
// atomics, and `also`, by declaration; and of the words that put CTAs in order.
Outline OutlineOf(const machine::Code& code, const grid::Words& words,
                  const std::set<int32_t>& also = {});

// Whether accesses to a tensor, of those that the ops of a kernel make, may be
// in each other's way: one writes, and not all are atomic by one proxy.
bool IsInTheWay(const std::vector<std::vector<grid::Touch>>& touches,
                int32_t decl);

}  // namespace tilesim::checkers::launch

#endif  // TILESIM_CHECKERS_LAUNCH_OUTLINE_H_

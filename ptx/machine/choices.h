// What runs have shown of accesses that data decide (walk_either.cc): by which
// guards each is chosen, and what is known of the numbers that these compare
// (guards.h). So two accesses that were both executed in the run that executes
// all are told apart from two that no data choose together.
#ifndef TILESIM_PTX_MACHINE_CHOICES_H_
#define TILESIM_PTX_MACHINE_CHOICES_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "ptx/machine/guards.h"
#include "ptx/machine/lanes.h"
#include "ptx/machine/program.h"
#include "sim/machine/chosen.h"
#include "sim/machine/state.h"

namespace tilesim::ptx {

// A step whose guard data decide, and whether the guard holds.
using ChosenBy = std::pair<int32_t, bool>;
// By which the strand is where it is, or executes the access it stands at.
std::vector<ChosenBy> ChosenByOf(const Program& program,
                                 const machine::Strand& strand);

class Choices {
 public:
  static constexpr int32_t kNotKnown = -1;  // by which step
  using Both = machine::Chosen::Both;
  using Apart = machine::Chosen::Apart;
  // A thread of the grid, as a number; of its warp, of its CTA.
  struct Thread {
    int64_t cta = 0, warp = 0, lane = 0;
  };

  explicit Choices(const Program& program)
      : program_(program), guards_(program.graph) {}

  // Data decide of the step's guard.
  void NoteGuard(int32_t pc);
  // The number that differs from thread to thread, of a guard that compares it.
  void NoteCompared(int32_t node, const Thread& thread, uint64_t number);
  // The comparison whose numbers are wanted of that step; -1: none.
  int32_t ComparedBy(int32_t pc);
  bool WantsPlaces(int32_t node) const { return loads_.contains(node); }
  // Where a load that goes into a guard has loaded; not known: anywhere.
  void NotePlace(int32_t node, const Thread& thread, uint64_t address,
                 uint64_t bytes);
  void NoteSomewhere(int32_t node) { anywhere_.insert(node); }
  // A vote that not all lanes of its warp execute at once.
  void NotePartVote(int32_t node) { part_votes_.insert(node); }
  bool InLoop(int32_t node) const { return guards_.InLoop(node); }
  void NoteExecuted(int32_t op, const std::vector<ChosenBy>& by);

  Both Together(int32_t a, int32_t b, Apart apart);

  void NotShown(int32_t a, int32_t b) {
    not_shown_.insert(std::minmax(LineOf(a), LineOf(b)));
  }
  // Lines of accesses of which it was not shown that data choose both.
  const std::set<std::pair<int32_t, int32_t>>& not_shown() const {
    return not_shown_;
  }
  // Loads that were taken to give all threads the same number, as nobody writes
  // what they load.
  const std::set<int32_t>& relied() const { return relied_; }

 private:
  struct Op {
    std::set<ChosenBy> some;  // executions
    std::set<ChosenBy> each;
    bool seen = false;
  };
  ByData GuardOf(const ChosenBy& by);
  bool IsSame(const MadeOf& made, Apart apart);
  bool Differs(const ChosenBy& by, Apart apart);
  bool Never(const Op& a, const Op& b, Apart apart);
  int32_t LineOf(int32_t op) const;

  const Program& program_;
  Guards guards_;
  std::map<int32_t, Op> ops_;
  std::set<int32_t> loads_;  // nodes that go into guards
  std::map<int32_t, int32_t> compared_by_;
  // By node and CTA: where all its threads load; -1: in several places.
  std::map<std::pair<int32_t, int64_t>, int64_t> place_;
  std::map<uint64_t, std::tuple<int32_t, int64_t, int64_t>> loaded_by_;
  std::set<int32_t> own_, shared_, anywhere_, part_votes_;
  // By comparison and CTA: who compares which number.
  std::map<std::tuple<int32_t, int64_t, uint64_t>, std::set<int64_t>> numbers_;
  std::set<int32_t> repeats_, repeats_in_warp_;
  std::set<int32_t> relied_;
  std::set<std::pair<int32_t, int32_t>> not_shown_;
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_CHOICES_H_

// What a predicate by which data decide is made of, by the text alone: numbers
// of the thread's own, or one that several threads have in common.
//
//   setp.eq.u32 %p1, %v, %tid;   // %v: ld.global [%b], the same in all
//
// holds in one thread at most, so that no two threads do at once what it
// guards. `@%p2` of `setp.gt.s32 %p2, %w, 5`, where %w is loaded from a place
// of each thread, is chosen by each for itself.
#ifndef TILESIM_PTX_MACHINE_GUARDS_H_
#define TILESIM_PTX_MACHINE_GUARDS_H_

#include <cstdint>
#include <map>
#include <set>

#include "ptx/flow/graph.h"

namespace tilesim::ptx {

// What a register is made of, whatever the order of the instructions.
struct MadeOf {
  bool varies = false;      // by the place of the thread
  bool other = false;       // by something that is not looked through
  std::set<int32_t> loads;  // of global memory: nodes
  std::set<int32_t> votes;  // ballots and the like: nodes

  bool data() const { return other || !loads.empty() || !votes.empty(); }
};

struct ByData {
  enum class Choice : uint8_t {
    kKnown,      // no data: the thread's place decides
    kOwn,        // each thread by its own data
    kSame,       // all threads alike
    kAll,        // for some data all, for some none, that may be chosen at all
    kOneHot,     // one thread at most: two numbers are equal
    kAllButOne,  // its negation
    kOther,
  };
  Choice choice = Choice::kOther;
  MadeOf made;
  // kOneHot: the comparison, of a number that all have in common with one that
  // differs; what the first is made of.
  int32_t compares = -1;
  MadeOf common;
};

class Guards {
 public:
  explicit Guards(const Graph& graph) : graph_(graph) {}

  // Of a predicate. Loads of the thread's own are told from those of one number
  // by `own`: nodes whose threads were seen to have places of their own.
  ByData Of(int32_t predicate, const std::set<int32_t>& own);
  const MadeOf& Made(int32_t reg);
  bool InLoop(int32_t node) const;

 private:
  enum class Kind : uint8_t { kPlace, kNothing, kOwn, kCommon, kOther };
  Kind KindOf(const MadeOf& made, const std::set<int32_t>& own) const;
  ByData OfComparison(int32_t node, const std::set<int32_t>& own);
  ByData Plain(const MadeOf& made, const std::set<int32_t>& own) const;
  MadeOf MadeBy(int32_t node, std::set<int32_t>& open);
  MadeOf MadeIn(int32_t reg, std::set<int32_t>& open);
  const std::map<int32_t, std::set<int32_t>>& Definitions();

  const Graph& graph_;
  std::map<int32_t, std::set<int32_t>> defined_by_;  // nodes, by register
  std::map<int32_t, MadeOf> made_;
};

ByData Not(ByData guard);
ByData And(const ByData& a, const ByData& b);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_GUARDS_H_

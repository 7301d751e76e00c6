// Texts with one small change that would mend what is wrong: a thread instead
// of several, the other parity, another barrier, a counter that goes on, a
// barrier of all. Which mistake it was shows a run of the text in which nothing
// is wrong any more.
#ifndef TILESIM_CHECKERS_CAUSE_REWRITES_H_
#define TILESIM_CHECKERS_CAUSE_REWRITES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkers/run/log.h"
#include "ir/diagnostic.h"
#include "ir/program.h"

namespace tilesim::checkers::cause {

struct Rewrite {
  ir::Kernel kernel;
  std::string help;         // to write it so
  std::string_view family;  // of findings that show such a mistake best
  // What is changed, if a finding there is to be told before others; and what
  // is to be pointed at.
  std::optional<ir::Span> at = {};
  std::optional<ir::Label> label = {};
  bool of_lanes = false;  // it makes lanes of a warp wait for each other
};

// Whether both begin at one place of the text.
inline bool SamePlace(const ir::Span& a, const ir::Span& b) {
  return a.line == b.line && a.column == b.column;
}

// The first at one of those places that several threads execute, each for
// itself, and that one is meant to: it issues something. Null: there is none.
const run::Event* OfSeveral(const run::Log& log,
                            const std::vector<ir::Span>& places);

// An op that several threads of `threads` execute, each for itself, executed by
// one: the text in which the block that it is in has that one alone.
std::vector<Rewrite> ByOneThread(const machine::Code& code, const ir::Op& op,
                                 const ir::ThreadSet& threads);

// Waits at those places: for the other parity, and for other barriers of an
// array that is as long.
std::vector<Rewrite> OtherWaits(const machine::Code& code,
                                const std::vector<ir::Span>& places);

// Waits for barriers of arrays, whose parity goes by a counter of uses: by that
// of rounds.
std::vector<Rewrite> ParitiesOfRings(const machine::Code& code);

// Arrivals at other barriers of an array that is as long, and in other CTAs.
std::vector<Rewrite> OtherArrivals(const machine::Code& code);

// cp.async.mbarrier.arrive as one of the arrivals that the init counts.
std::vector<Rewrite> WithoutIncrement(const machine::Code& code);

// A barrier of all threads behind a block that comes before the first role.
std::vector<Rewrite> BarrierBehindSetup(const machine::Code& code);

// A named barrier at that place, of all threads of the CTA.
std::vector<Rewrite> BarrierOfAll(const machine::Code& code,
                                  const ir::Span& place);

}  // namespace tilesim::checkers::cause

#endif  // TILESIM_CHECKERS_CAUSE_REWRITES_H_

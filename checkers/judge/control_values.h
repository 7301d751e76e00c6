// Whether another schedule could give control other values than a run did. A
// value that control reads is the same in every schedule that has the order of
// the run, if each write of those bytes comes before the read or after it: then
// the last one before is always the same. Accesses that are ordered by nothing
// but luck (polling a flag, counting with an atomic) are no such order, whether
// or not they race.
#ifndef TILESIM_CHECKERS_JUDGE_CONTROL_VALUES_H_
#define TILESIM_CHECKERS_JUDGE_CONTROL_VALUES_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checkers/footprint/footprint.h"
#include "checkers/footprint/fragments.h"
#include "checkers/run/log.h"

namespace tilesim::checkers::judge {

// Why it could; empty: it could not.
std::vector<std::string> OpenValues(const run::Log& log,
                                    footprint::Fragments& fragments);

// The first of the reasons that lie outside of the clusters that ran; empty:
// there is none.
std::string OpenWords(const run::Log& log);

// Words that some thread reads while another may write them, and mbarriers that
// are asked: by where they lie, the line of an op that does.
struct Polled {
  std::map<std::pair<footprint::Place, int64_t>, int32_t> words;
  // By fence.sc, in all runs (fenced_words.h), and there are no mbarriers.
  bool in_order = true;
};

// Adds those of a run. Returns what its values depend on besides.
std::vector<std::string> AddPolled(const run::Log& log,
                                   footprint::Fragments& fragments,
                                   Polled& polled);

// The search of schedules is sequentially consistent, a GPU is not. As long as
// in all schedules together no more than one word is polled, that makes no
// difference: of one word, all threads see the writes in one order. Nor does it
// where fences keep several in order. Otherwise
// says why something was missed; empty: nothing was.
std::string MissedOutcomes(const Polled& polled);

}  // namespace tilesim::checkers::judge

#endif  // TILESIM_CHECKERS_JUDGE_CONTROL_VALUES_H_

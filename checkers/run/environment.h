// What a run depends on besides sizes and its schedule: values of inputs that
// decide control, which clusters cluster launch control hands out, and which
// number a CTA draws. A verdict is about every environment there can be; each
// is judged by itself.
//
//   Environments all = HandOutsOf(code, cluster, draw);
//   for (const Environment& e : all.each) ... RunCluster(code, {.environment =
//   e})
#ifndef TILESIM_CHECKERS_RUN_ENVIRONMENT_H_
#define TILESIM_CHECKERS_RUN_ENVIRONMENT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checkers/run/flags.h"
#include "checkers/run/ticket.h"
#include "sim/machine/code.h"
#include "sim/machine/data/globals.h"

namespace tilesim::checkers::run {

struct Environment {
  // Inputs that are given; the others are drawn.
  machine::Inputs inputs;
  // Clusters that are handed out, in this order; then requests are refused.
  // Absent: every later one of the grid.
  std::optional<std::vector<int64_t>> handed_out;
  // The number that the CTA draws; absent: as it happens.
  std::optional<Ticket> ticket;
  // Those that are set when the CTA asks; empty: as it happens.
  std::vector<Flags> flags;
};

struct Environments {
  std::vector<Environment> each;
  // Of these so many are all. More are tried as others were not, as long as
  // nothing is found.
  size_t drawn = 1;
  std::vector<std::string> open;  // why there may be others
};

// Every value that the domains permit of every input that decides control, but
// for those declarations of which one draw stands for all.
Environments DrawsOf(const machine::Code& code,
                     const std::set<int32_t>& once = {});

// Of the later clusters of a grid, those that a cluster is handed one set after
// another.
constexpr int64_t kMaxLaterClusters = 5;

// Whether it asks cluster launch control for more clusters.
bool Requests(const machine::Code& code);

// That cluster is handed so many, the next ones.
Environment HandedOut(int64_t cluster, int64_t count, const Environment& draw);

// The environments of a cluster, with the inputs of `draw`: it is handed any
// of the later clusters, in the order of the grid; where those are more than
// kMaxLaterClusters, the next ones, up to so many, one after the other.
Environments HandOutsOf(const machine::Code& code, int64_t cluster,
                        const Environment& draw);

// The same where the CTA draws that number.
Environment WithTicket(const Ticket& ticket, const machine::Code& code,
                       const Environment& environment);

// Words that hold something else than 0, and what.
using WordValues = std::map<GlobalWord, int64_t>;

// The same where the flags are set by then, by all others; with `only`, where
// their words hold that.
Environment WithFlags(const std::vector<Flags>& flags,
                      const machine::Code& code, const Environment& environment,
                      const WordValues* only = nullptr);

// Whether memory that decides control holds the same all through a run: what
// the program writes there are flags, and those are set at first.
bool HoldsTheSame(const machine::Code& code, const Environment& environment);

// "where `KvLen` is 0, 2"; "" if it is what happens to one cluster alone.
std::string TextOf(const Environment& environment, const ir::Kernel& kernel);

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_ENVIRONMENT_H_

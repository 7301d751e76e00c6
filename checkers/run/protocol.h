// The protocol of CTAs over global memory, where each can be judged by
// itself all the same: they count in words of it, or set flags.
#ifndef TILESIM_CHECKERS_RUN_PROTOCOL_H_
#define TILESIM_CHECKERS_RUN_PROTOCOL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "checkers/run/environment.h"

namespace tilesim::checkers::run {

struct Protocol {
  std::optional<TicketCounter> counter;
  std::vector<Flags> flags;
};

// As the text has it; nullopt: they talk in other ways as well. Both counters
// and flags, and either with cluster launch control, are other ways.
std::optional<Protocol> ProtocolIn(const machine::Code& code);

// Whether a cluster's run counts once, if it counts, and waits for flags of
// others, or for its own that it has set.
bool KeepsProtocol(const Log& log);

// Both, of those clusters of the grid; `max_events` of each.
std::optional<Protocol> ProtocolOf(const machine::Code& code,
                                   const std::vector<int64_t>& clusters,
                                   const Environment& draw, int64_t max_events);

// Whether CTAs of the kernel may wait for each other: in a loop one asks for a
// word that they write, other than to count.
bool CtasWait(const machine::Code& code);

// Clusters that start in this order, as the end of others makes room.
struct InTurn {
  GlobalWords set;  // flags that come
  // Clusters that have come to a barrier of the grid, by its word.
  std::map<GlobalWord, std::set<int64_t>> added;
  std::vector<int64_t> waiting;  // clusters that have started and never end
  int64_t never_start = 0;       // so many of them
  bool cut = false;              // more than `max_runs`: not known

  // What others have made of the words that the cluster may wait for.
  WordValues SeenBy(int64_t cluster, int64_t ctas,
                    const std::vector<Flags>& flags) const;
};
InTurn RunInTurn(const machine::Code& code, const std::vector<Flags>& flags,
                 const std::vector<int64_t>& clusters, int64_t room,
                 const Environment& draw, int64_t max_events, int64_t max_runs);

// Flags that are set by these clusters, if each waits for those of the others
// until they are; the environment has none.
GlobalWords FlagsThatCome(const machine::Code& code,
                          const std::vector<Flags>& flags,
                          const std::vector<int64_t>& clusters,
                          const Environment& draw, int64_t max_events);

// Whether asynchronous operations access what the kernel writes: such bytes are
// not followed from CTA to CTA.
bool WrittenForAsync(const machine::Code& code);

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_PROTOCOL_H_

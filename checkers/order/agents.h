// Who has a program order of its own. Order is per thread, but threads that
// always act together need one clock: the lanes of each warp are divided only
// as far as the run tells them apart.
//
//   warp 4 of a role `warp 4, elect`:  {lane 0}, {lanes 1 to 31}
//   a warp that never leaves anybody out:  {lanes 0 to 31}
//
// Whom `elect` elects is not known, only that it is the same lane each time
// among the same lanes (PTX 9.7.13.14). So the elected one has a clock beside
// those of the lanes: what all do it does as well, what lane 0 does it does
// not.
//
// Where only what can happen matters, not what is visible, a warp is one: its
// other lanes wait at the end of a block for those inside.
#ifndef TILESIM_CHECKERS_ORDER_AGENTS_H_
#define TILESIM_CHECKERS_ORDER_AGENTS_H_

#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/container/node_hash_map.h"
#include "checkers/run/log.h"

namespace tilesim::checkers::order {

struct Agent {
  int32_t cta = 0;
  int32_t warp = 0;
  uint64_t lanes = 0;  // above bit 31: those whom `elect` has elected

  bool only_elected() const { return static_cast<uint32_t>(lanes) == 0; }
  bool several() const {
    const auto known = static_cast<uint32_t>(lanes);
    return (known & (known - 1)) != 0;
  }
};

class Agents {
 public:
  using List = absl::InlinedVector<int32_t, 8>;
  using Masks = absl::InlinedVector<uint64_t, 2>;

  // kTwins: of lanes that always act together, one by itself and the others.
  // kWarps: a warp executes an instruction at once (run::Event::last_part);
  // kParts: one part after the other.
  enum class Unit : uint8_t { kLanes, kTwins, kWarps, kParts };

  explicit Agents(const run::Log& log, Unit unit = Unit::kLanes);

  bool at_once() const { return at_once_; }
  int32_t size() const { return static_cast<int32_t>(agents_.size()); }
  const Agent& operator[](int32_t i) const { return agents_[i]; }
  // The agents of a set of threads, warp after warp.
  const List& Of(int32_t cta, const ir::ThreadSet& threads) const;
  const List& Of(const run::Event& event) const {
    return Of(event.cta, event.threads());
  }
  // Those whose lanes are among those of an agent of another unit.
  List In(const Agent& agent) const;
  // The agents of the warp that have the lanes of which the elected one is one.
  List Among(const Agent& elected) const;
  // Agents of the warp of an agent that stand for elected lanes alone.
  const List& ElectedBeside(int32_t agent) const {
    return elected_of_warp_[agents_[agent].cta * warps_ + agents_[agent].warp];
  }

 private:
  using Who = std::tuple<int32_t, uint16_t, uint16_t, uint32_t, uint32_t>;

  void FindElections(const run::Log& log, std::vector<Masks>& classes);
  uint64_t LanesOf(const ir::ThreadSet& threads) const;

  bool at_once_ = false;
  int32_t warps_ = 0;                // of a CTA
  std::vector<uint32_t> elections_;  // among whom
  std::vector<Agent> agents_;
  std::vector<List> of_warp_;  // by cta * warps_ + warp
  std::vector<List> elected_of_warp_;
  // Answers, and the last one: who is asked for once is asked for again.
  mutable absl::node_hash_map<Who, List> known_;
  mutable const std::pair<const Who, List>* last_ = nullptr;
};

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_AGENTS_H_

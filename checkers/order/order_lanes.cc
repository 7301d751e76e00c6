// What lanes of one warp know of each other.
#include <algorithm>
#include <utility>

#include "checkers/order/order.h"
#include "ir/warp.h"

namespace tilesim::checkers::order {
using run::Event;

Clock Order::Final(int32_t agent) const {
  Clock out = threads_[agent].clock;
  auto round = rounds_.find(threads_[agent].inside);
  if (round != rounds_.end()) out.Join(round->second.released);
  if (threads_[agent].left_out)
    out.Join(CommonTo(
        agent, [](auto& x) -> auto& { return x.clock; }));
  return out;
}

// The elected lane is one of those among whom it is: what each of them knows,
// by itself or with others, it knows. Of several lanes that act together it is
// one, and what the others did it knows until they met.
template <typename F>
Clock Order::CommonTo(int32_t elected, F of) const {
  const Agents::List among = agents_.Among(agents_[elected]);
  if (among.empty()) return {};
  Clock out = of(threads_[among[0]]);
  for (int32_t lane : among) out.Meet(of(threads_[lane]));
  for (int32_t lane : among) {
    if (!enforced() && agents_[lane].several())
      out.Limit({lane, threads_[lane].joined});
  }
  return out;
}

// A warp executes the parts of an instruction at once: who comes after one
// comes after all.
uint32_t Order::PartsToCome(const Event& e, int32_t agent) const {
  uint32_t out = 0;
  for (auto i = &e - log_.events.data() + 1; i <= e.last_part; ++i) {
    const Agents::List& who = agents_.Of(log_.events[i]);
    out += std::find(who.begin(), who.end(), agent) != who.end() ? 1 : 0;
  }
  return out;
}

// Some lanes of a warp have waited, and the elected one may be another, until
// all of them have.
void Order::LeaveOut(const Agents::List& who) {
  for (int32_t agent : who) {
    for (int32_t other : agents_.ElectedBeside(agent)) {
      if (std::find(who.begin(), who.end(), other) != who.end()) continue;
      threads_[other].left_out = left_out_ = true;
    }
  }
}

void Order::KnowAsAny(int32_t elected) {
  Thread& t = threads_[elected];
  t.left_out = false;
  t.clock.Join(CommonTo(
      elected, [](auto& x) -> auto& { return x.clock; }));
  t.handed.Join(CommonTo(
      elected, [](auto& x) -> auto& { return x.handed; }));
  t.signalled.Join(CommonTo(
      elected, [](auto& x) -> auto& { return x.signalled; }));
  for (size_t d = 0; d < kDomains; ++d)
    t.acquirable[d].Join(CommonTo(
        elected, [&](auto& x) -> auto& { return x.acquirable[d]; }));
}

bool Order::IsOfWarps(const Event& e) {
  const ir::ExecScope scope = e.concrete().info().scope;
  return scope == ir::ExecScope::kWarp || scope == ir::ExecScope::kWarpgroup;
}

bool Order::IsProduct(const Event& e) {
  return e.concrete().info().async == ir::AsyncUnit::kWgmma;
}

// Lanes of a warp wait for each other at a `.sync` op, and who is elected has
// waited for those among whom it is (elect.sync). No memory order comes of it.
void Order::Converge(const Event& e, const Agents::List& who) {
  const ir::ThreadSet& threads = e.threads();
  if (IsOfWarps(e)) return Meet(who);
  if (threads.electors == 0) return;
  ir::ThreadSet among = threads;
  among.lanes = threads.electors;
  among.electors = 0;
  const Agents::List lanes = agents_.Of(e.cta, among);
  Meet(lanes, agents_.Of(e));
}

absl::InlinedVector<Mark, 2> Order::WaitedByLanes(int32_t operation,
                                                  Reached milestone) const {
  absl::InlinedVector<Mark, 2> out;
  auto at = waiters_.lower_bound({operation, milestone});
  for (; at != waiters_.end() && at->first.first == operation; ++at) {
    for (const auto& [agent, seq] : at->second) {
      if (agents_[agent].several()) out.push_back({agent, seq});
    }
  }
  return out;
}

// Of each warp: these of `who` learn what those of `from` know.
void Order::Meet(const Agents::List& from, const Agents::List& who) {
  for (size_t i = 0; i < who.size();) {
    const Agent& first = agents_[who[i]];
    auto same = [&](int32_t agent) {
      return agents_[agent].cta == first.cta &&
             agents_[agent].warp == first.warp;
    };
    Clock all;
    for (int32_t agent : from) {
      if (same(agent)) all.Join(threads_[agent].clock);
    }
    for (; i < who.size() && same(who[i]); ++i)
      threads_[who[i]].clock.Join(all);
  }
}

// The same among themselves. Nearly every op of many does it.
void Order::Meet(const Agents::List& who) {
  for (size_t i = 0; i < who.size();) {
    const Agent& first = agents_[who[i]];
    Clock& all = threads_[who[i]].clock;
    size_t end = i + 1;
    for (; end < who.size() && agents_[who[end]].cta == first.cta &&
           agents_[who[end]].warp == first.warp;
         ++end)
      all.Join(threads_[who[end]].clock);
    for (++i; i < end; ++i) threads_[who[i]].clock.Join(all);
  }
}

// The warps of a warpgroup: on an H200, of which one came to wgmma.mma_async
// 1.8 ms late, the three others left it when that one had come.
void Order::MeetInGroups(const Agents::List& who) {
  auto group_of = [&](int32_t agent) {
    const Agent& a = agents_[agent];
    return std::pair(a.cta, a.warp / ir::kWarpgroupWarps);
  };
  for (size_t i = 0; i < who.size();) {
    Clock all;
    size_t end = i;
    for (; end < who.size() && group_of(who[end]) == group_of(who[i]); ++end)
      all.Join(threads_[who[end]].clock);
    for (; i < end; ++i) threads_[who[i]].clock.Join(all);
  }
}

void Order::WarpSync(const Agents::List& who) {
  for (size_t i = 0; i < who.size();) {
    size_t end = i;
    Clock all;
    const Agent& first = agents_[who[i]];
    for (; end < who.size() && agents_[who[end]].warp == first.warp; ++end)
      Tell(threads_[who[end]], all);
    for (; i < end; ++i) {
      Learn(threads_[who[i]], all);
      threads_[who[i]].joined = threads_[who[i]].seq;
    }
  }
}

}  // namespace tilesim::checkers::order

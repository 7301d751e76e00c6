#include "checkers/pipeline/site_order.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "checkers/footprint/footprint.h"
#include "checkers/footprint/interval_set.h"
#include "checkers/order/access.h"
#include "checkers/order/agents.h"
#include "checkers/order/order.h"
#include "checkers/pairwise/lanes.h"
#include "checkers/program/global_uses.h"
#include "checkers/proof/condition.h"
#include "checkers/run/log.h"

namespace tilesim::checkers::pipeline {
using footprint::Footprints;
using footprint::IntervalSet;
using footprint::Place;
using grid::Relation;
using grid::Site;
using grid::SitePair;
using order::Access;
using order::Agents;
using order::Order;
using run::Event;
using run::Log;

namespace {

// Executions of a site in one run. Of more nothing is known to be in order.
constexpr size_t kMost = 2000;

const ir::TileValue& BoxOf(const Log& log, const Access& a) {
  return log.events[a.event].concrete().tile(a.operand);
}

// Whether rows of both boxes are of one shape, so that elements of the same
// number are at the same place, seen from where the box begins.
bool OfOneShape(const Log& log, const Access& a, const Access& b) {
  const ir::TileValue &x = BoxOf(log, a), &y = BoxOf(log, b);
  if (x.rank != y.rank || values::BitsOf(x.dtype) < 8) return false;
  for (int d = 1; d < x.rank; ++d) {
    if (x.extent[d] != y.extent[d]) return false;
  }
  return true;
}

// The threads that do it, at one place of the order.
ir::ThreadSet ThreadsOf(const Order& order, const Access& a) {
  ir::ThreadSet out = order.log().events[a.event].threads();
  if (a.marks.empty()) return out;
  out.first_warp = static_cast<uint16_t>(order.agents()[a.marks[0].agent].warp);
  out.warps = 1;
  return out;
}

std::vector<ir::ThreadSet> LanesOf(const ir::ThreadSet& warp) {
  std::vector<ir::ThreadSet> out;
  for (int l = 0; l < ir::kWarpThreads; ++l) {
    if ((warp.lanes >> l & 1) != 0)
      out.push_back({warp.first_warp, 1, uint32_t{1} << l});
  }
  return out;
}

}  // namespace

void SiteOrder::Watch(const std::vector<grid::Meeting>& meetings) {
  for (const grid::Meeting& m : meetings) {
    if (m.strides) continue;
    SitePair sites = SitesOf(m);
    auto [known, fresh] = in_step_.try_emplace(sites, m.in_step);
    known->second &= m.in_step;
    partners_[sites.first].insert(sites.second);
    partners_[sites.second].insert(sites.first);
  }
}

// The watched accesses of one log, each compared with those before.
class SiteOrder::Reader {
 public:
  Reader(const SiteOrder& of, const Log& log, footprint::Fragments& fragments,
         std::map<SitePair, Relations>& to)
      : order_of_(of),
        to_(to),
        log_(log),
        agents_(log),
        order_(log, agents_, Order::Kind::kMemory),
        footprints_(*log.code, fragments),
        lanes_(log, footprints_) {}

  void Run() {
    for (size_t i = 0; i < log_.events.size(); ++i) {
      order_.Begin(log_.events[i]);
      order_.Finish(log_.events[i]);
      if (log_.events[i].kind == Event::Kind::kOp)
        Look(static_cast<int32_t>(i));
    }
    Conclude();
  }

 private:
  struct Done {
    Access access;
    Place place;
  };
  using BySite = std::map<Site, std::vector<Done>>;
  // Of the executions of two sites: how many others lie between, of those seen
  // and of those in no order.
  struct Far {
    int64_t seen = 0, unordered = 0;
    bool any = false, share = false;
  };

  void Look(int32_t event) {
    const Event& e = log_.events[event];
    if (!Watched(e)) return;
    BySite now;
    for (auto& [place, access] : AccessesOf(order_, event, footprints_)) {
      if (place.space != ir::Space::kGlobal) continue;
      Site site = Site::Of(*e.concrete().op, access.operand, access.write);
      if (order_of_.partners_.count(site) != 0)
        now[site].push_back({std::move(access), place});
    }
    // What one execution touches is the same at every size but for where.
    for (const auto& [site, accesses] : now) {
      for (const Done& a : accesses) Compare(site, a);
    }
    for (auto& [site, accesses] : now) {
      std::move(accesses.begin(), accesses.end(),
                std::back_inserter(done_[site]));
    }
  }

  bool Watched(const Event& e) const {
    return std::any_of(
        e.effects().begin(), e.effects().end(), [&](const ir::Effect& f) {
          return program::TouchesGlobal(e, f) &&
                 order_of_.partners_.count(
                     Site::Of(*e.concrete().op, f.operand,
                              f.kind == ir::EffectKind::kWrite)) != 0;
        });
  }

  void Compare(const Site& site, const Done& later) {
    for (const Site& other : order_of_.partners_.at(site)) {
      SitePair pair = std::minmax(site, other);
      std::map<Relation, Far>& far = far_[pair];
      const std::vector<Done>& before = done_[other];
      if (before.size() > kMost) {
        for (bool one_cta : {false, true})
          far[{Relation::Iteration::kAny, one_cta}] = {0, 0, true, true};
        continue;
      }
      for (const Done& e : before)
        Relate(e.access, later, order_of_.in_step_.at(pair), far);
    }
  }

  void Relate(const Access& a, const Done& later, bool in_step,
              std::map<Relation, Far>& all) {
    const Access& b = later.access;
    if (AtomicTogether(log_, a, b)) return;
    const Event &x = log_.events[a.event], &y = log_.events[b.event];
    Relation r;
    r.one_cta = x.cta == y.cta;
    if (in_step)
      r.iteration = x.nth == y.nth ? Relation::Iteration::kSame
                                   : Relation::Iteration::kOther;
    r.warps = WarpsOf(a, b);
    const int64_t apart = std::abs(x.nth - y.nth);
    Far& far = all[r];
    far.seen = std::max(far.seen, apart);
    if (far.share && apart <= far.unordered) return;
    bool ordered =
        Ordered(order_, a, b) &&
        ProxyOrderOf(order_, a, b, later.place) != order::ProxyOrder::kNone;
    if (ordered && !lanes_.InNoOrder(order_, a, b)) return;
    far.any = true;
    far.unordered = std::max(far.unordered, apart);
    far.share = far.share || !OfOneShape(log_, a, b) || Shared(a, b, ordered);
  }

  // Of what one warp does each.
  Relation::Warps WarpsOf(const Access& a, const Access& b) const {
    std::array<int, 2> warps{};
    for (int i : {0, 1}) {
      const Access& x = i == 0 ? a : b;
      const ir::ThreadSet& all = log_.events[x.event].threads();
      const ir::ThreadSet by = ThreadsOf(order_, x);
      const bool one = by.warps == 1 && by.first_warp >= all.first_warp &&
                       by.first_warp < all.first_warp + all.warps;
      if (!one) return Relation::Warps::kAny;
      warps[i] = by.first_warp;
    }
    return warps[0] == warps[1] ? Relation::Warps::kSame
                                : Relation::Warps::kOther;
  }

  void Conclude() {
    for (const auto& [pair, relations] : far_) {
      for (const auto& [r, far] : relations) {
        if (!far.any) continue;
        Seen& seen = to_[pair][r];
        seen.share = seen.share || far.share;
        seen.unordered = std::max(seen.unordered, far.unordered);
        seen.to_the_end = seen.to_the_end || far.unordered == far.seen;
      }
    }
  }

  // Whoever executes the same ops again has the same parts.
  bool Shared(const Access& a, const Access& b, bool by_lanes) {
    std::vector<int64_t> key{by_lanes};
    for (const Access* x : {&a, &b}) {
      const ir::TileValue& box = BoxOf(log_, *x);
      const ir::ThreadSet threads = ThreadsOf(order_, *x);
      key.insert(key.end(), {log_.events[x->event].op, x->operand,
                             threads.first_warp, threads.warps, threads.lanes});
      key.insert(key.end(), box.extent.begin(), box.extent.begin() + box.rank);
    }
    auto [known, fresh] = shared_.try_emplace(std::move(key));
    if (fresh) known->second = by_lanes ? LanesShare(a, b) : Share(a, b);
    return known->second;
  }

  IntervalSet InBox(const Access& a, const ir::ThreadSet& threads) {
    return footprints_.InBox(log_.events[a.event], a.operand, threads);
  }

  bool Share(const Access& a, const Access& b) {
    return InBox(a, ThreadsOf(order_, a))
        .Overlaps(InBox(b, ThreadsOf(order_, b)));
  }

  // By two lanes of one warp.
  bool LanesShare(const Access& a, const Access& b) {
    std::vector<std::pair<uint32_t, IntervalSet>> of_b;
    for (const ir::ThreadSet& lane : LanesOf(ThreadsOf(order_, b)))
      of_b.emplace_back(lane.lanes, InBox(b, lane));
    for (const ir::ThreadSet& lane : LanesOf(ThreadsOf(order_, a))) {
      const IntervalSet of_a = InBox(a, lane);
      for (const auto& [other, touched] : of_b) {
        if (other != lane.lanes && of_a.Overlaps(touched)) return true;
      }
    }
    return false;
  }

  const SiteOrder& order_of_;
  std::map<SitePair, Relations>& to_;
  const Log& log_;
  Agents agents_;
  Order order_;
  Footprints footprints_;
  pairwise::Lanes lanes_;
  BySite done_;
  std::map<std::vector<int64_t>, bool> shared_;
  std::map<SitePair, std::map<Relation, Far>> far_;
};

void SiteOrder::Add(const std::vector<program::JudgedRun>& runs,
                    const ir::Overrides& sizes,
                    footprint::Fragments& fragments) {
  if (!watches()) return;
  for (const program::JudgedRun& run : runs)
    Reader(*this, *run.log, fragments, seen_[sizes]).Run();
}

// docs/all_sizes.md 5.3.
//
// Of executions that are further apart than all that are in no order those at
// any distance are in order, if the run has some: who comes after an execution
// comes after those before it. Of sizes that stand for themselves alone, all
// executions were seen.
grid::Unordered SiteOrder::UnorderedIn(
    const std::set<ir::Overrides>& for_larger) const {
  grid::Unordered out;
  for (const auto& [pair, in_step] : in_step_) out[pair];
  for (const auto& [sizes, pairs] : seen_) {
    const bool larger = for_larger.count(sizes) != 0;
    for (const auto& [pair, relations] : pairs) {
      for (const auto& [r, seen] : relations) {
        grid::InNoOrder& all = out[pair][r];
        all.share = all.share || seen.share;
        if (larger && seen.to_the_end &&
            proof::IsJudged(proof::Condition::kSeenToTheEnd))
          all.apart.reset();
        if (all.apart) all.apart = std::max(*all.apart, seen.unordered);
      }
    }
  }
  return out;
}

}  // namespace tilesim::checkers::pipeline

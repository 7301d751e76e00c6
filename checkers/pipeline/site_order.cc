#include "checkers/pipeline/site_order.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "checkers/footprint/footprint.h"
#include "checkers/footprint/interval_set.h"
#include "checkers/order/access.h"
#include "checkers/order/agents.h"
#include "checkers/order/order.h"
#include "checkers/pairwise/lanes.h"
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
    unordered_[sites];
  }
}

// The watched accesses of one log, each compared with those before.
class SiteOrder::Reader {
 public:
  Reader(SiteOrder& to, const Log& log, footprint::Fragments& fragments)
      : to_(to),
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
  }

 private:
  struct Done {
    Access access;
    Place place;
  };
  using BySite = std::map<Site, std::vector<Done>>;

  void Look(int32_t event) {
    const Event& e = log_.events[event];
    BySite now;
    for (auto& [place, access] : AccessesOf(order_, event, footprints_)) {
      if (place.space != ir::Space::kGlobal) continue;
      Site site = Site::Of(*e.concrete().op, access.operand, access.write);
      if (to_.partners_.count(site) != 0)
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

  void Compare(const Site& site, const Done& later) {
    for (const Site& other : to_.partners_.at(site)) {
      SitePair pair = std::minmax(site, other);
      std::set<Relation>& known = to_.unordered_[pair];
      const std::vector<Done>& before = done_[other];
      if (before.size() > kMost) {
        for (bool one_cta : {false, true})
          known.insert({Relation::Turn::kAny, one_cta, true});
        continue;
      }
      for (const Done& e : before)
        Relate(e.access, later, to_.in_step_.at(pair), known);
    }
  }

  void Relate(const Access& a, const Done& later, bool in_step,
              std::set<Relation>& known) {
    const Access& b = later.access;
    if (AtomicTogether(log_, a, b)) return;
    const Event &x = log_.events[a.event], &y = log_.events[b.event];
    Relation r;
    r.one_cta = x.cta == y.cta;
    if (in_step)
      r.turn = x.nth == y.nth ? Relation::Turn::kSame : Relation::Turn::kOther;
    if (known.count(r) != 0) return;
    bool ordered =
        Ordered(order_, a, b) &&
        ProxyOrderOf(order_, a, b, later.place) != order::ProxyOrder::kNone;
    if (ordered && !lanes_.InNoOrder(order_, a, b)) return;
    r.share = !OfOneShape(log_, a, b) || Shared(a, b, ordered);
    known.insert(r);
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
    std::vector<ir::ThreadSet> lanes = LanesOf(ThreadsOf(order_, a));
    std::vector<IntervalSet> of_b;
    for (const ir::ThreadSet& lane : lanes) of_b.push_back(InBox(b, lane));
    for (size_t i = 0; i < lanes.size(); ++i) {
      const IntervalSet of_a = InBox(a, lanes[i]);
      for (size_t k = 0; k < lanes.size(); ++k) {
        if (i != k && of_a.Overlaps(of_b[k])) return true;
      }
    }
    return false;
  }

  SiteOrder& to_;
  const Log& log_;
  Agents agents_;
  Order order_;
  Footprints footprints_;
  pairwise::Lanes lanes_;
  BySite done_;
  std::map<std::vector<int64_t>, bool> shared_;
};

void SiteOrder::Add(const std::vector<program::JudgedRun>& runs,
                    footprint::Fragments& fragments) {
  if (!watches()) return;
  for (const program::JudgedRun& run : runs)
    Reader(*this, *run.log, fragments).Run();
}

}  // namespace tilesim::checkers::pipeline

#include "checkers/pairwise/conflicts.h"

#include <algorithm>
#include <utility>

namespace tilesim::checkers::pairwise {
using footprint::IntervalSet;
using footprint::Place;
using order::Access;
using order::Accesses;
using order::LateOrder;
using order::Mark;
using order::Order;
using order::Ordered;
using order::ProxyOrder;
using order::TensorOrder;
using run::Event;
using run::Log;

namespace {

// Whether each lane has the same bytes in both.
bool SameLanes(const Log& log, const Access& a, const Access& b) {
  const Event &x = log.events[a.event], &y = log.events[b.event];
  return (x.op == y.op && a.operand == b.operand) ||
         (x.threads().threads() == 1 && y.threads().threads() == 1);
}

// The later access speaks for the earlier one that it is not compared with:
// whoever comes after it comes after both.
bool SpeaksFor(const Log& log, const Access& later, const Access& earlier) {
  if (later.operation >= 0 || earlier.operation >= 0 ||
      later.write != earlier.write || later.proxy != earlier.proxy ||
      later.atomic != earlier.atomic || later.scope != earlier.scope ||
      !(later.bytes == earlier.bytes) || !SameLanes(log, later, earlier))
    return false;
  return std::equal(later.marks.begin(), later.marks.end(),
                    earlier.marks.begin(), earlier.marks.end(),
                    [](Mark a, Mark b) { return a.agent == b.agent; });
}

// Several threads have each started an operation that writes these bytes.
// Nothing orders lanes of a warp, not even what they issue to one pipeline.
bool WrittenByEach(const Event& e, const Access& a) {
  return a.operation >= 0 && a.write && !a.atomic &&
         e.concrete().info().scope == ir::ExecScope::kThread &&
         e.threads().threads() > 1;
}

// Boxes of one tensor without an element in common: soon seen, where the bytes
// of both are many rows.
bool Apart(const Access& a, const Access& b) {
  if (a.box == nullptr || b.box == nullptr) return false;
  const ir::TileValue &x = *a.box, &y = *b.box;
  for (int d = 0; d < x.rank; ++d) {
    if (x.start[d] + x.extent[d] <= y.start[d] ||
        y.start[d] + y.extent[d] <= x.start[d])
      return true;
  }
  return false;
}

// Whether no two elements of a global share a byte.
bool ElementsApart(const ir::BoundDecl& d) {
  if (d.space != ir::Space::kGlobal || values::BitsOf(d.dtype) < 8)
    return false;
  std::vector<std::pair<int64_t, int64_t>> dims;  // stride, extent
  for (int i = 0; i < d.rank; ++i) {
    if (d.shape[i] > 1) dims.emplace_back(d.strides[i], d.shape[i]);
  }
  std::sort(dims.begin(), dims.end());
  int64_t reach = 0;  // of the dimensions so far
  for (auto [stride, extent] : dims) {
    if (stride <= reach) return false;
    reach += stride * (extent - 1);
  }
  return true;
}

}  // namespace

Conflicts::Conflicts(const Log& log, LateOrder& tensor,
                     footprint::Footprints& footprints)
    : log_(log), tensor_(tensor), lanes_(log, footprints) {
  for (const ir::BoundDecl& d : log.code->bound.decls)
    boxes_.push_back(ElementsApart(d));
}

void Conflicts::Add(const Order& order, Accesses all, const Sink& sink) {
  std::erase_if(all,
                [](const auto& item) { return item.second.bytes.empty(); });
  for (auto& [place, access] : all) {
    if (place.space == ir::Space::kGlobal && boxes_[place.owner])
      access.box =
          &order.log().events[access.event].concrete().tile(access.operand);
  }
  // An event's accesses do not conflict with each other: compare all before
  // keeping any.
  for (const auto& [place, access] : all) {
    Compare(order, place, access, sink);
    if (WrittenByEach(order.log().events[access.event], access))
      sink({access, access, place, false});
  }
  for (auto& [place, access] : all) Keep(place, std::move(access));
}

void Conflicts::Compare(const Order& order, const Place& place,
                        const Access& later, const Sink& sink) {
  auto found = history_.find(place);
  if (found == history_.end()) return;
  found->second.ForNear(later.reach, !later.write, [&](const Access& earlier) {
    if ((!earlier.write && !later.write) ||
        AtomicTogether(order.log(), earlier, later) || Apart(earlier, later) ||
        !earlier.bytes.Overlaps(later.bytes))
      return;
    if (place.space == ir::Space::kTmem) {
      TensorOrder t =
          OrderedInTensor(order, tensor_.At(later.event), earlier, later);
      if (t != TensorOrder::kOrdered)
        sink({earlier, later, place, true, ProxyOrder::kFenced, t});
      return;
    }
    if (Ordered(order, earlier, later))
      return CompareLanes(order, place, earlier, later, sink);
    const auto lanes = lanes_.Touch(order, earlier, later);
    if (!lanes || !Ordered(order, lanes->earlier, lanes->later))
      return sink({earlier, later, place, false});
    CompareLanes(order, place, lanes->earlier, lanes->later, sink);
  });
}

// Of accesses that are in order, but for lanes of one warp.
void Conflicts::CompareLanes(const Order& order, const Place& place,
                             const Access& earlier, const Access& later,
                             const Sink& sink) {
  if (lanes_.Race(order, place, earlier, later)) {
    Conflict c{earlier, later, place, false};
    c.lanes = true;
    return sink(c);
  }
  ProxyOrder proxy = ProxyOrderOf(order, earlier, later, place);
  if (proxy == ProxyOrder::kFenced) return;
  // Who has bytes that meet those of the other must have fenced; nobody else.
  if (const auto lanes = lanes_.Touch(order, earlier, later))
    proxy = ProxyOrderOf(order, lanes->earlier, lanes->later, place);
  if (proxy != ProxyOrder::kFenced) sink({earlier, later, place, true, proxy});
}

void Conflicts::Keep(const Place& place, Access access) {
  History& history = history_[place];
  // Other atomics are not compared with an atomic, but are with what it
  // overwrites.
  bool stands_for = access.write && !access.atomic;
  // A read by an operation speaks for no other (SpeaksFor).
  if (!stands_for && access.operation >= 0)
    return history.Add(std::move(access));
  history.ChangeNear(access.reach, [&](Access& earlier) {
    if (stands_for && earlier.event != access.event) {
      if (!Apart(earlier, access)) earlier.bytes.Subtract(access.bytes);
    } else if (SpeaksFor(log_, access, earlier)) {
      earlier.bytes = IntervalSet();
    }
  });
  history.Add(std::move(access));
}

}  // namespace tilesim::checkers::pairwise

#include "checkers/checks/conflicts.h"

#include <algorithm>
#include <utility>

namespace tilesim::checkers {
namespace {

// The later read speaks for the earlier one: whoever comes after it comes
// after both.
bool SpeaksFor(const Access& later, const Access& earlier) {
  if (later.operation >= 0 || earlier.operation >= 0 || earlier.write ||
      later.proxy != earlier.proxy || later.atomic != earlier.atomic ||
      !(later.bytes == earlier.bytes))
    return false;
  return std::equal(later.marks.begin(), later.marks.end(),
                    earlier.marks.begin(), earlier.marks.end(),
                    [](Mark a, Mark b) { return a.agent == b.agent; });
}

// Several threads have each started an operation that writes these bytes.
// Nothing orders lanes of a warp, not even what they issue to one pipeline.
bool WrittenByEach(const Event& e, const Access& a) {
  return a.operation >= 0 && a.write && !a.atomic &&
         e.concrete.info().scope == ir::ExecScope::kThread &&
         e.threads().threads() > 1;
}

}  // namespace

Conflicts::Conflicts(const Log& log, const Order& tensor)
    : tensor_(tensor), written_(log.code->bound.decls.size()) {
  for (const Event& e : log.events) {
    for (const ir::Effect& effect : e.effects) {
      if (effect.kind == ir::EffectKind::kWrite &&
          e.concrete.is_tile(effect.operand))
        written_[e.concrete.tile(effect.operand).decl] = true;
    }
  }
}

void Conflicts::Add(const Order& order, Accesses all, const Sink& sink) {
  std::erase_if(all, [&](const auto& item) {
    const Place& p = item.first;
    return (p.space == ir::Space::kGlobal && !written_[p.owner]) ||
           item.second.bytes.empty();
  });
  // An event's accesses do not conflict with each other: compare all before
  // keeping any.
  for (const auto& [place, access] : all) {
    Compare(order, place, access, sink);
    if (WrittenByEach(order.log().events[access.event], access))
      sink({access, access, place.space, false, false});
  }
  for (auto& [place, access] : all) Keep(place, std::move(access));
}

void Conflicts::Compare(const Order& order, const Place& place,
                        const Access& later, const Sink& sink) const {
  auto found = history_.find(place);
  if (found == history_.end()) return;
  for (const Access& earlier : found->second) {
    if ((!earlier.write && !later.write) || (earlier.atomic && later.atomic) ||
        !earlier.bytes.Overlaps(later.bytes))
      continue;
    if (place.space == ir::Space::kTmem) {
      TensorOrder t = OrderedInTensor(order, tensor_, earlier, later);
      if (t != TensorOrder::kOrdered)
        sink({earlier, later, place.space, true, true, t});
      continue;
    }
    bool ordered = Ordered(order, earlier, later);
    bool fenced = !ordered || Fenced(order, earlier, later, place.space);
    if (ordered && fenced) continue;
    sink({earlier, later, place.space, ordered, fenced});
  }
}

void Conflicts::Keep(const Place& place, Access access) {
  std::vector<Access>& all = history_[place];
  for (Access& earlier : all) {
    if (access.write && earlier.event != access.event) {
      earlier.bytes.Subtract(access.bytes);
    } else if (SpeaksFor(access, earlier)) {
      earlier.bytes = IntervalSet();
    }
  }
  std::erase_if(all, [](const Access& a) { return a.bytes.empty(); });
  all.push_back(std::move(access));
}

}  // namespace tilesim::checkers

#include "checkers/order/pools.h"

#include <algorithm>

#include "ir/tmem.h"

namespace tilesim::checkers::order {
using run::Event;

void Pools::After(int32_t event) {
  const Event& e = order_.log().events[event];
  if (e.kind == Event::Kind::kRead || e.kind == Event::Kind::kDone) return;
  for (const ir::Effect& effect : e.effects()) {
    if (effect.kind == ir::EffectKind::kRegisters) Registers(e, effect.value);
    bool tmem = effect.kind == ir::EffectKind::kTmemAlloc ||
                effect.kind == ir::EffectKind::kTmemDealloc;
    if (tmem) Tmem(e, effect);
  }
}

void Pools::Registers(const Event& e, int64_t value) {
  int first = e.threads().first_warp / ir::kWarpgroupWarps;
  int last =
      (e.threads().first_warp + e.threads().warps - 1) / ir::kWarpgroupWarps;
  for (int g = first; g <= last; ++g) {
    auto [now, fresh] =
        registers_.try_emplace({e.cta, g}, order_.log().code->bound.regs);
    Add(Kind::kRegisters, e, (value - now->second) * ir::kWarpgroupThreads);
    now->second = value;
  }
}

void Pools::Tmem(const Event& e, const ir::Effect& effect) {
  const ir::TileValue& t = e.concrete().tile(effect.operand);
  int64_t columns = order_.log().code->bound.decls[t.decl].columns;
  bool takes = effect.kind == ir::EffectKind::kTmemAlloc;
  Add(Kind::kTmem, e, takes ? columns : -columns);
}

void Pools::Add(Kind kind, const Event& e, int64_t amount) {
  int32_t agent = order_.agents().Of(e)[0];
  pools_[{kind, e.cta}].push_back(
      {amount, order_.mark(agent), order_.clock(agent)});
}

// All that is ever given back, but by those who wait for this request, is not
// enough: no schedule grants it, whatever the others do.
bool Pools::Hopeless(const Pool& pool, const Change& request,
                     int64_t capacity) {
  int64_t most = capacity;
  for (const Change& d : pool) {
    if (d.amount < 0 && !d.clock.Knows(request.mark)) most -= d.amount;
  }
  return request.amount > most;
}

// Whether what is there in every schedule when the request is made is too
// little: others may have taken all that need not come after it, and given back
// only what it knows of.
bool Pools::MayWait(const Pool& pool, const Change& request, int64_t capacity) {
  int64_t left = capacity;
  for (const Change& other : pool) {
    if (&other == &request) continue;
    bool counts = other.amount <= 0 ? request.clock.Knows(other.mark)
                                    : !other.clock.Knows(request.mark);
    if (counts) left -= other.amount;
  }
  return left < request.amount;
}

// docs/certificate.md 3.6.
// Requests that wait at the same time are in no order. What none of those holds
// up is given back in the end, and that is enough for this one.
bool Pools::EndsWaiting(const Pool& pool, const Changes& waiting,
                        const Change& request, int64_t capacity) {
  Changes with;
  for (const Change* r : waiting) {
    bool ordered = r != &request && (r->clock.Knows(request.mark) ||
                                     request.clock.Knows(r->mark));
    if (!ordered) with.push_back(r);
  }
  int64_t free = capacity;
  for (const Change& c : pool) {
    bool held_up = c.amount <= 0 &&
                   std::any_of(with.begin(), with.end(), [&](const Change* r) {
                     return c.clock.Knows(r->mark);
                   });
    bool later = c.amount > 0 && &c != &request && c.clock.Knows(request.mark);
    if (!held_up && !later) free -= c.amount;
  }
  return free >= 0;
}

bool Pools::Holds(Pool pool, int64_t capacity) {
  const Pool all = pool;
  std::erase_if(pool,
                [&](const Change& r) { return Hopeless(all, r, capacity); });
  Changes waiting;
  for (const Change& r : pool) {
    if (r.amount > 0 && MayWait(pool, r, capacity)) waiting.push_back(&r);
  }
  return std::all_of(waiting.begin(), waiting.end(), [&](const Change* r) {
    return EndsWaiting(pool, waiting, *r, capacity);
  });
}

bool Pools::Hold() const {
  return std::all_of(pools_.begin(), pools_.end(), [](const auto& item) {
    return Holds(item.second,
                 item.first.first == Kind::kTmem ? ir::kTmemColumns : 0);
  });
}

}  // namespace tilesim::checkers::order

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

// docs/certificate.md 3.6: `tight` is B, the requests that might have to wait.
// They are granted in the end if all requests fit with what is given back
// without any of them.
bool Pools::Holds(Pool pool, int64_t capacity) {
  const Pool all = pool;
  std::erase_if(pool,
                [&](const Change& r) { return Hopeless(all, r, capacity); });
  std::vector<const Change*> tight;
  int64_t wanted = 0;
  for (const Change& r : pool) {
    if (r.amount <= 0) continue;
    wanted += r.amount;
    int64_t left = capacity;
    for (const Change& other : pool) {
      if (&other == &r) continue;
      bool release = other.amount <= 0;
      bool counts =
          release ? r.clock.Knows(other.mark) : !other.clock.Knows(r.mark);
      if (counts) left -= other.amount;
    }
    if (left < r.amount) tight.push_back(&r);
  }
  if (tight.empty()) return true;
  int64_t free = capacity;
  for (const Change& d : pool) {
    if (d.amount > 0) continue;
    bool after = std::any_of(tight.begin(), tight.end(), [&](const Change* r) {
      return d.clock.Knows(r->mark);
    });
    if (!after) free -= d.amount;
  }
  return wanted <= free;
}

bool Pools::Hold() const {
  return std::all_of(pools_.begin(), pools_.end(), [](const auto& item) {
    return Holds(item.second,
                 item.first.first == Kind::kTmem ? ir::kTmemColumns : 0);
  });
}

}  // namespace tilesim::checkers::order

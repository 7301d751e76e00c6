#include "checkers/sizes/induction/exchange.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "checkers/proof/condition.h"

namespace tilesim::checkers::sizes::induction {
using run::Event;
using run::Log;

namespace {

using ir::EffectKind;

// The CTA and warps of sync ops; of operations, each its own.
using Who = std::tuple<int32_t, uint16_t, uint16_t, uint32_t, int32_t>;

// The smallest box with all that is used.
struct Hull {
  std::array<int64_t, ir::kMaxRank> low{}, high{};
  int rank = -1;

  void Add(const ir::TileValue& t) {
    for (int d = 0; d < t.rank; ++d) {
      int64_t to = t.start[d] + t.extent[d];
      low[d] = rank < 0 ? t.start[d] : std::min(low[d], t.start[d]);
      high[d] = rank < 0 ? to : std::max(high[d], to);
    }
    rank = t.rank;
  }
  bool Apart(const Hull& o) const {
    for (int d = 0; d < rank; ++d) {
      if (high[d] <= o.low[d] || o.high[d] <= low[d]) return true;
    }
    return false;
  }
};

struct Uses {
  std::set<Who> writers, readers;
  Hull now, before;
  bool moved = false;

  bool exchanged() const {
    if (writers.empty() || readers.empty() || !moved) return false;
    bool several = writers.size() > 1 || writers != readers;
    return several && !now.Apart(before);
  }
};

Who WhoOf(const Event& e, int32_t event) {
  const ir::ThreadSet& t = e.threads();
  return {e.cta, t.first_warp, t.warps, t.lanes, e.issued.empty() ? -1 : event};
}

}  // namespace

std::optional<std::string> ExchangedOn(const Log& log, int32_t before,
                                       int32_t begin, int32_t end) {
  std::map<int32_t, Uses> all;
  for (int32_t i = begin; i < end; ++i) {
    const Event& e = log.events[i];
    const Event& last = log.events[before + i - begin];
    if (e.kind != Event::Kind::kOp) continue;
    for (const ir::Effect& f : e.effects()) {
      if (!f.Is(ir::kAccesses) || !e.concrete().is_tile(f.operand)) continue;
      const ir::TileValue& tile = e.concrete().tile(f.operand);
      if (tile.space != ir::Space::kGlobal || f.sem != ir::Sem::kWeak) continue;
      Uses& uses = all[tile.decl];
      (f.kind == EffectKind::kWrite ? uses.writers : uses.readers)
          .insert(WhoOf(e, i));
      const ir::TileValue& was = last.concrete().tile(f.operand);
      uses.moved |= !(tile == was);
      uses.now.Add(tile);
      uses.before.Add(was);
    }
  }
  for (const auto& [decl, uses] : all) {
    if (uses.exchanged() && proof::IsJudged(proof::Condition::kExchanges))
      return log.code->kernel().decls[decl].name;
  }
  return std::nullopt;
}

}  // namespace tilesim::checkers::sizes::induction

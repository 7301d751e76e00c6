#include "checkers/judge/fenced_words.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "ir/values/dtype.h"

namespace tilesim::checkers::judge {
using ir::Effect;
using ir::EffectKind;
using run::Event;

namespace {

bool OfTheGpu(const Effect& f) {
  return f.scope == ir::MemScope::kGpu || f.scope == ir::MemScope::kSys;
}

bool IsFence(const Event& e) {
  return std::any_of(e.effects().begin(), e.effects().end(),
                     [](const Effect& f) {
                       return f.kind == EffectKind::kFence &&
                              f.fence == ir::FenceKind::kMemory &&
                              f.sem == ir::Sem::kSc && OfTheGpu(f);
                     });
}

// Of one CTA.
struct Talker {
  ir::ThreadSet thread;
  // What it accessed since its last fence.
  std::optional<std::tuple<int32_t, int32_t, int64_t>> word;
};

class Words {
 public:
  // False: order is not kept.
  bool Add(const Event& e) {
    if (IsFence(e)) {
      auto at = talkers_.find(e.cta);
      if (at != talkers_.end() && Has(e, at->second.thread))
        at->second.word.reset();
    }
    return std::all_of(
        e.effects().begin(), e.effects().end(),
        [&](const Effect& f) { return !IsStrong(e, f) || Access(e, f); });
  }

 private:
  static bool IsStrong(const Event& e, const Effect& f) {
    return f.Is(ir::kAccesses) && f.sem != ir::Sem::kWeak &&
           e.concrete().is_tile(f.operand);
  }

  static bool Has(const Event& e, const ir::ThreadSet& thread) {
    const ir::ThreadSet& t = e.threads();
    return t.first_warp <= thread.first_warp &&
           thread.first_warp < t.first_warp + t.warps &&
           (t.lanes & thread.lanes) == thread.lanes;
  }

  bool Access(const Event& e, const Effect& f) {
    const ir::TileValue& tile = e.concrete().tile(f.operand);
    const int bits = values::BitsOf(tile.dtype);
    if (bits_ == 0) bits_ = bits;
    if (e.threads().threads() != 1 || bits != bits_ || !OfTheGpu(f))
      return false;
    auto [at, first] = talkers_.try_emplace(e.cta);
    Talker& talker = at->second;
    if (first) talker.thread = e.threads();
    if (!(talker.thread == e.threads())) return false;
    int64_t place = tile.index;
    for (int d = 0; d < tile.rank; ++d) place = (place << 20) + tile.start[d];
    const bool global = tile.space == ir::Space::kGlobal;
    const std::tuple word(global ? -1 : e.cta, int32_t{tile.decl}, place);
    const bool same = !talker.word || *talker.word == word;
    talker.word = word;
    return same;
  }

  std::map<int32_t, Talker> talkers_;  // by CTA
  int bits_ = 0;
};

}  // namespace

bool FencesKeepWordsInOrder(const run::Log& log) {
  Words words;
  return std::all_of(log.events.begin(), log.events.end(), [&](const Event& e) {
    return e.kind != Event::Kind::kOp || words.Add(e);
  });
}

}  // namespace tilesim::checkers::judge

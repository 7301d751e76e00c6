#include "checkers/program/global_uses.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "checkers/program/grid_order.h"
#include "checkers/report/names.h"

namespace tilesim::checkers::program {
using footprint::Footprints;
using footprint::Fragments;
using footprint::IntervalPile;
using order::Agents;
using order::Order;
using report::DeclOf;
using report::MnemonicOf;
using report::SpanOf;
using report::WhoOf;
using run::Event;
using run::Log;

bool TouchesGlobal(const Event& e, const ir::Effect& effect) {
  return effect.Is(ir::kAccesses) && e.concrete().is_tile(effect.operand) &&
         e.concrete().tile(effect.operand).space == ir::Space::kGlobal;
}

namespace {

// When CTAs trigger, and what they have published by then: the runtime's header
// says that a fence before the trigger makes memory visible to the dependents.
class Triggers {
 public:
  explicit Triggers(const Log& log)
      : first_(FirstOf(log, ir::EffectKind::kGridTrigger)),
        fence_(first_.size(), -1) {
    for (size_t i = 0; i < log.events.size(); ++i) {
      const Event& e = log.events[i];
      auto at = static_cast<int32_t>(i);
      if (e.kind == Event::Kind::kOp && at < first_[e.cta] && Fences(e))
        fence_[e.cta] = at;
    }
  }

  bool Exposes(const Event& e, int32_t at, bool write) const {
    return at > first_[e.cta] || (write && at > fence_[e.cta]);
  }

 private:
  static bool Fences(const Event& e) {
    return std::any_of(e.effects().begin(), e.effects().end(),
                       [](const ir::Effect& f) {
                         return f.kind == ir::EffectKind::kFence &&
                                f.fence == ir::FenceKind::kMemory;
                       });
  }

  std::vector<int32_t> first_;  // by CTA
  std::vector<int32_t> fence_;  // the last before it; -1: none
};

class UseCollector {
 public:
  UseCollector(const Log& log, std::optional<Order::Kind> order,
               const std::set<std::string>& tensors, Fragments& fragments)
      : log_(log),
        tensors_(tensors),
        agents_(log),
        waits_(log, agents_, order),
        triggers_(log),
        footprints_(*log.code, fragments) {}

  std::map<GlobalUse, UseSeen> Run() {
    for (size_t i = 0; i < log_.events.size(); ++i) {
      const Event& e = log_.events[i];
      waits_.Pass(e);
      if (e.kind == Event::Kind::kOp) Note(e, static_cast<int32_t>(i));
    }
    for (auto& [use, all] : bytes_) uses_[use].bytes = all.Take();
    return std::move(uses_);
  }

 private:
  void Note(const Event& e, int32_t at) {
    for (const ir::Effect& f : e.effects()) {
      if (!TouchesGlobal(e, f) ||
          tensors_.count(DeclOf(log_, e, f.operand)) == 0)
        continue;
      for (int w = 0; w < e.threads().warps; ++w) NoteWarp(e, at, f, w);
    }
  }

  void NoteWarp(const Event& e, int32_t at, const ir::Effect& f, int warp) {
    ir::ThreadSet one = e.threads();
    one.first_warp = static_cast<uint16_t>(one.first_warp + warp);
    one.warps = 1;
    bool write = f.kind == ir::EffectKind::kWrite;
    GlobalUse use{DeclOf(log_, e, f.operand),
                  e.op,
                  f.operand,
                  write,
                  waits_.Of(agents_.Of(e.cta, one)),
                  triggers_.Exposes(e, at, write)};
    auto [seen, fresh] = uses_.try_emplace(use);
    if (fresh) {
      seen->second.text = {ir::AtomicInGrid(e.effects(), f.operand),
                           WhoOf(log_, e), MnemonicOf(e), SpanOf(e)};
    }
    bytes_[use].Add(footprints_.Memory(e, f.operand, one).bytes);
  }

  const Log& log_;
  const std::set<std::string>& tensors_;
  Agents agents_;
  GridWaits waits_;
  Triggers triggers_;
  Footprints footprints_;
  std::map<GlobalUse, UseSeen> uses_;
  std::map<GlobalUse, IntervalPile> bytes_;
};

}  // namespace

std::map<GlobalUse, UseSeen> GlobalUsesOf(const Log& log,
                                          std::optional<Order::Kind> order,
                                          const std::set<std::string>& tensors,
                                          Fragments& fragments) {
  return UseCollector(log, order, tensors, fragments).Run();
}

}  // namespace tilesim::checkers::program

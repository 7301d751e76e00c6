#include "checkers/pairwise/wgmma_fence.h"

#include <algorithm>
#include <string>

#include "checkers/pairwise/fences.h"
#include "checkers/pairwise/registers.h"
#include "checkers/report/names.h"
#include "ir/cat.h"

namespace tilesim::checkers::pairwise {
using footprint::IntervalSet;
using footprint::Place;
using report::DeclOf;
using report::Finding;
using report::MnemonicOf;
using report::NthOf;
using report::RoleOf;
using report::SpanOf;
using report::TileOf;
using report::WhoOf;
using run::Event;
using run::Log;

namespace {

constexpr ir::Code kCodes[] = {"wgmma/fence"};

bool IsFence(const Event& e) {
  return std::any_of(e.effects().begin(), e.effects().end(),
                     [](const ir::Effect& f) {
                       return f.kind == ir::EffectKind::kFence &&
                              f.fence == ir::FenceKind::kWgmma;
                     });
}

}  // namespace

std::span<const ir::Code> WgmmaFence::codes() const { return kCodes; }

void WgmmaFence::OnOp(const Context& context, int32_t event) {
  const Event& e = context.log.events[event];
  if (multiplied_.empty()) Start(*context.log.code);
  if (!multiplies_) return;
  if (IsWgmma(e)) return Issued(context, event);
  if (!IsFence(e)) return Touched(context, event);
  for (int w = 0; w < e.threads().warps; ++w) {
    int32_t warp = e.threads().first_warp + w;
    fenced_.insert({e.cta, warp});
    std::erase_if(touched_, [&](const auto& item) {
      return item.first.owner == e.cta && item.first.warp == warp;
    });
  }
}

void WgmmaFence::Start(const machine::Code& code) {
  multiplied_.resize(code.bound.decls.size());
  for (const machine::CompiledOp& op : code.ops) {
    if (op.op->info->async != ir::AsyncUnit::kWgmma) continue;
    multiplies_ = true;
    for (const machine::CompiledOperand& c : op.operands) {
      if (c.kind == ir::OperandValue::Kind::kTile)
        multiplied_[c.fixed.tile.decl] = true;
    }
  }
}

void WgmmaFence::Touched(const Context& context, int32_t event) {
  const Event& e = context.log.events[event];
  ForRegisters(e, [&](const ir::Effect& effect, const Place& place, int w) {
    if (!multiplied_[e.concrete().tile(effect.operand).decl]) return;
    std::vector<Touch>& all = touched_[place];
    // The latest execution of an op speaks for those before.
    std::erase_if(all, [&](const Touch& t) {
      return context.log.events[t.event].op == e.op &&
             t.operand == effect.operand;
    });
    all.push_back({event, effect.operand,
                   context.footprints.Registers(e, effect.operand, w)});
  });
}

void WgmmaFence::Issued(const Context& context, int32_t event) {
  const Event& e = context.log.events[event];
  ForRegisters(e, [&](const ir::Effect& effect, const Place& place, int w) {
    IntervalSet mine = context.footprints.Registers(e, effect.operand, w);
    auto found = touched_.find(place);
    bool told = false;
    for (size_t i = 0; found != touched_.end() && i < found->second.size();
         ++i) {
      const Touch& t = found->second[i];
      if (!t.elements.Overlaps(mine)) continue;
      Report(context, event, effect.operand, &t);
      told = true;
    }
    if (!told && fenced_.count({e.cta, w}) == 0)
      Report(context, event, effect.operand, nullptr);
  });
}

void WgmmaFence::Report(const Context& context, int32_t event, int operand,
                        const Touch* touch) {
  const Log& log = context.log;
  const Event& issue = log.events[event];
  Finding* found = context.findings.AddAt(
      "wgmma/fence",
      ir::Cat(DeclOf(log, issue, operand), " ", RoleOf(log, issue)),
      {SpanOf(issue)});
  if (found == nullptr) return;
  ir::Diagnostic& d = found->diagnostic;
  std::string tile = TileOf(log, issue, operand);
  d.span = SpanOf(issue);
  d.span_text = ir::Cat(WhoOf(log, issue), NthOf(issue));
  d.help = "wgmma.fence before the first wgmma that uses them";
  FenceWanted wanted;
  wanted.later = event;
  wanted.kind = [](const Event& e, const ir::Effect&) { return IsFence(e); };
  if (touch == nullptr) {
    wanted.of_later = true;
    bool stands = NoteFence(context, wanted, d);
    d.message =
        ir::Cat("the first wgmma on ", tile,
                stands ? " has no wgmma.fence before it in one of its warps"
                       : " has no wgmma.fence");
    return;
  }
  wanted.earlier = touch->event;
  const Event& t = log.events[touch->event];
  d.labels.push_back(
      {SpanOf(t), ir::Cat(WhoOf(log, t), ": touched here", NthOf(t))});
  bool stands = NoteFence(context, wanted, d);
  d.message =
      ir::Cat(tile, " goes into a wgmma ",
              stands ? "and the wgmma.fence that stands there is not "
                       "between that and the "
                     : "without a wgmma.fence after ",
              MnemonicOf(t), stands ? " that touches it" : " touched it");
}

}  // namespace tilesim::checkers::pairwise

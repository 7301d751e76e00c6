#include "checkers/witness/trace.h"

#include "checkers/report/names.h"
#include "checkers/run/blocking.h"
#include "ir/cat.h"

namespace tilesim::checkers::witness {
using report::BarrierOf;
using report::MnemonicOf;
using report::RoleOf;
using report::SpanOf;
using report::Trace;
using report::TraceStep;
using report::WhoOf;
using run::BarrierUse;
using run::CanBlock;
using run::Event;
using run::Log;

namespace {

using ir::EffectKind;

std::string Ended(const BarrierUse& use) {
  return use.completes ? ir::Cat(", completes phase ", use.phase) : "";
}

std::string WaitText(const std::string& name, const BarrierUse& use,
                     bool stuck) {
  if (stuck) return ir::Cat("waits for phase ", use.phase, " of ", name);
  if (use.phase < 0) return ir::Cat(name, " is fresh: passes");
  return ir::Cat("sees phase ", use.phase, " of ", name);
}

std::string UseText(const Log& log, const BarrierUse& use, bool stuck) {
  std::string name = BarrierOf(log, use.barrier);
  switch (use.kind) {
    case EffectKind::kInit:
      return ir::Cat(name, " is live, ", use.value, " arrivals a phase");
    case EffectKind::kInval:
      return ir::Cat(name, " is no more");
    case EffectKind::kArrive:
    case EffectKind::kArriveDrop:
      return ir::Cat(name, " counts ", use.value, " in phase ", use.phase,
                     Ended(use));
    case EffectKind::kExpectTx:
      return ir::Cat(name, " expects ", use.value, " bytes in phase ",
                     use.phase, Ended(use));
    case EffectKind::kCompleteTx:
      return ir::Cat(name, " has ", use.value, " bytes more in phase ",
                     use.phase, Ended(use));
    case EffectKind::kPendingIncrement:
      return ir::Cat(name, " awaits ", use.value, " more in phase ", use.phase);
    case EffectKind::kWait:
    case EffectKind::kTest:
      return WaitText(name, use, stuck);
    default:
      return name;
  }
}

std::string WhatText(const Log& log, const Event& e) {
  std::string text(MnemonicOf(e));
  if (e.kind == Event::Kind::kRead) text += " has read its sources";
  if (e.kind == Event::Kind::kDone) text += " is done";
  if (e.kind == Event::Kind::kBlocked)
    text += CanBlock(e) ? " never passes" : " cannot be executed";
  if (e.for_ever) text += " is never over";
  std::string_view join = ": ";
  for (const BarrierUse& use : e.uses) {
    ir::Append(&text, join, UseText(log, use, e.kind == Event::Kind::kBlocked));
    join = ", ";
  }
  return text;
}

void AddWaits(const Log& log, const Event& e, TraceStep& s) {
  for (const BarrierUse& use : e.uses) {
    if (use.Is(ir::kAsks)) s.waits_for = BarrierOf(log, use.barrier);
  }
  for (const ir::Effect& f : e.effects()) {
    if (f.kind == EffectKind::kNamedSync)
      s.inside = ir::Cat("barrier ", f.value);
    if (f.kind == EffectKind::kClusterWait) s.waits_for = "cluster barrier";
    if (f.kind == EffectKind::kWaitGroup) s.waits_for = "group";
    if (f.kind == EffectKind::kRegisters) s.waits_for = "registers";
    if (f.kind == EffectKind::kTmemAlloc) s.waits_for = "tensor memory";
  }
}

std::string WarpsOf(const ir::ThreadSet& t) {
  if (t.warps == 1) return ir::Cat("warp ", t.first_warp);
  return ir::Cat("warps ", t.first_warp, " to ", t.first_warp + t.warps - 1);
}

}  // namespace

Trace TraceOf(const Log& log) {
  Trace out;
  for (const Event& e : log.events) {
    TraceStep& s = out.emplace_back();
    s.role = WhoOf(log, e);
    s.who = RoleOf(log, e) < 0
                ? s.role
                : ir::Cat(s.role, " (", WarpsOf(e.threads()), ")");
    s.cta = e.cta;
    s.warp = e.threads().first_warp;
    s.move = e.move;
    s.operation = e.operation;
    s.stuck = e.kind == Event::Kind::kBlocked || e.for_ever;
    s.round = e.generation;
    if (e.kind == Event::Kind::kRead) s.milestone = ir::Milestone::kRead;
    if (e.kind == Event::Kind::kDone) s.milestone = ir::Milestone::kDone;
    s.on_barrier = !e.uses.empty();
    s.op = std::string(MnemonicOf(e));
    s.span = SpanOf(e);
    s.text = WhatText(log, e);
    if (e.operation < 0) AddWaits(log, e, s);
    s.issued.assign(e.issued.begin(), e.issued.end());
  }
  return out;
}

}  // namespace tilesim::checkers::witness

#include "checkers/pairwise/uninitialised.h"

#include <algorithm>
#include <string>
#include <utility>

#include "checkers/pairwise/registers.h"
#include "checkers/proof/condition.h"
#include "checkers/report/names.h"
#include "checkers/run/places.h"
#include "ir/bounds.h"
#include "ir/cat.h"
#include "sim/machine/guide.h"

namespace tilesim::checkers::pairwise {
using footprint::IntervalSet;
using footprint::Place;
using order::Access;
using order::Accesses;
using order::AtomicTogether;
using order::Order;
using order::Ordered;
using order::TensorOrder;
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

constexpr ir::Code kCodes[] = {"uninit/shared", "uninit/tmem",
                               "uninit/register"};

// Of what there was before, nothing is left.
bool Allocates(const Event& e) {
  return std::any_of(e.effects().begin(), e.effects().end(),
                     [](const ir::Effect& f) {
                       return f.kind == ir::EffectKind::kTmemAlloc ||
                              f.kind == ir::EffectKind::kInit;
                     });
}

bool Judged(const Place& place) {
  return place.space == ir::Space::kShared || place.space == ir::Space::kTmem;
}

// An atomic access to shared memory, or one that may order others.
bool IsStrong(const Event& e, const ir::Effect& f) {
  return f.Is(ir::kAccesses) && f.sem != ir::Sem::kWeak &&
         e.concrete().is_tile(f.operand) &&
         e.concrete().tile(f.operand).space == ir::Space::kShared;
}

// Whether `later` could as well come before `earlier`.
bool InNoOrder(const Order& order, const Place& place, const Access& earlier,
               const Access& later) {
  if (place.space == ir::Space::kTmem)
    return OrderedInTensor(order, order, earlier, later) ==
           TensorOrder::kUnordered;
  return !Ordered(order, earlier, later);
}

}  // namespace

std::span<const ir::Code> Uninitialised::codes() const { return kCodes; }

void Uninitialised::OnReached(const Context& context, int32_t event) {
  if (!looked_for_strong_) FindStrong(context);
  const Event& e = context.log.events[event];
  if (strong_.empty() || e.kind != Event::Kind::kOp ||
      std::none_of(e.effects().begin(), e.effects().end(),
                   [&](const ir::Effect& f) { return IsStrong(e, f); }))
    return;
  reached_ = event;
  knew_.clear();
  for (int32_t agent : context.order.agents().Of(e))
    knew_.emplace(agent, context.order.clock(agent));
}

// Compiled code that loads and takes something else.
bool Uninitialised::InVain(const Context& context, const Access& access) {
  if (!loads_known_) {
    loads_known_ = true;
    loads_ =
        dynamic_cast<const machine::KnownLoads*>(context.log.code->guide.get());
  }
  const int32_t op = context.log.events[access.event].op;
  return loads_ != nullptr && op >= 0 &&
         loads_->IsInVain(context.log.code->ops[op]);
}

// What an event reads it reads before what it writes.
void Uninitialised::OnAccesses(const Context& context,
                               const Accesses& accesses) {
  for (const auto& [place, access] : accesses) {
    // Columns without an address: tmem/*.
    bool address = access.address_of >= 0;
    if (Judged(place) && !access.write && !address && !InVain(context, access))
      Reads(context, place, access);
  }
  for (const auto& [place, access] : accesses) {
    if (Judged(place) && access.write) Writes(context, place, access);
  }
}

// Few programs have any.
void Uninitialised::FindStrong(const Context& context) {
  looked_for_strong_ = true;
  run::OpInstanceSet seen;
  for (const Event& e : context.log.events) {
    if (e.kind != Event::Kind::kOp || !seen.Insert(*e.instance)) continue;
    for (const ir::Effect& f : e.effects()) {
      if (IsStrong(e, f))
        strong_.Add(context.footprints.Memory(e, f.operand, e.threads()).bytes);
    }
  }
}

// The first write is enough: what comes after another comes after it.
void Uninitialised::NoteWrite(const Context& context, const Place& place,
                              const Access& access) {
  if (place.space != ir::Space::kShared || !strong_.Overlaps(access.bytes))
    return;
  std::vector<Access>& first = first_writes_[place];
  const bool later =
      std::any_of(first.begin(), first.end(), [&](const Access& w) {
        return w.bytes.Covers(access.bytes) &&
               Ordered(context.order, w, access);
      });
  if (!later) first.push_back(access);
}

IntervalSet Uninitialised::NotSurelyWritten(const Context& context,
                                            const Place& place,
                                            const Access& access) const {
  IntervalSet rest = access.bytes;
  auto writes = first_writes_.find(place);
  if (writes == first_writes_.end()) return rest;
  const auto before = [&](const Access& w) {
    if (access.operation >= 0 || reached_ != access.event)
      return Ordered(context.order, w, access);
    return std::all_of(
        access.marks.begin(), access.marks.end(), [&](order::Mark m) {
          auto knew = knew_.find(m.agent);
          return knew != knew_.end() && Knows(context.order, knew->second, w);
        });
  };
  for (const Access& w : writes->second) {
    if (rest.Overlaps(w.bytes) && before(w)) rest.Subtract(w.bytes);
  }
  return rest;
}

void Uninitialised::Reads(const Context& context, const Place& place,
                          const Access& access) {
  if (access.atomic && place.space == ir::Space::kShared) {
    reads_.push_back({place, access});
    reads_.back().access.bytes = NotSurelyWritten(context, place, access);
    if (reads_.back().access.bytes.empty()) reads_.pop_back();
    return;
  }
  const IntervalSet& written = written_[place];
  if (written.Covers(access.bytes)) return;
  reads_.push_back({place, access});
  reads_.back().access.bytes.Subtract(written);
}

void Uninitialised::Writes(const Context& context, const Place& place,
                           const Access& access) {
  if (access.lifetime) {
    // What reads after a deallocation has no bytes at all: use-after-free.
    if (Allocates(context.log.events[access.event]))
      written_[place].Subtract(access.bytes);
    return;
  }
  // Of several elements one is written, and which is not known: of each it may
  // be another. docs/all_sizes.md 3.15.
  if (context.log.code->guide == nullptr &&
      run::IsAnyOf(context.log.events[access.event].concrete(),
                   access.operand) &&
      proof::IsJudged(proof::Condition::kAnyPlace))
    return;
  for (Read& read : reads_) {
    if (read.place == place && read.access.event != access.event &&
        read.access.bytes.Overlaps(access.bytes) &&
        InNoOrder(context.order, place, read.access, access) &&
        !AtomicTogether(context.log, read.access, access))
      read.access.bytes.Subtract(access.bytes);
  }
  written_[place].Add(access.bytes);
  NoteWrite(context, place, access);
}

// A tile that is declared in a loop is another one in each iteration.
bool Uninitialised::BeginsAnew(const Context& context, int32_t event,
                               int operand, const Place& place) {
  const Event& e = context.log.events[event];
  const int32_t decl = e.concrete().tile(operand).decl;
  const size_t depth = loops_->DepthOfDecl(decl);
  if (depth == 0) return false;
  const run::LoopIterations& iterations = context.log.iterations;
  const int64_t now = iterations.Of(event, depth - 1);
  auto [last, fresh] = iteration_of_.try_emplace(place, now);
  return !fresh && iterations.Now(std::exchange(last->second, now)) != now;
}

// Registers are a warp's own, so what comes before is what it did before.
void Uninitialised::OnOp(const Context& context, int32_t event) {
  // What compiled code has in registers it says as far as a wgmma has them too.
  if (context.log.code->guide != nullptr) return;
  const Event& e = context.log.events[event];
  if (!loops_) loops_.emplace(context.log.code->kernel());
  seen_.resize(context.log.ctas);
  // What was there before an op is there when it comes again; but for tiles
  // that begin anew.
  if (!seen_[e.cta].Insert(*e.instance) &&
      !context.log.iterations.of.contains(event))
    return;
  auto touched = [&](const ir::Effect& effect,
                     int32_t warp) -> const IntervalSet& {
    return context.footprints.Registers(e, effect.operand, warp);
  };
  ForRegisters(e, [&](const ir::Effect& effect, const Place& place, int) {
    if (BeginsAnew(context, event, effect.operand, place)) {
      written_[place] = IntervalSet();
      written_by_lane_[place] = IntervalSet();
    }
  });
  // Which lane is elected is not known: nor which has written then.
  const bool elected = e.threads().electors != 0;
  auto by_lane = [&](const ir::Effect& effect, int32_t warp) {
    return elected
               ? IntervalSet()
               : context.footprints.RegistersByLane(e, effect.operand, warp);
  };
  ForRegisters(e, [&](const ir::Effect& effect, const Place& place, int w) {
    if (effect.kind == ir::EffectKind::kRead &&
        !(written_[place].Covers(touched(effect, w)) &&
          written_by_lane_[place].Covers(by_lane(effect, w))))
      Report(context, "uninit/register", e, effect.operand,
             "write all of it first");
  });
  ForRegisters(e, [&](const ir::Effect& effect, const Place& place, int w) {
    if (effect.kind != ir::EffectKind::kWrite) return;
    written_[place].Add(touched(effect, w));
    written_by_lane_[place].Add(by_lane(effect, w));
  });
}

void Uninitialised::Report(const Context& context, ir::Code code,
                           const Event& e, int operand, std::string_view help) {
  const Log& log = context.log;
  // Where there is nothing to be written: bounds/*.
  if (ir::OutOfBoundsOf(log.code->bound, e.concrete(), operand)) return;
  Finding* found = context.findings.AddAt(
      code,
      ir::Cat(DeclOf(log, e, operand), " ", MnemonicOf(e), " ", RoleOf(log, e)),
      {SpanOf(e)});
  if (found == nullptr) return;
  ir::Diagnostic& d = found->diagnostic;
  d.message =
      ir::Cat(TileOf(log, e, operand), " is read where nothing has written it");
  d.span = SpanOf(e);
  d.span_text = ir::Cat(WhoOf(log, e), ": ", MnemonicOf(e), NthOf(e));
  d.help = help;
}

void Uninitialised::OnEnd(const Context& context) {
  for (const auto& [place, access] : reads_) {
    if (access.bytes.empty()) continue;
    bool shared = place.space == ir::Space::kShared;
    Report(
        context, shared ? ir::Code("uninit/shared") : "uninit/tmem",
        context.log.events[access.event], access.operand,
        !shared ? "the first product of an accumulator has accumulate = 0"
        : access.atomic
            ? "zero it before a barrier (bar.sync) that comes before this; the "
              "write that sets it is no initialisation"
            : "write or load all of it first");
  }
}

}  // namespace tilesim::checkers::pairwise

#include "checkers/pairwise/one_instruction.h"

#include <algorithm>
#include <bit>
#include <map>
#include <vector>

#include "checkers/report/names.h"
#include "ir/cat.h"
#include "sim/machine/byte_sets.h"
#include "sim/machine/chosen.h"
#include "sim/machine/data/threads.h"
#include "sim/machine/guide.h"

namespace tilesim::checkers::pairwise {
using machine::ByteSets;
using report::Finding;
using report::MnemonicOf;
using report::NthOf;
using report::SpanOf;
using report::TileOf;
using report::WhoOf;
using run::Event;

namespace {

constexpr ir::Code kCodes[] = {"race/waw", "race/war"};

// Whether two threads of a set have a byte in common; `by_warp`: or two warps,
// or two rows of one.
bool Meet(const ByteSets::Parts& parts, bool by_warp) {
  std::vector<ByteSets::Run> all;
  for (const ByteSets::Part& p : parts) {
    const bool of_one = by_warp || std::has_single_bit(p.lanes);
    if (p.warps > 1 || !of_one) return !p.runs.empty();
    all.insert(all.end(), p.runs.begin(), p.runs.end());
  }
  std::sort(all.begin(), all.end());
  return std::adjacent_find(all.begin(), all.end(),
                            [](const auto& a, const auto& b) {
                              return b.begin < a.end;
                            }) != all.end();
}

using Chosen = machine::Chosen;

// Each warp as one.
ByteSets::Parts ByWarp(const ByteSets::Parts& parts) {
  std::map<int32_t, ByteSets::Part> warps;
  for (const ByteSets::Part& p : parts) {
    for (int32_t w = p.first_warp; w < p.first_warp + p.warps; ++w) {
      ByteSets::Part& of = warps[w];
      of.first_warp = w;
      of.warps = 1;
      of.lanes |= p.lanes;
      of.runs.insert(of.runs.end(), p.runs.begin(), p.runs.end());
    }
  }
  ByteSets::Parts out;
  for (auto& [warp, part] : warps) {
    std::sort(part.runs.begin(), part.runs.end());
    ByteSets::Part& of = out.emplace_back(part);
    of.runs.clear();
    for (const ByteSets::Run& r : part.runs) {
      if (!of.runs.empty() && r.begin <= of.runs.back().end)
        of.runs.back().end = std::max(of.runs.back().end, r.end);
      else
        of.runs.push_back(r);
    }
  }
  return out;
}

// Whether there are data for which two of the threads that meet execute it.
bool MayBoth(const run::Log& log, const Event& e,
             const ByteSets::Parts& parts) {
  const auto* chosen = dynamic_cast<const Chosen*>(log.code->guide.get());
  if (chosen == nullptr) return true;
  const machine::CompiledOp& op = log.code->ops[e.op];
  const bool warps = Meet(ByWarp(parts), true);
  const auto apart = warps ? Chosen::Apart::kWarps : Chosen::Apart::kLanes;
  return chosen->Together(op, op, apart) == Chosen::Both::kMay;
}

// A warp stores as one: rows of matrices to shared memory, lanes of tensor
// memory.
bool StoresByWarp(const Event& e) {
  return e.concrete().info().kind == ir::OpKind::kStmatrix ||
         e.concrete().info().kind == ir::OpKind::kTcgen05St;
}

// An access of threads, or warps, each for itself.
bool IsOfEach(const Event& e) {
  const ir::OpInfo& info = e.concrete().info();
  return StoresByWarp(e) || (info.scope != ir::ExecScope::kWarp &&
                             (info.async == ir::AsyncUnit::kNone ||
                              info.async == ir::AsyncUnit::kCpAsync));
}

// They store in no order: no copy, no atomic operation.
bool StoresByThread(const Event& e, const ir::Effect& f) {
  return f.kind == ir::EffectKind::kWrite && f.sem == ir::Sem::kWeak &&
         IsOfEach(e) && e.concrete().is_tile(f.operand) &&
         e.threads().threads() > 1 &&
         e.concrete().tile(f.operand).space != ir::Space::kReg;
}

// Of .tile text: to memory, which any of its warps can write.
bool StoresTile(const Event& e, const ir::Effect& f) {
  if (f.kind != ir::EffectKind::kWrite || f.sem != ir::Sem::kWeak ||
      !e.concrete().is_tile(f.operand))
    return false;
  const ir::AsyncUnit unit = e.concrete().info().async;
  const bool of_each =
      unit == ir::AsyncUnit::kNone || unit == ir::AsyncUnit::kStAsync;
  return (of_each || StoresByWarp(e)) &&
         e.concrete().tile(f.operand).space != ir::Space::kReg;
}

// Several warps, or warpgroups, have a register tile of their own each, and
// store all of it to the one box: that operand; -1: there is none.
int HeldSeveralTimes(const run::Log& log, const Event& e) {
  const ir::ConcreteOp& op = e.concrete();
  for (int i = 0; i < static_cast<int>(op.info().operands.size()); ++i) {
    if (!op.is_tile(i) || op.tile(i).space != ir::Space::kReg) continue;
    const ir::BoundDecl& d = log.code->bound.decls[op.tile(i).decl];
    if (machine::UnitsOf(d.fragment, log.code->ops[e.op], e.threads()).size() >
        1)
      return i;
  }
  return -1;
}

}  // namespace

std::span<const ir::Code> OneInstruction::codes() const { return kCodes; }

void OneInstruction::OnOp(const Context& context, int32_t event) {
  const run::Log& log = context.log;
  const Event& e = log.events[event];
  if (!seen_.Insert(*e.instance)) return;
  for (const ir::Effect& f : e.effects()) {
    if (log.code->byte_sets == nullptr) {
      const int held = StoresTile(e, f) ? HeldSeveralTimes(log, e) : -1;
      if (held >= 0) TellHeld(context, e, f.operand, held);
      continue;
    }
    if (!StoresByThread(e, f)) continue;
    const int32_t set = machine::SetOf(e.concrete().tile(f.operand));
    if (set < 0 || !Meet((*log.code->byte_sets)[set], StoresByWarp(e)) ||
        !MayBoth(log, e, (*log.code->byte_sets)[set]))
      continue;
    Tell(context, e, f.operand);
  }
}

void OneInstruction::Tell(const Context& context, const Event& e, int operand) {
  const run::Log& log = context.log;
  const machine::Guide* guide = log.code->guide.get();
  const bool differs =
      guide != nullptr && guide->StoredWhereThreadsMeet(log.code->ops[e.op]) ==
                              machine::Guide::Meeting::kDiffers;
  Finding* found = context.findings.Add(
      "race/waw", ir::Cat("one instruction ", e.op, differs ? " differs" : ""));
  if (found == nullptr) return;
  ir::Diagnostic& d = found->diagnostic;
  d.message = ir::Cat("threads write ", differs ? "different numbers to " : "",
                      "the same bytes of ", TileOf(log, e, operand), " in one ",
                      MnemonicOf(e));
  d.span = SpanOf(e);
  d.span_text = ir::Cat(WhoOf(log, e), ": written here", NthOf(e));
  d.help = differs ? "let one thread write them, or give each its own: which "
                     "number is left is not said"
                   : "let one thread write them, or give each its own; it is "
                     "harmless only if all write the same";
}

void OneInstruction::TellHeld(const Context& context, const Event& e,
                              int operand, int held) {
  const run::Log& log = context.log;
  Finding* found =
      context.findings.Add("race/waw", ir::Cat("one instruction ", e.op));
  if (found == nullptr) return;
  const ir::BoundDecl& d = log.code->bound.decls[e.concrete().tile(held).decl];
  const machine::Units units =
      machine::UnitsOf(d.fragment, log.code->ops[e.op], e.threads());
  found->of_each = true;
  ir::Diagnostic& told = found->diagnostic;
  told.message =
      ir::Cat("each of ", units.size(),
              units[0].threads == ir::kWarpThreads ? " warps" : " warpgroups",
              " stores its own ", TileOf(log, e, held),
              " to the same bytes of ", TileOf(log, e, operand));
  told.span = SpanOf(e);
  told.span_text = ir::Cat(WhoOf(log, e), ": written here", NthOf(e));
  told.help = "give each a place of its own, or let one of them store";
}

void OneInstruction::OnAccesses(const Context& context,
                                const order::Accesses& accesses) {
  for (const auto& [place, write] : accesses) {
    if (!write.write || write.atomic || write.lifetime) continue;
    for (const auto& [other, read] : accesses) {
      const bool over = other == place && !read.write && !read.lifetime &&
                        read.address_of < 0 && read.operand != write.operand &&
                        read.operation == write.operation &&
                        read.bytes.Overlaps(write.bytes);
      if (over) Over(context, write, read);
    }
  }
}

void OneInstruction::Over(const Context& context, const order::Access& write,
                          const order::Access& read) {
  const run::Log& log = context.log;
  const Event& e = log.events[write.event];
  Finding* found =
      context.findings.Add("race/war", ir::Cat("own operand ", e.op));
  if (found == nullptr) return;
  ir::Diagnostic& d = found->diagnostic;
  d.message = ir::Cat(TileOf(log, e, write.operand), ", which ", MnemonicOf(e),
                      " writes, lies over ", TileOf(log, e, read.operand),
                      ", which it reads");
  d.span = SpanOf(e);
  d.span_text = ir::Cat(WhoOf(log, e), ": reads and writes here", NthOf(e));
  d.help = "give the two places of their own";
}

}  // namespace tilesim::checkers::pairwise

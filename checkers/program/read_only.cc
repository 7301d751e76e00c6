#include "checkers/program/read_only.h"

#include <algorithm>

#include "checkers/footprint/footprint.h"
#include "checkers/program/global_uses.h"
#include "checkers/report/names.h"
#include "ir/cat.h"
#include "sim/machine/guide.h"

namespace tilesim::checkers::program {
using report::Finding;
using report::MnemonicOf;
using report::SpanOf;
using report::WhoOf;
using run::Event;
using run::Log;

namespace {

bool TakesForReadOnly(const machine::Code& code, int32_t op) {
  return code.guide != nullptr && code.guide->TakesForReadOnly(code.ops[op]);
}

}  // namespace

std::span<const ir::Code> ReadOnly::codes() const {
  static constexpr ir::Code kCodes[] = {"race/raw"};
  return kCodes;
}

void ReadOnly::OnCluster(const ClusterRun& run, Conclusions) {
  const auto ops = static_cast<int32_t>(run.code.ops.size());
  bool any = false;
  for (int32_t op = 0; op < ops; ++op) any |= TakesForReadOnly(run.code, op);
  if (!any) return;
  Touched& touched = launches_[{run.of.kernel, run.of.sizes, run.of.sm_count}];
  for (const JudgedRun& judged : run.runs) Add(*judged.log, run.of, touched);
}

void ReadOnly::Add(const Log& log, const KernelRun& of,
                   Touched& touched) const {
  footprint::Footprints footprints(*log.code, fragments_);
  for (const Event& e : log.events) {
    if (e.kind != Event::Kind::kOp) continue;
    for (const ir::Effect& effect : e.effects()) {
      const bool writes = effect.kind == ir::EffectKind::kWrite;
      if (!TouchesGlobal(e, effect) ||
          (!writes && !TakesForReadOnly(*log.code, e.op)))
        continue;
      auto [at, fresh] =
          (writes ? touched.writes : touched.reads)
              .try_emplace({report::DeclOf(log, e, effect.operand), e.op});
      if (fresh) at->second = {of, WhoOf(log, e), MnemonicOf(e), SpanOf(e), {}};
      at->second.bytes.Add(
          footprints.Memory(e, effect.operand, e.threads()).bytes);
    }
  }
}

void ReadOnly::OnProgramEnd(Conclusions out) {
  for (const auto& [launch, touched] : launches_) {
    for (const auto& [read_key, read] : touched.reads) {
      for (const auto& [write_key, write] : touched.writes) {
        if (read_key.first == write_key.first &&
            read.bytes.Overlaps(write.bytes))
          Judge(read_key.first, read, write, out);
      }
    }
  }
}

void ReadOnly::Judge(const std::string& tensor, const Use& read,
                     const Use& write, Conclusions out) {
  Finding* found = out.findings.Add(
      "race/raw", ir::Cat("read-only ", tensor, " ", read.span.line, " ",
                          read.span.column));
  if (found == nullptr) return;
  ir::Diagnostic& d = found->diagnostic;
  d.message = ir::Cat("`", tensor, "` is read by ", read.mnemonic,
                      ".nc, and the kernel writes the same bytes: nothing "
                      "orders the two");
  d.span = read.span;
  d.span_text = ir::Cat(read.who, ": read as if nothing wrote it");
  d.labels.push_back(
      {write.span, ir::Cat(write.who, ": ", write.mnemonic, " writes it")});
  d.help =
      "load it without .nc: take `__restrict__`, `__ldg` or `const` from "
      "what the kernel writes";
  found->every_schedule = true;
  found->seen = {"", read.of.sizes, read.of.sm_count,
                 report::Provenance::kBetweenClusters};
}

}  // namespace tilesim::checkers::program

#include "checkers/checks/across_clusters.h"

#include <algorithm>
#include <utility>

#include "checkers/checks/global_uses.h"
#include "checkers/checks/names.h"
#include "ir/cat.h"

namespace tilesim::checkers {
namespace {

bool Share(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

}  // namespace

std::map<AcrossClusters::Key, AcrossClusters::Use> AcrossClusters::UsesOf(
    const Log& log, const std::vector<int64_t>& work) {
  std::map<Key, Use> uses;
  std::map<Key, std::vector<Interval>> bytes;
  Footprints footprints(*log.code, fragments_);
  for (const Event& e : log.events) {
    if (e.kind != Event::Kind::kOp) continue;
    for (const ir::Effect& f : e.effects()) {
      if (!TouchesGlobal(e, f)) continue;
      bool write = f.kind == ir::EffectKind::kWrite;
      Key key{e.concrete().tile(f.operand).decl, e.op, f.operand, write};
      auto [use, fresh] = uses.try_emplace(key);
      if (fresh) {
        use->second = {work,
                       write,
                       IsAtomic(e, f.operand),
                       TileOf(log, e, f.operand),
                       WhoOf(log, e),
                       MnemonicOf(e),
                       SpanOf(e),
                       {}};
      }
      IntervalSet touched = footprints.Memory(e, f.operand, e.threads());
      auto& all = bytes[key];
      all.insert(all.end(), touched.intervals().begin(),
                 touched.intervals().end());
    }
  }
  for (auto& [key, all] : bytes) uses[key].bytes = IntervalSet(std::move(all));
  return uses;
}

void AcrossClusters::Add(const Log& log, const std::vector<int64_t>& work,
                         Findings& findings) {
  for (auto& [key, use] : UsesOf(log, work)) {
    std::vector<Use>& others = seen_[std::get<0>(key)];
    for (const Use& other : others) {
      bool harmless = Share(other.work, work) || (!use.write && !other.write) ||
                      (use.atomic && other.atomic);
      if (!harmless && other.bytes.Overlaps(use.bytes))
        Report(other, use, findings);
    }
    others.push_back(std::move(use));
  }
}

void AcrossClusters::Report(const Use& a, const Use& b, Findings& findings) {
  std::string_view code = a.write && b.write ? "race/waw"
                          : a.write          ? "race/raw"
                                             : "race/war";
  Found* found = findings.Add(
      code, ir::Cat("clusters ", a.name, " ", a.span.line, " ", b.span.line));
  if (found == nullptr) return;
  ir::Diagnostic& d = found->diagnostic;
  d.message =
      ir::Cat("clusters ", a.work[0], " and ", b.work[0],
              " touch the same bytes of ", a.name, " and nothing orders them");
  d.span = b.span;
  d.span_text = ir::Cat(b.who, " of cluster ", b.work[0], ": ", b.mnemonic);
  d.labels.push_back(
      {a.span, ir::Cat(a.who, " of cluster ", a.work[0], ": ", a.mnemonic)});
  d.help = "let each cluster write bytes of its own, or use atomics";
}

}  // namespace tilesim::checkers

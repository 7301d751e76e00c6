#include "checkers/program/across_kernels.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "checkers/program/shared_control.h"
#include "ir/cat.h"

namespace tilesim::checkers::program {
using footprint::Fragments;
using order::Order;
using report::Finding;
using report::Findings;
using report::Provenance;

namespace {

// Bytes of the largest word that one access reads.
constexpr int64_t kWord = 8;

std::set<std::string> SharedOf(const ir::Program& program) {
  std::set<std::string> seen, shared;
  for (const ir::Kernel& k : program.kernels) {
    for (const ir::Decl& d : k.decls) {
      if (!seen.insert(d.name).second) shared.insert(d.name);
    }
  }
  return shared;
}

}  // namespace

// Two runs that there can be of the same sizes and inputs.
bool AcrossKernels::Agree(const KernelRun& a, const machine::Inputs& of_a,
                          const KernelRun& b,
                          const machine::Inputs& of_b) const {
  return tried_.Agree(a.kernel, of_a, b.kernel, of_b) &&
         std::all_of(a.sizes.begin(), a.sizes.end(), [&](const auto& size) {
           auto other = b.sizes.find(size.first);
           return other == b.sizes.end() || other->second == size.second;
         });
}

AcrossKernels::AcrossKernels(const ir::Program& program, Fragments& fragments)
    : program_(program),
      fragments_(fragments),
      order_(program),
      shared_(SharedOf(program)),
      kernels_(program.kernels.size()) {}

std::span<const ir::Code> AcrossKernels::codes() const {
  static constexpr ir::Code kCodes[] = {"race/raw", "race/war", "race/waw"};
  return kCodes;
}

void AcrossKernels::OnCluster(const ClusterRun& run, Conclusions) {
  Kernel& kernel = kernels_[run.of.kernel];
  kernel.listeners.merge(ListenersOf(program_, run.code));
  if (!order_.MayOverlap()) return;
  for (const JudgedRun& judged : run.runs) Add(run, judged);
}

void AcrossKernels::Add(const ClusterRun& cluster, const JudgedRun& judged) {
  const KernelRun& run = cluster.of;
  Kernel& kernel = kernels_[run.kernel];
  const std::optional<Order::Kind>& order = judged.order;
  kernel.every_schedule &= order == Order::Kind::kNoFlags;
  order_.Add(run.kernel, *judged.log);
  for (auto& [use, seen] :
       GlobalUsesOf(*judged.log, order, shared_, fragments_)) {
    auto [uses, fresh] = kernel.uses.try_emplace(use);
    if (fresh) uses->second.text = seen.text;
    uses->second.bytes.emplace_back(runs_.size(), std::move(seen.bytes));
  }
  runs_.push_back(run);
  tried_.Add(run.kernel, cluster.inputs);
  of_runs_.push_back(
      &inputs_.try_emplace(cluster.grid_inputs, cluster.inputs).first->second);
}

std::vector<KernelRun> AcrossKernels::Wanted() const {
  std::vector<KernelRun> out;
  ForConflicts([&](const Side& a, const Side& b) {
    if (!MayMeet(a, b) || Meet(a, b) != nullptr) return;
    Want(a.kernel, b.uses, out);
    Want(b.kernel, a.uses, out);
  });
  return out;
}

// `kernel` where the other kernel was first seen with these uses.
void AcrossKernels::Want(size_t kernel, const Uses& other,
                         std::vector<KernelRun>& out) const {
  const size_t first = other.bytes.front().first;
  KernelRun run = runs_[first];
  for (size_t i = 0; i < runs_.size(); ++i) {
    if (runs_[i].kernel == kernel &&
        Agree(runs_[i], *of_runs_[i], runs_[first], *of_runs_[first]))
      return;
  }
  run.kernel = kernel;
  const bool known =
      std::any_of(out.begin(), out.end(), [&](const KernelRun& r) {
        return r.kernel == kernel && r.sizes == run.sizes;
      });
  if (!known) out.push_back(std::move(run));
}

void AcrossKernels::OnProgramEnd(Conclusions out) {
  // A tensor and who touches it too early: reported once, whichever way.
  std::map<std::tuple<size_t, size_t, std::string, int32_t>, Finding*> known;
  ForConflicts([&](const Side& a, const Side& b) {
    if (Ordered(a, b, true)) return;
    const KernelRun* seen = Meet(a, b);
    if (seen == nullptr) return out.open.Add(NotShown(a, b));
    auto [at, fresh] = known.try_emplace(
        {a.kernel, b.kernel, b.use.tensor, b.use.op}, nullptr);
    if (fresh)
      at->second = Report(a, b, *seen, out.findings);
    else
      ++at->second->diagnostic.times;
  });
}

Finding* AcrossKernels::Report(const Side& a, const Side& b,
                               const KernelRun& seen,
                               Findings& findings) const {
  ir::Diagnostic d = Describe(a, b);
  Finding* f = findings.Add(d.code, ir::Cat("kernels ", a.kernel, " ", b.kernel,
                                            " ", b.use.tensor, " ", b.use.op));
  f->diagnostic = std::move(d);
  f->every_schedule =
      kernels_[a.kernel].every_schedule && kernels_[b.kernel].every_schedule;
  f->seen = {program_.kernels[seen.kernel].name, seen.sizes, seen.sm_count,
             Provenance::kBetweenClusters};
  return f;
}

void AcrossKernels::ForConflicts(const Sink& sink) const {
  for (size_t j = 1; j < kernels_.size(); ++j) {
    for (size_t i = 0; i < j; ++i) {
      if (order_.OverAtStart(i, j)) continue;
      for (const auto& [b, of_b] : kernels_[j].uses) {
        for (const auto& [a, of_a] : kernels_[i].uses) {
          if (a.tensor == b.tensor && (a.write || b.write) &&
              !AreAtomic(of_a.text.atomic, of_b.text.atomic))
            sink({i, a, of_a}, {j, b, of_b});
        }
      }
    }
  }
}

bool AcrossKernels::Ordered(const Side& a, const Side& b, bool surely) const {
  bool waited = b.use.waited == Waited::kYes ||
                (!surely && b.use.waited == Waited::kPerhaps);
  return waited && order_.OverAfterWait(a.kernel, b.kernel, surely);
}

// Nothing can order them.
bool AcrossKernels::MayMeet(const Side& a, const Side& b) const {
  return a.use.exposed && !Ordered(a, b, false) &&
         order_.NoneHoldsBack(a.kernel, b.kernel) && !MayBeTold(a) &&
         !MayBeTold(b);
}

// Whether words of other kernels may say that this use is not too early. Nobody
// is told that before the first read of the only such word.
bool AcrossKernels::MayBeTold(const Side& side) const {
  const std::set<int32_t>& listeners = kernels_[side.kernel].listeners;
  if (listeners.empty()) return false;
  bool first = !side.use.write && listeners.size() == 1 &&
               listeners.count(side.use.op) != 0;
  return !first || std::any_of(side.uses.bytes.begin(), side.uses.bytes.end(),
                               [](const auto& of) {
                                 const footprint::Interval& hull =
                                     of.second.hull();
                                 return hull.end - hull.begin > kWord;
                               });
}

// Where both touch the same bytes; null: nowhere that was run.
const KernelRun* AcrossKernels::Meet(const Side& a, const Side& b) const {
  if (!MayMeet(a, b)) return nullptr;
  for (const auto& [run_b, bytes_b] : b.uses.bytes) {
    for (const auto& [run_a, bytes_a] : a.uses.bytes) {
      if (Agree(runs_[run_a], *of_runs_[run_a], runs_[run_b],
                *of_runs_[run_b]) &&
          bytes_a.Overlaps(bytes_b))
        return &runs_[run_b];
    }
  }
  return nullptr;
}

std::string AcrossKernels::NotShown(const Side& a, const Side& b) const {
  return ir::Cat("neither an order nor a race was shown of kernels ",
                 NameOf(a.kernel), " and ", NameOf(b.kernel), ", which touch `",
                 b.use.tensor, "`");
}

ir::Diagnostic AcrossKernels::Describe(const Side& a, const Side& b) const {
  ir::Diagnostic d;
  d.code = a.use.write && b.use.write ? ir::Code("race/waw")
           : a.use.write              ? ir::Code("race/raw")
                                      : "race/war";
  d.message =
      ir::Cat("kernel ", NameOf(b.kernel), b.use.write ? " writes" : " reads",
              " `", b.use.tensor, "` while kernel ", NameOf(a.kernel),
              " may still ", a.use.write ? "write" : "read", " it");
  d.span = b.uses.text.span;
  d.span_text = ir::Cat(b.uses.text.who, " of ", NameOf(b.kernel), ": ",
                        b.uses.text.mnemonic);
  d.labels.push_back(
      {a.uses.text.span, ir::Cat(a.uses.text.who, " of ", NameOf(a.kernel),
                                 ": ", a.uses.text.mnemonic)});
  d.help = Help(a, b);
  return d;
}

std::string AcrossKernels::Help(const Side& a, const Side& b) const {
  if (order_.OverAfterWait(a.kernel, b.kernel, true))
    return "griddepcontrol.wait before it, in the same thread or in one that "
           "this thread comes after through a barrier";
  std::string before = program_.kernels[b.kernel - 1].name;
  return ir::Cat("griddepcontrol.wait of ", NameOf(b.kernel), " waits for `",
                 before, "` alone: let `", before, "` have one, too");
}

std::string AcrossKernels::NameOf(size_t kernel) const {
  return ir::Cat("`", program_.kernels[kernel].name, "`");
}

}  // namespace tilesim::checkers::program

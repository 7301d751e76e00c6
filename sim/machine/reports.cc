// Findings, and names for reports.
#include <algorithm>
#include <utility>

#include "ir/cat.h"
#include "sim/machine/machine.h"

namespace tilesim::machine {
std::string Machine::BarrierName(const Cta& cta, int32_t index) const {
  const ir::BoundKernel& b = code_of(cta).bound;
  for (size_t i = 0; i < b.decls.size(); ++i) {
    const ir::BoundDecl& d = b.decls[i];
    if (d.space != ir::Space::kMbarrier) continue;
    int64_t at = index - d.place;
    if (at < 0 || at >= d.objects) continue;
    const std::string& name = b.kernel->decls[i].name;
    if (d.array_rank == 0) return name;
    std::string subs;
    for (int k = d.array_rank - 1; k >= 0; --k) {
      subs = ir::Cat("[", at % d.array[k], "]", subs);
      at /= d.array[k];
    }
    return name + subs;
  }
  return ir::Cat("mbarrier ", index);
}

std::string Machine::CtaName(const Cta& cta) {
  return ir::Cat("CTA (", cta.id[0], ", ", cta.id[1], ", ", cta.id[2], ")");
}

std::string Machine::RoleName(const State& state, const Strand& strand) const {
  const auto& roles = code_of(state.ctas[strand.cta]).kernel().roles;
  if (strand.role >= 0) return roles[strand.role];
  int first = strand.threads.first_warp;
  int last = first + strand.threads.warps - 1;
  return first == last ? ir::Cat("warp ", first)
                       : ir::Cat("warps ", first, " to ", last);
}

void Machine::Report(const State& state, int32_t cta, const CompiledOp* op,
                     ir::Code code, std::string message, std::string help,
                     bool warning) {
  const Cta& c = state.ctas[cta];
  std::pair<int32_t, int32_t> at(
      c.kernel,
      op == nullptr ? -1 : static_cast<int32_t>(op - code_of(c).ops.data()));
  for (size_t i = 0; i < findings_.size(); ++i) {
    if (findings_[i].code == code && found_at_[i] == at &&
        (findings_[i].severity == ir::Severity::kWarning) == warning) {
      ++findings_[i].times;
      return;
    }
  }
  found_at_.push_back(at);
  ir::Diagnostic& d = findings_.emplace_back();
  d.code = code;
  d.severity = warning ? ir::Severity::kWarning : code.severity();
  d.message = ir::Cat(message, " (", CtaName(c), ")");
  if (op != nullptr) d.span = op->op->span;
  d.help = std::move(help);
}

void Machine::ReportAt(const State& state, int32_t cta, ir::Span span,
                       ir::Code code, std::string message, std::string help) {
  const size_t known = findings_.size();
  Report(state, cta, nullptr, code, std::move(message), std::move(help));
  if (findings_.size() > known) findings_.back().span = span;
}

void Machine::ReportLoop(const State& state, int32_t strand, ir::Span loop,
                         StepResult& result) {
  const Strand& s = state.strands[strand];
  ReportAt(
      state, s.cta, loop, "deadlock/loop",
      ir::Cat("role `", RoleName(state, s), "` loops without executing an op"),
      "");
  result.kind = StepResult::Kind::kFault;
}

namespace {

void AddOnce(std::string text, std::vector<std::string>& out) {
  if (std::find(out.begin(), out.end(), text) == out.end())
    out.push_back(std::move(text));
}

}  // namespace

void Machine::AddLimit(std::string limit) {
  AddOnce(std::move(limit), limits_);
}

void Machine::AddWays(std::string ways) { AddOnce(std::move(ways), ways_); }

void Machine::AddNotFollowed(std::string why) {
  AddOnce(std::move(why), not_followed_);
}

void Machine::ForgetFindings() {
  findings_.clear();
  found_at_.clear();
}

}  // namespace tilesim::machine

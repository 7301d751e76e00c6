#include "checkers/cause/by_kind.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "checkers/cause/rewrites.h"

namespace tilesim::checkers::cause {
using report::Finding;
using report::Findings;

namespace {

bool IsLeft(const Finding& f) {
  return f.because.empty() && f.diagnostic.severity == ir::Severity::kError;
}

// The mbarriers at which the op there completes; -1: at none.
int32_t BarrierAt(const machine::Code& code, const ir::Span& place) {
  for (const machine::CompiledOp& op : code.ops) {
    if (!SamePlace(op.op->span, place)) continue;
    const auto& specs = op.op->info->operands;
    for (size_t i = 0; i < specs.size(); ++i) {
      const ir::Operand& o = op.op->operands[i];
      if ((specs[i].types & ir::kTakesBarrier) != 0 &&
          o.kind == ir::Operand::Kind::kRef)
        return o.ref.decl;
    }
  }
  return -1;
}

// Who waits for a phase waits for all that complete in it.
void TellUnwaited(const machine::Code& code, Findings& findings) {
  std::map<int32_t, const Finding*> first;  // by mbarriers
  for (Finding& f : findings.all()) {
    if (!IsLeft(f) || f.diagnostic.code != "exit/in-flight") continue;
    const int32_t barrier = BarrierAt(code, f.diagnostic.span);
    if (barrier < 0) continue;
    const auto [cause, fresh] = first.try_emplace(barrier, &f);
    if (!fresh) f.because = cause->second->key;
  }
}

// "warps 0 to 7" of "warps 0 to 7: tcgen05.ld".
std::string_view WhoOf(const std::string& text) {
  return std::string_view(text).substr(0, text.find(':'));
}

// Between threads that are those of the other.
bool IsAmong(const Finding& f, const Finding& of_each) {
  const std::string_view who = WhoOf(of_each.diagnostic.span_text);
  return WhoOf(f.diagnostic.span_text) == who &&
         std::all_of(f.diagnostic.labels.begin(), f.diagnostic.labels.end(),
                     [&](const ir::Label& l) { return WhoOf(l.text) == who; });
}

// With one of them, none of this is there.
void TellOfEach(const machine::Code& code, Findings& findings) {
  const Finding* cause = nullptr;
  std::set<int32_t> ops;
  for (Finding& f : findings.all()) {
    if (!IsLeft(f) || !f.of_each) continue;
    for (size_t i = 0; i < code.ops.size(); ++i) {
      if (SamePlace(code.ops[i].op->span, f.diagnostic.span))
        ops.insert(static_cast<int32_t>(i));
    }
    if (cause == nullptr)
      cause = &f;
    else if (IsAmong(f, *cause))
      f.because = cause->key;
  }
  if (cause == nullptr) return;
  for (Finding& f : findings.all()) {
    const bool race = f.diagnostic.code.family() == "race";
    if (IsLeft(f) && &f != cause && race &&
        (ops.contains(f.lack.from) || ops.contains(f.lack.to)) &&
        IsAmong(f, *cause))
      f.because = cause->key;
  }
}

}  // namespace

void TellByKind(const machine::Code& code, Findings& findings) {
  if (code.guide != nullptr) return;
  TellOfEach(code, findings);
  TellUnwaited(code, findings);
}

}  // namespace tilesim::checkers::cause

#include "checkers/run/missing_bytes.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "ir/cat.h"

namespace tilesim::checkers::run {
namespace {

// The wait that is told of, where it stands for ever.
const BarrierUse* AwaitedBy(const Log& log, const ir::Diagnostic& stuck) {
  for (const Event& e : log.events) {
    if (e.kind != Event::Kind::kBlocked || e.uses.empty()) continue;
    const ir::Span& span = e.concrete().op->span;
    if (span.line == stuck.span.line && span.column == stuck.span.column)
      return &e.uses[0];
  }
  return nullptr;
}

struct Bytes {
  int64_t expected = 0, came = 0;
};

}  // namespace

void ShowBytes(const Log& log, ir::Diagnostic& stuck) {
  if (stuck.code != "deadlock/missing-bytes") return;
  const BarrierUse* awaited = AwaitedBy(log, stuck);
  if (awaited == nullptr) return;
  std::map<int32_t, Bytes> by_op;
  for (const Event& e : log.events) {
    for (const BarrierUse& use : e.uses) {
      if (use.barrier != awaited->barrier || use.phase != awaited->phase)
        continue;
      if (use.kind == ir::EffectKind::kExpectTx)
        by_op[e.op].expected += use.value;
      if (use.kind == ir::EffectKind::kCompleteTx)
        by_op[e.op].came += use.value;
    }
  }
  for (const auto& [op, bytes] : by_op) {
    const ir::Span span = log.code->ops[op].op->span;
    if (bytes.expected > 0)
      stuck.labels.push_back(
          {span, ir::Cat("expects ", bytes.expected, " bytes in this phase")});
    if (bytes.came > 0)
      stuck.labels.push_back(
          {span, ir::Cat("brings ", bytes.came, " bytes of them")});
  }
  bool none = std::none_of(by_op.begin(), by_op.end(), [](const auto& item) {
    return item.second.came > 0;
  });
  if (none) stuck.notes.emplace_back("no copy counts its bytes in this phase");
}

}  // namespace tilesim::checkers::run

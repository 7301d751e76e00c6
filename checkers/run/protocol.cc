#include "checkers/run/protocol.h"

#include <algorithm>
#include <set>
#include <utility>

#include "checkers/run/control_memory.h"
#include "checkers/run/runner.h"

namespace tilesim::checkers::run {
namespace {

// By which CTAs may talk.
std::set<int32_t> WrittenGlobals(const machine::Code& code) {
  std::set<int32_t> out;
  for (int32_t decl : WrittenOf(code)) {
    if (code.bound.decls[decl].space == ir::Space::kGlobal) out.insert(decl);
  }
  return out;
}

}  // namespace

std::optional<Protocol> ProtocolIn(const machine::Code& code) {
  std::set<int32_t> others = WrittenGlobals(code);
  Protocol out;
  if (others.empty()) return out;
  out.counter = TicketCounter::Of(code);
  out.flags = FlagsOf(code);
  if (Requests(code) || (out.counter && !out.flags.empty()))
    return std::nullopt;
  if (out.counter) others.erase(out.counter->TicketsOf(0).front().word.decl);
  for (const Flags& f : out.flags) others.erase(f.decl);
  return others.empty() ? std::optional(std::move(out)) : std::nullopt;
}

bool KeepsProtocol(const Log& log) {
  if (log.ticket) return CountsOnce(log, *log.ticket);
  GlobalWords set = FlagsSetIn(log), waited = FlagsWaitedForIn(log);
  return std::none_of(set.begin(), set.end(), [&](const GlobalWord& word) {
    return waited.count(word) != 0;
  });
}

std::optional<Protocol> ProtocolOf(const machine::Code& code,
                                   const std::vector<int64_t>& clusters,
                                   const Environment& draw,
                                   int64_t max_events) {
  std::optional<Protocol> protocol = ProtocolIn(code);
  bool silent = protocol && !protocol->counter && protocol->flags.empty();
  if (!protocol || silent) return protocol;
  bool so = std::all_of(clusters.begin(), clusters.end(), [&](int64_t c) {
    Environment environment = WithFlags(protocol->flags, code, draw);
    if (protocol->counter)
      environment = WithTicket(protocol->counter->TicketsOf(c)[0], code, draw);
    RunOptions o;
    o.cluster = c;
    o.environment = &environment;
    o.max_events = max_events;
    return KeepsProtocol(RunCluster(code, o));
  });
  return so ? std::move(protocol) : std::nullopt;
}

GlobalWords FlagsThatCome(const machine::Code& code,
                          const std::vector<Flags>& flags,
                          const std::vector<int64_t>& clusters,
                          const Environment& draw, int64_t max_events) {
  GlobalWords out;
  std::vector<int64_t> waiting = clusters;
  for (bool grown = true; grown;) {
    grown = false;
    std::erase_if(waiting, [&](int64_t c) {
      Environment environment = WithFlags(flags, code, draw, &out);
      RunOptions o;
      o.cluster = c;
      o.environment = &environment;
      o.max_events = max_events;
      Log log = RunCluster(code, o);
      GlobalWords set = FlagsSetIn(log);
      size_t before = out.size();
      out.insert(set.begin(), set.end());
      grown |= out.size() > before;
      return log.finished;
    });
  }
  return out;
}

bool WrittenForAsync(const machine::Code& code) {
  std::set<int32_t> written, async;
  for (const machine::CompiledOp& op : code.ops) {
    for (const ir::Effect& f : EffectsIn(op)) {
      if (!f.Is(ir::kAccesses) ||
          op.operands[f.operand].kind != ir::OperandValue::Kind::kTile)
        continue;
      const ir::TileValue& t = op.operands[f.operand].fixed.tile;
      if (t.space != ir::Space::kGlobal) continue;
      if (f.kind == ir::EffectKind::kWrite) written.insert(t.decl);
      if (f.proxy != ir::Proxy::kGeneric) async.insert(t.decl);
    }
  }
  return std::any_of(written.begin(), written.end(),
                     [&](int32_t decl) { return async.count(decl) != 0; });
}

}  // namespace tilesim::checkers::run

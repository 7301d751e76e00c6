#include "checkers/run/protocol.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "checkers/run/control_memory.h"
#include "checkers/run/grid_barrier.h"
#include "checkers/run/grid_rounds.h"
#include "checkers/run/locks.h"
#include "checkers/run/runner.h"
#include "checkers/run/turns.h"

namespace tilesim::checkers::run {
namespace {

// How many CTAs set a part of the word; nullopt: one sets it.
std::optional<int64_t> AddersTo(const GlobalWord& word, const Log& log) {
  for (const Flags& f : log.flags) {
    if (f.by_all && f.decl == word.decl)
      return f.of_some ? f.value : log.code->bound.ctas();
  }
  return std::nullopt;
}

// By which CTAs may talk.
std::set<int32_t> WrittenGlobals(const machine::Code& code) {
  std::set<int32_t> out;
  for (int32_t decl : WrittenOf(code)) {
    if (code.bound.decls[decl].space == ir::Space::kGlobal) out.insert(decl);
  }
  return out;
}

// A counter is one of all CTAs: who has the last number is known by how many
// count. Of a small grid each is asked whether it does.
void AddOthersThatCount(const machine::Code& code, std::set<int64_t>& which) {
  constexpr int64_t kEach = 64;
  const int64_t clusters = code.bound.ctas() / code.bound.cluster_size();
  for (int64_t c = 0; c < std::min(clusters, kEach); ++c) which.insert(c);
  which.insert(clusters - 1);
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
  if (WaitInTurn(out.flags) && out.flags.size() > 1 &&
      !std::all_of(out.flags.begin(), out.flags.end(), AreInTurn))
    return std::nullopt;
  if (HaveLocks(out.flags)) {
    if (out.counter ||
        !std::all_of(out.flags.begin(), out.flags.end(), AreLocks))
      return std::nullopt;
    // Those that CTAs touch while they hold a lock, or it will be told.
    for (int32_t decl : others) {
      if (!ZeroAtFirst(code, decl)) return std::nullopt;
      out.flags.push_back(GuardedIn(decl));
    }
    others.clear();
  }
  return others.empty() ? std::optional(std::move(out)) : std::nullopt;
}

namespace {

// But for who puts a counter back.
bool Talks(const Log& log) {
  if (WaitInTurn(log.flags) || HaveLocks(log.flags)) return true;
  if (log.ticket) return CountsOnce(log, *log.ticket);
  return SetsOwnFirst(log) && CountsAtBarriers(log);
}

}  // namespace

bool KeepsProtocol(const Log& log) {
  return Talks(log) && (!log.ticket || PutsBackLast(log, *log.ticket));
}

std::optional<Protocol> ProtocolOf(const machine::Code& code,
                                   const std::vector<int64_t>& clusters,
                                   const Environment& draw,
                                   int64_t max_events) {
  std::optional<Protocol> protocol = ProtocolIn(code);
  bool silent = protocol && !protocol->counter && protocol->flags.empty();
  if (!protocol || silent) return protocol;
  std::set<int64_t> which(clusters.begin(), clusters.end());
  if (protocol->counter) AddOthersThatCount(code, which);
  bool so = std::all_of(which.begin(), which.end(), [&](int64_t c) {
    Environment environment = WithFlags(protocol->flags, code, draw);
    if (protocol->counter)
      environment = WithTicket(protocol->counter->TicketsOf(c)[0], code, draw);
    RunOptions o;
    o.cluster = c;
    o.environment = &environment;
    o.max_events = max_events;
    // Who puts a counter back too early leaves the verdict open, and is told of
    // by what is in no order with those that have yet to count.
    return Talks(RunCluster(code, o));
  });
  if (!so || !RoundsHold(code, protocol->flags)) return std::nullopt;
  return protocol;
}

WordValues InTurn::SeenBy(int64_t cluster, int64_t ctas,
                          const std::vector<Flags>& flags) const {
  WordValues out;
  std::map<GlobalWord, int64_t> over_by_others;
  for (const Flags& f : flags) {
    for (const GlobalWord& word : set) {
      if (word.decl == f.decl && !f.by_all) out[word] = f.value;
    }
  }
  // What it adds itself, its run does.
  for (const auto& [word, clusters] : added) {
    const int64_t others =
        std::ssize(clusters) - (clusters.contains(cluster) ? 1 : 0);
    const bool rounds = std::any_of(
        flags.begin(), flags.end(), [&, word = word](const Flags& f) {
          return AreInRounds(f) && f.decl == word.decl;
        });
    if (!rounds) {
      out[word] = others;
      continue;
    }
    // Words of one are in the order of their rounds, from the first.
    int64_t& over = over_by_others[WithoutTurn(word)];
    if (over == TurnOf(word) - 1 && others == ctas - 1) ++over;
  }
  for (const auto& [word, times] : over_by_others)
    out[word] = RoundsOver(times);
  return out;
}

namespace {

// What a cluster's run has set; whether that is more than before.
bool AddSet(const Log& log, int64_t cluster, InTurn& out) {
  bool more = false;
  for (const GlobalWord& word : FlagsSetIn(log)) {
    const auto adders = AddersTo(word, log);
    if (!adders) {
      more |= out.set.insert(word).second;
      continue;
    }
    std::set<int64_t>& clusters = out.added[word];
    more |= clusters.insert(cluster).second;
    // CTAs are alone in their clusters (grid_barrier.h).
    if (std::ssize(clusters) == *adders) out.set.insert(word);
  }
  return more;
}

}  // namespace

InTurn RunInTurn(const machine::Code& code, const std::vector<Flags>& flags,
                 const std::vector<int64_t>& clusters, int64_t room,
                 const Environment& draw, int64_t max_events,
                 int64_t max_runs) {
  InTurn out;
  // They find their turn, or take what they ask for, whoever has come.
  out.cut = WaitInTurn(flags) || HaveLocks(flags);
  size_t started = 0;
  auto ends = [&](int64_t c, bool& grown) {
    const WordValues seen = out.SeenBy(c, code.bound.ctas(), flags);
    Environment environment = WithFlags(flags, code, draw, &seen);
    RunOptions o;
    o.cluster = c;
    o.environment = &environment;
    o.max_events = max_events;
    Log log = RunCluster(code, o);
    grown |= AddSet(log, c, out) || log.finished;
    return log.finished;
  };
  for (bool grown = true; grown && !out.cut;) {
    grown = false;
    for (; started < clusters.size() &&
           static_cast<int64_t>(out.waiting.size()) < room;
         ++started)
      out.waiting.push_back(clusters[started]);
    max_runs -= static_cast<int64_t>(out.waiting.size());
    out.cut = max_runs < 0;
    if (!out.cut)
      std::erase_if(out.waiting, [&](int64_t c) { return ends(c, grown); });
  }
  out.never_start = static_cast<int64_t>(clusters.size() - started);
  return out;
}

GlobalWords FlagsThatCome(const machine::Code& code,
                          const std::vector<Flags>& flags,
                          const std::vector<int64_t>& clusters,
                          const Environment& draw, int64_t max_events) {
  return RunInTurn(code, flags, clusters, std::ssize(clusters), draw,
                   max_events, std::numeric_limits<int64_t>::max())
      .set;
}

namespace {

// Whether the instruction is between the target of a jump back and the jump.
bool InLoop(const machine::Code& code, int32_t pc) {
  const std::vector<machine::Instr>& all = code.instrs;
  for (size_t from = static_cast<size_t>(pc); from < all.size(); ++from) {
    using Kind = machine::Instr::Kind;
    bool jumps =
        all[from].kind == Kind::kJump || all[from].kind == Kind::kForNext;
    if (jumps && all[from].b <= pc) return true;
  }
  return false;
}

}  // namespace

bool CtasWait(const machine::Code& code) {
  // Who holds a lock has started.
  const std::optional<Protocol> protocol = ProtocolIn(code);
  if (protocol && HaveLocks(protocol->flags)) return false;
  std::set<int32_t> talked = WrittenGlobals(code);
  if (auto counter = TicketCounter::Of(code))
    talked.erase(counter->TicketsOf(0).front().word.decl);
  std::set<int32_t> asks;  // ops
  for (int32_t decl : talked) {
    for (int32_t op : UsersOf(code, decl)) {
      if (ScalarSetBy(code.ops[op]) >= 0) asks.insert(op);
    }
  }
  for (size_t pc = 0; pc < code.instrs.size(); ++pc) {
    const machine::Instr& i = code.instrs[pc];
    if (i.kind == machine::Instr::Kind::kOp && asks.count(i.a) != 0 &&
        InLoop(code, static_cast<int32_t>(pc)))
      return true;
  }
  return false;
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

#include "checkers/cause/wrong_number.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "ir/cat.h"
#include "ir/operand_rules.h"
#include "ir/ops/mbarrier.h"
#include "ir/printer.h"
#include "ir/walk.h"

namespace tilesim::checkers::cause {
using ir::EffectKind;
using ir::ops::MbarrierArriveExpectTx;
using ir::ops::MbarrierExpectTx;
using ir::ops::MbarrierInit;
using run::BarrierLife;
using run::BarrierUse;
using run::Event;
using run::Log;

namespace {

std::string WithModifiers(const ir::Op& op) {
  const std::string all = ir::ToString(op);
  return all.substr(0, all.find(' '));
}

// Executions by one warp of one op, each of which counts for as much.
struct Share {
  int64_t executions = 0;
  int64_t each = 0;
  bool alike = true;

  void Add(int64_t value) {
    alike &= executions == 0 || each == value;
    ++executions;
    each = value;
  }
};
using Shares = std::map<std::tuple<int32_t, int32_t, int32_t>, Share>;

// What came to one barrier.
struct Counted {
  Shares expected, bytes, arrivals;
  int64_t init = 0;
  // Copies or commits that several threads make, each the same: it is not their
  // count that is wrong.
  bool each = false;

  static bool Alike(const Shares& shares) {
    return std::all_of(shares.begin(), shares.end(),
                       [](const auto& s) { return s.second.alike; });
  }
};

std::map<BarrierLife, Counted> CountedIn(const Log& log) {
  std::map<BarrierLife, Counted> out;
  for (const Event& e : log.events) {
    for (const BarrierUse& use : e.uses) {
      Counted& at = out[use.barrier];
      const std::tuple who = {e.op, e.cta, int32_t{e.threads().first_warp}};
      if (use.kind == EffectKind::kInit) at.init = use.value;
      if (use.kind == EffectKind::kExpectTx) at.expected[who].Add(use.value);
      if (use.kind == EffectKind::kCompleteTx) at.bytes[who].Add(use.value);
      if (use.Is(ir::kArrives)) at.arrivals[who].Add(use.value);
      at.each |= e.threads().threads() > 1 &&
                 e.instance->op.info().scope == ir::ExecScope::kThread &&
                 (use.kind == EffectKind::kCompleteTx ||
                  e.instance->Has(EffectKind::kTrack));
    }
  }
  return out;
}

// Bytes that come for each time that some are expected. A run that stopped
// early has issued a part of the last.
std::optional<int64_t> BytesARound(const Counted& at) {
  if (at.expected.size() != 1 || at.bytes.empty()) return std::nullopt;
  const Share& expected = at.expected.begin()->second;
  if (!expected.alike || !Counted::Alike(at.bytes)) return std::nullopt;
  int64_t sum = 0;
  for (const auto& [who, share] : at.bytes) {
    const int64_t rounds = expected.executions;
    const int64_t times = (share.executions + rounds / 2) / rounds;
    sum += share.each * std::max<int64_t>(times, 1);
  }
  return sum == expected.each ? std::nullopt : std::optional(sum);
}

// Arrivals where each that arrives does so once a round.
std::optional<int64_t> ArrivalsARound(const Counted& at) {
  if (at.init == 0 || at.each || at.arrivals.empty() ||
      !Counted::Alike(at.arrivals))
    return std::nullopt;
  int64_t sum = 0;
  for (const auto& [who, share] : at.arrivals) sum += share.each;
  return sum == at.init ? std::nullopt : std::optional(sum);
}

int32_t DeclOf(const machine::Code& code, const BarrierLife& barrier) {
  const auto& decls = code.bound.decls;
  for (size_t i = 0; i < decls.size(); ++i) {
    const int64_t at = barrier.index - decls[i].place;
    if (decls[i].space == ir::Space::kMbarrier && at >= 0 &&
        at < decls[i].objects)
      return static_cast<int32_t>(i);
  }
  return -1;
}

// Ops of the text for which `is` holds, of barriers of that declaration.
template <class Fn>
std::vector<const ir::Op*> Named(const machine::Code& code, int32_t decl,
                                 Fn&& is) {
  std::vector<const ir::Op*> ops;
  for (const machine::CompiledOp& op : code.ops) {
    if (!is(*op.op)) continue;
    const ir::Operand& barrier = op.op->operands[MbarrierInit::kBar];
    if (barrier.kind == ir::Operand::Kind::kRef && barrier.ref.decl == decl)
      ops.push_back(op.op);
  }
  return ops;
}

bool Inits(const ir::Op& op) { return op.info == &MbarrierInit::kInfo; }

bool Expects(const ir::Op& op) {
  return op.info == &MbarrierArriveExpectTx::kInfo ||
         op.info == &MbarrierExpectTx::kInfo;
}

class Finder {
 public:
  explicit Finder(const Log& log) : code_(*log.code) {
    const std::map<BarrierLife, Counted> all = CountedIn(log);
    for (const auto& [barrier, counted] : all) {
      for (const auto& [who, share] : counted.expected)
        sums_[std::get<0>(who)].insert(BytesARound(counted));
    }
    for (const auto& [barrier, counted] : all) {
      const int32_t decl = DeclOf(code_, barrier);
      if (decl < 0) continue;
      Bytes(decl, counted);
      Arrivals(decl, counted);
    }
  }
  std::vector<WrongNumber> out;

 private:
  void Bytes(int32_t decl, const Counted& counted) {
    std::optional<int64_t> sum = BytesARound(counted);
    if (!sum) return;
    const int32_t op = std::get<0>(counted.expected.begin()->first);
    if (!bytes_.insert(op).second) return;
    WrongNumber wrong;
    wrong.ops = {code_.ops[op].op};
    // Of several, one that is for barriers of its own, to which as much comes.
    const bool alone = Named(code_, decl, Expects).size() == 1;
    if (!Expects(*wrong.ops[0]) || (!alone && sums_[op].size() != 1)) return;
    wrong.operand = wrong.ops[0]->info == &MbarrierExpectTx::kInfo
                        ? size_t{MbarrierExpectTx::kBytes}
                        : size_t{MbarrierArriveExpectTx::kBytes};
    wrong.number = *sum;
    wrong.too_few_bytes = counted.expected.begin()->second.each < *sum;
    wrong.help =
        ir::Cat("`", wrong.ops[0]->info->mnemonic, " ", RefOf(*wrong.ops[0]),
                ", ", *sum, "` on line ", wrong.ops[0]->span.text_line(),
                ": so many bytes come each time");
    out.push_back(std::move(wrong));
  }

  void Arrivals(int32_t decl, const Counted& counted) {
    std::optional<int64_t> sum = ArrivalsARound(counted);
    if (!sum || !arrivals_.insert(decl).second) return;
    WrongNumber wrong;
    wrong.ops = Named(code_, decl, Inits);
    if (wrong.ops.size() != 1) return;
    wrong.operand = size_t{MbarrierInit::kCount};
    wrong.number = *sum;
    wrong.too_few_arrivals = counted.init < *sum;
    wrong.help = ir::Cat("`mbarrier.init ", RefOf(*wrong.ops[0]), ", ", *sum,
                         "` on line ", wrong.ops[0]->span.text_line(),
                         ": so many arrivals come each time");
    out.push_back(std::move(wrong));
  }

  static std::string RefOf(const ir::Op& op) {
    return ir::ToString(op.operands[MbarrierInit::kBar].ref);
  }

  const machine::Code& code_;
  // Of each op that expects, bytes that come where it does; none: as many.
  std::map<int32_t, std::set<std::optional<int64_t>>> sums_;
  std::set<int32_t> bytes_, arrivals_;  // ops, declarations that were told
};

}  // namespace

std::vector<WrongNumber> WrongNumbersIn(const Log& log) {
  if (log.code->guide != nullptr) return {};
  return std::move(Finder(log).out);
}

std::optional<WrongNumber> CountOutOfReach(const machine::Code& code,
                                           const ir::Span& arrival) {
  if (code.guide != nullptr) return std::nullopt;
  const auto& decls = code.bound.decls;
  for (const machine::CompiledOp& op : code.ops) {
    if (op.op->span.line != arrival.line ||
        op.op->span.column != arrival.column)
      continue;
    for (const ir::Operand& o : op.op->operands) {
      if (o.kind != ir::Operand::Kind::kRef ||
          decls[o.ref.decl].space != ir::Space::kMbarrier)
        continue;
      WrongNumber wrong;
      wrong.ops = Named(code, o.ref.decl, Inits);
      wrong.operand = size_t{MbarrierInit::kCount};
      wrong.number = ir::kMaxArrivals;
      if (wrong.ops.size() == 1) return wrong;
    }
  }
  return std::nullopt;
}

int64_t CountIn(const Log& log, const ir::Op& init) {
  int64_t most = 0;
  for (const Event& e : log.events) {
    const bool is = e.kind == Event::Kind::kOp &&
                    e.concrete().op->span.line == init.span.line &&
                    e.concrete().op->span.column == init.span.column;
    if (!is) continue;
    for (const BarrierUse& use : e.uses) {
      if (use.kind == EffectKind::kInit) most = std::max(most, use.value);
    }
  }
  return most;
}

std::vector<WrongNumber> FewerPending(const Log& log) {
  constexpr int64_t kMostFewer = 3;
  std::map<int32_t, int64_t> pending;  // by op, the least
  for (const Event& e : log.events) {
    if (e.kind != Event::Kind::kOp || log.code->guide != nullptr) continue;
    for (const ir::Effect& f : e.effects()) {
      if (f.kind != EffectKind::kWaitGroup) continue;
      int64_t& least = pending.emplace(e.op, f.value).first->second;
      least = std::min(least, f.value);
    }
  }
  std::vector<WrongNumber> out;
  for (int64_t fewer = 1; fewer <= kMostFewer; ++fewer) {
    for (const auto& [op, least] : pending) {
      const ir::Op& text = *log.code->ops[op].op;
      if (least < fewer || text.operands.empty()) continue;
      WrongNumber wrong;
      wrong.ops = {&text};
      wrong.number = least - fewer;
      wrong.help =
          ir::Cat("`", WithModifiers(text), " ", wrong.number, "` on line ",
                  text.span.text_line(), ": with ", least,
                  " pending it does not wait for ", "what is used behind it");
      out.push_back(std::move(wrong));
    }
  }
  return out;
}

std::unique_ptr<ChangedText> WithNumber(const machine::Code& code,
                                        const WrongNumber& wrong) {
  auto is_wrong = [&](const ir::Stmt& s) {
    return s.op && std::any_of(wrong.ops.begin(), wrong.ops.end(),
                               [&](const ir::Op* op) {
                                 return op->span.line == s.op->span.line &&
                                        op->span.column == s.op->span.column &&
                                        op->info == s.op->info;
                               });
  };
  ir::Kernel kernel = code.kernel();
  ir::ForEachStmt(kernel.body, [&](ir::Stmt& s) {
    if (!is_wrong(s)) return;
    ir::Operand& operand = s.op->operands[wrong.operand];
    operand.kind = ir::Operand::Kind::kExpr;
    operand.expr = ir::Expr::Int(wrong.number, s.op->span);
  });
  return Changed(code, std::move(kernel));
}

}  // namespace tilesim::checkers::cause

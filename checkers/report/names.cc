#include "checkers/report/names.h"

#include "ir/cat.h"
#include "sim/machine/guide.h"

namespace tilesim::checkers::report {
using run::BarrierLife;
using run::Event;
using run::GlobalWord;
using run::Log;

namespace {

// "name[1][2]" for the object number `at` of a declaration.
std::string Object(const machine::Code& code, int32_t decl, int64_t at) {
  const ir::BoundDecl& d = code.bound.decls[decl];
  std::string subs;
  for (int k = d.array_rank - 1; k >= 0; --k) {
    subs = ir::Cat("[", at % d.array[k], "]", subs);
    at /= d.array[k];
  }
  return code.kernel().decls[decl].name + subs;
}

bool IsBarrier(const Event& event, int operand) {
  return event.concrete().operands[operand].kind ==
         ir::OperandValue::Kind::kBarrier;
}

}  // namespace

std::string WhoOf(const Log& log, const Event& event) {
  std::string who;
  int32_t role = log.code->ops[event.op].role;
  const ir::ThreadSet& t = event.threads();
  int last = t.first_warp + t.warps - 1;
  if (role >= 0) {
    who = log.code->kernel().roles[role];
  } else if (t.threads() == 1) {
    who = ir::Cat("thread ", t.first_thread());
  } else if (t.warps == 1) {
    who = ir::Cat("warp ", t.first_warp);
  } else {
    who = ir::Cat("warps ", t.first_warp, " to ", last);
  }
  if (log.code->guide != nullptr) {
    const std::string does = log.code->guide->WarpDoes(t.first_warp);
    if (!does.empty()) ir::Append(&who, " (", does, ")");
  }
  return log.ctas > 1 ? ir::Cat(who, " of CTA ", event.cta) : who;
}

std::string TileOf(const Log& log, const Event& event, int operand) {
  if (IsBarrier(event, operand)) {
    const ir::BarrierValue& b = event.concrete().barrier(operand);
    return BarrierOf(log, {event.cta, b.index, 0});
  }
  const ir::TileValue& t = event.concrete().tile(operand);
  bool own = t.cta == ir::kOwnCta;
  return TileOf(log, event, operand, own ? event.cta : event.cluster + t.cta);
}

std::string TileOf(const Log& log, const Event& event, int operand,
                   int32_t owner) {
  if (IsBarrier(event, operand)) return TileOf(log, event, operand);
  const ir::TileValue& t = event.concrete().tile(operand);
  std::string given;
  if (log.code->guide != nullptr) given = log.code->guide->NameOf(t);
  std::string name = ir::Cat(
      "`", given.empty() ? Object(*log.code, t.decl, t.index) : given, "`");
  bool copies = t.space == ir::Space::kShared || t.space == ir::Space::kTmem;
  return copies && log.ctas > 1 ? ir::Cat(name, " of CTA ", owner) : name;
}

std::string DeclOf(const Log& log, const Event& event, int operand) {
  const int32_t decl = IsBarrier(event, operand)
                           ? event.concrete().barrier(operand).decl
                           : event.concrete().tile(operand).decl;
  return log.code->kernel().decls[decl].name;
}

std::string ElementOf(const machine::Code& code, const GlobalWord& word) {
  const ir::BoundDecl& d = code.bound.decls[word.decl];
  std::string at;
  int64_t rest = word.element;
  for (int k = d.rank - 1; k >= 0; --k) {
    at = ir::Cat(rest % d.shape[k], at.empty() ? "" : ", ", at);
    rest /= d.shape[k];
  }
  return ir::Cat("`", code.kernel().decls[word.decl].name, "[", at, "]`");
}

std::string BarrierOf(const Log& log, const BarrierLife& barrier) {
  const auto& decls = log.code->bound.decls;
  for (size_t i = 0; i < decls.size(); ++i) {
    int64_t at = barrier.index - decls[i].place;
    if (decls[i].space == ir::Space::kMbarrier && at >= 0 &&
        at < decls[i].objects)
      return ir::Cat("`", Object(*log.code, static_cast<int32_t>(i), at), "`",
                     log.ctas > 1 ? ir::Cat(" of CTA ", barrier.cta) : "");
  }
  return "an mbarrier";
}

std::string BarriersOf(const Log& log, const BarrierLife& barrier) {
  const std::string one = BarrierOf(log, barrier);
  return one.substr(1, one.find_first_of("[`", 1) - 1);
}

int32_t RoleOf(const Log& log, const Event& event) {
  return log.code->ops[event.op].role;
}

// In compiled code an access may name no state space, and be told by its
// address.
std::string_view MnemonicOf(const Event& event) {
  constexpr std::string_view kGlobal = ".global";
  const ir::ConcreteOp& op = event.concrete();
  std::string_view out = op.info().mnemonic;
  if (!out.ends_with(kGlobal)) return out;
  for (size_t i = 0; i < op.info().operands.size(); ++i) {
    const auto operand = static_cast<int>(i);
    if (op.is_tile(operand) && op.tile(operand).space == ir::Space::kShared)
      return out.substr(0, out.size() - kGlobal.size());
  }
  return out;
}

ir::Span SpanOf(const Event& event) { return event.concrete().op->span; }

std::string NthOf(const Event& event) {
  return event.nth == 0 ? "" : ir::Cat(", execution ", event.nth + 1);
}

std::string_view HowToWait(const Event& event, bool written) {
  switch (event.concrete().info().async) {
    case ir::AsyncUnit::kWgmma:
      return "wgmma.wait_group must cover it first, in every warp that goes on";
    case ir::AsyncUnit::kTma:
      if (ir::GroupOf(ir::AsyncUnit::kTma, event.concrete()) ==
          ir::GroupKind::kBulk)
        return written
                   ? "the thread that issued it must bulk.commit_group and "
                     "bulk.wait_group, then tell the others through a barrier"
                   : "the thread that issued it must bulk.commit_group and "
                     "bulk.wait_group.read, then tell the others through a "
                     "barrier";
      return "wait on its mbarrier first";
    case ir::AsyncUnit::kTcgen05:
      return "tcgen05.commit to an mbarrier, and wait on that first";
    case ir::AsyncUnit::kTmemLd:
      return "tcgen05.wait::ld first";
    case ir::AsyncUnit::kTmemSt:
      return "tcgen05.wait::st first";
    case ir::AsyncUnit::kCpAsync:
      return "cp.async.wait_group by each thread that copies, then a barrier "
             "between the threads";
    case ir::AsyncUnit::kClc:
    case ir::AsyncUnit::kStAsync:
      return "wait on its mbarrier first";
    case ir::AsyncUnit::kNone:
      return "put a barrier, or an mbarrier arrive and wait, between the two";
  }
  return "";
}

}  // namespace tilesim::checkers::report

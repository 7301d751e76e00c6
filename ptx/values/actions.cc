// Which instruction is which action.
#include <algorithm>

#include "ir/cat.h"
#include "ptx/values/threads.h"

namespace tilesim::ptx {
namespace {

// They order, wait or give hints: no bits move. What a test of an mbarrier
// returns, the machine says; the state that an arrive returns, nobody but a
// wait for it could read.
constexpr std::string_view kMovesNothing[] = {
    "bar",
    "barrier",
    "fence",
    "membar",
    "griddepcontrol",
    "setmaxnreg",
    "mbarrier",
    "wgmma.fence",
    "wgmma.commit_group",
    "wgmma.wait_group",
    "cp.async.commit_group",
    "cp.async.wait_group",
    "cp.async.wait_all",
    "cp.async.mbarrier",
    "cp.async.bulk.commit_group",
    "cp.async.bulk.wait_group",
    "tcgen05.commit",
    "tcgen05.wait",
    "tcgen05.fence",
    "tcgen05.dealloc",
    "tcgen05.relinquish_alloc_permit",
    "clusterlaunchcontrol.try_cancel",
    "createpolicy",
    "tensormap",  // the guide follows what a map is built of
};

bool Begins(std::string_view spelling, std::string_view opcode) {
  return spelling.starts_with(opcode) &&
         (spelling.size() == opcode.size() || spelling[opcode.size()] == '.' ||
          spelling[opcode.size()] == ':');
}

Action Nothing(ActionMaking&) {
  return [](Threads&) {};
}

const std::vector<ActionRow>& NothingActions() {
  static const std::vector<ActionRow> kRows = [] {
    std::vector<ActionRow> rows;
    for (std::string_view opcode : kMovesNothing)
      rows.push_back({opcode, Nothing});
    return rows;
  }();
  return kRows;
}

const ActionRow* FindAction(std::string_view spelling) {
  const ActionRow* best = nullptr;
  for (const auto* rows :
       {&AccessActions(), &AtomicActions(), &CopyActions(), &GridActions(),
        &LaneActions(), &MatrixActions(), &NothingActions(),
        &TensorCopyActions(), &Tcgen05Actions()}) {
    for (const ActionRow& row : *rows) {
      if (Begins(spelling, row.opcode) &&
          (!best || best->opcode.size() < row.opcode.size()))
        best = &row;
    }
  }
  return best;
}

// The phase is complete once the machine has let a wait pass.
Action Waited(ActionMaking& m) {
  const Out done = m.Outs(0).front();
  return [done](Threads& t) {
    t.Each([&](size_t thread) { t.Set(done, thread, 1); });
  };
}

}  // namespace

Action MakeActionOf(ActionMaking& m) {
  std::string_view s = m.spelling();
  if (m.waits) return Waited(m);
  if (const ActionRow* row = FindAction(s)) return row->make(m);
  return ScalarAction(m);
}

std::vector<std::string_view> ActionMaking::Parts() const {
  std::vector<std::string_view> out;
  std::string_view s = spelling();
  for (size_t dot = s.find('.'); dot != std::string_view::npos;) {
    const size_t next = s.find('.', dot + 1);
    out.push_back(s.substr(
        dot + 1, next == std::string_view::npos ? next : next - dot - 1));
    dot = next;
  }
  return out;
}

std::optional<In> ActionMaking::InOf(const Leaf& leaf, Type type) const {
  std::optional<Source> s =
      SourceOf(leaf, graph(), kernel.guide->program().memory, type);
  if (!s) return std::nullopt;
  return In{leaf.reg >= 0 ? words.Of(leaf.reg) : -1, s->special, s->negated,
            s->bits, s->width};
}

bool ActionMaking::Ins(size_t operand, std::vector<In>* out, Type type) {
  for (const Leaf& leaf : leaves) {
    if (leaf.of != operand) continue;
    std::optional<In> in = InOf(leaf, type);
    if (!in) {
      why = ir::Cat("`", leaf.operand->name, "` has no value here");
      return false;
    }
    out->push_back(*in);
    // One of 128 bits is two words.
    if (leaf.reg >= 0 && graph().register_bits[leaf.reg] > 64) {
      ++in->word;
      out->push_back(*in);
    }
  }
  return true;
}

std::optional<In> ActionMaking::One(size_t operand, size_t part) {
  std::vector<In> all;
  if (!Ins(operand, &all)) return std::nullopt;
  if (part >= all.size()) {
    why = ir::Cat("`", spelling(), "` has too few operands");
    return std::nullopt;
  }
  return all[part];
}

std::vector<Out> ActionMaking::Outs(size_t operand) const {
  std::vector<Out> out;
  for (const Leaf& leaf : leaves) {
    if (leaf.of != operand) continue;
    if (leaf.reg < 0) {
      out.emplace_back();
      continue;
    }
    const int bits = graph().register_bits[leaf.reg];
    out.push_back({words.Of(leaf.reg), std::min(bits, 64)});
    if (bits > 64) out.push_back({words.Of(leaf.reg) + 1, 64});
  }
  return out;
}

Action ActionMaking::Refuse(std::string reason) {
  if (why.empty())
    why = ir::Cat("the value of `", spelling(), "` is not computed",
                  reason.empty() ? "" : ": ", reason);
  return {};
}

}  // namespace tilesim::ptx

// Which instruction is which deed.
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

Deed Nothing(DeedMaking&) {
  return [](Threads&) {};
}

const std::vector<DeedRow>& NothingDeeds() {
  static const std::vector<DeedRow> kRows = [] {
    std::vector<DeedRow> rows;
    for (std::string_view opcode : kMovesNothing)
      rows.push_back({opcode, Nothing});
    return rows;
  }();
  return kRows;
}

const DeedRow* FindDeed(std::string_view spelling) {
  const DeedRow* best = nullptr;
  for (const auto* rows :
       {&AccessDeeds(), &AtomicDeeds(), &CopyDeeds(), &GridDeeds(),
        &LaneDeeds(), &MatrixDeeds(), &NothingDeeds(), &TensorCopyDeeds(),
        &Tcgen05Deeds()}) {
    for (const DeedRow& row : *rows) {
      if (Begins(spelling, row.opcode) &&
          (!best || best->opcode.size() < row.opcode.size()))
        best = &row;
    }
  }
  return best;
}

// The phase is complete once the machine has let a wait pass.
Deed Waited(DeedMaking& m) {
  const Out done = m.Outs(0).front();
  return [done](Threads& t) {
    t.Each([&](size_t thread) { t.Set(done, thread, 1); });
  };
}

}  // namespace

Deed MakeDeedOf(DeedMaking& m) {
  std::string_view s = m.spelling();
  if (m.waits) return Waited(m);
  if (const DeedRow* row = FindDeed(s)) return row->make(m);
  return ScalarDeed(m);
}

std::vector<std::string_view> DeedMaking::Parts() const {
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

std::optional<In> DeedMaking::InOf(const Leaf& leaf, Type type) const {
  std::optional<Source> s =
      SourceOf(leaf, graph(), kernel.guide->program().memory, type);
  if (!s) return std::nullopt;
  return In{leaf.reg >= 0 ? words.Of(leaf.reg) : -1, s->special, s->negated,
            s->bits, s->width};
}

bool DeedMaking::Ins(size_t operand, std::vector<In>* out, Type type) {
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

std::optional<In> DeedMaking::One(size_t operand, size_t part) {
  std::vector<In> all;
  if (!Ins(operand, &all)) return std::nullopt;
  if (part >= all.size()) {
    why = ir::Cat("`", spelling(), "` has too few operands");
    return std::nullopt;
  }
  return all[part];
}

std::vector<Out> DeedMaking::Outs(size_t operand) const {
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

Deed DeedMaking::Refuse(std::string reason) {
  if (why.empty())
    why = ir::Cat("the value of `", spelling(), "` is not computed",
                  reason.empty() ? "" : ": ", reason);
  return {};
}

}  // namespace tilesim::ptx

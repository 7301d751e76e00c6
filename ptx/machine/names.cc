// What people are told of a kernel that has no names: a warp by what it does, a
// tile of shared memory by the copy that fills it, an mbarrier by the line on
// which it is initialised.
#include <bit>

#include "ir/cat.h"
#include "ptx/machine/guide.h"

namespace tilesim::ptx {
namespace {

struct Action {
  ir::AsyncUnit unit;
  bool to_global;
  std::string_view name;
};
constexpr Action kActions[] = {
    {ir::AsyncUnit::kTma, false, "TMA loads"},
    {ir::AsyncUnit::kTma, true, "TMA stores"},
    {ir::AsyncUnit::kCpAsync, false, "cp.async"},
    {ir::AsyncUnit::kWgmma, false, "wgmma"},
    {ir::AsyncUnit::kTcgen05, false, "tcgen05"},
};

bool ToGlobal(const ir::ConcreteOp& op) {
  return op.is_tile(0) && op.tile(0).space == ir::Space::kGlobal;
}

}  // namespace

void PtxGuide::NoteAction(const machine::Strand& strand,
                          const ir::ConcreteOp& op) const {
  const ir::OpInfo& info = op.info();
  for (size_t i = 0; i < std::size(kActions); ++i) {
    const Action& d = kActions[i];
    if (info.async != d.unit || ToGlobal(op) != d.to_global) continue;
    for (int w = 0; w < strand.threads.warps; ++w)
      does_[static_cast<size_t>(strand.threads.first_warp + w)] |= 1U << i;
  }
  const bool fills = info.async == ir::AsyncUnit::kTma && op.is_tile(0) &&
                     op.tile(0).space == ir::Space::kShared;
  if (!fills) return;
  const int64_t begin = op.tile(0).start[0];
  filled_.try_emplace(
      begin, Filled{begin + op.tile(0).extent[0], op.op->span.text_line()});
}

// Where all warps do the same, nobody is told apart by it.
std::string PtxGuide::WarpDoes(int warp) const {
  const auto warps = static_cast<size_t>(bound_->block / ir::kWarpThreads);
  const uint32_t does = does_[static_cast<size_t>(warp)];
  bool apart = false;
  for (size_t w = 0; w < warps; ++w) apart |= does_[w] != does;
  std::string out;
  for (size_t i = 0; apart && i < std::size(kActions); ++i) {
    if ((does >> i & 1) != 0)
      ir::Append(&out, out.empty() ? "" : ", ", kActions[i].name);
  }
  return out;
}

std::string PtxGuide::NameOf(const ir::TileValue& tile) const {
  if (tile.space != ir::Space::kShared || tile.decl != decls_.shared) return "";
  const int64_t at = tile.start[0];
  auto next = filled_.upper_bound(at);
  if (next != filled_.begin()) {
    const auto& [begin, filled] = *std::prev(next);
    if (at < filled.end)
      return ir::Cat(program_.memory.SharedName(static_cast<uint64_t>(begin)),
                     " (filled on line ", filled.line, ")");
  }
  return program_.memory.SharedName(static_cast<uint64_t>(at));
}

int32_t PtxGuide::InitLineOf(int32_t barrier) const {
  int32_t line = 0;
  for (const Step& s : program_.steps) {
    const std::string_view opcode =
        s.kind == Step::Kind::kOp && s.node >= 0
            ? std::string_view(
                  program_.graph.nodes[s.node].instruction().opcode)
            : std::string_view();
    if (!opcode.starts_with("mbarrier.init") ||
        !named_.contains({s.op, barrier}))
      continue;
    if (line != 0) return 0;
    line = program_.graph.nodes[s.node].statement->span.text_line();
  }
  return line;
}

}  // namespace tilesim::ptx

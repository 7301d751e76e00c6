#include "ptx/machine/lower_ops.h"

#include <algorithm>
#include <utility>

#include "ir/cat.h"

namespace tilesim::ptx {

const OpRow* FindRow(std::string_view spelling) {
  const OpRow* best = nullptr;
  for (const auto* rows :
       {&BarrierRows(), &BulkRows(), &CopyRows(), &MemoryRows(), &SyncRows(),
        &Tcgen05Rows(), &TensormapRows(), &WgmmaRows()}) {
    for (const OpRow& row : *rows) {
      bool begins = spelling.starts_with(row.opcode) &&
                    (spelling.size() == row.opcode.size() ||
                     spelling[row.opcode.size()] == '.' ||
                     spelling[row.opcode.size()] == ':');
      if (begins && (!best || best->opcode.size() < row.opcode.size()))
        best = &row;
    }
  }
  return best;
}

bool Making::HasWord(std::string_view word) const {
  return Has(ir::Cat(".", word));
}

bool Making::Add(size_t operand, size_t part) {
  size_t at = 0;
  for (const Leaf& leaf : leaves) {
    if (leaf.of != operand || at++ != part) continue;
    std::optional<Source> source = SourceOf(leaf, graph, memory);
    if (!source) return false;
    if (source->reg >= 0) source->reg = slots[source->reg];
    step.sources.push_back(*source);
    return true;
  }
  return false;
}

bool Making::AddConstant(int64_t n) {
  Source source;
  source.bits = static_cast<uint64_t>(n);
  step.sources.push_back(source);
  return true;
}

void Making::Results(size_t operand) {
  for (const Leaf& leaf : leaves) {
    if (leaf.of != operand) continue;
    Target t;
    if (leaf.reg >= 0) t = {slots[leaf.reg], graph.register_bits[leaf.reg]};
    step.results.push_back(t);
  }
}

bool Making::Refuse(std::string reason) {
  why = std::move(reason);
  return false;
}

}  // namespace tilesim::ptx

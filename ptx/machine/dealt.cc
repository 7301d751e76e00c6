#include "ptx/machine/dealt.h"

#include <algorithm>

namespace tilesim::ptx {
namespace {

constexpr int64_t kRegistersOfSm = 65536, kStep = 8;
// Warps come in fours, one for each quarter of an SM.
constexpr int64_t kGroup = 128;

// 0: no setmaxnreg asks for more.
int64_t MostAskedFor(const Graph& graph) {
  int64_t most = 0;
  for (const Node& n : graph.nodes) {
    if (n.op == nullptr || n.op->opcode != "setmaxnreg") continue;
    const Operand& count = n.instruction().operands[0];
    if (n.instruction().Has(".inc") && count.kind == Operand::Kind::kNumber)
      most = std::max(most, static_cast<int64_t>(count.number.value()));
  }
  return most;
}

}  // namespace

bool ExecutesSetmaxnreg(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& n) {
    return n.op != nullptr && n.op->opcode == "setmaxnreg";
  });
}

int64_t RegistersAtEntry(const Function& function, const Graph& graph) {
  if (const Directive* most = function.Find(".maxnreg"))
    return static_cast<int64_t>(most->numbers[0].value());
  const Directive* block = function.Find(".reqntid");
  if (block == nullptr) block = function.Find(".maxntid");
  const Directive* ctas = function.Find(".minnctapersm");
  if (block == nullptr || ctas == nullptr) return 0;
  int64_t threads = 1;
  for (const auto& n : block->numbers)
    threads *= static_cast<int64_t>(n.value());
  const int64_t at_once = static_cast<int64_t>(ctas->numbers[0].value()) *
                          ((threads + kGroup - 1) / kGroup * kGroup);
  if (at_once <= 0) return 0;
  const int64_t fit = kRegistersOfSm / at_once / kStep * kStep;
  const int64_t asked = MostAskedFor(graph);
  return asked > 0 ? std::min(fit, asked) : fit;
}

}  // namespace tilesim::ptx

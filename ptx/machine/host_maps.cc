#include "ptx/machine/host_maps.h"

#include <algorithm>
#include <string_view>

#include "fmt/format.h"

namespace tilesim::ptx {
namespace {

// Of the instructions that access global memory, those that only read it.
bool OnlyReads(std::string_view spelling) {
  const bool copies = spelling.starts_with("cp.async") &&
                      spelling.find(".global.shared") == std::string_view::npos;
  return copies || spelling.starts_with("ld.") ||
         spelling.starts_with("ldu.") || spelling.starts_with("prefetch");
}

}  // namespace

// By the kernel, by the host meanwhile.
std::vector<std::string> PtxGuide::ReliedUpon() const {
  std::vector<std::string> out;
  const std::vector<Node>& nodes = program_.graph.nodes;
  for (int32_t load : choices_.relied()) {
    for (size_t buffer : BuffersOf(load)) {
      bool written = IsFromOutside(buffer);
      for (size_t i = 0; i < nodes.size(); ++i)
        written |= BuffersOf(static_cast<int32_t>(i)).contains(buffer) &&
                   !OnlyReads(nodes[i].instruction().opcode);
      if (!written) continue;
      out.push_back(fmt::format(
          "line {}: whether all threads load the same number, which chooses "
          "one of them, depends on who writes `{}`",
          nodes[static_cast<size_t>(load)].statement->span.text_line(),
          program_.memory.file().buffers[buffer].name));
    }
  }
  return out;
}

std::vector<std::string> WrittenMaps(
    const std::vector<const PtxGuide*>& launches) {
  std::vector<std::string> out;
  if (launches.empty()) return out;
  const std::vector<Buffer>& buffers =
      launches[0]->program().memory.file().buffers;
  for (size_t b = 0; b < buffers.size(); ++b) {
    if (buffers[b].maps.empty()) continue;
    for (const PtxGuide* guide : launches) {
      const std::vector<Node>& nodes = guide->program().graph.nodes;
      for (size_t i = 0; i < nodes.size(); ++i) {
        if (!guide->BuffersOf(static_cast<int32_t>(i)).contains(b) ||
            OnlyReads(nodes[i].instruction().opcode))
          continue;
        out.push_back(fmt::format(
            "`{}` on line {} may write `{}`, in which the launch has tensor "
            "maps: what they are then is not followed",
            nodes[i].instruction().opcode, nodes[i].statement->span.text_line(),
            buffers[b].name));
        break;
      }
    }
  }
  return out;
}

}  // namespace tilesim::ptx

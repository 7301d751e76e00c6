#include "ptx/machine/stored_loads.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tilesim::ptx {
namespace {

using Parts = std::vector<LoadsStored::Part>;

bool Loads(const Node& n) {
  return n.op != nullptr && n.op->opcode == "tcgen05.ld";
}

bool Stores(const Node& n) {
  return n.op != nullptr &&
         (n.op->opcode == "st" || n.op->opcode == "stmatrix");
}

void Add(const Parts& more, Parts& parts) {
  for (const LoadsStored::Part& p : more) {
    auto same = std::find_if(parts.begin(), parts.end(),
                             [&](const auto& q) { return q.load == p.load; });
    if (same == parts.end())
      parts.push_back(p);
    else
      same->registers |= p.registers;
  }
}

class Finder {
 public:
  explicit Finder(const Graph& graph)
      : graph_(graph),
        writer_(graph.registers.size(), kNobody),
        known_(graph.registers.size()),
        seen_(graph.registers.size()) {
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      for (int32_t reg : graph.nodes[i].defines)
        writer_[reg] =
            writer_[reg] == kNobody ? static_cast<int32_t>(i) : kSeveral;
    }
  }

  Parts Of(int32_t reg, int depth) {
    const int32_t by = writer_[reg];
    if (by < 0 || depth > kMostDeep) return {};
    if (seen_[reg]) return known_[reg];
    seen_[reg] = true;
    const Node& n = graph_.nodes[by];
    if (Loads(n)) {
      const auto at = std::find(n.defines.begin(), n.defines.end(), reg);
      LoadsStored::Part part{by, {}};
      const auto number = static_cast<size_t>(at - n.defines.begin());
      if (number >= part.registers.size()) return {};
      part.registers.set(number);
      known_[reg] = {part};
    } else if (n.op != nullptr && n.op->kind == OpKind::kValue) {
      Parts parts;
      for (const auto* from : {&n.reads, &n.data}) {
        for (int32_t r : *from) Add(Of(r, depth + 1), parts);
      }
      known_[reg] = std::move(parts);
    }
    return known_[reg];
  }

 private:
  static constexpr int32_t kNobody = -1, kSeveral = -2;
  static constexpr int kMostDeep = 64;

  const Graph& graph_;
  std::vector<int32_t> writer_;
  std::vector<Parts> known_;
  std::vector<bool> seen_;
};

}  // namespace

LoadsStored LoadsStoredIn(const Graph& graph) {
  LoadsStored out;
  std::map<int32_t, std::pair<int32_t, size_t>> loaded;  // by register
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& n = graph.nodes[i];
    if (!Loads(n)) continue;
    for (size_t r = 0; r < n.defines.size(); ++r)
      loaded[n.defines[r]] = {static_cast<int32_t>(i), r};
  }
  if (loaded.empty()) return out;
  Finder finder(graph);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& n = graph.nodes[i];
    for (const auto* from : {&n.reads, &n.data}) {
      for (int32_t reg : *from) {
        auto found = loaded.find(reg);
        if (found != loaded.end() && found->second.second < 128)
          out.read[found->second.first].set(found->second.second);
      }
    }
    if (!Stores(n)) continue;
    Parts parts;
    for (int32_t reg : n.data) Add(finder.Of(reg, 0), parts);
    if (!parts.empty())
      out.stores.emplace(static_cast<int32_t>(i), std::move(parts));
  }
  return out;
}

LoadsOfOps::LoadsOfOps(const Program& program) {
  const LoadsStored all = LoadsStoredIn(program.graph);
  std::map<int32_t, int32_t> loads;  // ops, by node
  for (const Step& s : program.steps) {
    if (s.kind != Step::Kind::kOp || s.op < 0 || s.touch) continue;
    auto read = all.read.find(s.node);
    if (read == all.read.end()) continue;
    loads.emplace(s.node, s.op);
    read_.emplace(s.op, read->second);
  }
  for (const Step& s : program.steps) {
    if (s.kind != Step::Kind::kOp || s.op < 0 || s.touch) continue;
    auto store = all.stores.find(s.node);
    if (store == all.stores.end()) continue;
    for (const LoadsStored::Part& part : store->second) {
      auto load = loads.find(part.load);
      if (load != loads.end())
        stored_[s.op].push_back({load->second, part.registers});
    }
  }
}

const std::vector<LoadsOfOps::Part>& LoadsOfOps::StoredOf(int32_t op) const {
  static const std::vector<Part> none;
  auto found = stored_.find(op);
  return found == stored_.end() ? none : found->second;
}

machine::LoadedRegisters LoadsOfOps::ReadOf(int32_t op) const {
  auto found = read_.find(op);
  return found == read_.end() ? machine::LoadedRegisters() : found->second;
}

}  // namespace tilesim::ptx

// What goes round a loop from one round to the next, and what is read behind
// it.
#ifndef TILESIM_PTX_FLOW_ROUNDS_H_
#define TILESIM_PTX_FLOW_ROUNDS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "ptx/flow/graph.h"

namespace tilesim::ptx {

// Whether the node reads one of the registers.
bool Reads(const Node& node, const std::set<int32_t>& registers);

// The registers that go round: read before they are defined in a round.
class Carried {
 public:
  Carried(const Graph& graph, const Loop& loop);
  const std::set<int32_t>& registers() const { return carried_; }
  // Those that the loop defines at all.
  const std::set<int32_t>& defined() const { return defined_; }

 private:
  void Visit(int32_t block, std::set<int32_t> before);
  void Execute(const Node& node, std::set<int32_t>& before);

  const Graph& graph_;
  const Loop& loop_;
  std::set<int32_t> defined_;
  std::map<int32_t, std::set<int32_t>> seen_;
  std::set<int32_t> carried_;
};

// What depends on how many rounds there were: registers that go round, those
// that the last does not define, and all that the loop computes from them.
std::set<int32_t> DependOnRounds(const Graph& graph, const Loop& loop,
                                 const std::set<int32_t>& by_last);

// Whether one of the registers is read at that block or behind it before it is
// defined.
class Liveness {
 public:
  Liveness(const Graph& graph, std::set<int32_t> registers);
  bool AnyAt(int32_t block);
  // Likewise, behind the node.
  bool AnyBehind(int32_t node);

 private:
  bool IsRead(int32_t reg, std::vector<int32_t> todo);
  // Read there first, defined there first, neither.
  std::optional<bool> InNodes(int32_t reg, int32_t first, int32_t last) const;

  const Graph& graph_;
  std::set<int32_t> registers_;
  std::vector<bool> seen_;
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_FLOW_ROUNDS_H_

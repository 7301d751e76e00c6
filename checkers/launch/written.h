// Which elements of the tensors that `computes` names CTAs store.
#ifndef TILESIM_CHECKERS_LAUNCH_WRITTEN_H_
#define TILESIM_CHECKERS_LAUNCH_WRITTEN_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "checkers/launch/launch.h"
#include "checkers/launch/walk.h"
#include "ir/concrete.h"
#include "sim/machine/code.h"
#include "sim/machine/data/bits.h"

namespace tilesim::checkers::launch {

// What is stored from registers of which several warps hold a part each.
struct Parts {
  int holders = 0;  // warps
  std::string of;   // the register tile
};

// nullopt: all of them are among those that execute the op.
std::optional<Parts> InParts(const machine::Code& code, const Visit& visit);

class Stores {
 public:
  explicit Stores(const machine::Code& code);

  void Add(const Visit& visit);

  // `limit`: why not all stores were added. `by_memory`: of which tensors, by
  // declaration, memory decides what is stored.
  std::vector<Written> Targets(const std::string& limit,
                               const std::set<int32_t>& by_memory) const;

 private:
  // Some of the warps that hold a part each of what an op stores to a box have
  // stored theirs: a bit a warp of the CTA.
  struct InPart {
    uint32_t warps = 0;
    std::string missing;  // told if the others never do
  };
  // CTA, op, where the box starts, its extents.
  using PartKey =
      std::tuple<int64_t, int32_t, std::array<int64_t, ir::kMaxRank>,
                 std::array<int32_t, ir::kMaxRank>>;
  struct Stored {
    machine::Bits elements;
    machine::Bits possible;     // of which memory decides, too
    std::set<int32_t> reached;  // ops, by index
    std::string limit;
    bool by_memory = false;
    std::map<PartKey, InPart> in_part;
  };
  void AddPart(const Visit& visit, const Parts& parts, Stored& stored);
  void AddBox(const Visit& visit, machine::Bits& elements);

  const machine::Code& code_;
  std::map<int32_t, Stored> stored_;  // by declaration
};

}  // namespace tilesim::checkers::launch

#endif  // TILESIM_CHECKERS_LAUNCH_WRITTEN_H_

// An instance of an op: what threads do in an event. A loop executes the same
// instance again and again, and an
// operation has three events: all of them share one.
//
//   event.instance = log.instances.Of(code.ops[event.op],
//   machine.last_concrete());
#ifndef TILESIM_CHECKERS_RUN_OP_INSTANCE_H_
#define TILESIM_CHECKERS_RUN_OP_INSTANCE_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <type_traits>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "ir/concrete.h"
#include "ir/effect.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::run {

struct OpInstance {
  const machine::CompiledOp* compiled = nullptr;
  ir::ConcreteOp op;
  std::span<const ir::Effect> effects;  // of every milestone
  uint64_t kinds = 0;                   // of effects that it has, a bit each
  bool orders = false;                  // ir::Orders of one of them
  bool may_block = false;               // likewise
  size_t hash = 0;
  int32_t number = 0;  // in its log

  static constexpr uint64_t Bit(ir::EffectKind kind) {
    return uint64_t{1} << static_cast<int>(kind);
  }
  bool Has(ir::EffectKind kind) const { return (kinds & Bit(kind)) != 0; }
};

// There are many, and all go at once.
static_assert(std::is_trivially_destructible_v<OpInstance>);

// Those of one log. They stay where they are, also if this is moved.
class OpInstances {
 public:
  OpInstances() = default;
  OpInstances(OpInstances&&) = default;
  OpInstances& operator=(OpInstances&&) = default;

  // `concrete`: of that op.
  const OpInstance* Of(const machine::CompiledOp& op,
                       const ir::ConcreteOp& concrete);

 private:
  struct Wanted {
    const machine::CompiledOp& op;
    const ir::ConcreteOp& concrete;
    size_t hash;
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(const Wanted& wanted) const { return wanted.hash; }
    size_t operator()(const OpInstance* instance) const {
      return instance->hash;
    }
  };
  struct Same {
    using is_transparent = void;
    bool operator()(const OpInstance* a, const Wanted& b) const;
    bool operator()(const OpInstance* a, const OpInstance* b) const {
      return a == b;
    }
  };

  absl::flat_hash_set<const OpInstance*, Hash, Same> all_;
  ir::EffectSink sink_;  // reused
  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory_ =
      std::make_unique<std::pmr::monotonic_buffer_resource>();
};

// Some of those of one log.
class OpInstanceSet {
 public:
  // False: it was there.
  bool Insert(const OpInstance& instance) {
    auto i = static_cast<size_t>(instance.number);
    if (there_.size() <= i) there_.resize(std::max(i + 1, 2 * there_.size()));
    if (there_[i]) return false;
    return there_[i] = true;
  }

 private:
  std::vector<bool> there_;
};

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_OP_INSTANCE_H_

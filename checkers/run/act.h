// What threads do in an event. A loop does the same again and again, and an
// operation is told of in three events: all of them share one.
//
//   event.act = log.acts.Of(code.ops[event.op], machine.last_concrete());
#ifndef TILESIM_CHECKERS_RUN_ACT_H_
#define TILESIM_CHECKERS_RUN_ACT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "ir/concrete.h"
#include "ir/effect.h"
#include "sim/machine/code.h"

namespace tilesim::checkers {

struct Act {
  const machine::CompiledOp* compiled = nullptr;
  ir::ConcreteOp op;
  std::vector<ir::Effect> effects;  // of every milestone
  uint64_t kinds = 0;               // of effects that it has, a bit each
  bool orders = false;  // it does more than move data that nobody waits for
  size_t hash = 0;

  static constexpr uint64_t Bit(ir::EffectKind kind) {
    return uint64_t{1} << static_cast<int>(kind);
  }
  bool Has(ir::EffectKind kind) const { return (kinds & Bit(kind)) != 0; }
};

// Those of one log. They stay where they are, also if this is moved.
class Acts {
 public:
  Acts() = default;
  Acts(Acts&&) = default;
  Acts& operator=(Acts&&) = default;

  // `concrete`: of that op.
  const Act* Of(const machine::CompiledOp& op, const ir::ConcreteOp& concrete);

 private:
  using Owned = std::unique_ptr<const Act>;
  struct Wanted {
    const machine::CompiledOp& op;
    const ir::ConcreteOp& concrete;
    size_t hash;
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(const Wanted& wanted) const { return wanted.hash; }
    size_t operator()(const Owned& act) const { return act->hash; }
  };
  struct Same {
    using is_transparent = void;
    bool operator()(const Owned& a, const Wanted& b) const;
    bool operator()(const Owned& a, const Owned& b) const { return a == b; }
  };

  absl::flat_hash_set<Owned, Hash, Same> all_;
  ir::EffectSink sink_;  // reused
};

}  // namespace tilesim::checkers

#endif  // TILESIM_CHECKERS_RUN_ACT_H_

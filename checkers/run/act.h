// What threads do in an event. A loop does the same again and again, and an
// operation is told of in three events: all of them share one.
#ifndef TILESIM_CHECKERS_RUN_ACT_H_
#define TILESIM_CHECKERS_RUN_ACT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "ir/concrete.h"
#include "ir/effect.h"

namespace tilesim::checkers {

struct Act {
  ir::ConcreteOp op;
  std::vector<ir::Effect> effects;  // of every milestone
  uint64_t kinds = 0;               // of effects that it has, a bit each

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

  const Act* Of(const ir::ConcreteOp& op);

 private:
  using Owned = std::unique_ptr<const Act>;
  struct Hash {
    using is_transparent = void;
    size_t operator()(const ir::ConcreteOp& op) const;
    size_t operator()(const Owned& act) const { return (*this)(act->op); }
  };
  struct Same {
    using is_transparent = void;
    bool operator()(const ir::ConcreteOp& a, const ir::ConcreteOp& b) const;
    bool operator()(const Owned& a, const ir::ConcreteOp& b) const {
      return (*this)(a->op, b);
    }
    bool operator()(const Owned& a, const Owned& b) const {
      return (*this)(a->op, b->op);
    }
  };

  absl::flat_hash_set<Owned, Hash, Same> all_;
  ir::EffectSink sink_;  // reused
};

}  // namespace tilesim::checkers

#endif  // TILESIM_CHECKERS_RUN_ACT_H_

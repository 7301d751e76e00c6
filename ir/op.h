// The op table: what an op is called, what it takes, where it is legal. See
// README.md for how an op is declared; every reader of programs is driven by
// OpInfo and knows no op by name.
#ifndef TILESIM_IR_OP_H_
#define TILESIM_IR_OP_H_

#include <cassert>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/expr.h"
#include "ir/modifier.h"
#include "ir/span.h"
#include "ir/target.h"
#include "ir/types.h"

namespace tilesim::ir {

// One enumerator a row of ops.def.
enum class OpKind : uint8_t {
#define TILE_OP(Name) k##Name,
#include "ir/ops.def"
#undef TILE_OP
};

// What an operand may be. A set: an operand may accept several.
enum OperandType : uint16_t {
  kTakesInt = 1,      // integer expression
  kTakesFloat = 2,    // constant float expression
  kTakesVar = 4,      // a `var`, written by the op
  kTakesBarrier = 8,  // mbarrier
  kTakesGlobal = 16,  // tile of a global tensor
  kTakesShared = 32,  // tile of shared memory
  kTakesTmem = 64,    // tile of tensor memory
  kTakesReg = 128,    // register tile
  kTakesPool = 256,   // tensor memory allocation (tmem with columns)
};

// Where the box of an operand may start (placement.h).
enum class StartRule : uint8_t {
  kAnywhere,
  kRaw,     // copied by its address, not through a tensor map: 16 bytes, and
            // all of it is there
  kVector,  // a vector at a time, likewise; of tmem: an instruction's factors
  kBox,     // shared side of a tensor copy: 128 bytes, or the swizzle's pattern
  kCoordinates,  // global side of a tensor copy: 16 bytes along a row
  kMatrix,       // shared operand of an mma, which a descriptor describes
  kLanes,        // tensor memory: groups of 32 lanes
};

struct OperandSpec {
  std::string_view name{};
  uint16_t types = 0;     // of OperandType
  bool keyword = false;   // written `name = value`
  bool optional = false;  // keyword operands may be
  std::string_view doc{};
  bool element = false;  // one integer of memory, which must be there
  StartRule start = StartRule::kAnywhere;
};

// Who must execute an op together.
enum class ExecScope : uint8_t {
  kThread,     // each thread that reaches it does its own
  kWarp,       // whole warps, converged (.sync.aligned)
  kWarpgroup,  // whole warpgroups
  kAny,        // a set of threads works on one tile, each on its part
};

// How far lowered code and the model may differ (DESIGN: bit for bit unless
// said otherwise).
enum class Arithmetic : uint8_t { kNone, kExact, kBounded, kUnordered };

// The unit whose clock an asynchronous op runs on; kNone: synchronous.
enum class AsyncUnit : uint8_t {
  kNone,
  kTma,
  kCpAsync,
  kWgmma,
  kTcgen05,
  kTmemLd,
  kTmemSt,
  kClc,
  kStAsync,
};

struct OpInfo {
  OpKind kind{};
  std::string_view mnemonic{};
  std::span<const ModSpec> mods{};
  std::span<const OperandSpec> operands{};
  uint8_t targets = kOnAll;  // a set
  ExecScope scope = ExecScope::kThread;
  AsyncUnit async = AsyncUnit::kNone;
  Arithmetic arithmetic = Arithmetic::kNone;
  std::string_view doc{};     // what it does, a sentence or two
  std::string_view source{};  // PTX section, hardware.md section

  bool IsOn(Target target) const { return (targets & BitOf(target)) != 0; }
  // The first operand is where it writes: a tile of a global tensor.
  bool IntoGlobal() const {
    return !operands.empty() && (operands.front().types & kTakesGlobal) != 0;
  }
  // It adds a product to an accumulator of tensor memory.
  bool AccumulatesInTmem() const {
    return async == AsyncUnit::kTcgen05 && !operands.empty() &&
           operands.front().name == "d";
  }
};

// Every op, in the order of ops.def.
std::span<const OpInfo* const> AllOps();
const OpInfo& InfoOf(OpKind kind);
// The op whose mnemonic is `name`, or nullptr.
const OpInfo* OpNamed(std::string_view name);

// ---------------------------------------------------------------------------
// An op in a program.

struct Subscript {
  enum class Kind : uint8_t { kIndex, kSlice, kAll };  // i | start : +len | :
  Kind kind = Kind::kIndex;
  Expr start;
  Expr extent;

  friend bool operator==(const Subscript&, const Subscript&) = default;
};

// `a[s][64:+64, :] @ cta 1`, `transpose(b[s])`
struct Ref {
  std::string name;
  std::vector<std::vector<Subscript>> groups;  // one a bracket pair
  std::vector<Expr> cta;                       // @ cta E: none or one
  bool transposed = false;
  int32_t decl = -1;  // set by the semantic check
  Span span;

  friend bool operator==(const Ref& a, const Ref& b) {
    return a.name == b.name && a.groups == b.groups && a.cta == b.cta &&
           a.transposed == b.transposed;
  }
};

struct Operand {
  enum class Kind : uint8_t { kNone, kExpr, kRef };
  Kind kind = Kind::kNone;
  Expr expr;
  Ref ref;
  Span span;

  friend bool operator==(const Operand&, const Operand&) = default;
};

struct Op {
  const OpInfo* info = nullptr;
  std::vector<uint8_t> mods;      // a choice for each of info->mods
  std::vector<Operand> operands;  // one for each of info->operands
  Span span;

  bool has(size_t operand) const {
    return operands[operand].kind != Operand::Kind::kNone;
  }

  // What modifier `M` of this op, an `OpT`, stands for as it is written. For an
  // op that has no M it does not compile.
  template <class OpT, class M>
  ValueOf<M> choice() const {
    return M::kChoices[Chosen<OpT, M>()].value;
  }
  // Likewise, how it is written.
  template <class OpT, class M>
  std::string_view spelling() const {
    return M::kChoices[Chosen<OpT, M>()].spelling;
  }
  // Of an op of any kind: nothing if it has no M.
  template <class M>
  std::optional<ValueOf<M>> FindChoice() const {
    for (size_t i = 0; i < mods.size(); ++i) {
      if (info->mods[i].choices.data() == kSpellings<M>.data())
        return M::kChoices[mods[i]].value;
    }
    return std::nullopt;
  }

  friend bool operator==(const Op&, const Op&) = default;

 private:
  template <class OpT, class M>
  uint8_t Chosen() const {
    static_assert(OpT::Mods::template kHas<M>, "the op has no such modifier");
    assert(info->kind == OpT::kKind);
    return mods[OpT::Mods::template Position<M>()];
  }
};

// What must be there of a box of a global tensor: for the rest zeros are read,
// or it is not written.
enum class There : uint8_t { kNothing, kStart, kAll };
There MustBeThere(const Op& op, size_t operand);

}  // namespace tilesim::ir

#endif  // TILESIM_IR_OP_H_

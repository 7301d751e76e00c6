// A kernel as flat code: what the machine executes. Structured statements
// become jumps, expressions become postfix code with everything known folded,
// ops keep their operands as compiled references.
//
//   for k in 0..TILES { BODY }     kSet k 0 ; kForTest k TILES end ; BODY ;
//                                  kForNext k 1 test ; end:
//   elect { BODY }                 kNarrow scope after ; BODY ; kWiden ; after:
#ifndef TILESIM_SIM_MACHINE_CODE_H_
#define TILESIM_SIM_MACHINE_CODE_H_

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/bind.h"
#include "ir/concrete.h"
#include "ir/diagnostic.h"
#include "ir/effect.h"
#include "ir/program.h"
#include "ir/values/tensor.h"

namespace tilesim::machine {

class ByteSets;
class Guide;

// How finely a strand must be divided before an expression has one value.
enum class Varies : uint8_t { kUniform, kWarpgroup, kWarp };

struct ExprInstr {
  enum class Kind : uint8_t {
    kPush,
    kSlot,
    kBuiltin,
    kUnary,
    kBinary,
    kBinaryWith,  // `value` is the right operand
    kCall,
    kJumpIfZero,
    kJump,
    kBool,
  };
  Kind kind = Kind::kPush;
  ir::ExprOp op = ir::ExprOp::kNone;
  int32_t index = 0;  // slot, builtin, function, jump distance
  int64_t value = 0;
};

struct CompiledExpr {
  bool constant = true;
  Varies varies = Varies::kUniform;
  int32_t begin = 0;  // [begin, end) of Code::expr_code
  int32_t end = 0;
  int64_t value = 0;       // constant
  int32_t slot = kNoSlot;  // the expression is this scalar and nothing else
  int32_t divisions = 0;   // that the compiled kernel makes for it

  static constexpr int32_t kNoSlot = -1;
};

struct CompiledOperand {
  ir::OperandValue::Kind kind = ir::OperandValue::Kind::kNone;
  ir::OperandValue fixed;  // what does not change: decl, rank, extents ...
  CompiledExpr expr;       // kInt
  std::vector<CompiledExpr> index;  // which object, one an array dimension
  struct Start {
    int8_t dim;
    CompiledExpr expr;
  };
  std::vector<Start> starts;        // box origin that is not a constant
  std::optional<CompiledExpr> cta;  // @ cta
};

struct CompiledOp {
  const ir::Op* op = nullptr;
  int32_t number = -1;  // its index into Code::ops, where a guide wants it
  std::vector<CompiledOperand> operands;
  ir::ConcreteOp fixed;         // with the operands that are the same each time
  std::vector<int8_t> varying;  // the others
  Varies varies = Varies::kUniform;
  bool control = false;  // its payload decides control (control.h)
  ir::Milestone moves_data = ir::Milestone::kIssue;
  int32_t role = -1;          // role that contains it, for reports
  int32_t divisions = 0;      // that the compiled kernel makes for its operands
  int32_t group_threads = 0;  // threads of the enclosing scope (blocked tiles)
  // The first of them; -1: of the one warp or warpgroup that executes it.
  int32_t first_thread = 0;
};

struct CompiledScope {
  ir::Scope::Kind kind = ir::Scope::Kind::kElect;
  bool also = false;  // united with the one before it
  bool one = false;   // `warp e`: from low on one; high is not asked for
  CompiledExpr low, high;
};

struct Instr {
  enum class Kind : uint8_t {
    kSet,      // slot a := expr
    kForTest,  // leave to b unless slot a < expr
    kForNext,  // slot a += expr, go to b
    kJump,     // go to b
    kBranch,   // go to b if expr is 0
    kNarrow,   // scopes [a, a + count); threads outside go to b
    kWiden,    // ends the innermost kNarrow
    kOp,       // ops[a]
    kExit,
  };
  Kind kind = Kind::kExit;
  int32_t a = 0;
  int32_t b = 0;
  int32_t count = 0;
  int32_t role = -1;  // kNarrow with a name: the role
  // kForTest, kBranch: what is tested, the compiled kernel learns on the way.
  bool tests = false;
  CompiledExpr expr;
  ir::Span span;
};

// What is known about a declaration of memory while code runs.
struct Code {
  ir::BoundKernel bound;
  std::vector<Instr> instrs;
  std::vector<ExprInstr> expr_code;
  std::vector<CompiledOp> ops;
  std::vector<CompiledScope> scopes;
  std::vector<int64_t> initial_slots;
  // Scalars in scope at an instruction, for merging strands; by pc.
  std::vector<std::vector<int16_t>> live;
  std::array<CompiledExpr, 3> grid;  // CTAs; the kernel's lets are set by then
  // With parameters kept: the extent of a box, on-chip memory, or the number of
  // threads depends on one.
  bool sized_by_params = false;
  std::vector<bool> control_decl;  // by DeclId: values decide control
  // What globals hold at the start, where it is known; by name.
  std::map<std::string, values::Tensor, std::less<>> given;
  bool control_shared = false;  // some shared declaration does
  bool control_tmem = false;    // likewise
  bool equal_reads = false;     // RestsOnEqualReads (lane_reads.h)
  // Absent: of `.tile` text, which instrs say all of. Else who steps its
  // strands; `guarded`: an op may be one that no thread executes, so that a
  // strand stands at it once its guide says so (Strand::ready).
  std::shared_ptr<const Guide> guide;
  bool guarded = false;
  // Of compiled code: its boxes (byte_sets.h).
  std::shared_ptr<const ByteSets> byte_sets;

  const ir::Kernel& kernel() const { return *bound.kernel; }
};

// Whether parameters are folded into the code as the numbers they are bound to,
// or stay scalars that an observer can follow. Both run alike.
enum class Params : uint8_t { kFolded, kKept };

// Compiles a bound kernel. The kernel must outlive the code.
std::optional<Code> Compile(ir::BoundKernel bound, ir::Diagnostics& diagnostics,
                            Params params = Params::kFolded);

// An op with what is known of its operands before anything runs: enough for
// the kinds of its effects.
inline const ir::ConcreteOp& FixedOperands(const CompiledOp& op) {
  return op.fixed;
}

struct Cta;

// Identity of the executing threads: builtins are worked out when an expression
// asks for them. The CTA must not move meanwhile.
class Who {
 public:
  Who(const ir::BoundKernel& kernel, const Cta& cta, int first_warp)
      : kernel_(&kernel), cta_(&cta), first_warp_(first_warp) {}
  int64_t operator[](ir::Builtin builtin) const;

 private:
  const ir::BoundKernel* kernel_;
  const Cta* cta_;
  int first_warp_;
};

// nullopt: overflow or division by zero.
std::optional<int64_t> EvaluateCode(const Code& code, const CompiledExpr& expr,
                                    const int64_t* slots, const Who& who);
inline std::optional<int64_t> Evaluate(const Code& code,
                                       const CompiledExpr& expr,
                                       const int64_t* slots, const Who& who) {
  if (expr.constant) return expr.value;
  if (expr.slot != CompiledExpr::kNoSlot) return slots[expr.slot];
  return EvaluateCode(code, expr, slots, who);
}

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_CODE_H_

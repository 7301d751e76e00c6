// One kernel as C++: its statements here, in scopes.cc who executes them, ops
// one function each (op_table.h). The rest are parts of their own: expressions
// and names, global tensors and their maps, register tiles, constants,
// functions, the host side.
#ifndef TILESIM_HWTESTS_EMIT_KERNEL_EMITTER_H_
#define TILESIM_HWTESTS_EMIT_KERNEL_EMITTER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hwtests/emit/constants.h"
#include "hwtests/emit/expression_printer.h"
#include "hwtests/emit/function_builder.h"
#include "hwtests/emit/global_tensors.h"
#include "hwtests/emit/host_side.h"
#include "hwtests/emit/kernel_context.h"
#include "hwtests/emit/register_tiles.h"
#include "hwtests/emit/writer.h"

namespace tilesim::hwtests {

class OpEmitter;

class KernelEmitter {
 public:
  KernelEmitter(const ir::BoundKernel& bound, const EmitOptions& options,
                FileState& file, ir::Diagnostics& diagnostics);

  // Constants, role functions and the kernel itself.
  std::string Run();

  // --- For ops.
  KernelContext& context() { return context_; }
  const Facts& facts() const { return context_.facts; }
  const ir::BoundKernel& bound() const { return context_.bound; }
  const ir::Kernel& kernel() const { return context_.kernel(); }
  const EmitOptions& options() const { return context_.options; }
  FileState& file() { return context_.file; }
  ir::Diagnostics& diagnostics() { return context_.diagnostics; }
  std::string Local(std::string_view name) {
    return context_.names.Local(name);
  }
  ExpressionPrinter& print() { return print_; }
  GlobalTensors& globals() { return globals_; }
  RegisterTiles& registers() { return registers_; }
  Writer& out() { return *out_; }
  const ThreadsHere& threads() const { return threads_; }
  int32_t role() const { return role_; }

 private:
  // Statements.
  void EmitBlock(const ir::Block& block);
  void EmitStmt(const ir::Stmt& stmt);
  void EmitOp(const ir::Op& op);
  std::string TraceSiteOf(OpEmitter& op);
  void EmitComments(const ir::Stmt& stmt);
  void EmitDecl(const ir::Stmt& stmt);
  void EmitLet(const ir::Stmt& stmt, bool is_var);
  std::string HighOf(const ir::Stmt& loop);
  void EmitFor(const ir::Stmt& stmt);
  void EmitWhile(const ir::Stmt& stmt);
  void EmitIf(const ir::Stmt& stmt);
  void EmitBody(const ir::Block& block);  // of a loop
  void EmitRole(const ir::Stmt& stmt);
  void Define(int32_t slot, bool is_var);

  // Who executes them (scopes.cc).
  void EmitScope(const ir::Stmt& stmt);
  std::string ScopeCondition(const std::vector<ir::Scope>& scopes);
  std::string OneCondition(const ir::Scope& scope);
  std::string RangeCondition(const std::string& what, const ir::Scope& scope);
  void Unite(const ThreadsHere& other);
  void Narrow(const ir::Scope& scope);
  void NarrowTo(const ir::Scope& scope, int64_t low, int64_t high);
  void NarrowToUnknown(const ir::Scope& scope);

  KernelContext context_;
  Frame frame_;  // of the kernel
  ExpressionPrinter print_;
  GlobalTensors globals_;
  RegisterTiles registers_;
  FunctionBuilder functions_;
  Writer* out_ = nullptr;
  ThreadsHere threads_;
  int32_t role_ = -1;
  int32_t delays_ = 0;  // places that sleep, so far
  bool later_ = false;  // what comes after the statement needs whole warps
};

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_KERNEL_EMITTER_H_

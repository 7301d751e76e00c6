// One kernel as C++: statements here, expressions in expressions.cc, operands
// of products in matrix_operand.cc, ops one function each (op_table.h).
#ifndef TILESIM_HWTESTS_EMIT_KERNEL_EMITTER_H_
#define TILESIM_HWTESTS_EMIT_KERNEL_EMITTER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hwtests/emit/device_header.h"
#include "hwtests/emit/emit.h"
#include "hwtests/emit/facts.h"
#include "hwtests/emit/frame.h"
#include "hwtests/emit/host_code.h"
#include "hwtests/emit/launch_plan.h"
#include "hwtests/emit/names.h"
#include "hwtests/emit/writer.h"
#include "ir/warp.h"

namespace tilesim::hwtests {

class OpEmitter;

// What kernels of a file share.
struct FileState {
  LaunchPlan plan;
  std::vector<std::string> kernels;  // what their functions are called
  // Instruction wrappers made on demand (wgmma shapes ...), by name.
  std::map<std::string, std::string> wrappers;
  std::vector<HostCode> hosts;  // of each kernel, unless code is observed
};

// The threads that execute the code at hand, as far as constants say.
struct ThreadsHere {
  int64_t first_warp = 0;
  int64_t warps = 0;  // 0: not known
  int64_t first_lane = 0;
  int64_t lanes = ir::kWarpThreads;  // of each warp; 0: not known

  int64_t threads() const { return warps * lanes; }
  int64_t first_thread() const {
    return first_warp * ir::kWarpThreads + first_lane;
  }
  bool whole_warps() const { return lanes == ir::kWarpThreads; }
};

class KernelEmitter {
 public:
  KernelEmitter(const ir::BoundKernel& bound, const EmitOptions& options,
                FileState& file, ir::Diagnostics& diagnostics);

  // Constants, role functions and the kernel itself.
  std::string Run();

  // --- For ops.
  const Facts& facts() const { return facts_; }
  const ir::BoundKernel& bound() const { return bound_; }
  const ir::Kernel& kernel() const { return *bound_.kernel; }
  const EmitOptions& options() const { return options_; }
  FileState& file() { return file_; }
  ir::Diagnostics& diagnostics() { return diagnostics_; }
  Writer& out() { return *out_; }
  const ThreadsHere& threads() const { return threads_; }
  int32_t role() const { return role_; }
  std::string Fresh(std::string_view name) { return names_.Fresh(name); }
  std::string Local(std::string_view name) { return names_.Local(name); }

  // Expressions.
  std::string Text(const ir::Expr& expr);
  // Fit to stand beside `*` or after a cast.
  std::string Factor(const ir::Expr& expr);
  std::string FloatText(const ir::Expr& expr);
  // Fit to stand beside `+`.
  std::string Term(const ir::Expr& expr) { return Print(expr, 11); }
  // The threads of the scope that declares a register tile.
  const ThreadsHere& DeclThreads(int32_t decl) { return decl_threads_[decl]; }

  // Names, which the function at hand then takes as parameters.
  std::string Shared();                  // smem
  std::string Warp();                    // warp
  std::string Warpgroup();               // warp / 4
  std::string SharedName(int32_t decl);  // constexpr offset
  std::string RegName(int32_t decl);
  std::string GlobalName(int32_t decl);
  std::string MapName(int32_t map);
  std::string TmemName(int32_t pool);  // its address, from its slot
  // The size of a global's dimension, and its stride.
  std::string GlobalExtent(int32_t decl, int dim);
  std::string GlobalStride(int32_t decl, int dim);
  int64_t GlobalExtentDivisor(int32_t decl, int dim);
  int64_t GlobalStrideDivisor(int32_t decl, int dim);

  // The plan's global of a declaration.
  int32_t GlobalIndex(int32_t decl);
  void MarkRead(int32_t decl);
  void MarkWritten(int32_t decl);
  // Adds a tensor map, or finds it; the plan's index.
  int32_t TensorMap(int32_t decl, const std::vector<int64_t>& box,
                    ir::Swizzle swizzle);
  // Words a thread holds of one register tile; "[2][64]" of the array.
  int64_t RegWords(int32_t decl);
  std::string RegExtents(int32_t decl);
  std::string RegType(int32_t decl) const;
  // Loops that must be unrolled, since their counter picks a register.
  void MustUnroll(const ir::Expr& expr, const ir::Span& span);
  // Register tiles that asynchronous operations read or write and that are
  // visible here.
  std::vector<int32_t> AsyncRegisters() const;

 private:
  void FindAsyncRegisters(const ir::Block& block);
  // Statements.
  void EmitBlock(const ir::Block& block);
  void EmitStmt(const ir::Stmt& stmt);
  void EmitOp(const ir::Op& op);
  std::string TraceSiteOf(OpEmitter& op);
  void EmitComments(const ir::Stmt& stmt);
  void EmitDecl(const ir::Stmt& stmt);
  void EmitLet(const ir::Stmt& stmt, bool is_var);
  void EmitFor(const ir::Stmt& stmt);
  void EmitWhile(const ir::Stmt& stmt);
  void EmitIf(const ir::Stmt& stmt);
  void EmitBody(const ir::Block& block);  // of a loop
  void EmitScope(const ir::Stmt& stmt);
  std::string ScopeCondition(const std::vector<ir::Scope>& scopes);
  std::string OneCondition(const ir::Scope& scope);
  void Unite(const ThreadsHere& other);
  std::string RangeCondition(const std::string& what, const ir::Scope& scope);
  void Narrow(const ir::Scope& scope);
  void EmitRole(const ir::Stmt& stmt);
  void Define(int32_t slot, bool is_var);

  // Functions.
  std::string Head(const Frame& frame);  // derived lets
  std::string Parameter(const Capture& capture);
  std::string Argument(const Capture& capture);
  void Use(Capture capture);
  void UseScalar(const ir::Expr& expr);
  std::string NameText(const ir::Expr& expr);
  std::string BuiltinText(ir::Builtin builtin);
  bool IsIn64Bits(const ir::Expr& expr) const;
  std::string CallText(const ir::Expr& expr);
  std::string Print(const ir::Expr& expr, int outer);
  std::string ScalarType(int32_t slot) const;
  std::string Constants(std::string_view code);
  std::string Offsets(const Words& words);
  std::string ConstantLine(const ir::Constant& c);
  std::string DeclText(int32_t id) const;
  std::string KernelFunction(const Writer& body);
  std::string Bounds();
  ArgPlan Arg(const Capture& capture);

  // The host side (host_code.cc).
  HostCode HostSide(const KernelPlan& plan);
  std::string EncodeFunction(const std::vector<int32_t>& maps, HostCode* host);
  std::string LaunchFunction(const KernelPlan& plan, HostCode* host);
  std::string HostFunctionText(std::string_view given, std::string_view last,
                               const std::string& statement,
                               HostFunction* function);
  std::string EncodeText(const TensorMapPlan& map);
  std::string Dim3Text(const std::vector<ir::Expr>& extents);
  int32_t DeclOf(const GlobalPlan& global) const;
  bool UsesSetmaxnreg(const ir::Block& block) const;

  const ir::BoundKernel& bound_;
  const EmitOptions& options_;
  FileState& file_;
  ir::Diagnostics& diagnostics_;
  Facts facts_;
  std::string function_;  // the kernel's name
  NameTable names_;
  Frame kernel_frame_;
  Frame* frame_ = &kernel_frame_;
  Writer* out_ = nullptr;
  ThreadsHere threads_;
  int32_t role_ = -1;
  int32_t delays_ = 0;     // places that sleep, so far
  bool later_ = false;     // what comes after the statement needs whole warps
  std::string functions_;  // finished role functions
  std::set<std::string> function_names_;
  std::set<int32_t> used_constants_;  // slots
  std::set<int32_t> used_offsets_;    // declarations
  Words written_;  // names of constants and offsets that are defined by now
  std::map<int32_t, ThreadsHere> decl_threads_;
  std::set<int32_t> unrolled_;         // loop counters
  std::set<int32_t> async_registers_;  // declarations
};

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_KERNEL_EMITTER_H_

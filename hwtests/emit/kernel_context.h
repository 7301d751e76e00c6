// What the parts that lower one kernel share: the kernel as bound, what is
// known of it, and the state of the file that it becomes a part of.
#ifndef TILESIM_HWTESTS_EMIT_KERNEL_CONTEXT_H_
#define TILESIM_HWTESTS_EMIT_KERNEL_CONTEXT_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hwtests/emit/emit.h"
#include "hwtests/emit/facts.h"
#include "hwtests/emit/host_code.h"
#include "hwtests/emit/launch_plan.h"
#include "hwtests/emit/names.h"
#include "ir/warp.h"

namespace tilesim::hwtests {

// What kernels of a file share.
struct FileState {
  LaunchPlan plan;
  std::vector<std::string> kernels;  // what their functions are called
  std::set<std::string> written;     // global tensors, by any of them
  // Instruction wrappers made on demand (wgmma shapes ...), by name.
  std::map<std::string, std::string> wrappers;
  std::vector<HostCode> hosts;  // of each kernel, unless code is observed
};

struct KernelContext {
  KernelContext(const ir::BoundKernel& of, const EmitOptions& with,
                FileState& in, ir::Diagnostics& reports)
      : bound(of),
        options(with),
        file(in),
        diagnostics(reports),
        facts(of, in.written),
        function(in.kernels[in.plan.kernels.size()]),
        names(*of.kernel, function) {}

  const ir::Kernel& kernel() const { return *bound.kernel; }
  const ir::Decl& decl(int32_t id) const { return kernel().decls[id]; }

  const ir::BoundKernel& bound;
  const EmitOptions& options;
  FileState& file;
  ir::Diagnostics& diagnostics;
  const Facts facts;
  const std::string function;  // what the kernel is called
  NameTable names;
};

// The threads that execute the code at hand, as far as constants say.
struct ThreadsHere {
  int64_t first_warp = 0;
  int64_t warps = 0;  // 0: not known
  bool any = false;   // one warp or warpgroup, and a run decides which
  int64_t first_lane = 0;
  int64_t lanes = ir::kWarpThreads;  // of each warp; 0: not known

  int64_t threads() const { return warps * lanes; }
  int64_t first_thread() const {
    return first_warp * ir::kWarpThreads + first_lane;
  }
  bool whole_warps() const { return lanes == ir::kWarpThreads; }
};

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_KERNEL_CONTEXT_H_

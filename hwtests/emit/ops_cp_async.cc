// cp.async by ordinary threads.
#include <numeric>

#include "hwtests/emit/global_box.h"
#include "hwtests/emit/op_table.h"
#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
namespace ops = ir::ops;

// This thread's number among those that execute the code.
std::optional<std::string> ThreadNumber(OpEmitter& e) {
  const ThreadsHere& here = e.kernel().threads();
  if (here.threads() == 1) return "0";
  if (here.threads() == 0 || !here.whole_warps()) {
    e.Unsupported(
        "the threads that share the copy do not follow from "
        "constants");
    return std::nullopt;
  }
  if (here.any) return Cat("int(threadIdx.x) % ", here.threads());
  if (here.first_warp == 0) return "int(threadIdx.x)";
  return Cat("int(threadIdx.x) - ", here.first_thread());
}

}  // namespace

template <>
void EmitOp<ops::CpAsync>(OpEmitter& e) {
  using Op = ops::CpAsync;
  TileRef s = e.Tile(Op::kDst), g = e.Tile(Op::kSrc);
  std::optional<GlobalBox> box = GlobalBoxOf(e, g);
  std::optional<std::string> thread = ThreadNumber(e);
  std::optional<int64_t> bytes = e.has(Op::kVec)
                                     ? e.Immediate(Op::kVec, "the vector")
                                     : std::optional<int64_t>(16);
  if (!box || !thread || !bytes) return;
  int64_t vector = *bytes * 8 / s.bits();
  int64_t aligned =
      std::gcd(box->aligned, e.StartDivisor(s, s.dims.size() - 1));
  if (aligned % vector != 0 || s.cols() % vector != 0) {
    e.Shape(Cat(*bytes, " bytes at a time do not fit the rows of `",
                g.ref->name, "`"));
    return;
  }
  e.globals().MarkRead(g.decl);
  const ir::SharedLayout& l = s.bound->layout;
  std::vector<std::string> args = {e.SharedBase(s), e.StartRow(s),
                                   e.StartCol(s), box->address, box->pitch};
  // Without src-size all of the box is inside.
  if (e.op().choice<Op, ops::Zfill>()) AddLimits(*box, box->guard, &args);
  if (args.size() == 5) args.insert(args.end(), {"1 << 30", "1 << 30"});
  args.push_back(*thread);
  e.Call(Cat("cp_async_tile<", s.rows(), ", ", s.cols(), ", ", s.bits(), ", ",
             static_cast<int>(l.swizzle), ", ", l.rows, ", ", l.cols, ", ",
             *bytes, ", ", e.kernel().threads().threads(), ">"),
         args);
}

template <>
void EmitOp<ops::CpAsyncCommitGroup>(OpEmitter& e) {
  e.Call("cp_async_commit_group", {});
}

template <>
void EmitOp<ops::CpAsyncWaitGroup>(OpEmitter& e) {
  e.WaitGroup("cp_async_wait_group", ops::CpAsyncWaitGroup::kPending);
}

template <>
void EmitOp<ops::CpAsyncMbarrierArrive>(OpEmitter& e) {
  using Op = ops::CpAsyncMbarrierArrive;
  bool noinc = e.op().choice<Op, ops::Noinc>();
  e.Call(noinc ? "cp_async_mbarrier_arrive_noinc" : "cp_async_mbarrier_arrive",
         {e.Barrier(Op::kBar)});
}

}  // namespace tilesim::hwtests

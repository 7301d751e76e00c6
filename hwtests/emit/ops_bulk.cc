// Tensor and linear copies by the TMA engine.
#include "hwtests/emit/op_table.h"
#include "hwtests/emit/tma_text.h"
#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

using ir::Cat;
namespace ops = ir::ops;

std::vector<int64_t> BoxOf(const TileRef& tile) {
  std::vector<int64_t> box;
  for (const BoxDim& dim : tile.dims) box.push_back(dim.extent);
  return box;
}

// The tensor map's address and the coordinates, innermost first.
struct MapAccess {
  std::string map;
  std::vector<std::string> coordinates;
};

// `shared` absent: no tile says how the box lies in shared memory.
std::optional<MapAccess> Access(OpEmitter& e, const TileRef& global,
                                const TileRef* shared) {
  std::string stride =
      e.globals().Stride(global.decl, static_cast<int>(global.dims.size()) - 1);
  if (stride != "1") {
    e.Unsupported(Cat("the last dimension of `", global.ref->name,
                      "` is not the contiguous one"));
    return std::nullopt;
  }
  ir::Swizzle swizzle =
      shared == nullptr ? ir::Swizzle::kNone : shared->bound->layout.swizzle;
  MapAccess access;
  int32_t map = e.globals().TensorMap(global.decl, BoxOf(global), swizzle);
  access.map = Cat("&", e.print().MapName(map));
  for (size_t d = global.dims.size(); d-- > 0;)
    access.coordinates.push_back(e.StartText(global, d));
  return access;
}

std::vector<std::string> With(std::vector<std::string> args,
                              const std::vector<std::string>& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

// Calls the wrapper of this form for the rank at hand.
void CallTma(OpEmitter& e, TmaForm form, const std::vector<std::string>& args,
             const MapAccess& access) {
  form.rank = static_cast<int>(access.coordinates.size());
  std::string name = TmaName(form);
  e.kernel().file().wrappers[name] = TmaText(form);
  e.Call(name, With(args, access.coordinates));
}

void Store(OpEmitter& e, const TmaForm& form) {
  TileRef dst = e.Tile(ops::TmaStore::kDst), src = e.Tile(ops::TmaStore::kSrc);
  std::optional<MapAccess> access = Access(e, dst, &src);
  if (!access) return;
  e.globals().MarkWritten(dst.decl);
  CallTma(e, form, {access->map, e.SharedAddress(src)}, *access);
}

}  // namespace

template <>
void EmitOp<ops::TmaLoad>(OpEmitter& e) {
  using Op = ops::TmaLoad;
  TileRef dst = e.Tile(Op::kDst), src = e.Tile(Op::kSrc);
  std::optional<MapAccess> access = Access(e, src, &dst);
  if (!access) return;
  e.globals().MarkRead(src.decl);
  TmaForm form;
  form.pair = ops::IsPair(e.op());
  form.multicast = e.has(Op::kMulticast);
  std::vector<std::string> args = {e.SharedAddress(dst), access->map,
                                   e.Barrier(Op::kBar)};
  if (form.multicast) args.push_back(e.Int(Op::kMulticast));
  CallTma(e, form, args, *access);
}

template <>
void EmitOp<ops::TmaStore>(OpEmitter& e) {
  Store(e, {.kind = TmaForm::Kind::kStore});
}

template <>
void EmitOp<ops::TmaReduce>(OpEmitter& e) {
  e.globals().MarkRead(e.Tile(ops::TmaReduce::kDst).decl);
  TmaForm form;
  form.kind = TmaForm::Kind::kReduce;
  form.reduction = e.op().spelling<ops::TmaReduce, ops::ReduceOp>();
  Store(e, form);
}

template <>
void EmitOp<ops::TmaPrefetch>(OpEmitter& e) {
  TileRef src = e.Tile(ops::TmaPrefetch::kSrc);
  std::optional<MapAccess> access = Access(e, src, nullptr);
  if (access)
    CallTma(e, {.kind = TmaForm::Kind::kPrefetch}, {access->map}, *access);
}

template <>
void EmitOp<ops::PrefetchTensormap>(OpEmitter& e) {
  TileRef tile = e.Tile(ops::PrefetchTensormap::kTile);
  std::optional<MapAccess> access =
      Access(e, e.Tile(ops::PrefetchTensormap::kBox), &tile);
  if (access) e.Call("prefetch_tensormap", {access->map});
}

template <>
void EmitOp<ops::BulkLoad>(OpEmitter& e) {
  using Op = ops::BulkLoad;
  TileRef dst = e.Tile(Op::kDst), src = e.Tile(Op::kSrc);
  e.globals().MarkRead(src.decl);
  std::vector<std::string> args = {e.SharedAddress(dst), e.GlobalAddress(src),
                                   Cat(dst.bytes()), e.Barrier(Op::kBar)};
  if (e.has(Op::kMulticast)) args.push_back(e.Int(Op::kMulticast));
  e.Call(e.has(Op::kMulticast) ? "bulk_load_multicast" : "bulk_load", args);
}

template <>
void EmitOp<ops::BulkStore>(OpEmitter& e) {
  using Op = ops::BulkStore;
  TileRef dst = e.Tile(Op::kDst), src = e.Tile(Op::kSrc);
  e.globals().MarkWritten(dst.decl);
  e.Call("bulk_store",
         {e.GlobalAddress(dst), e.SharedAddress(src), Cat(src.bytes())});
}

template <>
void EmitOp<ops::BulkPush>(OpEmitter& e) {
  using Op = ops::BulkPush;
  TileRef dst = e.Tile(Op::kDst), src = e.Tile(Op::kSrc);
  e.Call("bulk_push", {e.SharedAddress(dst), e.SharedAddress(src),
                       Cat(src.bytes()), e.Barrier(Op::kBar)});
}

template <>
void EmitOp<ops::BulkCommitGroup>(OpEmitter& e) {
  e.Call("bulk_commit_group", {});
}

template <>
void EmitOp<ops::BulkWaitGroup>(OpEmitter& e) {
  using Op = ops::BulkWaitGroup;
  bool read = e.op().choice<Op, ops::ReadOnly>();
  e.WaitGroup(read ? "bulk_wait_group_read" : "bulk_wait_group", Op::kPending);
}

}  // namespace tilesim::hwtests

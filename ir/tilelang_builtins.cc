#include "ir/tilelang_builtins.h"

namespace tilesim::ir {
namespace {

constexpr std::string_view kNothingInserted =
    "nothing is inserted that the text does not say";
constexpr std::string_view kOneShuffle =
    "the shuffles of a reduction; no other exchange between lanes";
constexpr std::string_view kFromLayout =
    "the layout of the tile is the descriptor";
constexpr std::string_view kOneGrid =
    "a count in global memory, polled; the grid must be resident";
constexpr std::string_view kWidth =
    "as wide as the fragment allows, at most 16 bytes; what lies outside the "
    "tensor is zero";
constexpr std::string_view kStoreWidth =
    "as wide as the fragment allows, at most 16 bytes; what lies outside the "
    "tensor is dropped";

constexpr TileLangBuiltin kTileLangBuiltins[] = {
    {"access_ptr",
     {"a[s][64:+64, :]"},
     "what is read or written follows from the op"},
    {"create_tma_descriptor",
     {"global NAME : dtype[e, ...]"},
     "made by the host from the tensor, the box and the tile's swizzle"},
    {"tma_load", {"tma.load"}, ""},
    {"fence_proxy_async", {"fence.proxy.async"}, ""},
    {"tma_store_arrive", {"bulk.commit_group"}, ""},
    {"tma_store_wait", {"bulk.wait_group"}, ""},
    {"set_max_nreg", {"setmaxnreg.inc", "setmaxnreg.dec"}, ""},
    {"inc_max_nreg", {"setmaxnreg.inc"}, ""},
    {"dec_max_nreg", {"setmaxnreg.dec"}, ""},
    {"annotate_producer_reg_dealloc",
     {"setmaxnreg.dec"},
     "written in the producer's role"},
    {"annotate_consumer_reg_alloc",
     {"setmaxnreg.inc"},
     "written in the consumer's role"},
    {"no_set_max_nreg", {}, kNothingInserted},
    {"disable_warp_group_reg_alloc", {}, kNothingInserted},
    {"ptx_arrive_cluster_barrier", {"mbarrier.arrive", "@ cta r"}, ""},
    {"mbarrier_wait_parity", {"mbarrier.wait"}, ""},
    {"mbarrier_arrive", {"mbarrier.arrive", "@ cta r"}, ""},
    {"mbarrier_expect_tx", {"mbarrier.expect_tx"}, ""},
    {"warpgroup_arrive", {"wgmma.fence"}, ""},
    {"warpgroup_commit_batch", {"wgmma.commit_group"}, ""},
    {"warpgroup_wait", {"wgmma.wait_group"}, ""},
    {"get_lane_idx", {"lane e { }"}, "lanes are chosen, not computed with"},
    {"get_warp_idx_sync", {"warp"}, ""},
    {"get_warp_idx", {"warp"}, ""},
    {"get_warp_group_idx", {"warpgroup"}, ""},
    {"shuffle_elect", {"elect { }", "elect one { }"}, "of a warp, or of more"},
    {"warpgroup_fence_operand",
     {},
     "holds back a C++ compiler: lowered code does it at every wgmma.fence and "
     "wgmma.wait_group"},
    {"wait_wgmma", {"wgmma.wait_group"}, ""},
    {"barrier_wait", {"mbarrier.wait"}, ""},
    {"barrier_arrive", {"mbarrier.arrive"}, ""},
    {"shfl_xor", {"row.max", "row.sum"}, kOneShuffle},
    {"shfl_down", {"row.max", "row.sum"}, kOneShuffle},
    {"shfl_up", {"row.max", "row.sum"}, kOneShuffle},
    {"sync_threads", {"bar.sync"}, ""},
    {"sync_warp", {"bar.warp.sync"}, "of all its lanes, or of those in a mask"},
    {"shfl_sync", {"row.max", "row.sum"}, kOneShuffle},
    {"sync_global", {"red.add", "while expr { }", "ld"}, kOneGrid},
    {"sync_grid", {"red.add", "while expr { }", "ld"}, kOneGrid},
    {"initialize_wgmma_descriptor",
     {"shared NAME[n, ...] : dtype[e, ...]"},
     kFromLayout},
    {"initialize_tcgen05_descriptor",
     {"shared NAME[n, ...] : dtype[e, ...]"},
     kFromLayout},
    {"increase_descriptor_offset", {"a[s][64:+64, :]"}, ""},
    {"loop_break", {"break"}, ""},
    {"cp_async_barrier_noinc", {"cp.async.mbarrier.arrive"}, "with `.noinc`"},
    {"tcgen05_mma_arrive", {"tcgen05.commit"}, ""},
    {"ptx_mma_sm70", {}, "Volta is no target"},
    {"ldg32", {"ld.global"}, kWidth},
    {"ldg64", {"ld.global"}, kWidth},
    {"ldg128", {"ld.global"}, kWidth},
    {"ldg256", {"ld.global"}, kWidth},
    {"stg32", {"st.global"}, kStoreWidth},
    {"stg64", {"st.global"}, kStoreWidth},
    {"stg128", {"st.global"}, kStoreWidth},
    {"stg256", {"st.global"}, kStoreWidth},
};

}  // namespace

std::span<const TileLangBuiltin> TileLangBuiltins() {
  return kTileLangBuiltins;
}

}  // namespace tilesim::ir

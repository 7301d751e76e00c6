#include "sim/machine/data/clc.h"

#include "sim/machine/data/compute.h"

namespace tilesim::machine {
namespace {

constexpr int64_t kResponseBytes = 16;

}  // namespace

void WriteClcResponse(Job& job, bool canceled,
                      const std::array<int32_t, 3>& first_cta) {
  using Op = ir::ops::ClcTryCancel;
  constexpr int kResponse = Op::kResponse;
  const ir::TileValue& tile = job.tile(kResponse);
  Dense box(tile.dtype, tile.rows(), tile.cols());
  if (static_cast<int64_t>(box.data.size()) < kResponseBytes) {
    return job.Fault("shape/extent",
                     "an answer of clc.try_cancel needs 16 "
                     "bytes");
  }
  int32_t words[4] = {canceled ? 1 : 0, first_cta[0], first_cta[1],
                      first_cta[2]};
  std::memcpy(box.data.data(), words, sizeof(words));
  bool multicast = job.op().choice<Op, ir::ops::Multicast>();
  if (!multicast) return job.WriteShared(kResponse, box);
  for (int rank = 0; rank < job.bound().cluster_size(); ++rank)
    job.WriteShared(kResponse, box, rank);
}

void Compute(ir::ops::ClcQueryCancel, Job& job) {
  using Op = ir::ops::ClcQueryCancel;
  Dense box = job.ReadShared(Op::kResponse);
  int32_t words[4] = {};
  if (static_cast<int64_t>(box.data.size()) >= kResponseBytes)
    std::memcpy(words, box.data.data(), sizeof(words));
  job.SetVar(Op::kCanceled, words[0]);
  job.SetVar(Op::kX, words[1]);
  job.SetVar(Op::kY, words[2]);
}

}  // namespace tilesim::machine

#include "sim/timing/sub_cores.h"

#include <algorithm>

namespace tilesim::timing {

SubCores::Work::Work(const Work& other)
    : of_(other.of_),
      count_(other.count_),
      parts_(other.parts_),
      foreseen_(other.foreseen_) {
  for (int32_t i = 0; i < count_; ++i)
    of_->pipes_[parts_[i].sub_core].Keep(parts_[i].request);
}

SubCores::Work& SubCores::Work::operator=(const Work& other) {
  if (this == &other) return *this;
  Release();
  of_ = other.of_;
  count_ = other.count_;
  parts_ = other.parts_;
  foreseen_ = other.foreseen_;
  for (int32_t i = 0; i < count_; ++i)
    of_->pipes_[parts_[i].sub_core].Keep(parts_[i].request);
  return *this;
}

void SubCores::Work::Release() {
  for (int32_t i = 0; i < count_; ++i)
    of_->pipes_[parts_[i].sub_core].Release(parts_[i].request);
  count_ = 0;
}

double SubCores::Work::Finish() const {
  double finish = 0;
  for (int32_t i = 0; i < count_; ++i)
    finish = std::max(
        finish, of_->pipes_[parts_[i].sub_core].Finish(parts_[i].request));
  return finish;
}

SubCores::Work SubCores::Ask(double now, double time, int first, int warps,
                             int slot, WarpPipe::By by) {
  constexpr int kGroupsOfCta = 8;
  busy_ += time;
  const double each = time * kSubCores / warps;
  const bool groups = first % kSubCores == 0 && warps % kSubCores == 0;
  if (alike_ && !groups) {
    alike_ = false;
    for (int i = 1; i < kSubCores; ++i)
      pipes_[static_cast<size_t>(i)] = pipes_[0].Unkept();
  }
  Work work;
  work.of_ = this;
  // Of a warpgroup that has several there, the last one ends last.
  for (int warp = first; warp < first + warps; warp += alike_ ? kSubCores : 1) {
    const int sub_core = warp % kSubCores;
    const int32_t request = pipes_[sub_core].Ask(
        slot * kGroupsOfCta + warp / kSubCores, now, each, by);
    if (warp < first + warps - kSubCores) continue;
    pipes_[sub_core].Keep(request);
    work.parts_[static_cast<size_t>(work.count_++)] = {sub_core, request};
  }
  work.foreseen_ = work.Finish();
  return work;
}

}  // namespace tilesim::timing

#include "cli/not_judged.h"

#include <utility>

namespace tilesim::cli {

std::string_view TextOf(ptx::NotJudged what) {
  using ptx::NotJudged;
  static constexpr std::pair<NotJudged, std::string_view> kTexts[] = {
      {NotJudged::kAssertion,
       "whether assertions hold that depend on values that are not known"},
      {NotJudged::kMembers,
       "whether the lanes that a membermask names execute the instruction "
       "together"},
      {NotJudged::kElection,
       "whether the lanes that elect.sync may choose, of which the lowest "
       "was "
       "taken, do the same where registers or earlier waits differ from lane "
       "to lane"},
      {NotJudged::kWaitByState,
       "whether a wait by state is given that of the current phase or of the "
       "one before"},
      {NotJudged::kMapOfHost,
       "whether tensor maps that the host has put into global memory are "
       "used "
       "behind a fence.proxy.tensormap::generic.acquire of each CTA, as CUDA "
       "asks"},
      {NotJudged::kNoComplete,
       "whether an arrival that is said to complete no phase (.noComplete) "
       "completes none"},
      {NotJudged::kLoopEnds,
       "whether loops end that only compute, and whose end depends on values "
       "that are not known"},
      {NotJudged::kBarRed,
       "whether bar.red and another barrier instruction meet in one round of "
       "a barrier"},
      {NotJudged::kReadsIfSo,
       "whether what is read where data decide it was written, if data "
       "decide "
       "that, too"},
      {NotJudged::kOwnMemory,
       "whether accesses of local memory and of constants are inside, whose "
       "addresses are not known, or which data decide"},
      {NotJudged::kRegisters,
       "setmaxnreg, which ptxas ignores where neither .minnctapersm nor "
       ".maxnreg stands, nor the launch says `registers`"}};
  for (const auto& [one, text] : kTexts) {
    if (one == what) return text;
  }
  return {};
}

}  // namespace tilesim::cli

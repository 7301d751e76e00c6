// A pipe of a sub-core, and its warps.
//
// The scheduler of a sub-core goes on with a warp as long as that has an
// instruction that can be issued (a stream of additions keeps others waiting up
// to thirty times as long, h200-readings 3), so that streams are served one
// after the other. Where each instruction waits, for the pipe or the one before
// it, warps take turns: who comes later is served until he has got nearly as
// much as those who came before, then all go on at the same pace (least
// attained service). So warps that run the same loop end such a phase together,
// however far apart they began, and stay in step: two and three take the sum of
// what they need of the busiest pipe, and once what each waits for.
#ifndef TILESIM_SIM_TIMING_WARP_PIPE_H_
#define TILESIM_SIM_TIMING_WARP_PIPE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"

namespace tilesim::timing {

class WarpPipe {
 public:
  enum class By : uint8_t { kStream, kTurns };
  // What `warp` asks for at `now`, behind what it asked for before: `time`
  // cycles of the pipe. It is forgotten when it is through, unless it is kept.
  int32_t Ask(int32_t warp, double now, double time, By by);
  // When it is through, as far as is known: another ask may change that.
  double Finish(int32_t request) const { return requests_[request].finish; }
  void Keep(int32_t request) { ++requests_[request].kept; }
  void Release(int32_t request);
  // The same pipe, of which nobody keeps a request.
  WarpPipe Unkept() const;

 private:
  struct Request {
    int32_t kept = 0;
    bool under_way = false;
    By by = By::kTurns;
    int64_t number = 0;  // of the ask
    double until = 0;    // what its warp has got by then: Warp::got
    double finish = 0;
  };
  // One that has requests under way.
  struct Warp {
    int32_t warp = 0;
    double got = 0;  // since it had none
    absl::InlinedVector<int32_t, 4> requests = {};
  };
  // How far that is: what it has got, and which of its requests is served now.
  struct Stand {
    double got;
    size_t next;
  };
  int32_t Current(size_t warp, const Stand& s) const {
    return s.next < warps_[warp].requests.size() ? warps_[warp].requests[s.next]
                                                 : -1;
  }
  // The warp whose stream is served; -1: none.
  int Streaming(const std::vector<Stand>& stands) const;
  void GoTo(double now);
  void Foresee();
  void Begin();
  // Serves the warps from `from` to `until`, or until all is done; notes when
  // each request is.
  void Serve(double from, double until);
  double ServeInTurns(double from, double until);

  std::vector<Request> requests_;
  std::vector<int32_t> free_;
  std::vector<Warp> warps_;
  std::vector<Stand> stands_;  // of them, while they are served
  double at_ = 0;
  int64_t asked_ = 0;
};

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_WARP_PIPE_H_

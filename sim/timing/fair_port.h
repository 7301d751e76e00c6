// A way that several SMs share, each in its turn: all that want something go on
// at the same pace, and what one of them wants comes in its own order
// (generalized processor sharing).
//
// So a request ends later when others come meanwhile. SMs that ask in step stay
// in step: nobody's tile is there before the burst is over (calibration.json
// ring.step: a ring of one stage takes 996 cycles a turn on all SMs, 782 on
// one).
#ifndef TILESIM_SIM_TIMING_FAIR_PORT_H_
#define TILESIM_SIM_TIMING_FAIR_PORT_H_

#include <cstdint>
#include <vector>

namespace tilesim::timing {

class FairPort {
 public:
  // What `user` asks for at `now`, which nobody else would let take longer than
  // `time` cycles. It is forgotten when it is through, unless it is kept.
  int32_t Ask(int32_t user, double now, double time);
  // When it is through, as far as is known: only later, if others ask before.
  double Finish(int32_t request) const { return requests_[request].finish; }
  void Keep(int32_t request) { ++requests_[request].kept; }
  void Release(int32_t request);
  double busy() const { return busy_; }

 private:
  struct Request {
    int32_t user = 0;
    int32_t kept = 0;
    bool under_way = false;
    double tag = 0;  // what each user has got by then: virtual time
    double finish = 0;
  };
  void GoTo(double now);
  void Foresee();

  std::vector<Request> requests_;
  std::vector<int32_t> free_;
  std::vector<int32_t> order_;     // under way, by tag
  std::vector<double> last_;       // by user: tag of what it asked for last
  std::vector<int32_t> last_one_;  // and which request that is
  double at_ = 0;                  // the virtual time is that of here
  double virtual_ = 0;
  int active_ = 0;  // users with requests under way
  double busy_ = 0;
};

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_FAIR_PORT_H_

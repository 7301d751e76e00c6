// A way that several SMs share: what they ask for comes in as streams, as fast
// as each SM can make requests, and leaves in the order in which it came.
//
// So a request ends later when others come while it still comes in, and who was
// a little earlier is through much earlier: SMs that wait for each of their
// tiles drift apart until the way is never idle (calibration.json ring.step,
// sharing.cu: a ring of one stage takes hardly longer a turn than one of four,
// if each SM has tiles of its own).
#ifndef TILESIM_SIM_TIMING_FIFO_PORT_H_
#define TILESIM_SIM_TIMING_FIFO_PORT_H_

#include <cstdint>
#include <vector>

namespace tilesim::timing {

class FifoPort {
 public:
  // What `user` asks for at `now` and what keeps the port for `time` cycles. It
  // comes in for `length` cycles, behind what the user asked for before. It is
  // forgotten when it is through, unless it is kept.
  int32_t Ask(int32_t user, double now, double length, double time);
  // When it is through, as far as is known: only later, if others ask before.
  double Finish(int32_t request) const { return requests_[request].finish; }
  // When something that `user` asks for at `now` would begin to come in.
  double Begin(int32_t user, double now) const;
  void Keep(int32_t request) { ++requests_[request].kept; }
  void Release(int32_t request);
  double busy() const { return busy_; }

 private:
  struct Request {
    double begin = 0, end = 0;  // of coming in
    double rate = 0;            // of the port's, meanwhile
    double finish = 0;
    int32_t kept = 0;
    bool under_way = false;
  };
  void GoTo(double now);
  void Foresee();

  std::vector<Request> requests_;
  std::vector<int32_t> free_;
  std::vector<int32_t> begins_, ends_;  // to come, by time
  std::vector<double> last_;            // by user: what it asked for has come
  double at_ = 0;                       // the rest is that of here
  double behind_ = 0;                   // work that has come and waits
  double rate_ = 0;                     // of what comes in
  double busy_ = 0;
};

}  // namespace tilesim::timing

#endif  // TILESIM_SIM_TIMING_FIFO_PORT_H_

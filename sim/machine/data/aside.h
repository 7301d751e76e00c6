// Payload on a thread of its own, beside the clock: what is given is done in
// the order in which it was given, by one thread, so that the bytes are those
// of a run without it.
//
//   Aside aside;
//   aside.Give([...] { ... });
//   aside.Finish();   // what was given is done, and its results are there
#ifndef TILESIM_SIM_MACHINE_DATA_ASIDE_H_
#define TILESIM_SIM_MACHINE_DATA_ASIDE_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace tilesim::machine {

class Aside {
 public:
  using Work = std::function<void()>;

  Aside();
  ~Aside();  // finishes
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  // Waits while more is left than is worth remembering.
  void Give(Work work);
  // Throws what one of them threw (there may be no memory); what came after
  // that one was not done.
  void Finish();

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable given_, taken_;
  std::deque<Work> left_;
  bool busy_ = false;  // with one that is no longer in left_
  bool over_ = false;
  std::exception_ptr thrown_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_ASIDE_H_

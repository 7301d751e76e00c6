#include "sim/machine/data/aside.h"

#include <utility>

namespace tilesim::machine {
namespace {

// Each has an op, of some kilobytes.
constexpr size_t kMostLeft = 1024;

std::exception_ptr Thrown(const Aside::Work& work) {
  try {
    if (work) work();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

Aside::Aside() : thread_([this] { Run(); }) {}

Aside::~Aside() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    over_ = true;
  }
  given_.notify_one();
  thread_.join();
}

void Aside::Give(Work work) {
  std::unique_lock<std::mutex> lock(mutex_);
  taken_.wait(lock, [this] { return left_.size() < kMostLeft; });
  left_.push_back(std::move(work));
  lock.unlock();
  given_.notify_one();
}

void Aside::Finish() {
  std::unique_lock<std::mutex> lock(mutex_);
  taken_.wait(lock, [this] { return left_.empty() && !busy_; });
  if (thrown_ != nullptr)
    std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void Aside::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    given_.wait(lock, [this] { return over_ || !left_.empty(); });
    if (left_.empty()) return;
    Work work = std::move(left_.front());
    left_.pop_front();
    if (thrown_ != nullptr) work = nullptr;
    busy_ = true;
    lock.unlock();
    std::exception_ptr thrown = Thrown(work);
    lock.lock();
    busy_ = false;
    if (thrown != nullptr) thrown_ = std::move(thrown);
    // Who waits does so for room or for the end.
    if (left_.empty() || left_.size() == kMostLeft / 2) taken_.notify_all();
  }
}

}  // namespace tilesim::machine

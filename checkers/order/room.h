// Bytes of what is known of asynchronous operations (milestones.h), of all
// clocks that a thread of the checker keeps. In a run whose operations are not
// all over early they grow with the square of its length, which no limit on its
// events bounds.
//
// Who would need more is stopped by an exception: clocks are copied deep inside
// of every analysis that asks what came before what.
#ifndef TILESIM_CHECKERS_ORDER_ROOM_H_
#define TILESIM_CHECKERS_ORDER_ROOM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace tilesim::checkers::order {

class OutOfRoom : public std::bad_alloc {
 public:
  const char* what() const noexcept override {
    return "out of room for clocks";
  }
};

// Files are checked side by side, each by a thread, and what is said of one
// does not depend on others.
class Room {
 public:
  static constexpr int64_t kBytes = 1'000'000'000;

  static void Take(size_t bytes) {
    const auto more = static_cast<int64_t>(bytes);
    if (held + more > most) throw OutOfRoom();
    held += more;
  }
  static void Give(size_t bytes) { held -= static_cast<int64_t>(bytes); }
  static int64_t Most() { return most; }

  // While it lives there is that much room in all.
  explicit Room(int64_t bytes) : before_(most) { most = bytes; }
  ~Room() { most = before_; }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

 private:
  static inline thread_local int64_t held = 0;
  static inline thread_local int64_t most = kBytes;
  const int64_t before_;
};

// An allocator of that room.
template <typename T>
struct InRoom {
  using value_type = T;
  InRoom() = default;
  template <typename U>
  InRoom(const InRoom<U>&) {}  // NOLINT: as the standard has it

  T* allocate(size_t n) {
    Room::Take(n * sizeof(T));
    try {
      return std::allocator<T>().allocate(n);
    } catch (...) {
      Room::Give(n * sizeof(T));
      throw;
    }
  }
  void deallocate(T* p, size_t n) {
    std::allocator<T>().deallocate(p, n);
    Room::Give(n * sizeof(T));
  }
  friend bool operator==(const InRoom&, const InRoom&) { return true; }
  friend bool operator!=(const InRoom&, const InRoom&) { return false; }
};

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_ROOM_H_

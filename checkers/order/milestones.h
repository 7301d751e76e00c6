// Which milestone each asynchronous operation has passed, as one clock knows.
//
// A long run has tens of thousands of operations and keeps a clock for each of
// them. Nearly all of two clocks is the same: what has long been done. So it is
// kept in pieces that clocks share until one writes to its own. A piece all of
// whose operations are done is the same for all, and of the first of these only
// the number is kept.
#ifndef TILESIM_CHECKERS_ORDER_MILESTONES_H_
#define TILESIM_CHECKERS_ORDER_MILESTONES_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "checkers/order/room.h"

namespace tilesim::checkers::order {

// kSequenced: later tcgen05 operations of its thread run after it, because a
// tcgen05.fence::before_thread_sync stands between.
enum class Reached : uint8_t { kNothing, kStarted, kSequenced, kRead, kDone };

class Milestones {
 public:
  Reached Of(int32_t operation) const {
    const auto i = static_cast<size_t>(operation);
    if (i / kPiece < done_) return Reached::kDone;
    const Piece* piece = At(i / kPiece);
    return piece == nullptr ? Reached::kNothing : (*piece)[i % kPiece];
  }
  // That it has come as far as that.
  void Add(int32_t operation, Reached r) {
    if (Of(operation) >= r) return;
    const auto i = static_cast<size_t>(operation);
    const size_t at = i / kPiece - done_;
    if (at >= pieces_.size()) pieces_.resize(at + 1);
    Owned& piece = pieces_[at];
    Writable(piece)[i % kPiece] = r;
    if (r != Reached::kDone || i % kPiece + 1 != kPiece) return;
    Share(piece);
    Trim();
  }
  // What either knows.
  void Max(const Milestones& other) {
    if (done_ < other.done_) {
      const size_t gone = std::min(other.done_ - done_, pieces_.size());
      pieces_.erase(pieces_.begin(),
                    pieces_.begin() + static_cast<int64_t>(gone));
      done_ = other.done_;
    }
    if (end() < other.end()) pieces_.resize(other.end() - done_);
    for (size_t at = std::max(done_, other.done_); at < other.end(); ++at)
      Max(pieces_[at - done_], other.pieces_[at - other.done_]);
    Trim();
  }
  // What both know.
  void Min(const Milestones& other) {
    if (done_ > other.done_) {
      pieces_.insert(pieces_.begin(), done_ - other.done_, Done());
      done_ = other.done_;
    }
    if (end() > other.end()) pieces_.resize(other.end() - done_);
    for (size_t at = other.done_; at < end(); ++at)
      Min(pieces_[at - done_], other.pieces_[at - other.done_]);
  }
  bool AtLeast(const Milestones& other) const {
    for (size_t at = done_; at < other.end(); ++at) {
      const Piece* b = at < other.done_ ? Done().get() : other.At(at);
      const Piece* a = At(at);
      if (b == nullptr || a == b) continue;
      if (!AtLeast(a != nullptr ? *a : Piece{}, *b)) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kPiece = 64;
  using Piece = std::array<Reached, kPiece>;
  // Null: nothing. One that is shared is not written to.
  using Owned = std::shared_ptr<Piece>;

  static Owned New(const Piece& piece) {
    return std::allocate_shared<Piece>(InRoom<Piece>(), piece);
  }
  // By value: a compiler makes 16 of these one instruction.
  static Piece Larger(const Piece& of, const Piece& and_of) {
    Piece out;
    for (size_t i = 0; i < kPiece; ++i) {
      const Reached a = of[i], b = and_of[i];
      out[i] = a > b ? a : b;
    }
    return out;
  }
  static Piece Smaller(const Piece& of, const Piece& and_of) {
    Piece out;
    for (size_t i = 0; i < kPiece; ++i) {
      const Reached a = of[i], b = and_of[i];
      out[i] = a < b ? a : b;
    }
    return out;
  }
  // std::array compares one after the other.
  static bool Same(const Piece& a, const Piece& b) {
    return std::memcmp(a.data(), b.data(), sizeof(Piece)) == 0;
  }
  static bool AtLeast(const Piece& a, const Piece& b) {
    return Same(Larger(a, b), a);
  }
  static const Owned& Done() {
    static const Owned kDone = [] {
      auto piece = New(Piece{});
      piece->fill(Reached::kDone);
      return piece;
    }();
    return kDone;
  }
  static Piece& Writable(Owned& piece) {
    if (!piece)
      piece = New(Piece{});
    else if (piece.use_count() > 1)
      piece = New(*piece);
    return *piece;
  }
  static void Share(Owned& piece) {
    if (Same(*piece, *Done())) piece = Done();
  }
  static void Max(Owned& to, const Owned& from) {
    if (!from || to == from || to == Done()) return;
    if (!to || from == Done()) {
      to = from;
      return;
    }
    const Piece both = Larger(*to, *from);
    if (Same(both, *to)) return;
    if (Same(both, *from)) {
      to = from;
      return;
    }
    Writable(to) = both;
    Share(to);
  }
  static void Min(Owned& to, const Owned& from) {
    if (!to || to == from || from == Done()) return;
    if (!from || to == Done()) {
      to = from;
      return;
    }
    const Piece both = Smaller(*to, *from);
    if (!Same(both, *to)) Writable(to) = both;
  }

  size_t end() const { return done_ + pieces_.size(); }
  // Of one behind those that are done; null: nothing.
  const Piece* At(size_t piece) const {
    return piece < end() ? pieces_[piece - done_].get() : nullptr;
  }
  void Trim() {
    size_t gone = 0;
    while (gone < pieces_.size() && pieces_[gone] == Done()) ++gone;
    if (gone == 0) return;
    pieces_.erase(pieces_.begin(),
                  pieces_.begin() + static_cast<int64_t>(gone));
    done_ += gone;
  }

  size_t done_ = 0;  // pieces, the first, all of whose operations are done
  absl::InlinedVector<Owned, 1, InRoom<Owned>> pieces_;  // those behind them
};

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_MILESTONES_H_

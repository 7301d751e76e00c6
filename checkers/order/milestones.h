// Which milestone each asynchronous operation has passed, as one clock knows.
//
// A long run has tens of thousands of operations and keeps a clock for each of
// them. Nearly all of two clocks is the same: what has long been done. So it is
// kept in pieces that clocks share until one writes to its own, and a piece all
// of whose operations are done is the same for all.
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

namespace tilesim::checkers::order {

// kSequenced: later tcgen05 operations of its thread run after it, because a
// tcgen05.fence::before_thread_sync stands between.
enum class Reached : uint8_t { kNothing, kStarted, kSequenced, kRead, kDone };

class Milestones {
 public:
  Reached Of(int32_t operation) const {
    auto i = static_cast<size_t>(operation);
    if (i / kPiece >= pieces_.size() || !pieces_[i / kPiece])
      return Reached::kNothing;
    return (*pieces_[i / kPiece])[i % kPiece];
  }
  // That it has come as far as that.
  void Add(int32_t operation, Reached r) {
    if (Of(operation) >= r) return;
    auto i = static_cast<size_t>(operation);
    if (i / kPiece >= pieces_.size()) pieces_.resize(i / kPiece + 1);
    Owned& piece = pieces_[i / kPiece];
    Writable(piece)[i % kPiece] = r;
    if (r == Reached::kDone && i % kPiece + 1 == kPiece) Share(piece);
  }
  // What either knows.
  void Max(const Milestones& other) {
    if (pieces_.size() < other.pieces_.size())
      pieces_.resize(other.pieces_.size());
    for (size_t i = 0; i < other.pieces_.size(); ++i)
      Max(pieces_[i], other.pieces_[i]);
  }
  // What both know.
  void Min(const Milestones& other) {
    pieces_.resize(std::min(pieces_.size(), other.pieces_.size()));
    for (size_t i = 0; i < pieces_.size(); ++i)
      Min(pieces_[i], other.pieces_[i]);
  }
  bool AtLeast(const Milestones& other) const {
    for (size_t i = 0; i < other.pieces_.size(); ++i) {
      const Owned& b = other.pieces_[i];
      const Piece* a = i < pieces_.size() ? pieces_[i].get() : nullptr;
      if (!b || a == b.get()) continue;
      if (!AtLeast(a != nullptr ? *a : Piece{}, *b)) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kPiece = 64;
  using Piece = std::array<Reached, kPiece>;
  // Null: nothing. One that is shared is not written to.
  using Owned = std::shared_ptr<Piece>;

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
      auto piece = std::make_shared<Piece>();
      piece->fill(Reached::kDone);
      return piece;
    }();
    return kDone;
  }
  static Piece& Writable(Owned& piece) {
    if (!piece)
      piece = std::make_shared<Piece>();
    else if (piece.use_count() > 1)
      piece = std::make_shared<Piece>(*piece);
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

  absl::InlinedVector<Owned, 1> pieces_;
};

}  // namespace tilesim::checkers::order

#endif  // TILESIM_CHECKERS_ORDER_MILESTONES_H_

// Buffers as pieces. A workspace may hold both words by which CTAs talk and
// payload that these guard: its words are followed by their values, and of
// payload nothing is known but where it lies. Each piece is a buffer of its
// own, at its place in the whole one: a byte lies in one piece, so that all
// that touches it is compared. What would touch several pieces is not executed;
// its buffer is one again.
#ifndef TILESIM_PTX_LAUNCH_PIECES_H_
#define TILESIM_PTX_LAUNCH_PIECES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "ptx/launch/launch.h"

namespace tilesim::ptx {

// Bytes of a buffer, from the least to the greatest that an instruction has
// touched.
struct TouchedBytes {
  int32_t node = -1;  // of the kernel's graph
  size_t buffer = 0;
  uint64_t begin = 0, end = 0;
  // Control, or who synchronises with whom, depends on what is there.
  bool decides = false;
  // It lies in several pieces of the buffer.
  bool across = false;
  // By atom.cas: a lock perhaps, beside words that it guards.
  bool lock = false;
};

class Pieces {
 public:
  explicit Pieces(const LaunchFile& whole);
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;

  // The description with its buffers cut as CutAnew has left it; there as
  // long as this one.
  const LaunchFile& cut() const { return cut_; }
  // What a launch touches, by buffers of cut().
  void Learn(size_t launch, const std::vector<TouchedBytes>& touched);
  // True: what was learned makes other pieces; cut() has these now, and what
  // was made of it before is void.
  bool CutAnew();
  // Buffers are whole from now on.
  void GiveUp();

 private:
  using Bytes = std::pair<uint64_t, uint64_t>;  // begin, end
  struct Touch {
    Bytes bytes;
    bool decides = false;
    bool lock = false;
  };
  std::vector<Bytes> WordsOf(size_t buffer) const;
  void Cut();

  const LaunchFile& whole_;
  LaunchFile cut_;
  std::set<size_t> uncut_;  // of whole_
  // By buffer of whole_: what launch and node have touched.
  std::map<size_t, std::map<std::pair<size_t, int32_t>, Touch>> touches_;
  std::map<size_t, std::vector<Bytes>> words_;  // likewise: places of words
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_LAUNCH_PIECES_H_

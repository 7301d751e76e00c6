// What goes through memory and decides: stores and loads whose values a guide
// follows. Attempts find it: a run of a kernel stops where a value is not
// known, and asks for what would give it (PtxGuide::Grow). Nodes are those of
// the graph, which is the same in every attempt.
#ifndef TILESIM_PTX_MACHINE_FOLLOWED_H_
#define TILESIM_PTX_MACHINE_FOLLOWED_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace tilesim::ptx {

// What instructions (nodes) read in registers, where a run takes these to be so
// (cases.h).
using ReadAs = std::map<std::pair<int32_t, int32_t>, uint64_t>;

// Which of the accesses that data decide are left out: all; or of a branch
// whose both ways execute some, those on the way that is not taken, or on the
// other.
enum class Skips : uint8_t { kNone, kAll, kNotTaken, kTaken };

struct Followed {
  std::set<int32_t> stores;         // to shared memory
  std::set<int32_t> loads;          // of buffers, whose words decide
  std::map<int32_t, size_t> words;  // accesses to these, and which buffer
  std::set<int32_t> beside;         // of these, by words_beside.h
  // Loads (nodes) of elements that only say where something is accessed: the
  // number that each returns.
  std::map<int32_t, int64_t> taken;
  // Of these, loads whose elements each have a number of their own: that one,
  // and further elements as many more as they lie behind the first; and the
  // buffer of each.
  std::map<int32_t, size_t> rising;
  std::set<int32_t> only_read;  // stores that are taken for loads
  Skips skips = Skips::kNone;
  ReadAs read_as;
  // Copies (nodes) to shared memory of what decides there: how long a word is.
  std::map<int32_t, int64_t> copies;
  bool local = false;     // what lies in local memory
  bool discards = false;  // loads of shared memory that selp may not take
  // Accesses (nodes) of shared memory of which `taken` say where, from what
  // they touch if all are the least: how many bytes further they may touch.
  std::map<int32_t, uint64_t> wide;

  friend bool operator==(const Followed&, const Followed&) = default;
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_FOLLOWED_H_

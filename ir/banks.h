// Shared memory has 32 banks of 4 bytes, each of which gives a word a cycle
// (hardware.md B.3): an access takes as many cycles as the bank that is asked
// for most words has of them, its wavefronts.
#ifndef TILESIM_IR_BANKS_H_
#define TILESIM_IR_BANKS_H_

#include <cstdint>
#include <vector>

namespace tilesim::ir {

inline constexpr int kBanks = 32;
inline constexpr int kBankBytes = 4;

// Bytes of one lane, from the start of shared memory.
struct BankedBytes {
  int64_t begin = 0;
  int64_t end = 0;
};
// Of lanes that access together. A word that several ask for counts once.
int64_t WavefrontsOf(const std::vector<BankedBytes>& together);
// If their words lay in all banks alike.
int64_t LeastWavefrontsOf(const std::vector<BankedBytes>& together);

}  // namespace tilesim::ir

#endif  // TILESIM_IR_BANKS_H_

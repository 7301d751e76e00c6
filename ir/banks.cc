#include "ir/banks.h"

#include <algorithm>
#include <array>
#include <set>

namespace tilesim::ir {

int64_t WavefrontsOf(const std::vector<BankedBytes>& together) {
  std::array<std::set<int64_t>, kBanks> words;
  size_t most = 0;
  for (const BankedBytes& b : together) {
    for (int64_t word = b.begin / kBankBytes; word * kBankBytes < b.end;
         ++word) {
      std::set<int64_t>& bank = words[static_cast<size_t>(word % kBanks)];
      bank.insert(word);
      most = std::max(most, bank.size());
    }
  }
  return static_cast<int64_t>(most);
}

int64_t LeastWavefrontsOf(const std::vector<BankedBytes>& together) {
  std::set<int64_t> words;
  for (const BankedBytes& b : together) {
    for (int64_t word = b.begin / kBankBytes; word * kBankBytes < b.end; ++word)
      words.insert(word);
  }
  return (static_cast<int64_t>(words.size()) + kBanks - 1) / kBanks;
}

}  // namespace tilesim::ir

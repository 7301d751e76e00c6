#include "ptx/machine/ways.h"

#include <algorithm>
#include <iterator>

namespace tilesim::ptx {

void Ways::Stored(int32_t node, int64_t thread, uint64_t address,
                  uint64_t bytes) {
  Bytes& all = stored_[{node, thread}];
  uint64_t begin = address, end = address + bytes;
  auto at = all.upper_bound(begin);
  if (at != all.begin() && std::prev(at)->second >= begin) --at;
  while (at != all.end() && at->first <= end) {
    begin = std::min(begin, at->first);
    end = std::max(end, at->second);
    at = all.erase(at);
  }
  all.emplace(begin, end);
}

bool StoreTheSame(const Ways& a, const Ways& b) {
  return a.known_ && b.known_ && a.nodes_ == b.nodes_ && a.stored_ == b.stored_;
}

}  // namespace tilesim::ptx

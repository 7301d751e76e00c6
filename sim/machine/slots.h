// Vectors whose slots are reused: how State keeps things that come and go.
#ifndef TILESIM_SIM_MACHINE_SLOTS_H_
#define TILESIM_SIM_MACHINE_SLOTS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tilesim::machine {

// A free slot of `items`, or a new one.
template <typename T>
int32_t TakeSlot(std::vector<T>& items, std::vector<int32_t>& free) {
  if (!free.empty()) {
    int32_t i = free.back();
    free.pop_back();
    return i;
  }
  items.emplace_back();
  return static_cast<int32_t>(items.size()) - 1;
}

template <typename List>
void Remove(List& list, int32_t value) {
  auto it = std::find(list.begin(), list.end(), value);
  if (it != list.end()) list.erase(it);
}

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_SLOTS_H_

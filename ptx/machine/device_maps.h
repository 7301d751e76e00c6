// Tensor maps that a kernel builds itself: tensormap.replace in shared memory,
// tensormap.cp_fenceproxy to global memory, fence.proxy.tensormap before use
// (PTX 9.7.9.27, 9.7.13.4).
//
// What is known of one are words of its CTA (machine::Cta::words): in shared
// memory where it is built; then at places of its own, below all of shared
// memory, by the address to which it was copied. What the 128 bytes hold is for
// the hardware to know: here, each field has a place.
#ifndef TILESIM_PTX_MACHINE_DEVICE_MAPS_H_
#define TILESIM_PTX_MACHINE_DEVICE_MAPS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx/launch/launch.h"
#include "ptx/machine/memory.h"
#include "sim/machine/state.h"

namespace tilesim::ptx {

struct MapField {
  std::string_view name;  // as tensormap.replace spells it
  int32_t at = 0;         // in the map
  int32_t bytes = 4;      // of each
};
// nullptr: there is no such field.
const MapField* MapFieldNamed(std::string_view name);

// What stands for the words of a map of the launch, by field.
std::vector<std::pair<std::string_view, int64_t>> NumbersOfWords(
    const TensorMap& map);

// Where words of copied maps begin, by number.
int32_t PlaceOfMap(int32_t number);

using KnownWords = std::vector<machine::KnownWord>;
void PutMapField(KnownWords& words, int32_t map, const MapField& field,
                 int64_t ordinal, int64_t value);
// All that is known of `from`; it is yet to be acquired.
void CopyMap(KnownWords& words, int32_t from, int32_t to);
void AcquireMap(KnownWords& words, int32_t map);

struct DeviceMap {
  TensorMap map;
  bool acquired = false;
};
// Of the tensor that a map is of, if that much is known.
std::optional<uint64_t> AddressOfMapIn(const KnownWords& words, int32_t map);
// nullopt: none was copied there, or some field is not known.
std::optional<DeviceMap> MapIn(const KnownWords& words, int32_t map,
                               const Memory& memory);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_DEVICE_MAPS_H_

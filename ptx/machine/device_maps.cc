#include "ptx/machine/device_maps.h"

#include <algorithm>
#include <array>
#include <limits>

namespace tilesim::ptx {
namespace {

constexpr MapField kFields[] = {
    {"global_address", 0, 8},
    {"rank", 8, 4},
    {"box_dim", 12, 4},
    {"global_dim", 32, 4},
    {"element_stride", 52, 4},
    {"global_stride", 72, 8},
    {"elemtype", 104, 4},
    {"interleave_layout", 108, 4},
    {"swizzle_mode", 112, 4},
    {"fill_mode", 116, 4},
    {"swizzle_atomicity", 124, 4},
};
constexpr MapField kAcquired = {"", 120, 4};

// PTX 9.7.9.27.1, by the number that stands for each.
constexpr std::string_view kElementTypes[] = {
    "u8",  "u16", "u32",  "s32",  "u64",  "s64",   "f16",       "f32",
    "f32", "f64", "bf16", "tf32", "tf32", "b4x16", "b4x16_p64", "b6x16_p32"};
constexpr std::string_view kInterleaves[] = {"none", "16B", "32B"};
constexpr std::string_view kSwizzles[] = {"none", "32B", "64B", "128B"};
constexpr std::string_view kAtoms[] = {"", "_ATOM_32B", "_ATOM_32B_FLIP_8B",
                                       "_ATOM_64B"};
constexpr std::string_view kFills[] = {"zero", "nan"};

void Put(KnownWords& words, machine::KnownWord word) {
  auto at = std::lower_bound(
      words.begin(), words.end(), word.at,
      [](const machine::KnownWord& w, int32_t place) { return w.at < place; });
  if (at != words.end() && at->at == word.at)
    *at = word;
  else
    words.insert(at, word);
}

std::optional<int64_t> Get(const KnownWords& words, int32_t map,
                           const MapField& field, int64_t ordinal = 0) {
  const auto place =
      static_cast<int32_t>(map + field.at + ordinal * field.bytes);
  auto found =
      std::find_if(words.begin(), words.end(),
                   [&](const machine::KnownWord& w) { return w.at == place; });
  if (found == words.end()) return std::nullopt;
  return found->value;
}

// The word that a number stands for; nullopt: none, or it is not known.
template <size_t N>
std::optional<std::string_view> Named(const std::string_view (&names)[N],
                                      std::optional<int64_t> number) {
  if (!number || *number < 0 || *number >= static_cast<int64_t>(N))
    return std::nullopt;
  return names[*number];
}

}  // namespace

const MapField* MapFieldNamed(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kFields), std::end(kFields),
                   [&](const MapField& f) { return f.name == name; });
  return found == std::end(kFields) ? nullptr : found;
}

std::vector<std::pair<std::string_view, int64_t>> NumbersOfWords(
    const TensorMap& map) {
  const auto number = [](const auto& names, std::string_view word) {
    const auto* at = std::find(std::begin(names), std::end(names), word);
    return static_cast<int64_t>(at - std::begin(names));
  };
  // `.ftz` is told from the other by no name that a map has here.
  const std::string_view type =
      std::string_view(map.dtype).substr(0, map.dtype.find('.'));
  std::string_view swizzle = map.swizzle;
  const size_t atom = std::min(swizzle.find('_'), swizzle.size());
  return {{"elemtype", number(kElementTypes, type)},
          {"interleave_layout", number(kInterleaves, map.interleave)},
          {"swizzle_mode", number(kSwizzles, swizzle.substr(0, atom))},
          {"fill_mode", number(kFills, map.oob)},
          {"swizzle_atomicity", number(kAtoms, swizzle.substr(atom))}};
}

int32_t PlaceOfMap(int32_t number) {
  constexpr auto kBytes = static_cast<int32_t>(kTensorMapBytes);
  return std::numeric_limits<int32_t>::min() + number * kBytes;
}

void PutMapField(KnownWords& words, int32_t map, const MapField& field,
                 int64_t ordinal, int64_t value) {
  Put(words, {static_cast<int32_t>(map + field.at + ordinal * field.bytes),
              field.bytes, value});
}

void CopyMap(KnownWords& words, int32_t from, int32_t to) {
  constexpr auto kBytes = static_cast<int32_t>(kTensorMapBytes);
  std::erase_if(words, [&](const machine::KnownWord& w) {
    return w.at >= to && w.at < to + kBytes;
  });
  KnownWords copies;
  for (machine::KnownWord w : words) {
    if (w.at < from || w.at >= from + kBytes) continue;
    w.at = to + (w.at - from);  // places lie up to 2^31 apart
    copies.push_back(w);
  }
  for (const machine::KnownWord& w : copies) Put(words, w);
  PutMapField(words, to, kAcquired, 0, 0);
}

void AcquireMap(KnownWords& words, int32_t map) {
  if (Get(words, map, kAcquired)) PutMapField(words, map, kAcquired, 0, 1);
}

std::optional<uint64_t> AddressOfMapIn(const KnownWords& words, int32_t map) {
  const auto address = Get(words, map, *MapFieldNamed("global_address"));
  if (!address) return std::nullopt;
  return static_cast<uint64_t>(*address);
}

std::optional<DeviceMap> MapIn(const KnownWords& words, int32_t map,
                               const Memory& memory) {
  auto field = [&](std::string_view name, int64_t ordinal = 0) {
    return Get(words, map, *MapFieldNamed(name), ordinal);
  };
  DeviceMap out;
  const auto address = field("global_address"), rank = field("rank");
  const auto type = Named(kElementTypes, field("elemtype"));
  const auto interleave = Named(kInterleaves, field("interleave_layout"));
  const auto swizzle = Named(kSwizzles, field("swizzle_mode"));
  const auto fill = Named(kFills, field("fill_mode"));
  const auto atom = Named(kAtoms, field("swizzle_atomicity").value_or(0));
  if (!address || !rank || *rank < 0 || *rank > 4 || !type || !interleave ||
      !swizzle || !fill || !atom || (!atom->empty() && *swizzle != "128B"))
    return std::nullopt;
  const Memory::Global* g = memory.GlobalAt(static_cast<uint64_t>(*address));
  if (g == nullptr) return std::nullopt;
  TensorMap& m = out.map;
  m.buffer = static_cast<size_t>(g - memory.globals().data());
  m.offset = static_cast<uint64_t>(*address) - g->address;
  m.dtype = *type;
  m.interleave = *interleave;
  m.swizzle = std::string(*swizzle) + std::string(*atom);
  m.oob = *fill;
  for (int64_t d = 0; d <= *rank; ++d) {
    const auto box = field("box_dim", d), dim = field("global_dim", d);
    const auto step = field("element_stride", d);
    const auto stride =
        d > 0 ? field("global_stride", d - 1) : std::optional<int64_t>(0);
    if (!box || !dim || !step || !stride) return std::nullopt;
    m.box.push_back(*box);
    m.dims.push_back(*dim);
    m.element_strides.push_back(*step);
    if (d > 0) m.strides.push_back(*stride);
  }
  out.acquired = Get(words, map, kAcquired).value_or(0) != 0;
  return out;
}

}  // namespace tilesim::ptx

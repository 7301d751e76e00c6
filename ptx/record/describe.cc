#include "ptx/record/describe.h"

#include <cstring>
#include <iterator>

namespace tilesim::ptx::record {
namespace {

// By the values of CUtensorMapDataType and its kin.
constexpr const char* kTypes[] = {
    "u8",       "u16",   "u32",       "s32",      "u64",     "s64",
    "f16",      "f32",   "f64",       "bf16",     "f32.ftz", "tf32",
    "tf32.ftz", "b4x16", "b4x16_p64", "b6x16_p32"};
constexpr const char* kInterleaves[] = {"none", "16B", "32B"};
constexpr const char* kSwizzles[] = {"none",          "32B",
                                     "64B",           "128B",
                                     "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B",
                                     "128B_ATOM_64B"};
constexpr const char* kOobs[] = {"zero", "nan"};

template <size_t kCount>
bool Name(const char* const (&names)[kCount], uint32_t value, const char* what,
          std::string* name, std::string* why) {
  if (value < kCount) {
    *name = names[value];
    return true;
  }
  *why = std::string("a tensor map has ") + what + " " + std::to_string(value) +
         ", which descriptions have no word for";
  return false;
}

constexpr size_t kMapAlignment = 64;

uint64_t WordAt(const std::vector<uint8_t>& bytes, size_t offset) {
  uint64_t word;
  std::memcpy(&word, bytes.data() + offset, sizeof word);
  return word;
}

class Describing {
 public:
  Describing(const std::map<MapBytes, EncodedMap>& maps,
             const FindAllocation& allocation_of, LaunchFile file = {})
      : maps_(maps), allocation_of_(allocation_of), file_(std::move(file)) {
    for (size_t i = 0; i < file_.buffers.size(); ++i)
      buffers_[file_.buffers[i].address.value_or(0)] = i;
  }

  std::optional<LaunchFile> Run(const RawLaunch& raw, std::string* why) {
    Launch launch;
    launch.kernel = raw.kernel;
    launch.grid = raw.grid;
    launch.block = raw.block;
    launch.cluster = raw.cluster;
    launch.dynamic_shared = raw.shared;
    launch.registers = raw.registers;
    launch.programmatic = raw.programmatic;
    for (const auto& bytes : raw.params) launch.params.push_back(Of(bytes));
    file_.launches.push_back(std::move(launch));
    *why = why_;
    if (!why_.empty()) return std::nullopt;
    return std::move(file_);
  }

  LaunchFile AddMapsIn(size_t buffer, const std::vector<uint8_t>& bytes) {
    for (size_t at = 0; at + kTensorMapBytes <= bytes.size();
         at += kMapAlignment) {
      why_.clear();
      const size_t before = file_.tensormaps.size();
      const std::optional<Reference> map = MapAt(bytes, at);
      if (map && why_.empty())
        file_.buffers[buffer].maps.emplace_back(at, map->index);
      else
        file_.tensormaps.resize(before);
    }
    return std::move(file_);
  }

 private:
  Param Of(const std::vector<uint8_t>& bytes) {
    Param p;
    p.bytes = bytes;
    p.places = PlacesIn(bytes);
    const bool whole =
        p.places.size() == 1 && p.places[0].first == 0 &&
        bytes.size() ==
            (p.places[0].second.is_tensormap ? kTensorMapBytes : kPointerBytes);
    if (whole) {
      p.kind = Param::Kind::kReference;
      p.reference = p.places[0].second;
      p.places.clear();
      p.bytes.clear();
    } else if (p.places.empty() && IsScalar(bytes.size())) {
      p.kind = Param::Kind::kScalar;
      p.type = "b" + std::to_string(8 * bytes.size());
      std::memcpy(&p.bits, bytes.data(), bytes.size());
      p.bytes.clear();
    } else {
      p.kind = Param::Kind::kStruct;
    }
    return p;
  }

  static bool IsScalar(size_t size) {
    return size == 1 || size == 2 || size == 4 || size == 8;
  }

  std::vector<std::pair<uint64_t, Reference>> PlacesIn(
      const std::vector<uint8_t>& bytes) {
    std::vector<std::pair<uint64_t, Reference>> places;
    for (size_t at = 0; at + kPointerBytes <= bytes.size();) {
      const bool room =
          at % kMapAlignment == 0 && at + kTensorMapBytes <= bytes.size();
      if (auto map = room ? MapAt(bytes, at) : std::nullopt) {
        places.emplace_back(at, *map);
        at += kTensorMapBytes;
        continue;
      }
      if (auto address = AddressOf(WordAt(bytes, at)))
        places.emplace_back(at, *address);
      at += kPointerBytes;
    }
    return places;
  }

  std::optional<Reference> MapAt(const std::vector<uint8_t>& bytes, size_t at) {
    MapBytes key;
    std::memcpy(key.data(), bytes.data() + at, key.size());
    auto found = maps_.find(key);
    if (found == maps_.end()) return std::nullopt;
    const EncodedMap& encoded = found->second;
    if (!encoded.why.empty()) why_ = encoded.why;
    TensorMap map = encoded.map;
    if (auto address = AddressOf(encoded.address)) {
      map.buffer = address->index;
      map.offset = address->offset;
    } else {
      why_ = "a tensor map's tensor lies in no allocation";
    }
    map.bytes.assign(key.begin(), key.end());
    file_.tensormaps.push_back(std::move(map));
    return Reference{true, file_.tensormaps.size() - 1, 0};
  }

  std::optional<Reference> AddressOf(uint64_t address) {
    if (address == 0) return std::nullopt;
    const std::optional<Allocation> found = allocation_of_(address);
    if (!found) return std::nullopt;
    auto [at, is_new] = buffers_.emplace(found->address, file_.buffers.size());
    if (is_new) {
      Buffer b;
      b.name = "b" + std::to_string(file_.buffers.size());
      b.address = found->address;
      b.bytes = found->bytes;
      file_.buffers.push_back(std::move(b));
    }
    return Reference{false, at->second, address - found->address};
  }

  const std::map<MapBytes, EncodedMap>& maps_;
  const FindAllocation& allocation_of_;
  LaunchFile file_;
  std::map<uint64_t, size_t> buffers_;  // by address, index
  std::string why_;
};

}  // namespace

EncodedMap DescribeMap(const EncodeTiledParams& p) {
  EncodedMap out;
  out.address = p.address;
  if (p.rank < 1 || p.rank > 5) {
    out.why = "a tensor map has rank " + std::to_string(p.rank);
    return out;
  }
  TensorMap& m = out.map;
  if (!Name(kTypes, p.type, "type", &m.dtype, &out.why) ||
      !Name(kSwizzles, p.swizzle, "swizzle", &m.swizzle, &out.why) ||
      !Name(kInterleaves, p.interleave, "interleave", &m.interleave,
            &out.why) ||
      !Name(kOobs, p.oob, "fill", &m.oob, &out.why))
    return out;
  for (uint32_t i = 0; i < p.rank; ++i) {
    m.dims.push_back(static_cast<int64_t>(p.dims[i]));
    m.box.push_back(p.box[i]);
    m.element_strides.push_back(p.element_strides[i]);
    if (i + 1 < p.rank) m.strides.push_back(static_cast<int64_t>(p.strides[i]));
  }
  return out;
}

std::optional<LaunchFile> Describe(const RawLaunch& launch,
                                   const std::map<MapBytes, EncodedMap>& maps,
                                   const FindAllocation& allocation_of,
                                   std::string* why) {
  return Describing(maps, allocation_of).Run(launch, why);
}

void AddMapsIn(size_t buffer, const std::vector<uint8_t>& bytes,
               const std::map<MapBytes, EncodedMap>& maps,
               const FindAllocation& allocation_of, LaunchFile* file) {
  if (maps.empty()) return;
  *file = Describing(maps, allocation_of, std::move(*file))
              .AddMapsIn(buffer, bytes);
}

}  // namespace tilesim::ptx::record

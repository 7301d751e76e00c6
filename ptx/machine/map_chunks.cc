#include "ptx/machine/map_chunks.h"

#include <algorithm>
#include <optional>

#include "ptx/machine/launch_numbers.h"
#include "ptx/machine/operands.h"

namespace tilesim::ptx {
namespace {

constexpr uint64_t kMapBytes = kTensorMapBytes;

// From where the load takes what it puts into the register.
std::optional<uint64_t> LoadedFrom(const Making& m, int32_t reg,
                                   uint64_t bytes) {
  const Node* load = OnlyDefinition(m.graph, reg);
  if (load == nullptr || load->op == nullptr || load->guard >= 0 ||
      !load->instruction().opcode.starts_with("ld."))
    return std::nullopt;
  const std::string_view s = load->instruction().opcode;
  if (ScalarBytes(s.substr(s.rfind('.') + 1)) != bytes) return std::nullopt;
  uint64_t before = 0;
  for (const Leaf& leaf : LeavesOf(m.graph, *load)) {
    if (leaf.of == 0 && leaf.reg == reg) break;
    before += bytes;
  }
  for (const Leaf& leaf : LeavesOf(m.graph, *load)) {
    if (leaf.of != 1) continue;
    const auto at = SourceOf(leaf, m.graph, m.memory);
    if (!at || at->special != Special::kNone) return std::nullopt;
    if (at->reg < 0) return at->bits + before;
    const auto base = NumberAtLaunch(m.graph, m.memory, at->reg);
    if (!base) return std::nullopt;
    return *base + at->bits + before;
  }
  return std::nullopt;
}

// The start of the map in which an address lies.
std::optional<uint64_t> MapAround(const Memory& memory, uint64_t address) {
  constexpr uint64_t kWord = 4;
  for (uint64_t in = 0; in < kMapBytes; in += kWord) {
    if (memory.MapAt(address - in) != nullptr) return address - in;
  }
  return std::nullopt;
}

}  // namespace

void NoteMapChunk(Making& m) {
  const uint64_t bytes = static_cast<uint64_t>(m.step.word_bytes);
  std::optional<uint64_t> first;
  uint64_t length = 0;
  for (const Leaf& leaf : m.leaves) {
    if (leaf.of != 1) continue;
    if (leaf.reg < 0 || bytes == 0) return;
    const auto from = LoadedFrom(m, leaf.reg, bytes);
    if (!from || (first && *from != *first + length)) return;
    if (!first) first = from;
    length += bytes;
  }
  const auto map = first ? MapAround(m.memory, *first) : std::nullopt;
  if (!map || *first + length > *map + kMapBytes) return;
  m.step.map = Step::MapPart::kPart;
  m.step.map_part = {*map, static_cast<int64_t>(*first - *map),
                     static_cast<int64_t>(length)};
}

void PutHostMap(KnownWords& words, int32_t to, int64_t first, int64_t last,
                const TensorMap& map, const Memory& memory) {
  const auto put = [&](std::string_view name, int64_t ordinal, int64_t value) {
    const MapField& field = *MapFieldNamed(name);
    const int64_t at = field.at + ordinal * field.bytes;
    if (at >= first && at < last) PutMapField(words, to, field, ordinal, value);
  };
  const Memory::Global& buffer = memory.globals()[map.buffer];
  put("global_address", 0, static_cast<int64_t>(buffer.address + map.offset));
  put("rank", 0, std::ssize(map.dims) - 1);
  for (size_t d = 0; d < map.dims.size(); ++d) {
    const auto nth = static_cast<int64_t>(d);
    put("box_dim", nth, map.box[d]);
    put("global_dim", nth, map.dims[d]);
    put("element_stride", nth,
        d < map.element_strides.size() ? map.element_strides[d] : 1);
    if (d < map.strides.size()) put("global_stride", nth, map.strides[d]);
  }
  for (const auto& [name, number] : NumbersOfWords(map)) put(name, 0, number);
}

}  // namespace tilesim::ptx

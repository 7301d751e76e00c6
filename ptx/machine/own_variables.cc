// Variables that only a thread sees (.local) and that nobody writes (.const).
#include <algorithm>
#include <string>

#include "ptx/launch/kernel.h"
#include "ptx/machine/memory.h"

namespace tilesim::ptx {
namespace {

constexpr uint64_t kMostBytes = 1 << 24;

// Where the variable begins, behind those before it.
std::optional<uint64_t> Place(const Variable& v, const Declarator& d,
                              uint64_t* end) {
  const uint64_t bytes = VariableBytes(v, d).value_or(0);
  const uint64_t align = std::max<uint64_t>(
      1, v.align.value_or(ScalarBytes(std::string_view(v.type).substr(1))));
  const uint64_t at = (*end + align - 1) / align * align;
  if (at + bytes > kMostBytes || bytes > kMostBytes) return std::nullopt;
  *end = at + bytes;
  return at;
}

// What it holds: as a buffer of its name says, else as it is initialised. One
// that is not, the host may have written (cudaMemcpyToSymbol).
Start ContentOf(const Variable& v, const Declarator& d, const LaunchFile& file,
                uint64_t bytes) {
  for (const Buffer& b : file.buffers) {
    if (b.name == d.name) return b.start;
  }
  return d.initial ? StartOf(v, d, bytes) : Start();
}

}  // namespace

void Memory::OwnVariables(const Module& module, const Function& kernel) {
  for (const Statement& s : kernel.body) {
    for (const Variable& v : s.variable) {
      if (v.space != ".local") continue;
      for (const Declarator& d : v.names) {
        if (std::optional<uint64_t> at = Place(v, d, &local_bytes_))
          constants_[d.name] = kLocalWindow + *at;
      }
    }
  }
  uint64_t end = 0;
  for (const Variable& v : module.variables) {
    if (v.space != ".const") continue;
    for (const Declarator& d : v.names) {
      std::optional<uint64_t> at = Place(v, d, &end);
      if (!at) continue;
      constants_[d.name] = kConstWindow + *at;
      const_.resize(end);
      const uint64_t bytes = end - *at;
      const Start start = ContentOf(v, d, *file_, bytes);
      for (const Buffer& b : file_->buffers) {
        for (const auto& [offset, map] : b.maps)
          if (b.name == d.name) maps_[kConstWindow + *at + offset] = map;
      }
      for (uint64_t i = 0; i < bytes; ++i) {
        if (start.kind == Start::Kind::kZero) const_[*at + i] = 0;
        if (i < start.bytes.size()) const_[*at + i] = start.bytes[i];
      }
    }
  }
}

std::optional<uint64_t> Memory::ConstBits(uint64_t address, int bytes) const {
  uint64_t bits = 0;
  for (int i = 0; i < bytes; ++i) {
    const uint64_t at = address - kConstWindow + static_cast<uint64_t>(i);
    if (at >= const_.size() || !const_[at]) return std::nullopt;
    bits |= uint64_t{*const_[at]} << (8 * i);
  }
  return bits;
}

}  // namespace tilesim::ptx

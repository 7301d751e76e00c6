#include "ptx/machine/memory.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>

#include "ir/cat.h"
#include "ptx/launch/kernel.h"

namespace tilesim::ptx {
namespace {

constexpr uint64_t kFirstMadeUp = uint64_t{0x7f0a} << 32;
constexpr uint64_t kAlignment = 1 << 21;  // of buffers whose address is any

uint64_t Up(uint64_t n, uint64_t align) {
  return align == 0 ? n : (n + align - 1) / align * align;
}

// Variables, with whether they are dynamic, in the order in which they lie.
// Those of the module which the kernel does not name are other kernels': it
// gets no memory for them.
template <typename F>
void ForShared(const Module& module, const Function& kernel, F f) {
  const std::set<std::string_view> named = NamesIn(kernel);
  auto all = [&](const Variable& v, bool of_module) {
    if (v.space != ".shared") return;
    for (const Declarator& d : v.names) {
      if (!of_module || named.contains(d.name)) f(v, d);
    }
  };
  for (const Variable& v : module.variables) all(v, true);
  for (const Statement& s : kernel.body) {
    for (const Variable& v : s.variable) all(v, false);
  }
}

}  // namespace

Memory::Memory(const Module& module, const Function& kernel,
               const LaunchFile& file, const Launch& launch,
               ir::Diagnostics& diagnostics)
    : file_(&file) {
  block_ = launch.block.value_or(
      DirectiveDims(kernel, ".reqntid").value_or(Dim3{1, 1, 1}));
  cluster_ = launch.cluster.value_or(
      DirectiveDims(kernel, ".reqnctapercluster").value_or(Dim3{1, 1, 1}));
  Sizes(launch);
  Shared(module, kernel, launch, diagnostics);
  Buffers();
  Workspace(launch);
  Variables(module);
  OwnVariables(module, kernel);
  Params(kernel, launch);
}

void Memory::Sizes(const Launch& launch) {
  constexpr std::string_view kDims[] = {".x", ".y", ".z"};
  uint64_t ctas = 1;
  for (size_t d = 0; d < 3; ++d) {
    auto put = [&](std::string_view name, int64_t n) {
      constants_[ir::Cat(name, kDims[d])] = static_cast<uint64_t>(n);
    };
    put("%ntid", block_[d]);
    put("%nctaid", launch.grid[d]);
    put("%cluster_nctaid", cluster_[d]);
    put("%nclusterid", launch.grid[d] / std::max<int64_t>(1, cluster_[d]));
    ctas *= static_cast<uint64_t>(cluster_[d]);
  }
  constants_["%cluster_nctarank"] = ctas;
  constants_["WARP_SZ"] = 32;
  constants_["%dynamic_smem_size"] = launch.dynamic_shared.value_or(0);
}

// Those of a fixed size come first, dynamic ones all begin behind them.
void Memory::Shared(const Module& module, const Function& kernel,
                    const Launch& launch, ir::Diagnostics& diagnostics) {
  uint64_t dynamic_align = 16;
  ForShared(module, kernel, [&](const Variable& v, const Declarator& d) {
    if (v.linkage == Linkage::kExtern) {
      dynamic_align = std::max(dynamic_align, v.align.value_or(1));
      return;
    }
    shared_bytes_ = Up(shared_bytes_, v.align.value_or(1));
    shared_[d.name] = shared_bytes_;
    shared_bytes_ += VariableBytes(v, d).value_or(0);
  });
  uint64_t first = Up(shared_bytes_, dynamic_align);
  ForShared(module, kernel, [&](const Variable& v, const Declarator& d) {
    if (v.linkage == Linkage::kExtern) shared_[d.name] = first;
  });
  if (launch.dynamic_shared.value_or(0) > 0)
    shared_bytes_ = first + *launch.dynamic_shared;
  // Rounded up to what is allocated at a time (PTX 10, %total_smem_size).
  constexpr uint64_t kUnit = 128;
  constants_["%total_smem_size"] = Up(shared_bytes_ - kReservedShared, kUnit);
  constants_["%aggr_smem_size"] = Up(shared_bytes_, kUnit);
  if (shared_bytes_ > (uint64_t{1} << kRankShift))
    diagnostics.Error("shape/shared", kernel.span,
                      "more shared memory than an address can reach");
}

void Memory::Buffers() {
  uint64_t next = kFirstMadeUp;
  for (const Buffer& b : file_->buffers) {
    if (b.address) next = std::max(next, Up(*b.address + b.bytes, kAlignment));
  }
  uint64_t first = 0;  // of the buffer of which the piece is one
  for (const Buffer& b : file_->buffers) {
    const Buffer::Piece piece = b.piece.value_or(Buffer::Piece{0, 0, b.bytes});
    if (piece.begin == 0) first = b.address.value_or(next);
    Global& g =
        globals_.emplace_back(Global{first + piece.begin, b.bytes, b.name});
    for (const auto& [offset, map] : b.maps) maps_[g.address + offset] = map;
    g.before = piece.begin;
    g.behind = piece.whole - piece.begin - b.bytes;
    if (!b.address && piece.begin == 0)
      next = Up(next + piece.whole + kAlignment, kAlignment);
  }
}

void Memory::Workspace(const Launch& launch) {
  for (const Global& g : globals_) {
    if (g.name != WorkspaceOf(*file_, launch)) continue;
    constants_["%envreg1"] = g.address >> 32;
    constants_["%envreg2"] = g.address & 0xffffffff;
  }
}

// Of the module: buffers of their names.
void Memory::Variables(const Module& module) {
  for (const Variable& v : module.variables) {
    if (v.space != ".global") continue;
    for (const Declarator& d : v.names) {
      for (const Global& g : globals_) {
        if (g.name == d.name) constants_[d.name] = g.address;
      }
    }
  }
}

void Memory::Put(uint64_t at, uint64_t bits, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes && at + i < params_.size(); ++i)
    params_[at + i] = static_cast<uint8_t>(bits >> (8 * i));
}

void Memory::Params(const Function& kernel, const Launch& launch) {
  uint64_t at = 0;
  for (size_t i = 0; i < kernel.signature.params.size(); ++i) {
    const Variable& v = kernel.signature.params[i];
    const Declarator& d = v.names[0];
    uint64_t bytes = VariableBytes(v, d).value_or(0);
    uint64_t align = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8
                         ? bytes
                         : uint64_t{8};
    at = Up(at, v.align.value_or(align));
    constants_[d.name] = kParamWindow + at;
    params_.resize(at + bytes);
    auto refer = [&](uint64_t offset, const Reference& r) {
      if (r.is_tensormap) {
        maps_[kParamWindow + at + offset] = r.index;
      } else {
        Put(at + offset, BufferAddress(r.index) + r.offset, kPointerBytes);
      }
    };
    if (i < launch.params.size()) {
      const Param& p = launch.params[i];
      if (p.kind == Param::Kind::kReference) refer(0, p.reference);
      if (p.kind == Param::Kind::kScalar) Put(at, p.bits, bytes);
      for (uint64_t k = 0; k < p.bytes.size(); ++k) Put(at + k, p.bytes[k], 1);
      for (const auto& [offset, reference] : p.places) refer(offset, reference);
    }
    at += bytes;
  }
}

std::optional<uint64_t> Memory::SharedOffset(const std::string& name) const {
  auto found = shared_.find(name);
  if (found == shared_.end()) return std::nullopt;
  return found->second;
}

namespace {

// tile, of _ZZ6kernelE4tile. Other names than those of C++ are no mangled ones,
// though the demangler would read them as types: `s` is short.
std::string WithoutScope(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  // Of an array that is taken apart, nvcc numbers the elements: s_$_0.
  const std::string whole = symbol.substr(0, symbol.find("_$_"));
  int status = 0;
  char* plain = abi::__cxa_demangle(whole.c_str(), nullptr, nullptr, &status);
  std::string out = plain == nullptr ? symbol : plain;
  std::free(plain);
  const size_t scope = out.rfind("::");
  return scope == std::string::npos ? out : out.substr(scope + 2);
}

}  // namespace

std::string Memory::SharedName(uint64_t offset) const {
  const std::string* name = nullptr;
  uint64_t begin = 0;
  for (const auto& [symbol, at] : shared_) {
    if (at > offset || (name != nullptr && at <= begin)) continue;
    name = &symbol;
    begin = at;
  }
  if (name == nullptr) return ir::Cat("shared memory +", offset);
  std::string out = WithoutScope(*name);
  // Functions may have variables of one name.
  for (const auto& [symbol, at] : shared_) {
    if (&symbol != name && WithoutScope(symbol) == out) out = *name;
  }
  if (offset > begin) ir::Append(&out, " +", offset - begin);
  return out;
}

std::optional<uint64_t> Memory::Constant(const std::string& name) const {
  auto found = constants_.find(name);
  if (found == constants_.end()) return std::nullopt;
  return found->second;
}

const Memory::Global* Memory::GlobalAt(uint64_t address) const {
  for (const Global& g : globals_) {
    if (address >= g.address && address < g.address + g.bytes) return &g;
  }
  return nullptr;
}

const Memory::Global& Memory::GlobalOf(int32_t decl) const {
  return globals_[static_cast<size_t>(decl - globals_[0].decl)];
}

std::optional<uint64_t> Memory::ParamBits(uint64_t address, int bytes) const {
  uint64_t bits = 0;
  for (int i = 0; i < bytes; ++i) {
    uint64_t at = address - kParamWindow + i;
    if (at >= params_.size() || !params_[at]) return std::nullopt;
    bits |= uint64_t{*params_[at]} << (8 * i);
  }
  return bits;
}

bool Memory::IsKnown(size_t buffer) const {
  using Kind = Start::Kind;
  const Buffer& b = file_->buffers[buffer];
  if (b.start.kind == Kind::kExternal) return false;
  return b.start.kind == Kind::kZero || b.start.kind == Kind::kUndefined ||
         b.start.bytes.size() == b.bytes || b.domain.has_value();
}

const TensorMap* Memory::MapAt(uint64_t address) const {
  auto found = maps_.find(address);
  return found == maps_.end() ? nullptr : &file_->tensormaps[found->second];
}

}  // namespace tilesim::ptx

// Variables of a module as buffers of its launches.
#include <algorithm>
#include <optional>

#include "ir/cat.h"
#include "ptx/launch/kernel.h"

namespace tilesim::ptx {
namespace {

// The numbers of an initialiser, one behind the other; false: it has addresses.
bool AddNumbers(const Operand& initial, uint64_t bytes_each,
                std::vector<uint8_t>* out) {
  if (initial.kind == Operand::Kind::kVector) {
    return std::all_of(
        initial.parts.begin(), initial.parts.end(),
        [&](const Operand& part) { return AddNumbers(part, bytes_each, out); });
  }
  if (initial.kind != Operand::Kind::kNumber) return false;
  for (uint64_t i = 0; i < bytes_each; ++i)
    out->push_back(static_cast<uint8_t>(initial.number.bits >> (8 * i)));
  return true;
}

}  // namespace

// What is not initialised begins as zeros (PTX 5.4.4).
Start StartOf(const Variable& v, const Declarator& d, uint64_t bytes) {
  Start start;
  start.kind = Start::Kind::kZero;
  if (!d.initial) return start;
  start.kind = Start::Kind::kNpy;
  const auto each = static_cast<uint64_t>(ScalarBytes(v.type.substr(1)));
  if (each == 0 || !AddNumbers(*d.initial, each, &start.bytes)) return Start();
  start.bytes.resize(bytes);
  return start;
}

std::string WorkspaceOf(const LaunchFile& file, const Launch& launch) {
  const auto number = &launch - file.launches.data();
  return number == 0 ? "grid_workspace" : ir::Cat("grid_workspace", number);
}

void AddWorkspaces(const Module& module, LaunchFile& file) {
  constexpr uint64_t kBytes = 8;
  const bool asks = std::any_of(
      module.functions.begin(), module.functions.end(),
      [](const Function& f) { return NamesIn(f).contains("%envreg1"); });
  for (size_t i = 0; asks && i < file.launches.size(); ++i) {
    const Launch& launch = file.launches[i];
    const std::string name = WorkspaceOf(file, launch);
    const bool given =
        std::any_of(file.buffers.begin(), file.buffers.end(),
                    [&](const Buffer& b) { return b.name == name; });
    if (given || FindKernel(module, launch.kernel) == nullptr) continue;
    Buffer& b = file.buffers.emplace_back();
    b.name = name;
    b.bytes = kBytes;
    b.dtype = "u32";
    b.start.kind = Start::Kind::kZero;
  }
}

void AddVariables(const Module& module, LaunchFile& file) {
  for (const Variable& v : module.variables) {
    if (v.space != ".global" || v.linkage == Linkage::kExtern) continue;
    for (const Declarator& d : v.names) {
      const std::optional<uint64_t> bytes = VariableBytes(v, d);
      const bool given =
          std::any_of(file.buffers.begin(), file.buffers.end(),
                      [&](const Buffer& b) { return b.name == d.name; });
      if (given || !bytes || *bytes == 0) continue;
      Buffer& b = file.buffers.emplace_back();
      b.name = d.name;
      b.bytes = *bytes;
      b.of_module = true;
      if (v.type[1] != 'b') b.dtype = v.type.substr(1);
      // What a launch leaves in it, the next one finds.
      if (file.launches.size() == 1) b.start = StartOf(v, d, *bytes);
    }
  }
}

}  // namespace tilesim::ptx

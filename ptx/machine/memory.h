// Where things lie: addresses of a launch, and what is there. Hardware's
// windows, as far as they can be seen: shared memory of CTA `rank` of a cluster
// begins at rank << 24, its first kilobyte is reserved; generic addresses of
// shared memory and of parameters have windows that hold no buffer.
#ifndef TILESIM_PTX_MACHINE_MEMORY_H_
#define TILESIM_PTX_MACHINE_MEMORY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/diagnostic.h"
#include "ptx/launch/launch.h"
#include "ptx/text/module.h"

namespace tilesim::ptx {

inline constexpr int kRankShift = 24;
inline constexpr uint64_t kReservedShared = 1024;
inline constexpr uint64_t kSharedWindow = uint64_t{0x7f} << 48;
inline constexpr uint64_t kParamWindow = uint64_t{0x7e} << 48;
inline constexpr uint64_t kLocalWindow = uint64_t{0x7d} << 48;
inline constexpr uint64_t kConstWindow = uint64_t{0x7c} << 48;

// Whether an address is of that window.
inline bool IsIn(uint64_t address, uint64_t window) {
  return address >> 48 == window >> 48;
}

class Memory {
 public:
  struct Global {
    uint64_t address = 0, bytes = 0;
    std::string name;
    int32_t decl = -1;
    // Its words decide: how long each is, in bytes. 0: they do not.
    int64_t word = 0;
    // A parameter leads to it, or the launch is the only one.
    bool given = true;
    // Of a piece of a buffer: the others lie from so many bytes before its
    // beginning to so many behind. Both 0: it is the whole.
    uint64_t before = 0, behind = 0;
  };

  Memory() = default;
  // Lays out shared variables of the kernel and buffers of the launch. What
  // does not fit is an error.
  Memory(const Module& module, const Function& kernel, const LaunchFile& file,
         const Launch& launch, ir::Diagnostics& diagnostics);

  const Dim3& block() const { return block_; }
  const Dim3& cluster() const { return cluster_; }
  // From the first byte of shared memory; nullopt: there is no such variable.
  std::optional<uint64_t> SharedOffset(const std::string& name) const;
  // A place there, for people: the variable that it is in, and how far from its
  // beginning: "tile +128". In none: "shared memory +1000".
  std::string SharedName(uint64_t offset) const;
  // The address of a parameter or a global variable, or what a special register
  // holds that the launch decides alone (%ntid.x).
  std::optional<uint64_t> Constant(const std::string& name) const;

  uint64_t shared_bytes() const { return shared_bytes_; }  // reserved included
  std::vector<Global>& globals() { return globals_; }
  const std::vector<Global>& globals() const { return globals_; }
  const Global* GlobalAt(uint64_t address) const;
  const Global& GlobalOf(int32_t decl) const;
  // Bytes of parameters; nullopt: some are none's.
  std::optional<uint64_t> ParamBits(uint64_t address, int bytes) const;
  // Of .local variables of the kernel, and of .const ones of the module.
  uint64_t local_bytes() const { return local_bytes_; }
  uint64_t const_bytes() const { return const_.size(); }
  // Bytes of constants, as ParamBits.
  std::optional<uint64_t> ConstBits(uint64_t address, int bytes) const;
  // The tensor map that lies there, of the launch: in a parameter, in a
  // constant, or in a buffer into which the host has put it; null: none.
  const TensorMap* MapAt(uint64_t address) const;
  const LaunchFile& file() const { return *file_; }
  // Whether the launch says what the buffer holds at the start, one by one or
  // by a domain.
  bool IsKnown(size_t buffer) const;
  uint64_t BufferAddress(size_t buffer) const {
    return globals_[buffer].address;
  }

 private:
  void Shared(const Module& module, const Function& kernel,
              const Launch& launch, ir::Diagnostics& diagnostics);
  void Buffers();
  void Workspace(const Launch& launch);
  void Variables(const Module& module);
  void OwnVariables(const Module& module, const Function& kernel);
  void Params(const Function& kernel, const Launch& launch);
  void Sizes(const Launch& launch);
  void Put(uint64_t at, uint64_t bits, uint64_t bytes);

  const LaunchFile* file_ = nullptr;
  Dim3 block_{1, 1, 1}, cluster_{1, 1, 1};
  std::map<std::string, uint64_t> shared_, constants_;
  uint64_t shared_bytes_ = kReservedShared;
  std::vector<Global> globals_;  // buffers first, by number
  std::vector<std::optional<uint8_t>> params_, const_;
  uint64_t local_bytes_ = 0;
  std::map<uint64_t, size_t> maps_;  // by address
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_MEMORY_H_

// Global tensors: dense, in C order whatever their strides (strides decide
// addresses, not values), shared by name between the kernels of a file. Of one
// whose elements share places (a stride of 0) those start with one value, and
// it is not written.
//
// Pages are filled when first touched, from where the tensor starts: its seed,
// zeros, given bytes, or poison (all ones: NaN in the float formats), which an
// output nobody reads first starts as, so that missing writes show.
//
// Units: element indices count in C order. Errors: none; ranges outside a
// tensor are our own bug.
#ifndef TILESIM_SIM_MACHINE_DATA_GLOBALS_H_
#define TILESIM_SIM_MACHINE_DATA_GLOBALS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "ir/values/layout.h"
#include "ir/values/seeded.h"
#include "ir/values/tensor.h"
#include "sim/machine/code.h"
#include "sim/machine/data/bits.h"
#include "sim/machine/data/budget.h"

namespace tilesim::machine {

// Values of globals that are given, by name.
using Inputs = std::map<std::string, values::Tensor, std::less<>>;

enum class Start : uint8_t { kSeeded, kZero, kPoison, kGiven };

class GlobalTensor {
 public:
  struct Spec {
    std::string name;
    ir::DType type = ir::DType::kF32;
    std::vector<int64_t> shape;
    // Of one whose elements share places.
    std::optional<values::Layout> shared_places;
    Start start = Start::kSeeded;
    values::SeedSpec seed;
    const values::Tensor* given = nullptr;
    bool undefined = false;  // nothing until it is written
  };
  GlobalTensor(Spec spec, Budget& budget);
  ~GlobalTensor();
  GlobalTensor(const GlobalTensor&) = delete;
  GlobalTensor& operator=(const GlobalTensor&) = delete;

  // False: the process has no addresses left for it; nothing else works.
  bool mapped() const { return data_ != nullptr; }
  const Spec& spec() const { return spec_; }
  ir::DType type() const { return spec_.type; }
  int64_t elements() const { return elements_; }
  int64_t bytes() const { return values::BytesOf(spec_.type, elements_); }

  // The tensor's bytes, with those of the range filled in.
  uint8_t* Touch(int64_t first, int64_t count) {
    int64_t a = first * bits_ / kPageBits;
    int64_t b = ((first + count) * bits_ - 1) / kPageBits;
    if (count > 0 && !ready_.All(a, b - a + 1)) Fill(a, b);
    return data_;
  }
  void MarkWritten(int64_t first, int64_t count) {
    if (written_.size() == 0) StartWritten();
    written_.Set(first, count);
  }
  bool Written(int64_t first, int64_t count) const {
    return written_.size() != 0 && written_.All(first, count);
  }
  // Empty until something was written.
  const Bits& written() const { return written_; }

  // Copies of elements [first, first + count) to the start of `out`; `first`
  // must be even for e2m1. As they are now, or as the tensor started.
  void Read(int64_t first, int64_t count, void* out) const;
  void ReadStart(int64_t first, int64_t count, void* out) const;

 private:
  static constexpr int64_t kPageBits = 4096 * 8;
  void Fill(int64_t first_page, int64_t last_page);
  void StartWritten();

  Spec spec_;
  Budget& budget_;
  int64_t elements_ = 1;
  int bits_ = 0;
  uint8_t* data_ = nullptr;  // mapped, without memory behind it until touched
  int64_t mapped_ = 0;
  Bits ready_;  // by page
  Bits written_;
};

class Globals {
 public:
  // `inputs` must outlive it.
  Globals(const std::vector<const Code*>& codes, uint64_t seed,
          const Inputs& inputs, Budget& budget);

  // By kernel and DeclId; nullptr for what is not global.
  GlobalTensor* Get(int kernel, int decl) const {
    return by_decl_[kernel][decl];
  }
  GlobalTensor* Named(std::string_view name) const;
  bool mapped() const;

 private:
  std::map<std::string, std::unique_ptr<GlobalTensor>, std::less<>> tensors_;
  std::vector<std::vector<GlobalTensor*>> by_decl_;
};

// Memory for a tensor of the declaration: its bytes, and what keeps track of
// which of them were filled in and, if `written`, written. At most
// kTooManyBytes.
int64_t TensorBytes(const ir::BoundDecl& decl);
int64_t TrackingBytes(const ir::BoundDecl& decl, bool written);

// Inputs that name no global, have another type or shape, or two values for one
// place.
absl::Status CheckInputs(const std::vector<const Code*>& codes,
                         const Inputs& inputs);

// Globals that are written while several of their elements lie at one place, by
// declaration: values are kept by element, so theirs are not computed.
std::vector<int> WrittenAtSharedPlaces(const Code& code);
// An error that names one.
absl::Status CheckPlaces(const std::vector<const Code*>& codes);

// Which ops of a kernel read, and which write, the payload of a global.
struct GlobalUse {
  bool reads = false;
  bool writes = false;
};
GlobalUse UseOf(const Code& code, int decl);

// Which kernels write the global of that name, beside kernel `k` the last one
// launched before it and the last one after it.
struct Writers {
  bool itself = false;
  std::optional<size_t> before, after;
};
Writers WritersOf(const std::vector<const Code*>& codes, size_t k,
                  std::string_view name);

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_GLOBALS_H_

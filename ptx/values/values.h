// The payload of a kernel of PTX: every instruction, executed on the bits of
// each thread of the CTAs that run.
//
//   auto globals = GlobalBytes::Create(file, memory, seed);   // StatusOr
//   Values values(**globals, lowered);    lowered for values
//   machine::Machine machine({lowered.code.get()}, &values);
//   ... run ...
//   if (!values.failure().empty()) ...
//   values::Tensor d = (*globals)->Copy(2);
//
// An asynchronous operation moves its bytes when it is issued. Where `check`
// finds no race nobody can tell: whoever accesses them before it is done
// races with it.
//
// Promises: the same module, launch, inputs and order of operations give the
// same bytes. Errors: an instruction whose value is not computed, and an access
// to what is not there, end the run: failure() says which line, and why.
#ifndef TILESIM_PTX_VALUES_VALUES_H_
#define TILESIM_PTX_VALUES_VALUES_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ptx/launch/launch.h"
#include "ptx/machine/lower.h"
#include "ptx/values/globals.h"
#include "ptx/values/registers.h"
#include "sim/machine/machine.h"

namespace tilesim::ptx {

class KernelValues;

// What a CTA has on chip.
struct CtaValues {
  CtaValues(int32_t words, int warps, size_t shared_bytes);

  Registers registers;
  std::vector<uint8_t> shared;
  std::vector<std::map<uint64_t, uint8_t>> local;  // by thread
  // Tensor memory by allocation (machine/tensor_memory.h): 128 lanes of 512
  // columns each.
  std::vector<std::vector<uint32_t>> tensor;

  // The columns of a lane, of the allocation of that number.
  uint32_t* Lane(int32_t pool, int64_t lane);
};

class Values : public machine::DataPort {
 public:
  // The guide of the kernel carries it from now on, until it ends. All must
  // outlive it.
  Values(GlobalBytes& globals, const Lowered& kernel);
  ~Values() override;

  GlobalBytes& globals() { return globals_; }
  CtaValues* CtaAt(int32_t index) {
    return index < static_cast<int32_t>(ctas_.size())
               ? ctas_[static_cast<size_t>(index)].get()
               : nullptr;
  }
  // Why the run has ended before its time: "line 12: ...".
  const std::string& failure() const { return failure_; }
  void Fail(std::string why) {
    if (failure_.empty()) failure_ = std::move(why);
  }
  int64_t instructions() const { return instructions_; }
  void Count(int64_t lanes) { instructions_ += lanes; }

  // Payload moves when operations are issued (Payload::Execute).
  void Move(const machine::State&, const machine::Cta&, int32_t,
            const machine::CompiledOp&, const ir::ConcreteOp&, int,
            int64_t*) override {}
  void OnLaunch(const machine::State& state, int32_t cta_index) override;
  void OnExit(const machine::State& state, int32_t cta_index) override;
  uint64_t Element(int, int32_t, int64_t) override { return 0; }
  void SetElement(int, int32_t, int64_t, uint64_t) override {}
  void ClcResponse(const machine::State&, int32_t, const ir::ConcreteOp&, bool,
                   const std::array<int32_t, 3>&) override {}

 private:
  GlobalBytes& globals_;
  std::unique_ptr<KernelValues> kernel_;
  std::vector<std::unique_ptr<CtaValues>> ctas_;  // by index into State::ctas
  std::string failure_;
  int64_t instructions_ = 0;
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_VALUES_VALUES_H_

// One kernel's instructions as actions.
#ifndef TILESIM_PTX_VALUES_KERNEL_VALUES_H_
#define TILESIM_PTX_VALUES_KERNEL_VALUES_H_

#include <string>
#include <vector>

#include "ptx/machine/payload.h"
#include "ptx/values/threads.h"

namespace tilesim::ptx {

class KernelValues final : public Payload {
 public:
  KernelValues(Values& values, const Lowered& kernel);

  void Execute(const machine::State& state, const machine::Strand& strand,
               int32_t node) override;
  uint64_t Register(const machine::Strand& strand, size_t thread,
                    int32_t reg) override;
  void SetRegister(const machine::Strand& strand, int32_t reg,
                   uint64_t value) override;
  void Answered(const machine::State& state, int32_t cta,
                const ir::ConcreteOp& concrete, bool canceled,
                const std::array<int32_t, 3>& first_cta) override;
  bool ok() const override { return values_.failure().empty(); }

  const Lowered& kernel() const { return kernel_; }
  std::unique_ptr<CtaValues> NewCta() const;

 private:
  struct Made {
    Action action;
    std::optional<In> guard;
    std::string why;  // there is no action
    bool made = false;
  };
  Made& At(int32_t node);
  void Make(int32_t node, Made& made);

  Values& values_;
  const Lowered& kernel_;
  RegisterWords words_;
  std::vector<bool> waits_;  // by node
  std::vector<Made> made_;   // likewise; when it is first executed
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_VALUES_KERNEL_VALUES_H_

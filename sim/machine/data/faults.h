// What the payload shows a program doing wrong: reaching outside a tile,
// reading what nobody wrote.
//
//   MachineFaults sink(machine);
//   memory.set_faults(&sink);
#ifndef TILESIM_SIM_MACHINE_DATA_FAULTS_H_
#define TILESIM_SIM_MACHINE_DATA_FAULTS_H_

#include <string>
#include <utility>

#include "sim/machine/machine.h"

namespace tilesim::machine {

class FaultSink {
 public:
  virtual ~FaultSink() = default;
  // `cta` is the index into state.ctas of the CTA that executes `op`.
  virtual void Fault(const State& state, int32_t cta, const CompiledOp& op,
                     ir::Code code, std::string message, std::string help) = 0;
};

// Into the machine's findings.
class MachineFaults final : public FaultSink {
 public:
  explicit MachineFaults(Machine& machine) : machine_(machine) {}
  void Fault(const State& state, int32_t cta, const CompiledOp& op,
             ir::Code code, std::string message, std::string help) override {
    machine_.Report(state, cta, &op, code, std::move(message), std::move(help));
  }

 private:
  Machine& machine_;
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_FAULTS_H_

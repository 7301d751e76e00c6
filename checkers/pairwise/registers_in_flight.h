// wgmma/wait: registers of a wgmma are touched before a wgmma.wait_group of the
// same warp covers it, by another wgmma too, unless both go on with one
// accumulator. tcgen05/wait: registers that a tcgen05.ld writes are written by
// something else before a tcgen05.wait::ld of the same warp. (Reading them is
// right: the instruction that reads waits, PTX 9.7.16.6.4.5.)
#ifndef TILESIM_CHECKERS_PAIRWISE_REGISTERS_IN_FLIGHT_H_
#define TILESIM_CHECKERS_PAIRWISE_REGISTERS_IN_FLIGHT_H_

#include <map>
#include <vector>

#include "checkers/pairwise/checker.h"

namespace tilesim::checkers::pairwise {

class RegistersInFlight : public Checker {
 public:
  // Registers of a wgmma, or of a tcgen05.ld, that nobody has waited for.
  struct InFlight {
    int32_t operation = 0;
    int32_t event = 0;
    int8_t operand = 0;
    bool write = false;
    footprint::IntervalSet elements;
  };

  std::span<const ir::Code> codes() const override;
  void OnOp(const Context& context, int32_t event) override;

 private:
  void Issued(const Context& context, int32_t event);
  void Read(const Context& context, int32_t event);
  void Touched(const Context& context, int32_t event);
  void Report(const Context& context, const InFlight& f,
              const run::Event& touch, const ir::Effect& effect);

  std::map<footprint::Place, std::vector<InFlight>>
      in_flight_;  // by register object
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_REGISTERS_IN_FLIGHT_H_

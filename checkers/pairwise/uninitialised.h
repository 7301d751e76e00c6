// uninit/*: bytes of shared or tensor memory, or registers, are read that
// nothing has written before. They hold what the CTA before left; tensor memory
// begins anew with each allocation. A read that only some order puts before the
// write is a race, and told as one.
//
// What an op writes counts whole: where its threads share out a tile in a way
// that footprints do not know (a transposed store), each is taken to write all.
#ifndef TILESIM_CHECKERS_PAIRWISE_UNINITIALISED_H_
#define TILESIM_CHECKERS_PAIRWISE_UNINITIALISED_H_

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "checkers/pairwise/checker.h"

namespace tilesim::checkers::pairwise {

class Uninitialised : public Checker {
 public:
  std::span<const ir::Code> codes() const override;
  void OnOp(const Context& context, int32_t event) override;
  void OnAccesses(const Context& context,
                  const order::Accesses& accesses) override;
  void OnEnd(const Context& context) override;

 private:
  struct Read {
    footprint::Place place;
    order::Access access;  // of the bytes that nothing had written
  };

  void Report(const Context& context, ir::Code code, const run::Event& e,
              int operand, std::string_view help);
  void Reads(const footprint::Place& place, const order::Access& access);
  void Writes(const Context& context, const footprint::Place& place,
              const order::Access& access);

  std::map<footprint::Place, footprint::IntervalSet> written_;
  // What each CTA did to registers: what was written once, is.
  std::vector<run::OpInstanceSet> seen_;  // by CTA
  std::vector<Read> reads_;
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_UNINITIALISED_H_

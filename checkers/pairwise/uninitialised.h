// uninit/*: bytes of shared or tensor memory, or registers, are read that
// nothing has written before. They hold what the CTA before left; tensor memory
// begins anew with each allocation. A read that only some order puts before the
// write is a race, and told as one; of atomics, which do not race, one write
// must come before the read in all orders.
//
// What an op writes counts whole: where its threads share out a tile in a way
// that footprints do not know (a transposed store), each is taken to write all.
#ifndef TILESIM_CHECKERS_PAIRWISE_UNINITIALISED_H_
#define TILESIM_CHECKERS_PAIRWISE_UNINITIALISED_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "checkers/pairwise/checker.h"
#include "ir/loops.h"
#include "sim/machine/known_loads.h"

namespace tilesim::checkers::pairwise {

class Uninitialised : public Checker {
 public:
  std::span<const ir::Code> codes() const override;
  void OnReached(const Context& context, int32_t event) override;
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
  void Reads(const Context& context, const footprint::Place& place,
             const order::Access& access);
  // Of a strong read: what no write comes before, whatever the order.
  footprint::IntervalSet NotSurelyWritten(const Context& context,
                                          const footprint::Place& place,
                                          const order::Access& access) const;
  void FindStrong(const Context& context);
  bool InVain(const Context& context, const order::Access& access);
  bool BeginsAnew(const Context& context, int32_t event, int operand,
                  const footprint::Place& place);
  void NoteWrite(const Context& context, const footprint::Place& place,
                 const order::Access& access);
  void Writes(const Context& context, const footprint::Place& place,
              const order::Access& access);

  std::optional<ir::Loops> loops_;
  // Of register tiles that are declared in loops.
  std::map<footprint::Place, int64_t> iteration_of_;
  std::map<footprint::Place, footprint::IntervalSet> written_;
  std::map<footprint::Place, footprint::IntervalSet>
      written_by_lane_;  // registers
  // Bytes of shared memory that strong accesses of the run touch, in the memory
  // of any CTA; and the writes to them that do not come after another one.
  bool looked_for_strong_ = false;
  footprint::IntervalSet strong_;
  std::map<footprint::Place, std::vector<order::Access>> first_writes_;
  // What agents knew before they made the strong accesses of an event: that one
  // reads what a write has left says nothing, if it may have been there before.
  int32_t reached_ = -1;
  std::map<int32_t, order::Clock> knew_;
  // What each CTA did to registers: what was written once, is.
  std::vector<run::OpInstanceSet> seen_;  // by CTA
  std::vector<Read> reads_;
  bool loads_known_ = false;
  const machine::KnownLoads* loads_ = nullptr;  // of compiled code
};

}  // namespace tilesim::checkers::pairwise

#endif  // TILESIM_CHECKERS_PAIRWISE_UNINITIALISED_H_

// What a run does to global tensors, as kernels that may run at the same time
// must know it: before or after griddepcontrol.wait, and whether its CTA has
// triggered by then.
#ifndef TILESIM_CHECKERS_PROGRAM_GLOBAL_USES_H_
#define TILESIM_CHECKERS_PROGRAM_GLOBAL_USES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "checkers/footprint/footprint.h"
#include "checkers/program/grid_waits.h"
#include "ir/atomic.h"

namespace tilesim::checkers::program {

// Whether the effect reads or writes a global tensor.
bool TouchesGlobal(const run::Event& e, const ir::Effect& effect);

struct GlobalUse {
  std::string tensor;
  int32_t op = -1;
  int operand = -1;
  bool write = false;
  Waited waited = Waited::kNo;  // who does or issues it
  // May go on when the CTA has triggered, or writes what no fence has published
  // by then.
  bool exposed = false;

  friend auto operator<=>(const GlobalUse&, const GlobalUse&) = default;
};

// Of the op and operand.
struct UseText {
  ir::Atomic atomic = ir::Atomic::kNot;
  std::string who;
  std::string_view mnemonic;
  ir::Span span;
};

struct UseSeen {
  UseText text;
  footprint::IntervalSet bytes;
};

// Uses of `tensors`; `order` as in grid_waits.h.
std::map<GlobalUse, UseSeen> GlobalUsesOf(
    const run::Log& log, std::optional<order::Order::Kind> order,
    const std::set<std::string>& tensors, footprint::Fragments& fragments);

}  // namespace tilesim::checkers::program

#endif  // TILESIM_CHECKERS_PROGRAM_GLOBAL_USES_H_

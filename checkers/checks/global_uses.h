// What a run does to global tensors, as kernels that may run at the same time
// must know it: before or after griddepcontrol.wait, and whether its CTA has
// triggered by then.
#ifndef TILESIM_CHECKERS_CHECKS_GLOBAL_USES_H_
#define TILESIM_CHECKERS_CHECKS_GLOBAL_USES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "checkers/footprint/footprint.h"
#include "checkers/order/order.h"

namespace tilesim::checkers {

// Whether it is after a griddepcontrol.wait: of the thread that does or issues
// it, or of one that this thread comes after. kPerhaps: in this schedule.
enum class Waited : uint8_t { kNo, kPerhaps, kYes };

struct GlobalUse {
  std::string tensor;
  int32_t op = -1;
  int operand = -1;
  bool write = false;
  Waited waited = Waited::kNo;
  // May go on when the CTA has triggered, or writes what no fence has published
  // by then.
  bool exposed = false;

  friend auto operator<=>(const GlobalUse&, const GlobalUse&) = default;
};

// Of the op and operand.
struct UseText {
  bool atomic = false;
  std::string who;
  std::string_view mnemonic;
  ir::Span span;
};

struct UseSeen {
  UseText text;
  IntervalSet bytes;
};

// Uses of `tensors`. `order`: the order that all schedules have which have the
// accesses of the log; absent: no more than program order.
std::map<GlobalUse, UseSeen> GlobalUsesOf(const Log& log,
                                          std::optional<Order::Kind> order,
                                          const std::set<std::string>& tensors,
                                          Fragments& fragments);

}  // namespace tilesim::checkers

#endif  // TILESIM_CHECKERS_CHECKS_GLOBAL_USES_H_

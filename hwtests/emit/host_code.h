// The host side of a lowered kernel: a function that encodes its tensor maps
// and one that launches it, for any sizes that the program permits.
#ifndef TILESIM_HWTESTS_EMIT_HOST_CODE_H_
#define TILESIM_HWTESTS_EMIT_HOST_CODE_H_

#include <string>
#include <string_view>
#include <vector>

#include "hwtests/emit/launch_plan.h"

namespace tilesim::hwtests {

struct HostFunction {
  std::string name;
  // What it takes besides maps: globals and numbers, in order.
  std::vector<ArgPlan> args;
};

struct HostCode {
  std::string kernel;
  std::string space;    // the namespace of all names
  std::string maps;     // the struct of tensor maps; empty: there are none
  HostFunction encode;  // (maps*, args...)
  HostFunction launch;  // (maps, args..., stream)
  std::string text;
};

// What their text uses (host/launch.cuh).
std::string_view LaunchSupport();

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_HOST_CODE_H_

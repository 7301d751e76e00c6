// A function of the lowered code while it is written: what it defines, and
// what it uses of the functions around it, which become its parameters.
#ifndef TILESIM_HWTESTS_EMIT_FRAME_H_
#define TILESIM_HWTESTS_EMIT_FRAME_H_

#include <compare>
#include <cstdint>
#include <set>

namespace tilesim::hwtests {

struct Capture {
  enum class Kind : uint8_t {
    kShared,  // the address of the CTA's shared memory
    kWarp,    // the index of the warp
    kMap,     // id: a tensor map of the plan
    kGlobal,  // id: a declaration
    kParam,   // id: a slot
    kValue,   // id: a slot, by value
    kVar,     // id: a slot, by reference
    kReg,     // id: a declaration, by reference
    kTrace,   // where stamps go, by reference
  };
  Kind kind;
  int32_t id = 0;

  auto operator<=>(const Capture&) const = default;
};

struct Frame {
  Frame* parent = nullptr;    // nullptr: the kernel
  std::set<int32_t> slots;    // scalars defined in it
  std::set<int32_t> decls;    // register tiles defined in it
  std::set<int32_t> open;     // those of them whose block goes on
  std::set<int32_t> vars;     // those of `slots` that are assigned to
  std::set<int32_t> derived;  // kernel-level lets that it computes at its head
  std::set<Capture> captures;
};

}  // namespace tilesim::hwtests

#endif  // TILESIM_HWTESTS_EMIT_FRAME_H_

// A kernel of a PTX module, as it is launched, as code of the machine.
//
//   std::optional<Lowered> k = Lower(module, launches, 0, diagnostics);
//   machine::Machine m({k->code.get()});
//
// The program has the one kernel that stands for it: shared memory, each buffer
// and each mbarrier is a declaration, each operation an op of the table.
#ifndef TILESIM_PTX_MACHINE_LOWER_H_
#define TILESIM_PTX_MACHINE_LOWER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/diagnostic.h"
#include "ir/program.h"
#include "ptx/launch/launch.h"
#include "ptx/machine/followed.h"
#include "ptx/machine/guide.h"
#include "ptx/text/module.h"
#include "sim/machine/code.h"

namespace tilesim::ptx {

// What for: `check` leaves payload out; values need every instruction; the
// clock needs what they cost. kLetter: `check`, where a scope of mbarrier
// operations that is written is no more than it says (fill_barrier.cc).
enum class Purpose : uint8_t { kCheck, kLetter, kValues, kTime };

struct Lowered {
  std::unique_ptr<ir::Program> program;  // of one kernel, without a body
  std::unique_ptr<std::deque<ir::Op>> ops;
  std::unique_ptr<machine::Code> code;
  std::shared_ptr<const PtxGuide> guide;
  std::vector<std::string> open;  // what of it is not checked
};

// `followed`: what goes through memory and decides, as attempts before have
// found. `sets`: one for all kernels that are judged together, as footprints
// are shared between those whose memory is laid out alike. nullopt when
// `diagnostics` got an error: an instruction that cannot be executed
// (ptx/unsupported), a launch that the machine cannot have. The module and the
// file must outlive the result; the launch must fit (Fits).
std::optional<Lowered> Lower(const Module& module, const LaunchFile& file,
                             size_t launch, const Followed& followed,
                             std::shared_ptr<machine::ByteSets> sets,
                             ir::Diagnostics& diagnostics,
                             Purpose purpose = Purpose::kCheck);

// Runs have found the mbarriers: each gets the name by which it is told.
void NameFound(Lowered& kernel);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_LOWER_H_

// Control that depends on memory which another kernel of the file writes: what
// it reads there is not followed from kernel to kernel.
#ifndef TILESIM_CHECKERS_PROGRAM_SHARED_CONTROL_H_
#define TILESIM_CHECKERS_PROGRAM_SHARED_CONTROL_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "checkers/program/check.h"
#include "ir/program.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::program {

// Whether another kernel of the file may write the tensor.
bool OthersMayStore(const ir::Program& program, const machine::Code& code,
                    const std::string& tensor);

// Globals that decide control and that another kernel of the file writes.
std::vector<std::string> SharedControlOf(const ir::Program& program,
                                         const machine::Code& code);

// Ops that read such a tensor as synchronisation does, by index: what they find
// may be an order. One that reads it like data has none, whatever it finds.
std::set<int32_t> ListenersOf(const ir::Program& program,
                              const machine::Code& code);

class SharedControl : public Check {
 public:
  explicit SharedControl(const ir::Program& program) : program_(program) {}
  void OnCluster(const ClusterRun& run, Conclusions out) override;
  void OnProgramEnd(Conclusions out) override;

 private:
  void NoteWrites(const ClusterRun& run);

  const ir::Program& program_;
  // Of compiled code, whose text does not say what it writes: by kernel, what
  // decides there and others may write; and what runs have written. Clusters
  // that are not run write where one does that is.
  std::map<size_t, std::set<std::string>> decide_, written_;
  std::set<size_t> not_known_;  // kernels of which some run stands for nothing
};

}  // namespace tilesim::checkers::program

#endif  // TILESIM_CHECKERS_PROGRAM_SHARED_CONTROL_H_

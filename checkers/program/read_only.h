// race/raw: bytes that a load takes for read-only as long as the kernel runs
// (ld.global.nc), and that some CTA of the launch writes. PTX's memory model
// leaves such loads out (8.1), so no barrier, fence or flag orders them.
#ifndef TILESIM_CHECKERS_PROGRAM_READ_ONLY_H_
#define TILESIM_CHECKERS_PROGRAM_READ_ONLY_H_

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "checkers/footprint/fragments.h"
#include "checkers/footprint/interval_set.h"
#include "checkers/program/check.h"

namespace tilesim::checkers::program {

class ReadOnly : public Check {
 public:
  explicit ReadOnly(footprint::Fragments& fragments) : fragments_(fragments) {}

  std::span<const ir::Code> codes() const override;
  void OnCluster(const ClusterRun& run, Conclusions out) override;
  void OnProgramEnd(Conclusions out) override;

 private:
  struct Use {
    KernelRun of;
    std::string who;
    std::string_view mnemonic;
    ir::Span span;
    footprint::IntervalSet bytes;
  };
  // A kernel, its sizes, SMs of the GPU; a tensor, an op of it.
  using Launch = std::tuple<size_t, ir::Overrides, int64_t>;
  using Uses = std::map<std::pair<std::string, int32_t>, Use>;
  struct Touched {
    Uses reads, writes;
  };

  void Add(const run::Log& log, const KernelRun& of, Touched& touched) const;
  static void Judge(const std::string& tensor, const Use& read,
                    const Use& write, Conclusions out);

  footprint::Fragments& fragments_;
  std::map<Launch, Touched> launches_;
};

}  // namespace tilesim::checkers::program

#endif  // TILESIM_CHECKERS_PROGRAM_READ_ONLY_H_

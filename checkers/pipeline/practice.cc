#include "checkers/pipeline/practice.h"

#include <algorithm>

#include "ir/cat.h"

namespace tilesim::checkers::pipeline {
namespace {

struct Row {
  ir::Code code;
  std::string_view of;  // only where the message says so; "": all of them
  std::string_view why;
};

// Which finding, and why hardware has not been seen to mind. What goes wrong in
// some execution of the documented machine is none of these.
constexpr Row kRows[] = {
    {"init/unpublished", "asynchronously without",
     "Triton 3.6 emits no fence.mbarrier_init in one CTA, and a barrier among "
     "the threads has been enough"},
    {"tcgen05/order", "",
     "Triton 3.6 emits no tcgen05.fence between a product whose mbarrier it "
     "waits for and tcgen05.ld"},
    {"init/clobbered", "which nothing has used",
     "Triton 3.6 initialises mbarriers that it never uses where it keeps "
     "tiles"},
    {"race/waw", "threads write the same bytes",
     "compilers let threads that hold the same value all store it"},
    {"race/war", "but for the shfl.sync",
     "Triton 3.6 lets a lane overwrite what others of its warp have loaded and "
     "shuffled, without bar.warp.sync"},
    {"proxy-fence/raw", "after the cp.async that writes it",
     "Triton 3.6 puts no proxy fence between cp.async and wgmma, and results "
     "on "
     "an H200 were right"},
    {"race/waw", "of the same numbers",
     "compilers let each warp store the same constant"},
    {"registers/order", "",
     "Triton 3.6 executes setmaxnreg in each turn of its workers' loops, and "
     "results on an H200 were right"},
    {"proxy-fence/waw", "mbarrier.in",
     "Triton 3.6 lets a copy overwrite mbarriers that it has invalidated, "
     "without a proxy fence"},
};

}  // namespace

namespace {

const Row* RowOf(const ir::Diagnostic& d) {
  const auto* row =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) {
        return r.code == d.code && d.message.find(r.of) != std::string::npos;
      });
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace

void AsInPractice(report::Findings& findings) {
  for (report::Finding& f : findings.all()) {
    ir::Diagnostic& d = f.diagnostic;
    const Row* row = RowOf(d);
    if (row == nullptr) continue;
    d.severity = ir::Severity::kWarning;
    d.notes.push_back(
        ir::Cat("by the letter of PTX an error (--strict ptx): ", row->why));
  }
}

void ByTheLetter(report::Findings& findings) {
  for (report::Finding& f : findings.all()) {
    if (RowOf(f.diagnostic) != nullptr)
      f.diagnostic.severity = ir::Severity::kError;
  }
}

}  // namespace tilesim::checkers::pipeline

// Lines of a source program (Python, CUDA) that a compiler has named in its
// PTX: .file and .loc.
//
//   SourceLines lines(module);
//   lines.Of(252)    // file, line and column; "" where nothing says it
#ifndef TILESIM_CLI_SOURCE_LINES_H_
#define TILESIM_CLI_SOURCE_LINES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "checkers/report/finding.h"
#include "ir/diagnostic.h"
#include "ptx/text/module.h"

namespace tilesim::cli {

// "lines 3, 8, 12 and 40 more"
std::string LinesText(const std::vector<int32_t>& lines);

class SourceLines {
 public:
  explicit SourceLines(const ptx::Module& module);

  // Of the instruction on that line of the PTX, and where it was inlined: out
  // to the line that was inlined nowhere.
  std::string Of(int32_t line) const;
  // A note for each place of the diagnostic that has one.
  void AddTo(ir::Diagnostic& diagnostic) const;
  // A mistake in a line that a compiler has unrolled or inlined several times
  // is one finding: of those that differ in lines of PTX alone, the first stays
  // and names the others.
  void Merge(std::vector<checkers::report::Finding>& findings) const;

 private:
  // Equal for findings that say the same of the same source lines; "" where a
  // place comes from no line.
  std::string SameOf(const checkers::report::Finding& finding) const;
  std::string NameOf(const ptx::LinePlace& place) const;
  // The same, up to the first place that it was inlined at.
  std::string NearestOf(int32_t line) const;

  // A function that kernels call, whose body is executed in their place.
  struct Called {
    std::string name;
    std::vector<int32_t> lines;  // of the calls
  };
  void AddCalls(const ptx::Module& module);
  const Called* CalledAt(int32_t line) const;

  std::map<int32_t, std::pair<int32_t, Called>> called_;  // by first line: last
  std::map<uint64_t, std::string> files_;
  // By line of PTX: the place, where that was inlined, and so on outwards.
  std::map<int32_t, std::vector<ptx::LinePlace>> places_;
};

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_SOURCE_LINES_H_

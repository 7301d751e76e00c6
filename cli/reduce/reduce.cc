#include "cli/reduce/reduce.h"

#include <map>
#include <set>
#include <utility>

#include "cli/reduce/edits.h"
#include "frontend/include.h"
#include "frontend/inline.h"
#include "frontend/parse.h"
#include "ir/printer.h"

namespace tilesim::cli::reduce {
namespace {

// A statement a line, however long.
constexpr size_t kOneLine = 1'000'000;

// For each program that is checked so many may be read that are none.
constexpr int64_t kReadOfEach = 200;

class Reducer {
 public:
  Reducer(const ir::Source& source, Oracle& oracle, const Bounds& bounds,
          const std::atomic<bool>& stop, const OnStep& step)
      : path_(source.path),
        oracle_(oracle),
        bounds_(bounds),
        stop_(stop),
        step_(step) {}

  // Whether the program as it is is what is looked for.
  bool Start(const ir::Source& source) {
    std::optional<Seen> seen = oracle_.Ask(source);
    if (!seen) return false;
    ir::Diagnostics ignored;
    std::optional<ir::Program> program = frontend::ParseSyntax(source, ignored);
    if (!program) return false;
    // Of its own, so that spans of what it includes find their text.
    ir::Source with{source.path, source.text};
    if (!frontend::Include(*program, with, ignored)) return false;
    best_ = LinesOf(ir::Print(*program, kOneLine));
    seen_ = std::move(*seen);
    from_ = SizeOf(best_);
    // Statements can be taken out of what is no function any more.
    if (frontend::Inline(*program, with, ignored))
      Ask(LinesOf(ir::Print(*program, kOneLine)));
    return true;
  }

  Reduction Run() {
    Take take = [&](Lines smaller) { return Try(std::move(smaller)); };
    Size before;
    do {
      before = SizeOf(best_);
      DropLines(best_, take);
      FixNames(best_, std::map(seen_.sizes), take);
      DropHolders(best_, take);
      ShortenLines(best_, take);
    } while (SizeOf(best_) < before && !Over());
    Reduction out;
    out.all = !Over();
    out.from = from_;
    out.to = SizeOf(best_);
    out.checks = oracle_.checked();
    // Spans are those of the text that is given back.
    ir::Source last{path_, Formatted(best_)};
    std::optional<Seen> seen = oracle_.Ask(last);
    out.seen = seen ? std::move(*seen) : std::move(seen_);
    out.text = std::move(last.text);
    return out;
  }

 private:
  bool Over() const {
    return stop_ || oracle_.checked() >= bounds_.max_checks ||
           read_ >= kReadOfEach * bounds_.max_checks;
  }

  bool Try(Lines smaller) {
    if (Over() || !(SizeOf(smaller) < SizeOf(best_))) return false;
    return Ask(std::move(smaller));
  }

  bool Ask(Lines lines) {
    std::string text = TextOf(lines);
    if (!tried_.insert(text).second) return false;
    ++read_;
    std::optional<Seen> seen = oracle_.Ask({path_, std::move(text)});
    if (!seen) return false;
    best_ = std::move(lines);
    seen_ = std::move(*seen);
    step_(oracle_.checked(), SizeOf(best_));
    return true;
  }

  static std::string Formatted(const Lines& lines) {
    ir::Diagnostics ignored;
    std::string text = TextOf(lines);
    std::optional<ir::Program> program =
        frontend::ParseSyntax({"", text}, ignored);
    return program ? ir::Print(*program) : text;
  }

  std::string path_;
  Oracle& oracle_;
  Bounds bounds_;
  const std::atomic<bool>& stop_;
  const OnStep& step_;
  Lines best_;
  Seen seen_;
  Size from_;
  std::set<std::string> tried_;
  int64_t read_ = 0;
};

}  // namespace

std::optional<Reduction> Reduce(const ir::Source& source, Oracle& oracle,
                                const Bounds& bounds,
                                const std::atomic<bool>& stop,
                                const OnStep& step) {
  Reducer reducer(source, oracle, bounds, stop, step);
  if (!reducer.Start(source)) return std::nullopt;
  return reducer.Run();
}

}  // namespace tilesim::cli::reduce

#include "cli/witness_text.h"

#include <algorithm>
#include <set>

#include "ir/cat.h"

namespace tilesim::cli {
namespace {

using checkers::report::Trace;
using checkers::report::TraceStep;

constexpr size_t kShort = 12;  // steps of a trace that is shown in full
// Of a longer one, the last that are shown: on the lines of the finding, what
// happened to mbarriers, and after what another CTA goes on.
constexpr size_t kMaxOnLines = 20;
constexpr size_t kMaxOnBarriers = 10;
constexpr size_t kMaxTurns = 10;

// "3-9. setup (warp 0), producer (warp 1): 7 steps"
std::string Folded(const Trace& trace, size_t from, size_t to) {
  constexpr size_t kNames = 3;
  std::vector<std::string> names;
  for (size_t i = from; i < to; ++i) {
    if (std::find(names.begin(), names.end(), trace[i].who) == names.end())
      names.push_back(trace[i].who);
  }
  std::string out = ir::Cat("    ", from + 1, "-", to, ". ");
  for (size_t i = 0; i < std::min(names.size(), kNames); ++i)
    ir::Append(&out, i == 0 ? "" : ", ", names[i]);
  if (names.size() > kNames)
    ir::Append(&out, " and ", names.size() - kNames, " more");
  return ir::Cat(out, ": ", to - from, " steps\n");
}

// Several steps are the same but for their number.
std::string Line(const TraceStep& s, size_t number, size_t times = 1) {
  std::string numbers = ir::Cat(number);
  if (times > 1) ir::Append(&numbers, "-", number + times - 1);
  return ir::Cat("    ", numbers, ". ", s.who, ", line ", s.span.text_line(),
                 ": ", s.text, times > 1 ? ir::Cat(", ", times, " times") : "",
                 "\n");
}

bool Repeats(const TraceStep& a, const TraceStep& b) {
  return a.cta == b.cta && a.who == b.who && a.text == b.text &&
         a.span.line == b.span.line;
}

}  // namespace

std::vector<bool> Telling(const Trace& trace, const ir::Diagnostic& finding) {
  std::set<int32_t> lines = {finding.span.line};
  for (const ir::Label& l : finding.labels) lines.insert(l.span.line);
  std::vector<bool> out(trace.size());
  size_t on_lines = 0, of_barriers = 0, turns = 0;
  for (size_t i = trace.size(); i-- > 0;) {
    const TraceStep& s = trace[i];
    bool here = s.stuck || lines.count(s.span.line) != 0;
    bool barrier = !here && s.on_barrier;
    bool turn = i + 1 < trace.size() && trace[i + 1].cta != s.cta;
    out[i] = trace.size() <= kShort || (here && on_lines < kMaxOnLines) ||
             (barrier && of_barriers < kMaxOnBarriers) ||
             (turn && turns < kMaxTurns);
    on_lines += here ? 1 : 0;
    of_barriers += barrier ? 1 : 0;
    turns += turn ? 1 : 0;
  }
  return out;
}

std::string WitnessText(const Trace& trace, const ir::Diagnostic& finding) {
  std::vector<bool> telling = Telling(trace, finding);
  std::string out = "  how it comes about:\n";
  for (size_t i = 0; i < trace.size();) {
    size_t end = i;
    while (end < trace.size() && !telling[end] &&
           trace[end].cta == trace[i].cta)
      ++end;
    size_t same = i + 1;
    while (same < trace.size() && Repeats(trace[i], trace[same])) ++same;
    // One step takes a line anyhow; what another CTA does is not folded in.
    if (end <= i && same - i > 1) {
      out += Line(trace[i], i + 1, same - i);
      i = same;
    } else if (end - i > 1) {
      out += Folded(trace, i, end);
      i = end;
    } else {
      out += Line(trace[i], i + 1);
      ++i;
    }
  }
  return out;
}

}  // namespace tilesim::cli

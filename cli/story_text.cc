#include "cli/story_text.h"

#include <algorithm>
#include <set>

#include "ir/cat.h"

namespace tilesim::cli {
namespace {

using checkers::witness::Step;

constexpr size_t kShort = 12;  // steps of a story that is told in full
// Of a longer one, the last that are told: on the lines of the finding, and
// what happened to mbarriers.
constexpr size_t kTold = 20;
constexpr size_t kToldOfBarriers = 10;

// "3-9. setup (warp 0), producer (warp 1): 7 steps"
std::string Folded(const std::vector<Step>& story, size_t from, size_t to) {
  constexpr size_t kNames = 3;
  std::vector<std::string> names;
  for (size_t i = from; i < to; ++i) {
    if (std::find(names.begin(), names.end(), story[i].who) == names.end())
      names.push_back(story[i].who);
  }
  std::string out = ir::Cat("    ", from + 1, "-", to, ". ");
  for (size_t i = 0; i < std::min(names.size(), kNames); ++i)
    ir::Append(&out, i == 0 ? "" : ", ", names[i]);
  if (names.size() > kNames)
    ir::Append(&out, " and ", names.size() - kNames, " more");
  return ir::Cat(out, ": ", to - from, " steps\n");
}

std::string Told(const Step& s, size_t number) {
  return ir::Cat("    ", number, ". ", s.who, ", line ", s.span.line, ": ",
                 s.text, "\n");
}

}  // namespace

std::vector<bool> Telling(const std::vector<Step>& story,
                          const ir::Diagnostic& finding) {
  std::set<int32_t> lines = {finding.span.line};
  for (const ir::Label& l : finding.labels) lines.insert(l.span.line);
  std::vector<bool> out(story.size());
  size_t told = 0, of_barriers = 0;
  for (size_t i = story.size(); i-- > 0;) {
    const Step& s = story[i];
    bool here = s.stuck || lines.count(s.span.line) != 0;
    bool barrier = !here && s.on_barrier;
    out[i] = story.size() <= kShort || (here && told < kTold) ||
             (barrier && of_barriers < kToldOfBarriers);
    told += here ? 1 : 0;
    of_barriers += barrier ? 1 : 0;
  }
  return out;
}

std::string StoryText(const std::vector<Step>& story,
                      const ir::Diagnostic& finding) {
  std::vector<bool> telling = Telling(story, finding);
  std::string out = "  how it comes about:\n";
  for (size_t i = 0; i < story.size();) {
    size_t end = i;
    while (end < story.size() && !telling[end]) ++end;
    // One step takes a line anyhow.
    if (end - i > 1) {
      out += Folded(story, i, end);
      i = end;
    } else {
      out += Told(story[i], i + 1);
      ++i;
    }
  }
  return out;
}

}  // namespace tilesim::cli

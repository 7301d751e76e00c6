#include "checkers/report/follow_up.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "checkers/report/findings.h"

namespace tilesim::checkers::report {
namespace {

using ByKey = std::map<std::string, Finding*>;

bool IsError(const Finding& f) {
  return f.diagnostic.severity == ir::Severity::kError;
}

// What `f` follows from in the end: itself, if that was not told. No error
// follows from a warning: it would not count.
Finding* RootOf(Finding& f, const ByKey& by_key) {
  Finding* at = &f;
  for (size_t steps = 0; steps <= by_key.size(); ++steps) {
    auto cause = by_key.find(at->because);
    if (at->because.empty() || cause == by_key.end() ||
        (IsError(*at) && !IsError(*cause->second)))
      return at;
    at = cause->second;
  }
  return &f;  // a circle
}

using Place = std::pair<int32_t, int32_t>;  // line, column

std::vector<Place> PlacesOf(const ir::Diagnostic& d) {
  std::vector<Place> out = {{d.span.line, d.span.column}};
  for (const ir::Label& l : d.labels)
    out.emplace_back(l.span.line, l.span.column);
  return out;
}

// Without numbers and what stands between backquotes.
std::string WithoutNames(std::string_view text) {
  std::string out;
  bool name = false;
  for (char c : WordsOf(text)) {
    if (c == '`') name = !name;
    if (!name) out += c;
  }
  return out;
}

// The same at other sizes, say.
void OneOfEach(std::vector<Finding>& all) {
  using What =
      std::tuple<ir::Code, ir::Severity, std::vector<Place>, std::string>;
  std::map<What, Finding*> told;
  std::map<std::string, std::string> instead;  // keys
  std::vector<Finding> out;
  out.reserve(all.size());  // addresses stay
  for (Finding& f : all) {
    const ir::Diagnostic& d = f.diagnostic;
    const std::string words = d.labels.empty() ? WithoutNames(d.message) : "";
    auto [at, fresh] =
        told.try_emplace({d.code, d.severity, PlacesOf(d), words});
    if (fresh) {
      out.push_back(std::move(f));
      at->second = &out.back();
      continue;
    }
    Finding& known = *at->second;
    if (WordsOf(d.message) != WordsOf(known.diagnostic.message)) {
      // Of another tile, say; or what the other follows from.
      if (f.because.empty() && known.because != f.key) f.because = known.key;
      out.push_back(std::move(f));
      continue;
    }
    known.diagnostic.times += d.times;
    AddPlaces(f, known);
    if (f.because.empty()) known.because.clear();
    instead[f.key] = known.key;
  }
  for (Finding& f : out) {
    auto other = instead.find(f.because);
    if (other != instead.end()) f.because = other->second;
    if (f.because == f.key) f.because.clear();
  }
  all = std::move(out);
}

// What says of one op what another finding there says better.
bool Better(const Finding& better, const Finding& f) {
  const ir::Code &a = better.diagnostic.code, &b = f.diagnostic.code;
  // Live when it is initialised, in this run or in some.
  if (b == "init/twice") return a == b;
  // Not initialised at all in some schedule: what publishes it initialises it.
  if (b == "init/missing") return a == "init/unpublished";
  // Of a barrier that nothing waits for no phase is waited for.
  constexpr std::string_view kNoWait = "nothing waits for ";
  return b == "parity/unconsumed" && a == b &&
         better.diagnostic.message.starts_with(kNoWait) &&
         !f.diagnostic.message.starts_with(kNoWait);
}

void OneOfAnOp(std::vector<Finding>& all) {
  std::set<std::string> keys;
  for (const Finding& f : all) keys.insert(f.key);
  // What it follows from may not have been told.
  auto root = [&](const Finding& f) {
    return IsError(f) && !keys.contains(f.because);
  };
  for (size_t i = 0; i < all.size(); ++i) {
    Finding& f = all[i];
    for (size_t j = 0; j < all.size() && root(f); ++j) {
      const Finding& other = all[j];
      const bool first = j < i || f.diagnostic.code != "init/twice";
      if (j != i && first && root(other) &&
          other.diagnostic.span.line == f.diagnostic.span.line &&
          other.diagnostic.span.column == f.diagnostic.span.column &&
          Better(other, f))
        f.because = other.key;
    }
  }
}

}  // namespace

std::string WordsOf(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c < '0' || c > '9') out += c;
  }
  return out;
}

std::vector<Finding> FollowUp(std::vector<Finding> all) {
  OneOfEach(all);
  OneOfAnOp(all);
  ByKey by_key;
  for (Finding& f : all) by_key.emplace(f.key, &f);
  std::vector<Finding*> roots;
  for (Finding& f : all) {
    Finding* root = RootOf(f, by_key);
    if (std::find(roots.begin(), roots.end(), root) == roots.end())
      roots.push_back(root);
    if (root == &f) continue;
    root->follows.push_back(f.diagnostic);
    root->follows_elsewhere.splice(root->follows_elsewhere.end(), f.elsewhere);
  }
  std::vector<Finding> out;
  for (Finding* root : roots) out.push_back(std::move(*root));
  return out;
}

}  // namespace tilesim::checkers::report

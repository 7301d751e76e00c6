// Every .tile file of the corpora (this folder, tests/peers, tests/catalogue,
// tests/attacks, tests/forms)
// against what its comments expect.
//
//   //! verdict: clean | findings | incomplete | rejected      once
//                             (rejected: the text itself is wrong)
//   //! error[code] "text"    a finding whose place is the line below, or this
//   //! warning[code] "text"  line if something stands before the comment;
//                             `text`, when given, is in its message
//   //! error[code] anywhere "text"    the same, without a place
//   //! cause[code] "text"    an error that is told before all others
//   //! note[code] "text"     what follows from a finding, anywhere: told as
//                             its note, not as a finding
//   //! also[code]            the same, or a finding, that may be told as well
//   //! label "text"          some finding has such a label on that line
//   //! define NAME=VALUE     as -D
//   //! strict SWITCH         as --strict
//   //! assumes equal reads   the verdict line says that it does
//   //! assumes small sizes   likewise
//   //! assumes numbers fit   likewise; others may
//
// `code` may be `family/*`, or several with `|` between them. Where a fault is
// one between equals (IsBetweenEquals below) a label on the line will do.
//
// Unknown words, expectations that nothing meets and findings that nobody
// expects all fail, but for the files in not_yet.txt: these must fail, so that
// the list only shrinks. `table.py --not-yet` prints what it should be.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "checkers/check.h"
#include "frontend/check.h"
#include "frontend/directives.h"
#include "frontend/parse.h"
#include "gtest/gtest.h"
#include "ir/cat.h"
#include "ir/code.h"

namespace tilesim::checkers {

namespace {

namespace fs = std::filesystem;
constexpr char kNotYet[] = "tests/verify/not_yet.txt";

struct Expected {
  std::string codes;  // empty: a label
  ir::Severity severity = ir::Severity::kError;
  std::string text;
  int32_t line = 0;  // 0: anywhere
  bool optional = false;
  bool follows = false;
  bool first = false;  // of all errors
  bool met = false;
};

struct Case {
  ir::Source source;
  std::string verdict;
  std::vector<Expected> expected;
  CheckOptions options;
  std::vector<std::string> mistakes;  // in the directives
  bool equal_reads = false;           // is what the verdict assumes
  bool small_sizes = false;           // likewise
  bool few_tiles = false;             // likewise
  bool numbers_fit = false;           // likewise
};

std::string Quoted(const std::string& text) {
  size_t first = text.find('"'), last = text.rfind('"');
  return first == last ? "" : text.substr(first + 1, last - first - 1);
}

bool StartsWith(const std::string& text, std::string_view start) {
  return text.compare(0, start.size(), start) == 0;
}

std::vector<std::string> Alternatives(const std::string& codes) {
  std::vector<std::string> out;
  std::istringstream in(codes);
  for (std::string one; std::getline(in, one, '|');) out.push_back(one);
  return out;
}

// "race/*": the family.
std::string_view FamilyIn(std::string_view pattern) {
  return pattern.ends_with("/*") ? pattern.substr(0, pattern.size() - 2) : "";
}

// A code, or the family of one.
bool IsKnown(const std::string& pattern) {
  std::string_view family = FamilyIn(pattern);
  if (family.empty()) return ir::FindCode(pattern).has_value();
  std::span<const ir::Code> all = ir::AllCodes();
  return std::any_of(all.begin(), all.end(),
                     [=](ir::Code c) { return c.family() == family; });
}

bool ReadFinding(const std::string& text, std::string_view word, int32_t line,
                 Case& out) {
  size_t close = text.find(']');
  if (!StartsWith(text, ir::Cat(word, "[")) || close == std::string::npos)
    return false;
  Expected e;
  e.codes = text.substr(word.size() + 1, close - word.size() - 1);
  std::vector<std::string> all = Alternatives(e.codes);
  if (!std::all_of(all.begin(), all.end(), IsKnown)) return false;
  e.text = Quoted(text);
  e.optional = word == "also";
  e.follows = word == "note";
  e.first = word == "cause";
  bool anywhere = StartsWith(text.substr(close + 1), " anywhere");
  e.line = anywhere || e.optional || e.follows ? 0 : line;
  if (word == "warning") e.severity = ir::Severity::kWarning;
  out.expected.push_back(e);
  return true;
}

bool ReadDefine(const std::string& text, Case& out) {
  size_t equals = text.find('=');
  if (equals == std::string::npos) return false;
  int64_t value = 0;
  const char* end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data() + equals + 1, end, value);
  if (error != std::errc() || at != end) return false;
  out.options.defines[text.substr(0, equals)] = value;
  return true;
}

bool ReadDirective(const frontend::Directive& d, Case& out) {
  const std::string& t = d.text;
  if (StartsWith(t, "verdict: ")) {
    bool first = out.verdict.empty();
    out.verdict = t.substr(9);
    return first;
  }
  if (StartsWith(t, "label \"")) {
    out.expected.push_back({"", ir::Severity::kError, Quoted(t), d.target});
    return true;
  }
  if (t == "assumes equal reads") return out.equal_reads = true;
  if (t == "assumes small sizes") return out.small_sizes = true;
  if (t == "assumes few tiles") return out.few_tiles = true;
  if (t == "assumes numbers fit") return out.numbers_fit = true;
  if (StartsWith(t, "define ")) return ReadDefine(t.substr(7), out);
  if (StartsWith(t, "strict ")) {
    auto [at, fresh] = out.options.strict.insert(t.substr(7));
    std::span<const std::string_view> all = ir::StrictSwitches();
    return fresh && std::find(all.begin(), all.end(), *at) != all.end();
  }
  return ReadFinding(t, "error", d.target, out) ||
         ReadFinding(t, "cause", d.target, out) ||
         ReadFinding(t, "warning", d.target, out) ||
         ReadFinding(t, "note", d.target, out) ||
         ReadFinding(t, "also", d.target, out);
}

Case ReadCase(const std::string& path) {
  Case out;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  out.source = {path, text.str()};
  for (const frontend::Directive& d :
       frontend::FindDirectives(out.source).directives) {
    if (!ReadDirective(d, out)) out.mistakes.push_back(d.text);
  }
  return out;
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// "race/*|deadlock/cycle"
bool IsOneOf(ir::Code code, const std::string& codes) {
  std::vector<std::string> all = Alternatives(codes);
  return std::any_of(all.begin(), all.end(), [=](const std::string& one) {
    return code.name() == one || code.family() == FamilyIn(one);
  });
}

// As the registry says, or made an error by a switch.
bool MayBeSo(ir::Code code, ir::Severity severity, const CheckOptions& o) {
  if (severity == ir::Severity::kWarning) return code.may_warn();
  return code.may_err() || o.strict.contains(code.strict());
}

// Of such a fault any place may be the one that is named first.
bool IsBetweenEquals(const std::string& codes) {
  for (const char* start : {"race/*", "deadlock/cycle", "barrier/participants",
                            "tcgen05/", "tmem/order"}) {
    if (StartsWith(codes, start)) return true;
  }
  return false;
}

bool IsAt(const ir::Diagnostic& d, const Expected& e) {
  if (e.line == 0 || d.span.text_line() == e.line) return true;
  return IsBetweenEquals(e.codes) &&
         std::any_of(d.labels.begin(), d.labels.end(), [&](const ir::Label& l) {
           return l.span.text_line() == e.line;
         });
}

// What is told: a finding, or what follows from one.
struct What {
  ir::Diagnostic diagnostic;
  bool follows = false;
};

bool Meets(const What& told, const Expected& e) {
  const ir::Diagnostic& d = told.diagnostic;
  if (!IsOneOf(d.code, e.codes)) return false;
  if (e.optional) return true;
  if (e.follows || told.follows)
    return e.follows == told.follows && Has(d.message, e.text);
  return e.severity == d.severity && IsAt(d, e) && Has(d.message, e.text);
}

bool HasLabel(const ir::Diagnostic& d, const Expected& e) {
  if (d.span.text_line() == e.line && Has(d.span_text, e.text)) return true;
  return std::any_of(d.labels.begin(), d.labels.end(), [&](const ir::Label& l) {
    return l.span.text_line() == e.line && Has(l.text, e.text);
  });
}

using Problems = std::vector<std::string>;

// What follows need not be expected.
void Told(Case& c, const What& told, Problems& out) {
  const ir::Diagnostic& d = told.diagnostic;
  bool expected = told.follows;
  for (Expected& e : c.expected) {
    bool meets = !e.codes.empty() && Meets(told, e);
    if (e.codes.empty() && HasLabel(d, e)) e.met = true;
    e.met |= meets;
    expected |= meets;
  }
  if (!expected)
    out.push_back(ir::Cat("unexpected:\n", ir::Render(d, c.source)));
  if (!MayBeSo(d.code, d.severity, c.options))
    out.push_back(
        ir::Cat(d.code.name(), ": ir/codes.def has not this severity"));
}

void Compare(Case& c, std::string_view verdict, const std::vector<What>& told,
             Problems& out) {
  for (const What& what : told) Told(c, what, out);
  auto first = std::find_if(told.begin(), told.end(), [](const What& what) {
    return what.diagnostic.severity == ir::Severity::kError;
  });
  for (const Expected& e : c.expected) {
    if (e.first && first != told.end() && !Meets(*first, e))
      out.push_back(ir::Cat("the first error is ",
                            first->diagnostic.code.name(), ", not ", e.codes));
  }
  for (const Expected& e : c.expected) {
    if (e.met || e.optional) continue;
    out.push_back(ir::Cat(c.source.path, ":", e.line, ": no ",
                          e.codes.empty() ? "label" : e.codes, " \"", e.text,
                          "\""));
  }
  if (verdict != c.verdict)
    out.push_back(ir::Cat("verdict ", verdict, ", not ", c.verdict));
}

// In what the verifier differs from the comments of the file.
Problems Judge(const std::string& path) {
  Case c = ReadCase(path);
  Problems out;
  for (const std::string& mistake : c.mistakes)
    ADD_FAILURE() << path << ": not understood: //! " << mistake;
  EXPECT_FALSE(c.verdict.empty()) << path << " says no verdict";
  ir::Diagnostics diagnostics;
  std::optional<ir::Program> program =
      frontend::Parse(c.source, diagnostics, c.options.defines);
  std::vector<What> told;
  for (const ir::Diagnostic& d : diagnostics.all()) told.push_back({d});
  if (!program) {
    Compare(c, "rejected", told, out);
    return out;
  }
  CheckOptions options = c.options;
  options.legality = frontend::CheckBound;
  CheckReport report = Check(*program, options);
  for (const report::Finding& f : report.findings) {
    told.push_back({f.diagnostic});
    for (const ir::Diagnostic& d : f.follows) told.push_back({d, true});
  }
  Compare(c, Name(report.verdict), told, out);
  if (report.scope.assumed.equal_reads != c.equal_reads)
    out.push_back("whether it assumes equal reads is not as expected");
  if (report.scope.assumed.small_sizes != c.small_sizes)
    out.push_back("whether it assumes small sizes is not as expected");
  if (report.scope.assumed.few_tiles != c.few_tiles)
    out.push_back("whether it assumes few tiles is not as expected");
  if (c.numbers_fit && !report.scope.assumed.numbers_fit)
    out.push_back("it does not assume that numbers fit");
  for (const std::string& why : report.open) {
    if (c.verdict == "clean") out.push_back(ir::Cat("open: ", why));
  }
  return out;
}

std::vector<std::string> Files(const std::string& folder) {
  std::vector<std::string> out;
  for (const fs::directory_entry& e : fs::directory_iterator(folder)) {
    if (e.path().extension() == ".tile") out.push_back(e.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// A file name begins each line; what the verifier says today follows.
std::set<std::string> NotYet() {
  std::set<std::string> out;
  std::ifstream in(kNotYet);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line[0] != '#')
      out.insert(line.substr(0, line.find(' ')));
  }
  return out;
}

class Corpus : public testing::TestWithParam<const char*> {};

TEST_P(Corpus, IsJudgedAsItsCommentsSay) {
  std::set<std::string> not_yet = NotYet();
  std::vector<std::string> files = Files(GetParam());
  ASSERT_FALSE(files.empty());
  size_t right = 0;
  for (const std::string& path : files) {
    Problems problems = Judge(path);
    right += problems.empty() ? 1 : 0;
    if (not_yet.count(path) != 0) {
      EXPECT_FALSE(problems.empty())
          << path << " is as expected: remove it from " << kNotYet;
      continue;
    }
    for (const std::string& problem : problems)
      ADD_FAILURE() << path << ": " << problem;
  }
  std::cout << GetParam() << ": " << right << " of " << files.size()
            << " as expected, " << files.size() - right << " not yet\n";
}

// A bug and its repair stand side by side.
TEST_P(Corpus, ARepairHasItsBug) {
  for (const std::string& path : Files(GetParam())) {
    size_t fixed = path.find(".fixed.tile");
    if (fixed == std::string::npos) continue;
    EXPECT_TRUE(fs::exists(path.substr(0, fixed) + ".tile")) << path;
    EXPECT_EQ(ReadCase(path).verdict, "clean") << path;
  }
}

INSTANTIATE_TEST_SUITE_P(, Corpus,
                         testing::Values("tests/verify", "tests/peers",
                                         "tests/catalogue", "tests/attacks",
                                         "tests/forms"),
                         [](const auto& test) {
                           std::string folder = test.param;
                           return folder.substr(folder.find('/') + 1);
                         });

TEST(Verify, NotYetNamesFilesThatAreThere) {
  std::set<std::string> not_yet = NotYet();
  for (const std::string& path : not_yet) EXPECT_TRUE(fs::exists(path)) << path;
  std::cout << kNotYet << ": " << not_yet.size() << " files\n";
}

std::vector<ir::Code> CodesOf(const std::string& path, Verdict& verdict) {
  Case c = ReadCase(path);
  ir::Diagnostics diagnostics;
  std::optional<ir::Program> program = frontend::Parse(c.source, diagnostics);
  EXPECT_TRUE(program) << path;
  if (!program) return {};
  CheckReport report = Check(*program, {});
  verdict = report.verdict;
  std::vector<ir::Code> codes;
  for (const report::Finding& f : report.findings) {
    codes.push_back(f.diagnostic.code);
    for (const ir::Diagnostic& d : f.follows) codes.push_back(d.code);
  }
  return codes;
}

// Both hazards of bug-catalogue L01, and no deadlock.
TEST(Verify, MatmulOfMlir) {
  Verdict verdict = Verdict::kClean;
  std::vector<ir::Code> codes =
      CodesOf("examples/mlir/matmul_warp_specialized.tile", verdict);
  EXPECT_EQ(verdict, Verdict::kFindings);
  auto has = [&](ir::Code code) {
    return std::find(codes.begin(), codes.end(), code) != codes.end();
  };
  EXPECT_TRUE(has("wgmma/wait"));
  EXPECT_TRUE(has("race/war"));
  // A warp that misses a phase may wait for ever: what follows from it.
  EXPECT_TRUE(has("parity/lapped"));
  EXPECT_TRUE(has("deadlock/missing-arrival"));
}

// Every example is right, in all sizes, but the one kept for its hazards.
TEST(Verify, EveryExampleIsRight) {
  int seen = 0;
  for (const auto& e : fs::recursive_directory_iterator("examples")) {
    if (e.path().extension() != ".tile" ||
        e.path().filename() == "matmul_warp_specialized.tile")
      continue;
    SCOPED_TRACE(e.path().string());
    Verdict verdict = Verdict::kFindings;
    CodesOf(e.path().string(), verdict);
    EXPECT_EQ(verdict, Verdict::kClean);
    ++seen;
  }
  EXPECT_GE(seen, 37);
}

}  // namespace
}  // namespace tilesim::checkers

// Every .tile file of this folder against what its comments expect.
//
//   //! verdict: clean | findings | incomplete     once
//   //! error[code] "text"    a finding whose place is the line below, or this
//   //! warning[code] "text"  line if something stands before the comment;
//                             `text`, when given, is in its message
//   //! label "text"          some finding has such a label on that line
//   //! define NAME=VALUE     as -D
//   //! strict SWITCH         as --strict
//
// Unknown words, expectations that nothing meets and findings that nobody
// expects all fail.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "checkers/check.h"
#include "frontend/directives.h"
#include "frontend/parse.h"
#include "gtest/gtest.h"
#include "ir/cat.h"

namespace tilesim::checkers {
namespace {

namespace fs = std::filesystem;
constexpr char kFolder[] = "tests/verify";

struct Expected {
  std::string code;  // empty: a label
  ir::Severity severity = ir::Severity::kError;
  std::string text;
  int32_t line = 0;
  bool met = false;
};

struct Case {
  ir::Source source;
  std::string verdict;
  std::vector<Expected> expected;
  CheckOptions options;
  std::vector<std::string> mistakes;  // in the directives
};

std::string Quoted(const std::string& text) {
  size_t first = text.find('"'), last = text.rfind('"');
  return first == last ? "" : text.substr(first + 1, last - first - 1);
}

bool StartsWith(const std::string& text, std::string_view start) {
  return text.compare(0, start.size(), start) == 0;
}

bool ReadFinding(const std::string& text, std::string_view word,
                 ir::Severity severity, int32_t line, Case& out) {
  size_t close = text.find(']');
  if (!StartsWith(text, ir::Cat(word, "[")) || close == std::string::npos)
    return false;
  std::string code = text.substr(word.size() + 1, close - word.size() - 1);
  out.expected.push_back({code, severity, Quoted(text), line});
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
  if (StartsWith(t, "define ")) return ReadDefine(t.substr(7), out);
  if (StartsWith(t, "strict ")) {
    out.options.strict.insert(t.substr(7));
    return true;
  }
  return ReadFinding(t, "error", ir::Severity::kError, d.target, out) ||
         ReadFinding(t, "warning", ir::Severity::kWarning, d.target, out);
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

bool Meets(const ir::Diagnostic& d, const Expected& e) {
  return e.code == d.code && e.severity == d.severity &&
         e.line == d.span.line && Has(d.message, e.text);
}

bool HasLabel(const ir::Diagnostic& d, const Expected& e) {
  if (d.span.line == e.line && Has(d.span_text, e.text)) return true;
  return std::any_of(d.labels.begin(), d.labels.end(), [&](const ir::Label& l) {
    return l.span.line == e.line && Has(l.text, e.text);
  });
}

void Compare(Case& c, const CheckReport& report) {
  for (const CheckFinding& f : report.findings) {
    bool expected = false;
    for (Expected& e : c.expected) {
      bool meets = !e.code.empty() && Meets(f.diagnostic, e);
      if (e.code.empty() && HasLabel(f.diagnostic, e)) e.met = true;
      e.met |= meets;
      expected |= meets;
    }
    EXPECT_TRUE(expected) << "unexpected:\n"
                          << ir::Render(f.diagnostic, c.source);
  }
  for (const Expected& e : c.expected) {
    EXPECT_TRUE(e.met) << c.source.path << ":" << e.line << ": no "
                       << (e.code.empty() ? "label" : e.code) << " \"" << e.text
                       << "\"";
  }
  EXPECT_EQ(Name(report.verdict), c.verdict);
  for (const std::string& why : report.open)
    EXPECT_NE(c.verdict, "clean") << "open: " << why;
}

std::vector<std::string> Files() {
  std::vector<std::string> out;
  for (const fs::directory_entry& e : fs::directory_iterator(kFolder)) {
    if (e.path().extension() == ".tile") out.push_back(e.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

TEST(Verify, EveryFileOfTheFolder) {
  std::vector<std::string> files = Files();
  ASSERT_FALSE(files.empty());
  for (const std::string& path : files) {
    SCOPED_TRACE(path);
    Case c = ReadCase(path);
    for (const std::string& mistake : c.mistakes)
      ADD_FAILURE() << "not understood: //! " << mistake;
    EXPECT_FALSE(c.verdict.empty()) << "says no verdict";
    ir::Diagnostics diagnostics;
    std::optional<ir::Program> program = frontend::Parse(c.source, diagnostics);
    for (const ir::Diagnostic& d : diagnostics.all())
      ADD_FAILURE() << ir::Render(d, c.source);
    if (program) Compare(c, Check(*program, c.options));
  }
}

// A bug and its repair stand side by side.
TEST(Verify, ARepairHasItsBug) {
  for (const std::string& path : Files()) {
    size_t fixed = path.find(".fixed.tile");
    if (fixed == std::string::npos) continue;
    EXPECT_TRUE(fs::exists(path.substr(0, fixed) + ".tile")) << path;
    EXPECT_EQ(ReadCase(path).verdict, "clean") << path;
  }
}

std::vector<std::string> CodesOf(const std::string& path, Verdict& verdict) {
  Case c = ReadCase(path);
  ir::Diagnostics diagnostics;
  std::optional<ir::Program> program = frontend::Parse(c.source, diagnostics);
  EXPECT_TRUE(program) << path;
  if (!program) return {};
  CheckReport report = Check(*program, {});
  verdict = report.verdict;
  std::vector<std::string> codes;
  for (const CheckFinding& f : report.findings)
    codes.push_back(f.diagnostic.code);
  return codes;
}

// Both hazards of bug-catalogue L01, and no deadlock.
TEST(Verify, MatmulOfMlir) {
  Verdict verdict = Verdict::kClean;
  std::vector<std::string> codes =
      CodesOf("examples/mlir/matmul_warp_specialized.tile", verdict);
  EXPECT_EQ(verdict, Verdict::kFindings);
  auto count = [&](std::string_view start) {
    return std::count_if(
        codes.begin(), codes.end(),
        [=](const std::string& code) { return StartsWith(code, start); });
  };
  EXPECT_GE(count("wgmma/wait"), 1);
  EXPECT_GE(count("race/war"), 1);
  EXPECT_EQ(count("deadlock/"), 0);
}

TEST(Verify, RightPrograms) {
  for (const char* path :
       {"examples/hopper/hgemm_v07.tile",
        "examples/mlir/matmul_warp_specialized_fixed.tile"}) {
    Verdict verdict = Verdict::kIncomplete;
    EXPECT_TRUE(CodesOf(path, verdict).empty()) << path;
    EXPECT_EQ(verdict, Verdict::kClean) << path;
  }
}

}  // namespace
}  // namespace tilesim::checkers

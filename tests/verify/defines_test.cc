// -D of a constant is what the text with that number in its place is: what
// `check` says of both is the same. One other value for each integer constant
// of each program of the examples and the corpora.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "checkers/check.h"
#include "frontend/check.h"
#include "frontend/parse.h"
#include "gtest/gtest.h"
#include "ir/cat.h"

namespace tilesim::checkers {
namespace {

namespace fs = std::filesystem;

// Severity, code, line, message.
using Said = std::tuple<ir::Severity, std::string, int32_t, std::string>;

struct Answer {
  std::string_view verdict;
  std::multiset<Said> said;
  std::multiset<std::string> open;
  bool all_sizes = false;

  friend bool operator==(const Answer&, const Answer&) = default;
};

Said SaidBy(const ir::Diagnostic& d) {
  return {d.severity, std::string(d.code.name()), d.span.line, d.message};
}

Answer Rejected(const ir::Diagnostics& errors) {
  Answer out{"rejected", {}, {}, false};
  for (const ir::Diagnostic& d : errors.all()) out.said.insert(SaidBy(d));
  return out;
}

Answer AnswerTo(const ir::Source& source, const ir::Overrides& defines) {
  ir::Diagnostics diagnostics;
  auto program = frontend::Parse(source, diagnostics, defines);
  if (!program) return Rejected(diagnostics);
  CheckOptions options;
  options.defines = defines;
  options.legality = frontend::CheckBound;
  CheckReport report = Check(*program, options);
  if (report.errors.has_errors()) return Rejected(report.errors);
  Answer out{Name(report.verdict), {}, {}, report.scope.all_sizes};
  for (const report::Finding& f : report.findings)
    out.said.insert(SaidBy(f.diagnostic));
  out.open.insert(report.open.begin(), report.open.end());
  return out;
}

// A number in the text: all that have one name, as kernels may share it.
struct Number {
  int64_t value = 0;
  std::vector<ir::Span> places;
};

std::map<std::string, Number> ConstantsOf(const ir::Program& program) {
  std::map<std::string, Number> out;
  for (const ir::Kernel& kernel : program.kernels) {
    for (const ir::Constant& c : kernel.constants) {
      if (c.is_let || c.value.kind != ir::ExprKind::kInt) continue;
      Number& number = out[c.name];
      number.value = c.value.value;
      bool known = std::any_of(number.places.begin(), number.places.end(),
                               [&](const ir::Span& s) {
                                 return s.line == c.value.span.line &&
                                        s.column == c.value.span.column;
                               });
      if (!known) number.places.push_back(c.value.span);
    }
  }
  return out;
}

std::string Edited(const std::string& text, const Number& number,
                   int64_t value) {
  std::istringstream in(text);
  std::string out;
  int32_t at = 0;
  for (std::string line; std::getline(in, line);) {
    ++at;
    // From the right, so that columns stay.
    std::vector<ir::Span> here;
    for (const ir::Span& s : number.places) {
      if (s.line == at) here.push_back(s);
    }
    std::sort(here.begin(), here.end(),
              [](const auto& a, const auto& b) { return a.column > b.column; });
    for (const ir::Span& s : here)
      line.replace(s.column - 1, s.length, std::to_string(value));
    ir::Append(&out, line, "\n");
  }
  return out;
}

// What the edited text is rejected for because of the defaults of parameters,
// which do not decide what -D means.
bool ForItsDefaults(const Answer& edited) {
  return std::any_of(edited.said.begin(), edited.said.end(), [](const Said& s) {
    const std::string& code = std::get<1>(s);
    return code == "type/domain" || code == "type/requires";
  });
}

std::string Text(const Answer& answer) {
  std::string out =
      ir::Cat(answer.verdict, answer.all_sizes ? ", all sizes" : "");
  for (const auto& [severity, code, line, message] : answer.said)
    ir::Append(&out, "\n    ", line, ": ", code, ": ", message);
  for (const std::string& why : answer.open)
    ir::Append(&out, "\n    open: ", why);
  return out;
}

struct Counts {
  int same = 0, passed_over = 0;
};

// What is rejected in the defaults of its parameters -D finds in the sizes that
// it runs.
bool Same(const Answer& given, const Answer& edited) {
  if (edited.verdict != "rejected") return given == edited;
  return given.said == edited.said;
}

void Compare(const ir::Source& source, const std::string& name,
             const Number& number, int64_t value, Counts& counts) {
  Answer edited =
      AnswerTo({source.path, Edited(source.text, number, value)}, {});
  if (ForItsDefaults(edited)) {
    ++counts.passed_over;
    return;
  }
  Answer given = AnswerTo(source, {{name, value}});
  ++counts.same;
  EXPECT_TRUE(Same(given, edited))
      << source.path << ": -D " << name << "=" << value << " is " << Text(given)
      << "\n  the edited file is " << Text(edited);
}

std::vector<std::string> Files(const std::string& folder) {
  std::vector<std::string> out;
  for (const fs::directory_entry& e :
       fs::recursive_directory_iterator(folder)) {
    if (e.path().extension() == ".tile") out.push_back(e.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

class Defines : public testing::TestWithParam<const char*> {};

TEST_P(Defines, AreAsIfTheTextSaidSo) {
  Counts counts;
  for (const std::string& path : Files(GetParam())) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    ir::Source source{path, text.str()};
    ir::Diagnostics diagnostics;
    auto program = frontend::Parse(source, diagnostics);
    if (!program) continue;
    for (const auto& [name, number] : ConstantsOf(*program)) {
      // Up or down, by turns.
      bool up = counts.same % 2 == 0 || number.value < 2;
      int64_t value = number.value + (up ? 1 : -1);
      Compare(source, name, number, value, counts);
    }
  }
  std::cout << GetParam() << ": " << counts.same << " compared, "
            << counts.passed_over << " of other defaults\n";
  EXPECT_GT(counts.same, 10);
}

INSTANTIATE_TEST_SUITE_P(, Defines,
                         testing::Values("examples", "tests/verify",
                                         "tests/peers", "tests/catalogue"),
                         [](const auto& test) {
                           std::string folder = test.param;
                           return folder.substr(folder.find('/') + 1);
                         });

}  // namespace
}  // namespace tilesim::checkers

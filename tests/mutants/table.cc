#include "tests/mutants/table.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <memory>
#include <sstream>
#include <utility>

#include "checkers/plan/instance.h"
#include "fmt/core.h"
#include "frontend/parse.h"
#include "ir/cat.h"
#include "ir/printer.h"

namespace tilesim::mutants {

namespace {

// Positions of the program itself; more than that, and its mutants are only
// looked at.
constexpr int64_t kMaxStates = 1'000'000;
constexpr int64_t kLook = 20'000;

constexpr char kHead[] =
    "| program | sizes | positions | mutants | rejected | killed | equivalent "
    "| undecided | decided | certified | in full |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|\n";

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

int64_t NumberIn(std::string_view text) {
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// A mutant with many more positions than the program is undecided.
int64_t LimitFor(const Judgement& original) {
  bool decided = original.oracle.answer != Answer::kUndecided;
  return decided ? 2 * original.states + 10'000 : kLook;
}

void Count(const Judgement& j, Row& row) {
  row.killed += j.oracle.answer == Answer::kFindings;
  row.equivalent += j.oracle.answer == Answer::kClean;
  row.undecided += j.oracle.answer == Answer::kUndecided;
  row.certified += j.certified;
  row.in_full += j.in_full;
}

Row Total(const std::vector<Row>& rows) {
  Row all;
  all.path = fmt::format("all {} programs", rows.size());
  for (const Row& r : rows) {
    all.states += r.states;
    all.mutants += r.mutants;
    all.rejected += r.rejected;
    all.killed += r.killed;
    all.equivalent += r.equivalent;
    all.undecided += r.undecided;
    all.certified += r.certified;
    all.in_full += r.in_full;
  }
  return all;
}

std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream in(line.substr(1));
  for (std::string cell; std::getline(in, cell, '|');) {
    size_t first = cell.find_first_not_of(' ');
    size_t last = cell.find_last_not_of(' ');
    out.push_back(
        first == std::string::npos ? "" : cell.substr(first, last - first + 1));
  }
  return out;
}

// `  block 256 -> block 64`, everywhere in the text; without an arrow: nothing
// instead; `\n` is a new line.
Entry::Edit ReadEdit(const std::string& line) {
  constexpr std::string_view kArrow = " -> ";
  size_t first = line.find_first_not_of(' ');
  size_t arrow = std::min(line.find(kArrow), line.size());
  size_t to = std::min(arrow + kArrow.size(), line.size());
  Entry::Edit out{line.substr(first, arrow - first), line.substr(to)};
  for (size_t at; (at = out.to.find("\\n")) != std::string::npos;)
    out.to.replace(at, 2, "\n");
  return out;
}

void ReadSize(const std::string& word, Entry& e) {
  size_t equals = word.find('=');
  e.instance.sizes[word.substr(0, equals)] =
      NumberIn(std::string_view(word).substr(equals + 1));
  ir::Append(&e.sizes, e.sizes.empty() ? "" : " ", word);
}

// False: there is nothing to replace, `why` says what.
bool Shrink(const std::vector<Entry::Edit>& edits, std::string& text,
            std::string& why) {
  for (const Entry::Edit& e : edits) {
    size_t at = text.find(e.from);
    if (e.from.empty() || at == std::string::npos) {
      why = ir::Cat("has no `", e.from, "`");
      return false;
    }
    for (; at != std::string::npos; at = text.find(e.from, at + e.to.size()))
      text.replace(at, e.from.size(), e.to);
  }
  return true;
}

}  // namespace

double Row::decided() const {
  int64_t programs = killed + equivalent + undecided;
  return programs == 0 ? 1 : 1 - static_cast<double>(undecided) / programs;
}

std::vector<Entry> ReadEntries(const std::string& path) {
  std::vector<Entry> out;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == ' ' && !out.empty()) {
      out.back().edits.push_back(ReadEdit(line));
      continue;
    }
    std::istringstream words(line);
    Entry& e = out.emplace_back();
    words >> e.path;
    for (std::string word; words >> word;) ReadSize(word, e);
  }
  for (Entry& e : out) {
    if (e.edits.empty()) continue;
    ir::Append(&e.sizes, e.sizes.empty() ? "" : " ", "and ", e.edits.size(),
               " in its text");
  }
  return out;
}

std::unique_ptr<Subject> Load(Entry& entry, std::string& why) {
  auto out = std::make_unique<Subject>();
  auto parse = [&](std::string text, const ir::Overrides& sizes) {
    ir::Diagnostics diagnostics;
    auto program =
        frontend::Parse({entry.path, std::move(text)}, diagnostics, sizes);
    if (!program)
      why = diagnostics.all().empty() ? "does not parse"
                                      : diagnostics.all()[0].message;
    return program;
  };
  // What is shrunk, too, is the text with its functions put in.
  auto program = parse(ReadFile(entry.path), {});
  if (!program) return nullptr;
  std::string text = ir::Print(*program);
  if (!Shrink(entry.edits, text, why)) return nullptr;
  program = parse(std::move(text), entry.instance.sizes);
  if (!program) return nullptr;
  out->program = std::move(*program);
  for (int64_t sms : checkers::plan::kSmCounts) {
    entry.instance.sm_count = sms;
    auto codes = Compile(out->program, entry.instance, why);
    if (!codes) continue;
    out->codes = std::move(*codes);
    out->mutants = MutantsOf(out->program, out->codes);
    return out;
  }
  return nullptr;
}

Row JudgeMutants(const Entry& entry, const Subject& subject,
                 const Listener& listener) {
  Row row;
  row.path = entry.path;
  row.sizes = entry.sizes;
  Judgement original = Judge(subject.codes, kMaxStates);
  if (original.oracle.answer == Answer::kFindings)
    original.difference = "the program itself is wrong at these sizes";
  listener(entry, {"none", 0, "the program itself", ""}, original);
  if (original.oracle.answer == Answer::kClean) row.states = original.states;
  int64_t limit = LimitFor(original);
  for (const Mutant& m : subject.mutants) {
    ++row.mutants;
    ir::Diagnostics diagnostics;
    auto program = frontend::Parse({entry.path, m.text}, diagnostics,
                                   entry.instance.sizes);
    std::string why;
    std::optional<std::vector<machine::Code>> codes;
    if (program) codes = Compile(*program, entry.instance, why);
    if (!codes) {
      ++row.rejected;
      continue;
    }
    Judgement j = Judge(*codes, limit);
    Count(j, row);
    listener(entry, m, j);
  }
  return row;
}

std::string Line(const Row& r) {
  return fmt::format(
      "| {} | {} | {} | {} | {} | {} | {} | {} | {:.0f} % | {} | {} |\n",
      r.path, r.sizes, r.states, r.mutants, r.rejected, r.killed, r.equivalent,
      r.undecided, 100 * r.decided(), r.certified, r.in_full);
}

std::string ToMarkdown(const std::vector<Row>& rows) {
  std::string out = kHead;
  for (const Row& row : rows) out += Line(row);
  return out + Line(Total(rows));
}

std::vector<Row> ReadTable(const std::string& path) {
  std::vector<Row> out;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.find(".tile |") == std::string::npos) continue;
    std::vector<std::string> c = Cells(line);
    out.push_back({c[0], c[1], NumberIn(c[2]), NumberIn(c[3]), NumberIn(c[4]),
                   NumberIn(c[5]), NumberIn(c[6]), NumberIn(c[7]),
                   NumberIn(c[9]), NumberIn(c[10])});
  }
  return out;
}

}  // namespace tilesim::mutants

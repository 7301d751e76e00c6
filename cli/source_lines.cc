#include "cli/source_lines.h"

#include <algorithm>
#include <tuple>

#include "checkers/report/findings.h"
#include "ir/cat.h"

namespace tilesim::cli {
using checkers::report::Finding;

namespace {

constexpr size_t kMostLines = 4;
constexpr size_t kMostInlined = 16;  // in each other

using Places = std::vector<ptx::LinePlace>;
using Key = std::tuple<uint64_t, uint64_t, uint64_t>;

Key KeyOf(const ptx::LinePlace& p) { return {p.file, p.line, p.column}; }

// A compiler writes the .loc of a call before those that were inlined there.
Places OutwardsFrom(const ptx::Loc& loc,
                    const std::map<Key, const ptx::Loc*>& before) {
  Places out = {loc.place};
  const ptx::Loc* now = &loc;
  while (now->inlined_at && out.size() < kMostInlined) {
    out.push_back(*now->inlined_at);
    auto outer = before.find(KeyOf(out.back()));
    if (outer == before.end()) break;
    now = outer->second;
  }
  return out;
}

}  // namespace

std::string LinesText(const std::vector<int32_t>& lines) {
  std::string out = lines.size() == 1 ? "line " : "lines ";
  const size_t told =
      lines.size() <= kMostLines + 1 ? lines.size() : kMostLines;
  for (size_t i = 0; i < told; ++i) {
    const bool last = i + 1 == lines.size();
    ir::Append(&out, i == 0 ? "" : last ? " and " : ", ", lines[i]);
  }
  if (told < lines.size())
    ir::Append(&out, " and ", lines.size() - told, " more");
  return out;
}

SourceLines::SourceLines(const ptx::Module& module) {
  for (const ptx::File& f : module.files) {
    std::string name = f.name;
    std::erase(name, '"');
    files_[f.index] = name;
  }
  for (const ptx::Function& function : module.functions) {
    Places now;
    std::map<Key, const ptx::Loc*> before;  // the last of each place
    for (const ptx::Statement& s : function.body) {
      if (s.kind == ptx::Statement::Kind::kLoc) {
        before[KeyOf(s.loc[0].place)] = &s.loc[0];
        now = OutwardsFrom(s.loc[0], before);
      }
      const bool has = s.kind == ptx::Statement::Kind::kInstruction;
      if (has && !now.empty()) places_[s.span.text_line()] = now;
    }
  }
  AddCalls(module);
}

void SourceLines::AddCalls(const ptx::Module& module) {
  std::map<std::string, std::vector<int32_t>> calls;
  for (const ptx::Function& f : module.functions) {
    for (const ptx::Statement& s : f.body) {
      if (!s.instruction.opcode.starts_with("call")) continue;
      for (const ptx::Operand& o : s.instruction.operands)
        if (!o.name.empty()) calls[o.name].push_back(s.span.text_line());
    }
  }
  for (const ptx::Function& f : module.functions) {
    if (f.is_entry || f.body.empty()) continue;
    called_[f.body.front().span.text_line()] = {f.body.back().span.text_line(),
                                                {f.name, calls[f.name]}};
  }
}

const SourceLines::Called* SourceLines::CalledAt(int32_t line) const {
  auto after = called_.upper_bound(line);
  if (after == called_.begin()) return nullptr;
  const auto& [last, called] = std::prev(after)->second;
  return line > last || called.lines.empty() ? nullptr : &called;
}

// Line 0 is what a compiler writes for code that comes from no line.
std::string SourceLines::NameOf(const ptx::LinePlace& place) const {
  auto file = files_.find(place.file);
  if (file == files_.end() || place.line == 0) return "";
  return ir::Cat(file->second, ":", place.line, ":", place.column);
}

std::string SourceLines::Of(int32_t line) const {
  auto found = places_.find(line);
  if (found == places_.end()) return "";
  std::string out = NameOf(found->second.front());
  if (out.empty()) return out;
  for (size_t i = 1; i < found->second.size(); ++i) {
    const std::string at = NameOf(found->second[i]);
    if (!at.empty()) ir::Append(&out, i == 1 ? ", inlined at " : ", at ", at);
  }
  return out;
}

std::string SourceLines::NearestOf(int32_t line) const {
  auto found = places_.find(line);
  if (found == places_.end()) return "";
  std::string out = NameOf(found->second.front());
  if (out.empty() || found->second.size() == 1) return out;
  return ir::Cat(out, " ", NameOf(found->second[1]));
}

std::string SourceLines::SameOf(const Finding& finding) const {
  if (!finding.follows.empty()) return "";
  const ir::Diagnostic& d = finding.diagnostic;
  std::string out =
      ir::Cat(d.code.name(), " ", static_cast<int>(d.severity), " ", d.message);
  std::erase_if(out, [](char c) { return c >= '0' && c <= '9'; });
  std::vector<int32_t> lines = {d.span.text_line()};
  for (const ir::Label& label : d.labels)
    lines.push_back(label.span.text_line());
  for (int32_t line : lines) {
    const std::string source = NearestOf(line);
    if (source.empty()) return "";
    ir::Append(&out, "\n", source);
  }
  return out;
}

void SourceLines::Merge(std::vector<Finding>& findings) const {
  std::map<std::string, size_t> first;  // index into `out`
  std::vector<Finding> out;
  std::vector<std::vector<int32_t>> others;  // likewise
  for (Finding& f : findings) {
    const std::string same = SameOf(f);
    auto [at, fresh] = first.try_emplace(same, out.size());
    if (fresh || same.empty()) {
      out.push_back(std::move(f));
      others.emplace_back();
    } else {
      others[at->second].push_back(f.diagnostic.span.text_line());
      AddPlaces(f, out[at->second]);
    }
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (!others[i].empty())
      out[i].diagnostic.notes.push_back(
          ir::Cat("the same on ", LinesText(others[i]),
                  ", which come from the same source lines"));
  }
  findings = std::move(out);
}

void SourceLines::AddTo(ir::Diagnostic& d) const {
  auto add = [&](const ir::Span& span) {
    auto put = [&](std::string note) {
      if (std::find(d.notes.begin(), d.notes.end(), note) == d.notes.end())
        d.notes.push_back(std::move(note));
    };
    const std::string source = Of(span.text_line());
    if (!source.empty())
      put(ir::Cat("line ", span.text_line(), " is ", source));
    if (const Called* called = CalledAt(span.text_line()))
      put(ir::Cat("line ", span.text_line(), " is in `", called->name,
                  "`, which is called on ", LinesText(called->lines)));
  };
  add(d.span);
  for (const ir::Label& label : d.labels) add(label.span);
}

}  // namespace tilesim::cli

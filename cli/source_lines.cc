#include "cli/source_lines.h"

#include <algorithm>

#include "ir/cat.h"

namespace tilesim::cli {

SourceLines::SourceLines(const ptx::Module& module) {
  for (const ptx::File& f : module.files) {
    std::string name = f.name;
    std::erase(name, '"');
    files_[f.index] = name;
  }
  for (const ptx::Function& function : module.functions) {
    const ptx::Loc* now = nullptr;
    for (const ptx::Statement& s : function.body) {
      if (s.kind == ptx::Statement::Kind::kLoc) now = &s.loc[0];
      const bool has = s.kind == ptx::Statement::Kind::kInstruction;
      if (has && now != nullptr) locs_[s.span.text_line()] = now;
    }
  }
}

// Line 0 is what a compiler writes for code that comes from no line.
std::string SourceLines::NameOf(const ptx::LinePlace& place) const {
  auto file = files_.find(place.file);
  if (file == files_.end() || place.line == 0) return "";
  return ir::Cat(file->second, ":", place.line, ":", place.column);
}

std::string SourceLines::Of(int32_t line) const {
  auto found = locs_.find(line);
  if (found == locs_.end()) return "";
  std::string out = NameOf(found->second->place);
  if (out.empty() || !found->second->inlined_at) return out;
  const std::string at = NameOf(*found->second->inlined_at);
  return at.empty() ? out : ir::Cat(out, ", inlined at ", at);
}

void SourceLines::AddTo(ir::Diagnostic& d) const {
  auto add = [&](const ir::Span& span) {
    const std::string source = Of(span.text_line());
    if (source.empty()) return;
    std::string note = ir::Cat("line ", span.text_line(), " is ", source);
    if (std::find(d.notes.begin(), d.notes.end(), note) == d.notes.end())
      d.notes.push_back(std::move(note));
  };
  add(d.span);
  for (const ir::Label& label : d.labels) add(label.span);
}

}  // namespace tilesim::cli

#include "cli/lsp/document.h"

#include <algorithm>
#include <cctype>

namespace tilesim::cli::lsp {
namespace {

bool IsWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         c == '.' || c == ':';
}

}  // namespace

std::string_view LineOf(std::string_view text, int64_t line) {
  for (; line > 0; --line) {
    size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  std::string_view out = text.substr(0, text.find('\n'));
  if (out.ends_with('\r')) out.remove_suffix(1);
  return out;
}

Json RangeOf(const ir::Span& span) {
  int64_t line = std::max(span.text_line(), 1) - 1;
  int64_t first = std::max(span.column, 1) - 1;
  return {{"start", {{"line", line}, {"character", first}}},
          {"end",
           {{"line", line}, {"character", first + std::max(span.length, 1)}}}};
}

Json WholeRange(std::string_view text) {
  int64_t lines = std::count(text.begin(), text.end(), '\n');
  return {{"start", {{"line", 0}, {"character", 0}}},
          {"end", {{"line", lines + 1}, {"character", 0}}}};
}

std::optional<Position> PositionOf(const Json& params) {
  if (!params.contains("position") || !params["position"].is_object())
    return std::nullopt;
  const Json& p = params["position"];
  Position out{p.value("line", int64_t{-1}), p.value("character", int64_t{-1})};
  if (out.line < 0 || out.character < 0) return std::nullopt;
  return out;
}

Word WordAt(std::string_view text, Position at) {
  std::string_view line = LineOf(text, at.line);
  size_t middle =
      std::min<size_t>(static_cast<size_t>(at.character), line.size());
  size_t first = middle, end = middle;
  while (first > 0 && IsWord(line[first - 1])) --first;
  while (end < line.size() && IsWord(line[end])) ++end;
  // `a :+ b`, `x : f16`: a colon that is not inside is none of the word's.
  while (first < end && (line[first] == ':' || line[first] == '.')) ++first;
  while (end > first && (line[end - 1] == ':')) --end;
  if (middle < first || middle > end) return {"", at.character};
  return {std::string(line.substr(first, end - first)),
          static_cast<int64_t>(first)};
}

}  // namespace tilesim::cli::lsp

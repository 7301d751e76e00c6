#include "hwtests/emit/device_header.h"

#include <algorithm>
#include <cctype>

#include "ir/cat.h"

namespace tilesim::hwtests {
namespace {

struct Part {
  std::string_view text;
  std::vector<std::string> names;
  bool always = false;   // preprocessor parts that everything needs
  bool outside = false;  // of namespace tile: variables that the host sets
};

bool IsWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// The identifier that ends where `at` is.
std::string WordBefore(std::string_view line, size_t at) {
  size_t start = at;
  while (start > 0 && IsWord(line[start - 1])) --start;
  return std::string(line.substr(start, at - start));
}

std::string WordAfter(std::string_view line, std::string_view key) {
  size_t at = line.find(key);
  if (at == std::string_view::npos) return "";
  at += key.size();
  size_t end = at;
  while (end < line.size() && IsWord(line[end])) ++end;
  return std::string(line.substr(at, end - at));
}

void AddName(std::string_view line, std::vector<std::string>* names) {
  std::string name;
  if (line.starts_with("TILE_DEVICE ") || line.starts_with("__device__ ")) {
    // The name stands before parameters, an array's extent or the end.
    name = WordBefore(line, line.find_first_of("([;"));
  } else if (line.starts_with("TILE_")) {
    name = WordAfter(line, "(");
  } else if (line.starts_with("struct ")) {
    name = WordAfter(line, "struct ");
  } else if (line.starts_with("using ")) {
    name = WordAfter(line, "using ");
  } else if (line.starts_with("#define ")) {
    name = WordAfter(line, "#define ");
  }
  if (!name.empty()) names->push_back(name);
}

// `__device__ Type name;` on a line of its own.
bool DefinesVariable(std::string_view part) {
  for (std::string_view line : Lines(part)) {
    if (line.starts_with("__device__ ") && line.ends_with(";")) return true;
  }
  return false;
}

std::vector<Part> Split(std::string_view header) {
  std::vector<Part> parts;
  while (!header.empty()) {
    size_t end = header.find("\n\n");
    size_t stop = end == std::string_view::npos ? header.size() : end + 1;
    Part part;
    part.text = header.substr(0, stop);
    part.names = NamesDefinedIn(part.text);
    part.always = part.text.find("__CUDACC_RTC__") != std::string_view::npos;
    part.outside = part.always || DefinesVariable(part.text);
    if (!part.text.empty()) parts.push_back(part);
    header.remove_prefix(std::min(stop + 1, header.size()));
  }
  return parts;
}

}  // namespace

Words WordsOf(std::string_view text) {
  Words words;
  for (size_t i = 0; i < text.size();) {
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (!IsWord(text[i])) {
      ++i;
      continue;
    }
    size_t start = i;
    while (i < text.size() && IsWord(text[i])) ++i;
    words.emplace(text.substr(start, i - start));
  }
  return words;
}

std::vector<std::string> NamesDefinedIn(std::string_view part) {
  std::vector<std::string> names;
  for (std::string_view line : Lines(part)) AddName(line, &names);
  return names;
}

std::string DeviceCode(std::string_view text, std::string_view wrappers) {
  std::vector<Part> parts = Split(DeviceHeader());
  std::vector<bool> taken(parts.size(), false);
  Words words = WordsOf(text);
  words.merge(WordsOf(wrappers));
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < parts.size(); ++i) {
      bool needed = parts[i].always;
      for (const std::string& name : parts[i].names)
        needed = needed || words.contains(name);
      if (!needed || taken[i]) continue;
      taken[i] = changed = true;
      words.merge(WordsOf(parts[i].text));
    }
  }
  std::string out;
  bool inside = false;
  auto go = [&](bool in) {
    if (in != inside)
      out += in ? "namespace tile {\n\n" : "}  // namespace tile\n\n";
    inside = in;
  };
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!taken[i]) continue;
    go(!parts[i].outside);
    ir::Append(&out, parts[i].text, "\n");
  }
  go(!wrappers.empty() || inside);
  out += wrappers;
  go(false);
  return out;
}

}  // namespace tilesim::hwtests

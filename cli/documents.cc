#include "cli/documents.h"

#include <algorithm>

#include "fmt/format.h"

namespace tilesim::cli {
namespace {

struct Section {
  std::string topic;
  std::string_view title;  // without its marks
  size_t level = 0;        // how many `#` it has; the page itself: 0
  std::string_view text;   // from its heading to the end of the page
};

// "hardware/A.5" of "A.5 Tensor copies"; the first heading is the page's own.
std::vector<Section> SectionsOf(const Document& document) {
  std::vector<Section> out;
  std::string_view rest = document.text;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    size_t level = std::min(line.find_first_not_of('#'), line.size());
    if (level > 0 && level < line.size() && line[level] == ' ') {
      std::string_view title = line.substr(level + 1);
      std::string topic(document.name);
      if (!out.empty())
        topic += fmt::format("/{}", title.substr(0, title.find(' ')));
      out.push_back({std::move(topic), title, out.empty() ? 0 : level, rest});
    }
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return out;
}

const std::vector<Section>& AllSections() {
  static const auto* const kSections = [] {
    auto* all = new std::vector<Section>;
    for (const Document& document : Documents()) {
      std::vector<Section> some = SectionsOf(document);
      all->insert(all->end(), some.begin(), some.end());
    }
    return all;
  }();
  return *kSections;
}

}  // namespace

std::vector<std::string> DocumentTopics() {
  std::vector<std::string> out;
  for (const Section& section : AllSections()) out.push_back(section.topic);
  return out;
}

std::string DocumentList() {
  std::string out;
  for (const Section& section : AllSections())
    out += fmt::format("{:26} {}\n", section.topic, section.title);
  return out;
}

std::optional<std::string_view> DocumentText(std::string_view topic) {
  const std::vector<Section>& all = AllSections();
  auto found = std::find_if(all.begin(), all.end(),
                            [&](const Section& s) { return s.topic == topic; });
  if (found == all.end()) return std::nullopt;
  std::string_view text = found->text;
  auto next = std::find_if(found + 1, all.end(), [&](const Section& s) {
    return s.level <= found->level;
  });
  // The next section of another page does not end this one: its text does.
  bool same_page = next != all.end() && next->text.data() > text.data() &&
                   next->text.data() < text.data() + text.size();
  if (same_page)
    text = text.substr(0, static_cast<size_t>(next->text.data() - text.data()));
  return text;
}

}  // namespace tilesim::cli

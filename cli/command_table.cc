#include "cli/command_table.h"

#include <algorithm>
#include <utility>

#include "CLI/CLI.hpp"

namespace tilesim::cli {
namespace {

// Of "TEXT:{text,json}", what CLI11 calls the type of an option that is one of
// some words.
std::vector<std::string> WordsOf(const std::string& type) {
  size_t begin = type.find(":{");
  size_t end = type.find('}', begin == std::string::npos ? 0 : begin);
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 2, end - begin - 2), ',');
}

OptionRow RowOf(const CLI::Option& option, ValuesFn values) {
  OptionRow row;
  row.doc = option.get_description();
  row.positional = option.get_positional();
  row.takes_value = option.get_items_expected_max() > 0;
  row.takes_several = option.get_items_expected_max() > 1;
  row.required = option.get_required();
  for (const std::string& name : option.get_snames())
    row.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames())
    row.names.push_back("--" + name);
  if (row.positional) row.names = {option.get_name(true)};
  row.values = WordsOf(option.get_type_name());
  if (row.values.empty() && row.takes_value)
    row.values = values(row.names.back());
  return row;
}

void Add(const CLI::App& app, const std::vector<std::string>& words,
         ValuesFn values, std::vector<CommandRow>& out) {
  CommandRow row;
  row.words = words;
  row.doc = app.get_description();
  row.examples = app.get_footer();
  for (const CLI::Option* option : app.get_options())
    row.options.push_back(RowOf(*option, values));
  auto below = app.get_subcommands([](const CLI::App* sub) {
    return !sub->get_group().empty();  // the empty group hides a command
  });
  for (const CLI::App* sub : below) row.commands.push_back(sub->get_name());
  out.push_back(std::move(row));
  for (const CLI::App* sub : below) {
    std::vector<std::string> longer = words;
    longer.push_back(sub->get_name());
    Add(*sub, longer, values, out);
  }
}

}  // namespace

std::vector<CommandRow> CommandTable(Command app, ValuesFn values) {
  std::vector<CommandRow> out;
  Add(app.app(), {}, values, out);
  return out;
}

}  // namespace tilesim::cli

// The commands and options of the CLI11 tables as plain data, for the help of
// other programs: shell completion, man pages.
#ifndef TILESIM_CLI_COMMAND_TABLE_H_
#define TILESIM_CLI_COMMAND_TABLE_H_

#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"

namespace tilesim::cli {

struct OptionRow {
  std::vector<std::string> names;  // "-j", "--jobs"; of a positional: "FILE"
  std::string doc;
  bool positional = false;
  bool takes_value = false;
  bool takes_several = false;
  bool required = false;
  std::vector<std::string> values;  // that it may have; empty: any
};

struct CommandRow {
  std::vector<std::string> words;  // {"sweep", "merge"}; none: the command
  std::string doc;
  std::string examples;  // what stands under the help
  std::vector<OptionRow> options;
  std::vector<std::string> commands;  // below this one
};

// All of them, the command itself first, those that are hidden left out.
// `values` are those of options that CLI11 lets be anything.
using ValuesFn = std::vector<std::string> (*)(std::string_view option);
std::vector<CommandRow> CommandTable(Command app, ValuesFn values);

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_COMMAND_TABLE_H_

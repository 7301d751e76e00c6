// Commands and their options, which CLI11 parses. Its header alone takes the
// compiler some seconds, so arguments.cc knows it and commands do not.
#ifndef TILESIM_CLI_ARGUMENTS_H_
#define TILESIM_CLI_ARGUMENTS_H_

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tilesim::cli {

// What is wrong with the text of an option, or ""; may write it as the option's
// value is parsed.
using Validator = std::function<std::string(std::string&)>;

// An option of a command; a copy is the same one.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option Required();
  Option OneValueEach();  // the next word is none of it: given again for more
  Option OneOf(std::vector<std::string> words);
  Option Check(Validator validator);
  Option Excludes(Option other);
  Option Excludes(const std::string& name);  // of the same command
  Option Needs(Option other);
  Option Needs(const std::string& name);
  Option ShowDefault();  // in the help
  Option Describe(std::string doc);
  bool given() const;
  void MustBeGiven(const std::string& name) const;  // throws, as Required() has

 private:
  CLI::Option* option_;
};

// A command with its options; a copy is the same one.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  Command AddCommand(std::string name, std::string doc);
  // The value is written, and the function called, once the whole line is
  // parsed. `T`: a std::string, several of them, or a number.
  template <typename T>
  Option AddOption(std::string names, T& value, std::string doc = "");
  Option AddFlag(std::string names, bool& value, std::string doc);
  Option option(const std::string& name) const;
  void Footer(std::string text);
  void OnCall(std::function<void()> call);
  void MustNameCommand();
  void Hide();
  bool named(const std::string& command) const;

  CLI::App& app() const { return *app_; }

 private:
  CLI::App* app_;
};

}  // namespace tilesim::cli

#endif  // TILESIM_CLI_ARGUMENTS_H_

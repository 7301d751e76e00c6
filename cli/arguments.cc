#include "cli/arguments.h"

#include <cstdint>
#include <utility>

#include "CLI/CLI.hpp"

namespace tilesim::cli {

Option Option::Required() {
  option_->required();
  return *this;
}

Option Option::OneValueEach() {
  option_->allow_extra_args(false);
  return *this;
}

Option Option::OneOf(std::vector<std::string> words) {
  option_->check(CLI::IsMember(std::move(words)));
  return *this;
}

Option Option::Check(Validator validator) {
  option_->check(CLI::Validator(std::move(validator), ""));
  return *this;
}

Option Option::Excludes(Option other) {
  option_->excludes(other.option_);
  return *this;
}

Option Option::Excludes(const std::string& name) {
  option_->excludes(name);
  return *this;
}

Option Option::Needs(Option other) {
  option_->needs(other.option_);
  return *this;
}

Option Option::Needs(const std::string& name) {
  option_->needs(name);
  return *this;
}

Option Option::ShowDefault() {
  option_->capture_default_str();
  return *this;
}

Option Option::Describe(std::string doc) {
  option_->description(std::move(doc));
  return *this;
}

bool Option::given() const { return option_->count() > 0; }

void Option::MustBeGiven(const std::string& name) const {
  if (!given()) throw CLI::RequiredError(name);
}

Command Command::AddCommand(std::string name, std::string doc) {
  return Command(app_->add_subcommand(std::move(name), std::move(doc)));
}

template <typename T>
Option Command::AddOption(std::string names, T& value, std::string doc) {
  return Option(app_->add_option(std::move(names), value, std::move(doc)));
}

template Option Command::AddOption(std::string, std::string&, std::string);
template Option Command::AddOption(std::string, std::vector<std::string>&,
                                   std::string);
template Option Command::AddOption(std::string, int&, std::string);
template Option Command::AddOption(std::string, int64_t&, std::string);
template Option Command::AddOption(std::string, uint64_t&, std::string);
template Option Command::AddOption(std::string, double&, std::string);

Option Command::AddFlag(std::string names, bool& value, std::string doc) {
  return Option(app_->add_flag(std::move(names), value, std::move(doc)));
}

Option Command::option(const std::string& name) const {
  return Option(app_->get_option(name));
}

void Command::Footer(std::string text) { app_->footer(std::move(text)); }

void Command::OnCall(std::function<void()> call) {
  app_->callback(std::move(call));
}

void Command::MustNameCommand() { app_->require_subcommand(1); }

void Command::Hide() { app_->group(""); }

bool Command::named(const std::string& command) const {
  return app_->got_subcommand(command);
}

}  // namespace tilesim::cli

#include "sim/arch/calibrate/readings.h"

#include <cmath>

#include "ir/cat.h"
#include "nlohmann/json.hpp"

namespace tilesim::arch {

using Json = nlohmann::json;

struct ReadingsParser {
  Readings readings;

  static std::optional<Readings::Key> KeyOf(const Json& value) {
    if (value.is_boolean()) return value.get<bool>() ? 1.0 : 0.0;
    if (value.is_number()) return value.get<double>();
    if (value.is_string()) return value.get<std::string>();
    return std::nullopt;
  }

  // median, p10, p90
  static std::optional<Reading> ReadingOf(const Json& median, const Json& low,
                                          const Json& high) {
    if (!median.is_number() || !low.is_number() || !high.is_number())
      return std::nullopt;
    return Reading{median.get<double>(), low.get<double>(), high.get<double>()};
  }

  static std::string Text(const Json& object, const char* name) {
    auto it = object.find(name);
    return it != object.end() && it->is_string() ? it->get<std::string>() : "";
  }

  // calibration.json: a row has the parameters, then the statistics.
  bool Row(const std::string& name, const Json& names, const Json& row) {
    if (!row.is_array() || row.size() < names.size() + 3) return false;
    Readings::Row out;
    for (size_t i = 0; i < names.size(); ++i) {
      std::optional<Readings::Key> key = KeyOf(row[i]);
      if (!key || !names[i].is_string()) return false;
      out.parameters[names[i].get<std::string>()] = *key;
    }
    const size_t at = names.size();
    std::optional<Reading> reading =
        ReadingOf(row[at], row[at + 1], row[at + 2]);
    if (!reading) return false;
    out.reading = *reading;
    readings.rows_[name].push_back(std::move(out));
    return true;
  }

  bool Whole(const Json& root) {
    auto all = root.find("readings"), machine = root.find("machine");
    if (all == root.end() || !all->is_object() || machine == root.end() ||
        !machine->is_object())
      return false;
    readings.machine = {Text(*machine, "gpu"), Text(*machine, "driver"),
                        Text(*machine, "date")};
    if (auto added = machine->find("added"); added != machine->end()) {
      for (const auto& [name, date] : added->items())
        if (date.is_string()) readings.added_[name] = date.get<std::string>();
    }
    for (const auto& [name, of] : all->items()) {
      if (!of.is_object() || !of.contains("parameters") ||
          !of["parameters"].is_array() || !of.contains("rows") ||
          !of["rows"].is_array())
        return false;
      for (const Json& row : of["rows"])
        if (!Row(name, of["parameters"], row)) return false;
    }
    return true;
  }

  bool Line(const Json& line) {
    if (!line.is_object() || !line.contains("parameters") ||
        !line["parameters"].is_object() || Text(line, "name").empty())
      return false;
    Readings::Row out;
    for (const auto& [name, value] : line["parameters"].items()) {
      std::optional<Readings::Key> key = KeyOf(value);
      if (!key) return false;
      out.parameters[name] = *key;
    }
    const Json none;
    auto of = [&](const char* name) -> const Json& {
      return line.contains(name) ? line[name] : none;
    };
    std::optional<Reading> reading =
        ReadingOf(of("median"), of("p10"), of("p90"));
    if (!reading) return false;
    out.reading = *reading;
    readings.rows_[Text(line, "name")].push_back(std::move(out));
    return true;
  }
};

std::optional<Readings> Readings::Parse(std::string_view text,
                                        std::string* error) {
  ReadingsParser parser;
  const Json whole = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (whole.is_object() && whole.contains("machine")) {
    if (parser.Whole(whole)) return std::move(parser.readings);
    *error = "a reading is not as `record.py` writes them";
    return std::nullopt;
  }
  int number = 0;
  while (!text.empty()) {
    ++number;
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (!parser.Line(Json::parse(line, nullptr, false))) {
      *error = ir::Cat("line ", number, " is no reading");
      return std::nullopt;
    }
  }
  if (parser.readings.rows_.empty()) {
    *error = "there are no readings";
    return std::nullopt;
  }
  return std::move(parser.readings);
}

std::optional<Reading> Readings::Find(const std::string& name,
                                      const Where& where) const {
  auto it = rows_.find(name);
  if (it == rows_.end()) return std::nullopt;
  const Row* found = nullptr;
  for (const Row& row : it->second) {
    bool fits = true;
    for (const auto& [parameter, key] : where) {
      auto at = row.parameters.find(parameter);
      fits = fits && at != row.parameters.end() && at->second == key;
    }
    if (!fits) continue;
    if (found != nullptr) return std::nullopt;
    found = &row;
  }
  if (found == nullptr) return std::nullopt;
  return found->reading;
}

const std::string& Readings::DateOf(const std::string& name) const {
  auto it = added_.find(name);
  return it != added_.end() ? it->second : machine.date;
}

}  // namespace tilesim::arch

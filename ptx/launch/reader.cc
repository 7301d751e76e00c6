#include "ptx/launch/reader.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "fmt/format.h"

namespace tilesim::ptx {

using nlohmann::json;

namespace {

// Short, whatever it is.
std::string Shown(const json& j) {
  if (j.is_object()) return "an object";
  if (j.is_array()) return fmt::format("a list of {}", j.size());
  std::string text = j.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() > 40 ? text.substr(0, 37) + "..." : text;
}

std::string Under(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

}  // namespace

void FieldReader::Expected(const std::string& where, std::string_view what,
                           const json& found) {
  if (found.is_null())
    Error(where, fmt::format("a gap: give {}", what));
  else
    Error(where, fmt::format("expected {}, found {}", what, Shown(found)));
}

bool FieldReader::Object(const json& j, const std::string& path,
                         std::string_view what, std::span<const Field> fields) {
  if (!j.is_object()) {
    Expected(path, fmt::format("{} as an object", what), j);
    return false;
  }
  auto at = [&](std::string_view name) { return Under(path, name); };
  for (const auto& [key, value] : j.items()) {
    auto field =
        std::find_if(fields.begin(), fields.end(),
                     [&, &key = key](const Field& f) { return f.name == key; });
    if (field == fields.end()) {
      std::string names;
      for (const Field& f : fields)
        names += fmt::format("{}{}", names.empty() ? "" : ", ", f.name);
      Error(at(key),
            fmt::format("{} has no such field; it has {}", what, names));
    } else if (value.is_null()) {
      Error(at(key), fmt::format("a gap: give {}", field->is));
    }
  }
  for (const Field& f : fields) {
    if (f.required && !j.contains(f.name))
      Error(at(f.name), fmt::format("missing: give {}", f.is));
  }
  return true;
}

const json* FieldReader::At(const json& j, const char* name) {
  auto found = j.find(name);
  return found == j.end() || found->is_null() ? nullptr : &*found;
}

std::optional<uint64_t> FieldReader::AsUnsigned(const json& j) {
  if (j.is_number_unsigned()) return j.get<uint64_t>();
  if (!j.is_string()) return std::nullopt;
  const std::string& text = j.get_ref<const std::string&>();
  bool hex = text.starts_with("0x");
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  auto [stop, error] =
      std::from_chars(text.data() + (hex ? 2 : 0), end, value, hex ? 16 : 10);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<int64_t> FieldReader::AsSigned(const json& j) {
  if (j.is_number_integer() && !j.is_number_unsigned()) return j.get<int64_t>();
  std::optional<uint64_t> value = AsUnsigned(j);
  if (!value || *value > std::numeric_limits<int64_t>::max())
    return std::nullopt;
  return static_cast<int64_t>(*value);
}

void FieldReader::Text(const json& j, const std::string& path, const char* name,
                       std::string* out) {
  const json* field = At(j, name);
  if (!field) return;
  if (!field->is_string())
    return Expected(Under(path, name), "a string", *field);
  *out = field->get<std::string>();
}

void FieldReader::Word(const json& j, const std::string& path, const char* name,
                       std::span<const std::string_view> words,
                       std::string* out) {
  const json* field = At(j, name);
  if (!field) return;
  if (field->is_string()) {
    *out = field->get<std::string>();
    if (std::find(words.begin(), words.end(), *out) != words.end()) return;
  }
  Expected(Under(path, name), fmt::format("one of {}", fmt::join(words, ", ")),
           *field);
}

void FieldReader::Bool(const json& j, const std::string& path, const char* name,
                       bool* out) {
  const json* field = At(j, name);
  if (!field) return;
  if (!field->is_boolean())
    return Expected(Under(path, name), "true or false", *field);
  *out = field->get<bool>();
}

void FieldReader::Unsigned(const json& j, const std::string& path,
                           const char* name, uint64_t* out) {
  const json* field = At(j, name);
  if (!field) return;
  if (std::optional<uint64_t> value = AsUnsigned(*field))
    *out = *value;
  else
    Expected(Under(path, name), "an integer of 0 or more", *field);
}

void FieldReader::Unsigned(const json& j, const std::string& path,
                           const char* name, std::optional<uint64_t>* out) {
  if (!At(j, name)) return;
  uint64_t value = 0;
  Unsigned(j, path, name, &value);
  *out = value;
}

void FieldReader::Integers(const json& j, const std::string& path,
                           const char* name, std::string_view what,
                           std::vector<int64_t>* out) {
  const json& list = List(j, path, name);
  for (size_t i = 0; i < list.size(); ++i) {
    std::optional<int64_t> value = AsSigned(list[i]);
    if (!value)
      Expected(fmt::format("{}[{}]", Under(path, name), i), what, list[i]);
    out->push_back(value.value_or(1));
  }
}

void FieldReader::Hex(const json& j, const std::string& path, const char* name,
                      std::vector<uint8_t>* out) {
  const json* field = At(j, name);
  if (!field) return;
  static constexpr std::string_view kWhat =
      "bytes as hexadecimal digits, two a byte";
  if (!field->is_string()) return Expected(Under(path, name), kWhat, *field);
  const std::string& text = field->get_ref<const std::string&>();
  if (text.size() % 2 != 0)
    return Error(Under(path, name), fmt::format("expected {}, found {} digits",
                                                kWhat, text.size()));
  for (size_t i = 0; i < text.size(); i += 2) {
    uint8_t byte = 0;
    const char* from = text.data() + i;
    auto [stop, error] = std::from_chars(from, from + 2, byte, 16);
    if (error != std::errc() || stop != from + 2)
      return Expected(Under(path, name), kWhat, *field);
    out->push_back(byte);
  }
}

const json& FieldReader::List(const json& j, const std::string& path,
                              const char* name) {
  static const json kNone = json::array();
  const json* field = At(j, name);
  if (!field) return kNone;
  if (field->is_array()) return *field;
  Expected(Under(path, name), "a list", *field);
  return kNone;
}

}  // namespace tilesim::ptx

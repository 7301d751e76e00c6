// Fields of JSON objects, each error with the path of the field.
#ifndef TILESIM_PTX_LAUNCH_READER_H_
#define TILESIM_PTX_LAUNCH_READER_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nlohmann/json.hpp"
#include "ptx/launch/launch.h"

namespace tilesim::ptx {

struct Field {
  std::string_view name;
  std::string_view is;  // what a person gives, for errors
  bool required = false;
};

class FieldReader {
 public:
  using json = nlohmann::json;
  explicit FieldReader(std::vector<LaunchError>& errors) : errors_(errors) {}

  void Error(const std::string& where, std::string message) {
    errors_.push_back({where, std::move(message)});
  }
  void Expected(const std::string& where, std::string_view what,
                const json& found);

  // Unknown fields, gaps and missing fields are errors. False: `j` is not an
  // object.
  bool Object(const json& j, const std::string& path, std::string_view what,
              std::span<const Field> fields);
  // Each reads a field that is there and no gap; else leaves *out.
  void Text(const json& j, const std::string& path, const char* name,
            std::string* out);
  void Word(const json& j, const std::string& path, const char* name,
            std::span<const std::string_view> words, std::string* out);
  void Bool(const json& j, const std::string& path, const char* name,
            bool* out);
  void Unsigned(const json& j, const std::string& path, const char* name,
                uint64_t* out);
  void Unsigned(const json& j, const std::string& path, const char* name,
                std::optional<uint64_t>* out);
  void Integers(const json& j, const std::string& path, const char* name,
                std::string_view what, std::vector<int64_t>* out);
  void Hex(const json& j, const std::string& path, const char* name,
           std::vector<uint8_t>* out);
  // Items of a list; empty when it is no list.
  const json& List(const json& j, const std::string& path, const char* name);

  // The field, or null when it is absent or a gap.
  static const json* At(const json& j, const char* name);
  // An integer, or a string of digits: "0x7f0a00000000".
  static std::optional<uint64_t> AsUnsigned(const json& j);
  static std::optional<int64_t> AsSigned(const json& j);

 private:
  std::vector<LaunchError>& errors_;
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_LAUNCH_READER_H_

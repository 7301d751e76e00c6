#include <algorithm>
#include <limits>
#include <vector>

#include "cli/witness_json.h"
#include "ir/cat.h"
#include "nlohmann/json.hpp"

namespace tilesim::cli {
namespace {

using checkers::run::Move;

// What is wrong with the text, thrown within this file only.
struct Unusable {
  std::string why;
};

const Json& At(const Json& object, const char* key, Json::value_t type,
               const std::string& of) {
  static const Json kNothing;
  bool there = object.is_object() && object.contains(key);
  const Json& value = there ? object[key] : kNothing;
  bool number = type == Json::value_t::number_integer;
  if (number ? !value.is_number_integer() : value.type() != type)
    throw Unusable{ir::Cat("no `", key, "` in ", of)};
  return value;
}

int64_t IntegerAt(const Json& object, const char* key, const std::string& of,
                  int64_t low = std::numeric_limits<int64_t>::min(),
                  int64_t high = std::numeric_limits<int64_t>::max()) {
  const Json& value = At(object, key, Json::value_t::number_integer, of);
  bool large = value.is_number_unsigned() &&
               value.get<uint64_t>() >
                   static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  int64_t number = large ? 0 : value.get<int64_t>();
  if (large || number < low || number > high)
    throw Unusable{ir::Cat("`", key, "` is out of range in ", of)};
  return number;
}

std::string TextAt(const Json& object, const char* key, const std::string& of) {
  return At(object, key, Json::value_t::string, of).get<std::string>();
}

std::string LastPart(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// Its own entry, or the one entry of this name in another folder.
const Json& FileEntry(const Json& files, const std::string& file) {
  std::vector<const Json*> same;
  std::string names;
  for (const Json& f : files) {
    std::string name = TextAt(f, "file", "an entry of `files`");
    if (name == file) return f;
    if (LastPart(name) == LastPart(file)) same.push_back(&f);
    ir::Append(&names, names.empty() ? "" : ", ", name);
  }
  if (same.size() == 1) return *same[0];
  throw Unusable{ir::Cat("it says nothing about ", file, "; it is about ",
                         names.empty() ? "no file" : names)};
}

const Json& Chosen(const Json& findings, const std::string& file, int number) {
  if (number > 0) {
    if (static_cast<size_t>(number) > findings.size())
      throw Unusable{ir::Cat("no finding ", number, " of ", file, ": it has ",
                             findings.size())};
    const Json& f = findings[static_cast<size_t>(number - 1)];
    if (!At(f, "witness", Json::value_t::array, "the finding").empty())
      return f;
    throw Unusable{ir::Cat("finding ", number, " of ", file,
                           " has no witness: no schedule is known to show it")};
  }
  for (const Json& f : findings) {
    if (!At(f, "witness", Json::value_t::array, "a finding").empty()) return f;
  }
  throw Unusable{ir::Cat("no finding of ", file, " has a witness")};
}

Move MoveOf(const Json& step, const std::string& of) {
  constexpr int64_t kMax = std::numeric_limits<int16_t>::max();
  Move m;
  m.cta = static_cast<int16_t>(IntegerAt(step, "cta", of, 0, kMax));
  m.warp = static_cast<int16_t>(IntegerAt(step, "warp", of, 0, kMax));
  if (!step.contains("operation")) return m;
  m.operation = static_cast<int32_t>(
      IntegerAt(step, "operation", of, 0, std::numeric_limits<int32_t>::max()));
  std::string milestone = TextAt(step, "milestone", of);
  if (milestone != "read" && milestone != "done")
    throw Unusable{ir::Cat("`milestone` is neither read nor done in ", of)};
  m.milestone =
      milestone == "read" ? ir::Milestone::kRead : ir::Milestone::kDone;
  return m;
}

checkers::report::Provenance SeenOf(const Json& finding) {
  const Json& seen =
      At(finding, "instance", Json::value_t::object, "the finding");
  checkers::report::Provenance out;
  out.kernel = TextAt(seen, "kernel", "`instance`");
  out.sm_count = IntegerAt(seen, "sms", "`instance`", 1, 1 << 16);
  out.cluster = IntegerAt(seen, "cluster", "`instance`", 0);
  const Json& params = At(seen, "params", Json::value_t::object, "`instance`");
  for (const auto& [name, value] : params.items())
    out.sizes[name] = IntegerAt(params, name.c_str(), "`params`");
  return out;
}

ir::Code CodeOf(const Json& finding) {
  std::string name = TextAt(finding, "code", "the finding");
  std::optional<ir::Code> code = ir::FindCode(name);
  if (!code) throw Unusable{ir::Cat("there is no code `", name, "`")};
  return *code;
}

Witness WitnessOf(const Json& finding) {
  Witness out;
  out.signature.code = CodeOf(finding);
  out.message = TextAt(finding, "message", "the finding");
  out.every_schedule = TextAt(finding, "occurs", "the finding") == "every";
  const Json& at =
      At(finding, "location", Json::value_t::object, "the finding");
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  ir::Span span;
  span.line = static_cast<int32_t>(
      IntegerAt(at, "line", "`location`", 0, ir::kLinesOfPlace - 1));
  int64_t place = at.contains("place")
                      ? IntegerAt(at, "place", "`location`", 0, ir::kMaxPlaces)
                      : 0;
  out.signature.line = span.In(static_cast<int32_t>(place)).line;
  out.signature.column =
      static_cast<int32_t>(IntegerAt(at, "column", "`location`", 0, kMax));
  out.seen = SeenOf(finding);
  const Json& steps =
      At(finding, "witness", Json::value_t::array, "the finding");
  for (size_t i = 0; i < steps.size(); ++i)
    out.path.push_back(MoveOf(steps[i], ir::Cat("step ", i + 1)));
  return out;
}

}  // namespace

absl::StatusOr<Witness> ReadWitness(const std::string& text,
                                    const std::string& file, int number) {
  Json all = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  try {
    if (all.is_discarded()) throw Unusable{"it is no JSON"};
    if (IntegerAt(all, "schema", "it") != 1)
      throw Unusable{"its `schema` is not 1"};
    const Json& entry =
        FileEntry(At(all, "files", Json::value_t::array, "it"), file);
    return WitnessOf(Chosen(At(entry, "findings", Json::value_t::array, file),
                            file, number));
  } catch (const Unusable& u) {
    return absl::InvalidArgumentError(u.why);
  }
}

}  // namespace tilesim::cli

#include "sim/arch/arch.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include "fmt/format.h"
#include "ir/cat.h"
#include "sim/arch/embedded.h"

namespace tilesim::arch {
namespace {

constexpr ParamInfo kParams[] = {
#define ARCH_PARAM(Name, Unit, Doc) {#Name, Unit, Doc},
#include "sim/arch/params.def"
#undef ARCH_PARAM
};

constexpr double Arch::*kMembers[] = {
#define ARCH_PARAM(Name, Unit, Doc) &Arch::Name,
#include "sim/arch/params.def"
#undef ARCH_PARAM
};

constexpr std::string_view kOrigins[] = {"measured", "vendor", "published",
                                         "derived", "estimated"};

bool KnownOrigin(std::string_view origin) {
  for (std::string_view o : kOrigins) {
    if (o == origin) return true;
  }
  return false;
}

// [value, unit, origin, source], or with [low, high], date
bool ReadSpread(const toml::array& row, ParamOrigin& origin) {
  if (row.size() == 4) return true;
  const toml::array* spread = row.size() == 6 ? row[4].as_array() : nullptr;
  if (spread == nullptr || spread->size() != 2) return false;
  std::optional<double> low = (*spread)[0].value<double>();
  std::optional<double> high = (*spread)[1].value<double>();
  origin.date = row[5].value_or(std::string());
  if (!low || !high || *low > *high || origin.date.empty()) return false;
  origin.low = *low;
  origin.high = *high;
  return true;
}

// Between them times stay whole numbers of a double.
constexpr double kLeastRate = 1e-3, kMostOfAnything = 1e9;
constexpr double kMostCounted = 1e6;  // SMs, registers, threads

// Of what a question may change: whether it may be 0, as times, shares and
// differences of clocks may, but no rate or clock.
std::optional<bool> MayBeZero(const ParamInfo& info) {
  const std::string_view unit = info.unit;
  for (std::string_view time : {"cycles", "ns", "us", "1"}) {
    if (unit == time) return true;
  }
  if (unit == "MHz") return !info.name.ends_with("clock_mhz");
  if (unit == "B" || unit.ends_with("/cycle")) return false;
  return std::nullopt;
}

// Whether a parameter can be so much.
bool Fits(const ParamInfo& info, double value) {
  const std::optional<bool> zero = MayBeZero(info);
  if (!zero)
    return value >= 0 && value <= kMostCounted && value == std::floor(value);
  return value >= (*zero ? 0 : kLeastRate) && value <= kMostOfAnything;
}

// [value, unit, origin, source]
bool ReadParam(const toml::table& table, size_t i, Arch& arch,
               std::string* error) {
  const ParamInfo& info = kParams[i];
  const toml::array* row = table[info.name].as_array();
  if (row == nullptr || row->size() < 4) {
    *error = ir::Cat("`", info.name, "` must be [value, unit, origin, source]");
    return false;
  }
  std::optional<double> value = (*row)[0].value<double>();
  std::string unit = (*row)[1].value_or(std::string());
  ParamOrigin origin{(*row)[2].value_or(std::string()),
                     (*row)[3].value_or(std::string()), 0, 0, ""};
  if (!ReadSpread(*row, origin)) {
    *error = ir::Cat("`", info.name,
                     "`: after its source may follow [low, high], date");
    return false;
  }
  if (!value || unit != info.unit || !KnownOrigin(origin.origin) ||
      origin.source.empty()) {
    *error = ir::Cat("`", info.name, "` needs a number in ", info.unit,
                     ", an origin and a source");
    return false;
  }
  if (!Fits(info, *value)) {
    *error = ir::Cat("`", info.name, "` cannot be ", *value, " ", info.unit);
    return false;
  }
  arch.*kMembers[i] = *value;
  arch.origins.push_back(std::move(origin));
  return true;
}

std::vector<Arch> ReadAll() {
  std::vector<Arch> all;
  for (std::string_view text : kEmbedded) {
    std::string error;
    std::optional<Arch> arch = ParseArch(text, &error);
    if (!arch) {
      fmt::print(stderr, "tilesim: built-in architecture: {}\n", error);
      std::abort();
    }
    all.push_back(std::move(*arch));
  }
  return all;
}

// What one asks for, of the whole GPU as hbm_bandwidth is; the model has a rate
// of each GPC.
constexpr std::string_view kL2Bandwidth = "l2_bandwidth";

double GpcsOf(const Arch& arch) {
  const auto sms = arch.gpc_sms();
  return static_cast<double>(
      std::count_if(sms.begin(), sms.end(), [](double n) { return n > 0; }));
}

bool SetValue(Arch& arch, std::string_view text, std::string* error) {
  const size_t at = text.find('=');
  const std::string_view asked = text.substr(0, at);
  const std::string_view name = asked == kL2Bandwidth ? "l2_gpc" : asked;
  const auto* param =
      std::find_if(std::begin(kParams), std::end(kParams),
                   [&](const ParamInfo& p) { return p.name == name; });
  if (at == text.npos || param == std::end(kParams)) {
    *error = at == text.npos ? ir::Cat("`", text, "` is not NAME=VALUE")
                             : ir::Cat(arch.name, " has no parameter `", name,
                                       "`; `tilesim explain arch/", arch.name,
                                       "` lists them");
    return false;
  }
  const std::optional<bool> zero = MayBeZero(*param);
  if (!zero) {
    *error = ir::Cat("`", name, "` counts ", param->unit,
                     ": only times, rates and shares can be changed");
    return false;
  }
  const std::string number(text.substr(at + 1));
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  const bool whole = !number.empty() && *end == '\0';
  if (!whole || !Fits(*param, value)) {
    *error = ir::Cat("`", asked, "` takes a number of ", param->unit,
                     *zero ? " from 0 to 1e9" : " from 0.001 to 1e9", "; `",
                     number, "` is none");
    return false;
  }
  arch.*kMembers[param - std::begin(kParams)] =
      asked == kL2Bandwidth ? value / GpcsOf(arch) : value;
  return true;
}

}  // namespace

int Arch::ClusterSlots(int size) const {
  if (size <= 1) return static_cast<int>(sms);
  int slots = 0;
  for (double gpc : gpc_sms()) slots += static_cast<int>(gpc) / size;
  if (size > 2) {
    int last = static_cast<int>(gpc_sms_7);
    slots += (last - static_cast<int>(gpc_pairs)) / size - last / size;
  }
  return slots;
}

std::span<const ParamInfo> Params() { return kParams; }

double ValueOf(const Arch& arch, size_t param) { return arch.*kMembers[param]; }

std::optional<Arch> ParseArch(std::string_view text, std::string* error) {
  toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    *error = std::string(parsed.error().description());
    return std::nullopt;
  }
  const toml::table& root = parsed.table();
  Arch arch;
  arch.name = root["name"].value_or(std::string());
  arch.title = root["title"].value_or(std::string());
  arch.gpu = root["gpu"].value_or(std::string());
  arch.driver = root["driver"].value_or(std::string());
  std::optional<ir::Target> target =
      ir::TargetNamed(root["target"].value_or(std::string()));
  const toml::table* params = root["params"].as_table();
  if (arch.name.empty() || !target || params == nullptr) {
    *error = "an architecture has name, title, target and [params]";
    return std::nullopt;
  }
  arch.target = *target;
  for (size_t i = 0; i < std::size(kParams); ++i) {
    if (!ReadParam(*params, i, arch, error)) return std::nullopt;
  }
  if (params->size() != std::size(kParams)) {
    *error = ir::Cat(arch.name, " has a parameter that params.def does not");
    return std::nullopt;
  }
  double sms = 0;
  for (double gpc : arch.gpc_sms()) sms += gpc;
  if (sms != arch.sms || sms < 1 || arch.gpc_pairs > arch.gpc_sms_7) {
    *error = ir::Cat(arch.name,
                     ": its GPCs do not have as many SMs together as it has");
    return std::nullopt;
  }
  return arch;
}

std::optional<Arch> WithValues(const Arch& arch,
                               std::span<const std::string> values,
                               std::string* error) {
  Arch changed = arch;
  for (const std::string& value : values) {
    if (!SetValue(changed, value, error)) return std::nullopt;
  }
  for (const std::string& value : values)
    ir::Append(&changed.name, ", ", value);
  return changed;
}

const std::vector<Arch>& AllArchs() {
  static const auto* const all = new std::vector<Arch>(ReadAll());
  return *all;
}

const Arch* FindArch(std::string_view name) {
  for (const Arch& arch : AllArchs()) {
    if (arch.name == name) return &arch;
  }
  return nullptr;
}

const Arch& DefaultArch(ir::Target target) {
  return *FindArch(ir::InfoOf(target).arch);
}

}  // namespace tilesim::arch

// An architecture: numbers with unit, origin and source, read from the data
// files beside this header (embedded in the binary).
//
//   const Arch& a = *FindArch("h200");   a.tma_latency -> 335 (cycles)
#ifndef TILESIM_SIM_ARCH_ARCH_H_
#define TILESIM_SIM_ARCH_ARCH_H_

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/target.h"

namespace tilesim::arch {

struct ParamInfo {
  std::string_view name;
  std::string_view unit;
  std::string_view doc;
};

struct ParamOrigin {
  std::string origin;  // measured, vendor, published, derived, estimated
  std::string source;
  // Of what was read on the GPU: 10th and 90th percentile, and when; else
  // empty.
  double low = 0, high = 0;
  std::string date;
};

struct Arch {
  std::string name;
  std::string title;
  ir::Target target = ir::Target::kSm90a;
#define ARCH_PARAM(Name, Unit, Doc) double Name = 0;
#include "sim/arch/params.def"
#undef ARCH_PARAM
  std::vector<ParamOrigin> origins;  // in the order of Params()
  std::string gpu, driver;  // that readings were taken on; empty: none were

  std::array<double, 8> gpc_sms() const {
    return {gpc_sms_0, gpc_sms_1, gpc_sms_2, gpc_sms_3,
            gpc_sms_4, gpc_sms_5, gpc_sms_6, gpc_sms_7};
  }
  // Clusters of `size` CTAs that run at once, one CTA an SM.
  int ClusterSlots(int size) const;
  // Dense peak in TFLOP/s for 16-bit operands at the stated clock.
  double PeakTflops() const {
    return sms * tensor_flops * clock_mhz * 1e6 / 1e12;
  }
};

std::span<const ParamInfo> Params();
double ValueOf(const Arch& arch, size_t param);

// Reads one data file. Errors: unknown or missing parameters, a value without
// unit, origin or source, a unit that is not the parameter's, a spread without
// a date.
std::optional<Arch> ParseArch(std::string_view text, std::string* error);

// The architecture with other values of some parameters, each NAME=VALUE: what
// if? Its name has them. Errors: no such parameter, no number that it can have
// (times from 0, rates from 0.001), a parameter that is no time, rate or share.
std::optional<Arch> WithValues(const Arch& arch,
                               std::span<const std::string> values,
                               std::string* error);

// All built-in architectures, and one by name (nullptr: none).
const std::vector<Arch>& AllArchs();
const Arch* FindArch(std::string_view name);
// The one a target runs on unless told otherwise.
const Arch& DefaultArch(ir::Target target);

}  // namespace tilesim::arch

#endif  // TILESIM_SIM_ARCH_ARCH_H_

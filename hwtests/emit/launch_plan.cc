#include "hwtests/emit/launch_plan.h"

#include "absl/status/status.h"
#include "nlohmann/json.hpp"

namespace tilesim::hwtests {
namespace {

using nlohmann::json;

json ToJson(const GlobalPlan& g) {
  json j = {{"name", g.name},          {"dtype", values::NameOf(g.dtype)},
            {"shape", g.shape},        {"strides", g.strides},
            {"bytes", g.bytes},        {"zero", g.zero},
            {"written", g.written},    {"read", g.read},
            {"undefined", g.undefined}};
  if (g.low) j["low"] = *g.low;
  if (g.high) j["high"] = *g.high;
  return j;
}

json ToJson(const TensorMapPlan& m) {
  return {{"name", m.name},
          {"global", m.global},
          {"rank", m.rank},
          {"dims", m.dims},
          {"strides", m.strides},
          {"box", m.box},
          {"swizzle", static_cast<int>(m.swizzle)}};
}

json ToJson(const ArgPlan& a) {
  return {{"kind", static_cast<int>(a.kind)},
          {"index", a.index},
          {"value", a.value},
          {"name", a.name}};
}

json ToJson(const KernelPlan& k) {
  json args = json::array();
  for (const ArgPlan& a : k.args) args.push_back(ToJson(a));
  return {{"name", k.name},
          {"args", args},
          {"grid", k.grid},
          {"cluster", k.cluster},
          {"block", k.block},
          {"registers", k.registers},
          {"shared_bytes", k.shared_bytes},
          {"programmatic", k.programmatic}};
}

json ToJson(const TraceSite& s) {
  return {{"name", s.name},
          {"role", s.role},
          {"line", s.line},
          {"wait", s.wait},
          {"array", s.array}};
}

GlobalPlan GlobalFrom(const json& j) {
  GlobalPlan g;
  j.at("name").get_to(g.name);
  g.dtype = values::FindDType(j.at("dtype").get<std::string>())
                .value_or(ir::DType::kF32);
  j.at("shape").get_to(g.shape);
  j.at("strides").get_to(g.strides);
  j.at("bytes").get_to(g.bytes);
  j.at("zero").get_to(g.zero);
  j.at("written").get_to(g.written);
  j.at("read").get_to(g.read);
  g.undefined = j.value("undefined", false);
  if (j.contains("low")) g.low = j.at("low").get<int64_t>();
  if (j.contains("high")) g.high = j.at("high").get<int64_t>();
  return g;
}

TensorMapPlan MapFrom(const json& j) {
  TensorMapPlan m;
  j.at("name").get_to(m.name);
  j.at("global").get_to(m.global);
  j.at("rank").get_to(m.rank);
  j.at("dims").get_to(m.dims);
  j.at("strides").get_to(m.strides);
  j.at("box").get_to(m.box);
  m.swizzle = static_cast<ir::Swizzle>(j.at("swizzle").get<int>());
  return m;
}

ArgPlan ArgFrom(const json& j) {
  ArgPlan a;
  a.kind = static_cast<ArgPlan::Kind>(j.at("kind").get<int>());
  j.at("index").get_to(a.index);
  j.at("value").get_to(a.value);
  j.at("name").get_to(a.name);
  return a;
}

KernelPlan KernelFrom(const json& j) {
  KernelPlan k;
  j.at("name").get_to(k.name);
  for (const json& a : j.at("args")) k.args.push_back(ArgFrom(a));
  j.at("grid").get_to(k.grid);
  j.at("cluster").get_to(k.cluster);
  j.at("block").get_to(k.block);
  j.at("registers").get_to(k.registers);
  j.at("shared_bytes").get_to(k.shared_bytes);
  j.at("programmatic").get_to(k.programmatic);
  return k;
}

TraceSite SiteFrom(const json& j) {
  TraceSite s;
  j.at("name").get_to(s.name);
  j.at("role").get_to(s.role);
  j.at("line").get_to(s.line);
  j.at("wait").get_to(s.wait);
  j.at("array").get_to(s.array);
  return s;
}

LaunchPlan PlanFrom(const json& j) {
  LaunchPlan plan;
  plan.target = ir::TargetNamed(j.at("target").get<std::string>())
                    .value_or(ir::Target::kSm90a);
  for (const json& g : j.at("globals")) plan.globals.push_back(GlobalFrom(g));
  for (const json& m : j.at("maps")) plan.maps.push_back(MapFrom(m));
  for (const json& k : j.at("kernels")) plan.kernels.push_back(KernelFrom(k));
  j.at("barriers").get_to(plan.barriers);
  j.at("roles").get_to(plan.roles);
  j.at("debug").get_to(plan.debug);
  j.at("cycles").get_to(plan.cycles);
  j.at("delays").get_to(plan.delays);
  j.at("spans").get_to(plan.spans);
  j.at("trace").get_to(plan.trace);
  for (const json& s : j.at("sites")) plan.sites.push_back(SiteFrom(s));
  return plan;
}

}  // namespace

json ToJson(const LaunchPlan& plan) {
  json globals = json::array(), maps = json::array(), kernels = json::array();
  json sites = json::array();
  for (const TraceSite& s : plan.sites) sites.push_back(ToJson(s));
  for (const GlobalPlan& g : plan.globals) globals.push_back(ToJson(g));
  for (const TensorMapPlan& m : plan.maps) maps.push_back(ToJson(m));
  for (const KernelPlan& k : plan.kernels) kernels.push_back(ToJson(k));
  return {{"target", ir::Name(plan.target)},
          {"globals", globals},
          {"maps", maps},
          {"kernels", kernels},
          {"barriers", plan.barriers},
          {"roles", plan.roles},
          {"debug", plan.debug},
          {"cycles", plan.cycles},
          {"delays", plan.delays},
          {"spans", plan.spans},
          {"trace", plan.trace},
          {"sites", sites}};
}

absl::StatusOr<LaunchPlan> LaunchPlanFromJson(const json& j) {
  try {
    return PlanFrom(j);
  } catch (const json::exception& e) {  // the library throws; we do not
    return absl::InvalidArgumentError(e.what());
  }
}

}  // namespace tilesim::hwtests

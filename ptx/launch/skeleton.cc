#include "nlohmann/json.hpp"
#include "ptx/launch/kernel.h"
#include "ptx/launch/launch.h"

namespace tilesim::ptx {
namespace {

using OrderedJson = nlohmann::ordered_json;

// A parameter of 128 bytes, aligned as tensor maps are, is taken for one.
bool IsTensorMap(const Variable& v, const Declarator& d) {
  return v.align.value_or(1) >= 64 && VariableBytes(v, d) == kTensorMapBytes;
}

// Parameters of one name in two kernels share a buffer.
void AddBuffer(const std::string& name, OrderedJson& file) {
  for (const OrderedJson& buffer : file["buffers"]) {
    if (buffer["name"] == name) return;
  }
  file["buffers"].push_back(
      {{"name", name}, {"bytes", nullptr}, {"start", "seeded"}});
}

OrderedJson ParamGap(const Variable& v, const Declarator& d,
                     const std::string& buffer, OrderedJson& file) {
  OrderedJson out = {{"name", d.name}};
  if (IsTensorMap(v, d)) {
    AddBuffer(buffer, file);
    out["tensormap"] = file["tensormaps"].size();
    file["tensormaps"].push_back({{"buffer", buffer},
                                  {"dtype", nullptr},
                                  {"dims", OrderedJson::array({nullptr})},
                                  {"strides", OrderedJson::array()},
                                  {"box", OrderedJson::array({nullptr})},
                                  {"swizzle", nullptr}});
  } else if (v.is_pointer && VariableBytes(v, d) == kPointerBytes) {
    AddBuffer(buffer, file);
    out["buffer"] = buffer;
  } else if (d.dims.empty() && v.vector.empty() && v.type.size() > 1 &&
             ScalarBytes(v.type.substr(1)) != 0) {
    out[v.type.substr(1)] = nullptr;
  } else {
    out["struct"] = nullptr;
  }
  return out;
}

OrderedJson KernelGap(const Module& module, const Function& f,
                      std::string_view file_name, OrderedJson& file) {
  OrderedJson out = {{"kernel", f.name}, {"ptx", file_name}};
  out["grid"] = {nullptr, nullptr, nullptr};
  std::optional<Dim3> block = DirectiveDims(f, ".reqntid");
  if (block)
    out["block"] = *block;
  else
    out["block"] = {nullptr, nullptr, nullptr};
  std::optional<Dim3> cluster = DirectiveDims(f, ".reqnctapercluster");
  if (cluster)
    out["cluster"] = *cluster;
  else if (f.Find(".explicitcluster"))
    out["cluster"] = {nullptr, nullptr, nullptr};
  out["dynamic_shared"] = 0;
  if (SharedOf(module, f).dynamic) out["dynamic_shared"] = nullptr;
  const Directive* registers = f.Find(".maxnreg");
  if (registers && !registers->numbers.empty())
    out["registers"] = registers->numbers[0].bits;
  out["params"] = OrderedJson::array();
  for (const Variable& v : f.signature.params) {
    for (const Declarator& d : v.names)
      out["params"].push_back(ParamGap(v, d, d.name, file));
  }
  return out;
}

}  // namespace

std::string LaunchSkeleton(const Module& module, std::string_view file_name) {
  OrderedJson file = {{"schema", 1}, {"target", nullptr}};
  if (!module.targets.empty()) file["target"] = module.targets[0];
  file["buffers"] = OrderedJson::array();
  file["tensormaps"] = OrderedJson::array();
  OrderedJson launches = OrderedJson::array();
  for (const Function& f : module.functions) {
    if (f.is_entry && f.has_body)
      launches.push_back(KernelGap(module, f, file_name, file));
  }
  file["launches"] = launches;
  return file.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace tilesim::ptx

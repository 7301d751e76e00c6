#include <bit>
#include <cmath>

#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "ptx/launch/launch.h"

namespace tilesim::ptx {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::string Hex(const std::vector<uint8_t>& bytes) {
  std::string out;
  for (uint8_t byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

OrderedJson BufferJson(const Buffer& b) {
  OrderedJson out = {{"name", b.name}};
  if (b.address) out["address"] = fmt::format("{:#x}", *b.address);
  out["bytes"] = b.bytes;
  if (!b.dtype.empty()) out["dtype"] = b.dtype;
  if (!b.shape.empty()) out["shape"] = b.shape;
  if (b.start.kind == Start::Kind::kZero) out["start"] = "zero";
  if (b.start.kind == Start::Kind::kSeeded) out["start"] = "seeded";
  if (b.start.kind == Start::Kind::kUndefined) out["start"] = "undefined";
  if (b.start.kind == Start::Kind::kExternal) out["start"] = "external";
  if (b.start.kind == Start::Kind::kNpy) out["start"]["npy"] = b.start.npy;
  if (b.domain) out["domain"] = {b.domain->first, b.domain->second};
  if (b.distinct) out["distinct"] = true;
  if (!b.expect.empty()) out["expect"]["npy"] = b.expect;
  for (const auto& [offset, map] : b.maps)
    out["at"][std::to_string(offset)]["tensormap"] = map;
  return out;
}

OrderedJson MapJson(const LaunchFile& file, const TensorMap& m) {
  OrderedJson out = {{"buffer", file.buffers.at(m.buffer).name},
                     {"offset", m.offset},
                     {"dtype", m.dtype},
                     {"dims", m.dims},
                     {"strides", m.strides},
                     {"box", m.box}};
  if (!m.element_strides.empty()) out["element_strides"] = m.element_strides;
  out["swizzle"] = m.swizzle;
  out["interleave"] = m.interleave;
  out["oob"] = m.oob;
  if (!m.bytes.empty()) out["bytes"] = Hex(m.bytes);
  return out;
}

void PutReference(const LaunchFile& file, const Reference& r,
                  OrderedJson& out) {
  if (r.is_tensormap) {
    out["tensormap"] = r.index;
    return;
  }
  out["buffer"] = file.buffers.at(r.index).name;
  if (r.offset != 0) out["offset"] = r.offset;
}

// JSON has no infinity and no NaN: those go as bits.
void PutScalar(const Param& p, OrderedJson& out) {
  if (p.type[0] == 'f') {
    double number = p.type == "f64"
                        ? std::bit_cast<double>(p.bits)
                        : std::bit_cast<float>(static_cast<uint32_t>(p.bits));
    if (std::isfinite(number))
      out[p.type] = number;
    else
      out[p.type == "f64" ? "b64" : "b32"] = p.bits;
  } else if (p.type[0] == 's') {
    int unused = 64 - 8 * static_cast<int>(p.size());
    out[p.type] = static_cast<int64_t>(p.bits << unused) >> unused;
  } else {
    out[p.type] = p.bits;
  }
}

OrderedJson ParamJson(const LaunchFile& file, const Param& p) {
  OrderedJson out = OrderedJson::object();
  if (!p.name.empty()) out["name"] = p.name;
  switch (p.kind) {
    case Param::Kind::kReference:
      PutReference(file, p.reference, out);
      break;
    case Param::Kind::kScalar:
      PutScalar(p, out);
      break;
    case Param::Kind::kStruct:
      out["struct"] = Hex(p.bytes);
      for (const auto& [offset, reference] : p.places)
        PutReference(file, reference, out["at"][std::to_string(offset)]);
      break;
  }
  return out;
}

OrderedJson LaunchJson(const LaunchFile& file, const Launch& l) {
  OrderedJson out = {{"kernel", l.kernel}};
  if (!l.ptx.empty()) out["ptx"] = l.ptx;
  out["grid"] = l.grid;
  if (l.block) out["block"] = *l.block;
  if (l.cluster) out["cluster"] = *l.cluster;
  if (l.dynamic_shared) out["dynamic_shared"] = *l.dynamic_shared;
  if (l.registers) out["registers"] = *l.registers;
  if (l.programmatic) out["programmatic"] = true;
  out["params"] = OrderedJson::array();
  for (const Param& p : l.params) out["params"].push_back(ParamJson(file, p));
  return out;
}

}  // namespace

std::string WriteLaunch(const LaunchFile& file) {
  OrderedJson out = {{"schema", 1}, {"target", file.target}};
  if (file.sms) out["sms"] = *file.sms;
  for (const char* list : {"buffers", "tensormaps", "launches"})
    out[list] = OrderedJson::array();
  for (const Buffer& b : file.buffers) out["buffers"].push_back(BufferJson(b));
  for (const TensorMap& m : file.tensormaps)
    out["tensormaps"].push_back(MapJson(file, m));
  for (const Launch& l : file.launches)
    out["launches"].push_back(LaunchJson(file, l));
  if (!file.computes.empty()) out["computes"] = file.computes;
  return out.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace tilesim::ptx

#include <algorithm>

#include "ptx/scalar/form.h"

namespace tilesim::ptx {
namespace {

Words ExtendAll(const Words& words, int count,
                const std::array<Type, kMaxWords>& types) {
  Words out{};
  for (int i = 0; i < count; ++i) out[i] = Extend(words[i], types[i]);
  return out;
}

// The same instruction on one lane of a packed type.
ScalarOp OneLane(const ScalarOp& op) {
  ScalarOp lane = op;
  lane.type = InfoOf(op.type).element;
  return lane;
}

Words ExecuteLanes(const ScalarOp& op, const Words& in) {
  const ScalarOp lane_op = OneLane(op);
  const int bits = BitsOf(lane_op.type);
  Words out{};
  for (int lane = 0; lane < InfoOf(op.type).lanes; ++lane) {
    Words part{};
    for (int i = 0; i < op.inputs; ++i)
      part[i] = Extend(in[i] >> (lane * bits), lane_op.type);
    const uint64_t result = op.form->meaning(lane_op, part)[0];
    out[0] |= ZeroExtend(result, bits) << (lane * bits);
  }
  return out;
}

}  // namespace

Words Execute(const ScalarOp& op, const Words& in) {
  const Words inputs = ExtendAll(in, op.inputs, op.input_types);
  const bool lanes = op.form->is_lanewise() && InfoOf(op.type).lanes > 1;
  const Words out =
      lanes ? ExecuteLanes(op, inputs) : op.form->meaning(op, inputs);
  return ExtendAll(out, op.outputs, op.output_types);
}

std::optional<Type> FindType(std::string_view word) {
  const auto* found =
      std::find_if(std::begin(kTypes), std::end(kTypes),
                   [&](const TypeInfo& info) { return info.word == word; });
  if (found == std::end(kTypes)) return std::nullopt;
  return static_cast<Type>(found - std::begin(kTypes));
}

std::optional<Type> BitsType(int bits) {
  for (Type type : {Type::kB8, Type::kB16, Type::kB32, Type::kB64, Type::kB128})
    if (BitsOf(type) == bits) return type;
  return std::nullopt;
}

}  // namespace tilesim::ptx

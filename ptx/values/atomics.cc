// Atomics, one lane after another: nothing says in which order.
#include <bit>
#include <cstring>

#include "ptx/scalar/scalar.h"
#include "ptx/values/threads.h"

namespace tilesim::ptx {
namespace {

// What the word holds then; of inputs, the old value comes first.
using After = std::function<uint64_t(uint64_t old, uint64_t b, uint64_t c)>;

// As the scalar instruction of that spelling.
After AsScalar(const std::string& opcode) {
  Instruction i;
  i.opcode = opcode;
  Operand name;
  name.name = "%r";
  i.operands = {name, name, name};
  std::string why;
  std::optional<ScalarOp> op = CompileScalar(i, &why);
  if (!op || op->inputs != 2) return {};
  return [op = *op](uint64_t old, uint64_t b, uint64_t) {
    return Execute(op, {old, b})[0];
  };
}

bool IsFloat(std::string_view type) {
  return type.find('f') != std::string_view::npos;
}

// Sums of floats are rounded to nearest even; those of f32 keep subnormals in
// shared memory and flush them in global memory (PTX 9.7.13.5).
After AddOf(std::string_view type, bool global) {
  if (!IsFloat(type)) return AsScalar("add." + std::string(type));
  std::string rounding = type == "f32" && global ? ".rn.ftz." : ".rn.";
  return AsScalar("add" + rounding + std::string(type));
}

After AfterOf(const ActionMaking& m, std::string_view type) {
  if (m.Has(".add")) return AddOf(type, !m.Has(".shared"));
  if (m.Has(".exch")) return [](uint64_t, uint64_t b, uint64_t) { return b; };
  if (m.Has(".cas"))
    return
        [](uint64_t old, uint64_t b, uint64_t c) { return old == b ? c : old; };
  if (m.Has(".inc"))
    return [](uint64_t old, uint64_t b, uint64_t) {
      return old >= b ? 0 : old + 1;
    };
  if (m.Has(".dec"))
    return [](uint64_t old, uint64_t b, uint64_t) {
      return old == 0 || old > b ? b : old - 1;
    };
  for (std::string_view op : {"min", "max", "and", "or", "xor"}) {
    if (m.Has("." + std::string(op)))
      return AsScalar(std::string(op) + "." + std::string(type));
  }
  return {};
}

// red [a], b; atom d, [a], b, c
Action Atomic(ActionMaking& m) {
  const bool returns = m.spelling().starts_with("atom");
  std::string_view s = m.spelling();
  std::string_view type = s.substr(s.rfind('.') + 1);
  const auto bytes =
      static_cast<int64_t>(type.ends_with("x2") ? 4 : ScalarBytes(type));
  const After after = AfterOf(m, type);
  std::optional<In> at = m.One(returns ? 1 : 0);
  std::vector<In> b, c;
  const size_t data = returns ? 2 : 1;
  const bool cas = m.Has(".cas");
  if (!after || bytes == 0 || bytes > 8 || !at || !m.Ins(data, &b) ||
      (cas && !m.Ins(data + 1, &c)))
    return m.Refuse("");
  if (!cas) c.assign(b.size(), In());
  const char space =
      m.Has(".shared") || m.Has(".shared::cta") || m.Has(".shared::cluster")
          ? 's'
      : m.Has(".global") ? 'g'
                         : 'a';
  std::vector<Out> outs = returns ? m.Outs(0) : std::vector<Out>();
  const auto bits = static_cast<int>(8 * bytes);
  return [=, at = *at](Threads& t) {
    t.Each([&](size_t i) {
      for (size_t k = 0; k < b.size(); ++k) {
        const uint64_t address =
            t.Get(at, i) + k * static_cast<uint64_t>(bytes);
        uint64_t old = 0;
        if (!t.Load(space, address, i, bytes, reinterpret_cast<uint8_t*>(&old)))
          return;
        const uint64_t now =
            ZeroExtend(after(old, ZeroExtend(t.Get(b[k], i), bits),
                             ZeroExtend(t.Get(c[k], i), bits)),
                       bits);
        t.Store(space, address, i, bytes,
                reinterpret_cast<const uint8_t*>(&now));
        if (k < outs.size()) t.Set(outs[k], i, old);
      }
    });
  };
}

}  // namespace

const std::vector<ActionRow>& AtomicActions() {
  static const std::vector<ActionRow> kRows = {{"atom", Atomic},
                                               {"red", Atomic}};
  return kRows;
}

}  // namespace tilesim::ptx

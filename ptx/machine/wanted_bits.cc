#include "ptx/machine/wanted_bits.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>

#include "ptx/scalar/form.h"

namespace tilesim::ptx {
namespace {

constexpr int kAll = 64;

// From what is wanted of results to what is wanted of sources, wherever they
// stand in the program, until nothing grows.
class Wanted {
 public:
  explicit Wanted(const Program& program)
      : program_(program), bits_(program.registers.size()) {}

  std::vector<uint8_t> Run() {
    for (const Program::Local& local = program_.local;
         const Step& s : program_.steps) {
      const bool may_load = s.generic || s.kind == Step::Kind::kOwn;
      for (int32_t r = 0; r < local.words && may_load; ++r)
        Want(local.first + r, kAll);
    }
    do {
      grown_ = false;
      for (const Step& s : program_.steps) Look(s);
    } while (grown_);
    return std::move(bits_);
  }

 private:
  void Want(int32_t reg, int bits) {
    if (reg < 0) return;
    uint8_t& known = bits_[static_cast<size_t>(reg)];
    grown_ |= bits > known;
    known = static_cast<uint8_t>(std::max<int>(known, bits));
  }

  static std::optional<uint64_t> ConstantIn(const Source& s) {
    if (s.reg >= 0 || s.special != Special::kNone) return std::nullopt;
    return s.bits;
  }

  void Look(const Step& s) {
    Want(s.guard, kAll);
    const bool computes =
        (s.kind == Step::Kind::kScalar || s.kind == Step::Kind::kConstant) &&
        !s.executes && !s.divides && s.data.empty();
    int of_results = 0;
    for (const Target& t : s.results) {
      if (t.reg >= 0)
        of_results =
            std::max<int>(of_results, bits_[static_cast<size_t>(t.reg)]);
    }
    if (computes && of_results == 0) return;
    for (size_t i = 0; i < s.sources.size(); ++i)
      Want(s.sources[i].reg, computes ? OfSource(s, i, of_results) : kAll);
    for (const Source& source : s.data) Want(source.reg, kAll);
  }

  // A carry goes up: of a sum the lowest bits say the lowest bits.
  int OfSource(const Step& s, size_t i, int wanted) const {
    if (s.sources[i].negated) return kAll;
    if (s.kind == Step::Kind::kConstant) return wanted;
    if (s.results.size() != 1 || s.scalar.sat) return kAll;
    const std::string_view op = s.scalar.form->opcode();
    if (op == "and") {
      const auto mask = ConstantIn(s.sources[1 - i]);
      return mask ? std::min<int>(wanted, std::bit_width(*mask)) : wanted;
    }
    if (s.adds || op == "or" || op == "xor" || op == "not" || op == "mov")
      return wanted;
    if (op == "selp") return i == 2 ? kAll : wanted;
    if (op != "shl" && op != "shr") return kAll;
    const auto by = ConstantIn(s.sources[1]);
    if (i == 1 || !by || *by >= 32) return kAll;
    const int shift = static_cast<int>(*by);
    return op == "shl" ? std::max(0, wanted - shift)
                       : std::min(kAll, wanted + shift);
  }

  const Program& program_;
  std::vector<uint8_t> bits_;
  bool grown_ = false;
};

}  // namespace

std::vector<uint8_t> WantedBits(const Program& program) {
  return Wanted(program).Run();
}

}  // namespace tilesim::ptx

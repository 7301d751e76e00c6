#include "tests/ptx/scalar_cases.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "fmt/format.h"
#include "ptx/scalar/real.h"

namespace tilesim::ptx {
namespace {

constexpr int kPairs = 48;  // special values; all pairs of them are samples

uint64_t Mix(uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Powers of two, their neighbours, small numbers, the ends.
uint64_t SpecialInteger(int bits, int index) {
  constexpr uint64_t kSmall[] = {
      0,  1,  2,  3,  4,  5,  7,   8,   15,  16,  17,  23,     24,    31,
      32, 33, 48, 63, 64, 65, 100, 127, 128, 255, 256, 0x8000, 0x7fff};
  constexpr int kSmallCount = std::size(kSmall);
  if (index < kSmallCount) return kSmall[index];
  const uint64_t top = uint64_t{1} << (std::min(bits, 64) - 1);
  const uint64_t rest[] = {top,          top - 1,          top + 1,
                           ~uint64_t{0}, ~uint64_t{0} - 1, ~uint64_t{0} - 2};
  const int at = index - kSmallCount;
  if (at < 6) return rest[at];
  return Mix(static_cast<uint64_t>(index)) >> (at * 3);
}

struct Layout {
  int exponent_bits, mantissa_bits;
};

Layout LayoutOf(Type element) {
  switch (element) {
    case Type::kF64:
      return {11, 52};
    case Type::kF16:
      return {5, 10};
    case Type::kBF16:
      return {8, 7};
    case Type::kE4M3:
      return {4, 3};
    case Type::kE5M2:
      return {5, 2};
    case Type::kUE8M0:
      return {8, 0};
    default:
      return {8, 23};
  }
}

// Zeros, subnormals, ones and neighbours, powers that overflow, infinities,
// NaNs of both kinds, integers with halves.
uint64_t SpecialFloat(Type element, int index) {
  const auto [e, m] = LayoutOf(element);
  const uint64_t bias = (uint64_t{1} << (e - 1)) - 1;
  const uint64_t one = bias << m, ulp = 1;
  const uint64_t inf = MaskOf(e) << m, half_ulp = m > 0 ? 1ull << (m - 1) : 0;
  auto power = [&, m = m](int64_t p) {
    return (bias + static_cast<uint64_t>(p)) << m;
  };
  const uint64_t magnitudes[] = {0,
                                 1,
                                 ulp << m,
                                 (ulp << m) - 1,
                                 one,
                                 one + 1,
                                 one - 1,
                                 power(-1),
                                 power(1),
                                 power(1) + half_ulp,
                                 one + half_ulp,
                                 inf,
                                 inf - 1,
                                 inf | half_ulp,
                                 inf | (half_ulp >> 1),
                                 inf - (ulp << m),
                                 power(-m - 1),
                                 power(m),
                                 power(m) + 1,
                                 power(5) + 5,
                                 one + 3,
                                 half_ulp,
                                 (ulp << m) + 1,
                                 power(-4) + half_ulp - 1};
  static_assert(std::size(magnitudes) == kPairs / 2);
  const uint64_t sign = uint64_t{index >= kPairs / 2} << (e + m);
  return (magnitudes[index % (kPairs / 2)] & MaskOf(e + m)) | sign;
}

uint64_t Special(Type element, int index) {
  return IsFloat(element) ? SpecialFloat(element, index)
                          : SpecialInteger(BitsOf(element), index);
}

// One lane. Samples: all pairs of specials, then random bits, of which each
// fourth has a small magnitude and each fourth is near the first input.
uint64_t LaneInput(Type element, int position, int sample) {
  const auto seed = static_cast<uint64_t>(sample * 8 + position);
  if (sample < kPairs * kPairs) {
    const int index[] = {sample / kPairs, sample % kPairs};
    if (position < 2) return Special(element, index[position]);
    return Special(element, static_cast<int>(Mix(seed) % kPairs));
  }
  const uint64_t random = Mix(seed);
  if (sample % 4 == 1) return Special(element, static_cast<int>(random % 48));
  if (sample % 4 == 2 && !IsFloat(element)) return random >> (random & 63);
  if (sample % 4 == 2) {  // about one
    const auto [e, m] = LayoutOf(element);
    const uint64_t fraction = MaskOf(m) & random;
    const uint64_t exponent = MaskOf(e - 1) - 3 + ((random >> 56) & 7);
    return (exponent & MaskOf(e)) << m | fraction | ((random >> 63) << (e + m));
  }
  if (sample % 4 == 3 && position > 0)
    return Mix(static_cast<uint64_t>(sample * 8)) ^ (random & 3);
  return random;
}

// The registers of a type: "r" of .b32.
std::string RegisterClass(Type type) {
  if (type == Type::kPred) return "p";
  const int bits = BitsOf(type);
  return bits > 64   ? "q"
         : bits > 32 ? "d"
         : bits > 16 ? "r"
         : bits > 8  ? "h"
                     : "c";
}

int RegisterBits(Type type) {
  const int bits = BitsOf(type);
  return bits > 16 ? 32 : bits > 8 ? 16 : 8;
}

Operand Name(std::string name) {
  Operand o;
  o.name = std::move(name);
  return o;
}

// Operands of the letters, named by direction and position of their word.
class OperandMaker {
 public:
  OperandMaker(char direction, Type type, Type source, int parts)
      : direction_(direction), type_(type), source_(source), parts_(parts) {}

  std::vector<Operand> Make(std::string_view letters, uint64_t constant) {
    std::vector<Operand> out;
    for (size_t i = 0; i < letters.size(); ++i) {
      const char letter = letters[i];
      if (letter == 'k') continue;
      if (letter == 'i') {
        ++word_;
        out.push_back(Constant(constant));
      } else if (letter == '{') {
        out.push_back(Vector());
      } else if (letter == 'q' || (letter == 'p' && i > 0 && IsResult())) {
        Operand pair;
        pair.kind = Operand::Kind::kPair;
        pair.parts = {out.back(), Next(Type::kPred)};
        out.back() = pair;
      } else {
        out.push_back(Next(TypeOf(letter)));
      }
    }
    return out;
  }

 private:
  bool IsResult() const { return direction_ == 'o'; }

  static Operand Constant(uint64_t value) {
    Operand o;
    o.kind = Operand::Kind::kNumber;
    o.number.bits = value;
    o.number.text = std::to_string(value);
    return o;
  }

  Type TypeOf(char letter) const {
    switch (letter) {
      case 's':
        return source_;
      case 'w':
        return *BitsType(2 * BitsOf(type_));
      case 'p':
        return Type::kPred;
      case 'u':
      case 'b':
        return Type::kB32;
      default:
        return type_;
    }
  }

  Operand Next(Type type) {
    std::string name =
        fmt::format("{}{}{}", RegisterClass(type), direction_, word_);
    word_ += BitsOf(type) > 64 ? 2 : 1;
    return Name(name);
  }

  Operand Vector() {
    Operand vector;
    vector.kind = Operand::Kind::kVector;
    for (int i = 0; i < parts_; ++i)
      vector.parts.push_back(Next(*BitsType(BitsOf(type_) / parts_)));
    return vector;
  }

  char direction_;
  Type type_, source_;
  int parts_;
  int word_ = 0;
};

void AddCase(const ScalarForm& form, const std::string& spelling, int parts,
             uint64_t constant, std::vector<ScalarCase>& all) {
  ScalarOp probe;
  if (!ReadModifiers(form, spelling, &probe)) return;
  if (parts > 0 && BitsOf(probe.type) / parts < 8) return;
  ScalarCase c;
  c.instruction.opcode = spelling;
  c.instruction.operands = OperandMaker('o', probe.type, probe.source, parts)
                               .Make(form.results(), 0);
  for (Operand& o : OperandMaker('i', probe.type, probe.source, parts)
                        .Make(form.sources(), constant))
    c.instruction.operands.push_back(o);
  auto op = CompileScalar(c.instruction, &c.name);
  if (!op) {
    fmt::print(stderr, "{}\n", c.name);
    return;
  }
  c.op = *op;
  c.constant = constant;
  c.name = spelling;
  if (parts > 0)
    c.name +=
        fmt::format(" {} {}", form.results()[0] == '{' ? "to" : "from", parts);
  if (form.operands.find('i') != std::string_view::npos)
    c.name += fmt::format(" {:#x}", constant);
  all.push_back(std::move(c));
}

std::string LoadText(Type type, int word) {
  std::string to = fmt::format("{}i{}", RegisterClass(type), word);
  std::string load = fmt::format("ld.global.b64 w{0}, [a{0}];\n", word);
  if (type == Type::kPred)
    return load + fmt::format("setp.ne.b64 {}, w{}, 0;\n", to, word);
  if (BitsOf(type) > 64) return load;  // packed when both words are there
  if (BitsOf(type) > 32)
    return load + fmt::format("mov.b64 {}, w{};\n", to, word);
  return load +
         fmt::format("cvt.u{}.u64 {}, w{};\n", RegisterBits(type), to, word);
}

std::string StoreText(Type type, int word) {
  std::string from = fmt::format("{}o{}", RegisterClass(type), word);
  std::string convert;
  if (type == Type::kPred)
    convert = fmt::format("selp.b64 w0, 1, 0, {};\n", from);
  else if (BitsOf(type) > 64)
    convert = "";
  else if (BitsOf(type) > 32)
    convert = fmt::format("mov.b64 w0, {};\n", from);
  else
    convert = fmt::format("cvt.u64.u{} w0, {};\n", RegisterBits(type), from);
  return convert + fmt::format("st.global.b64 [o+{}], w0;\n", 8 * word);
}

std::string OperandText(const Operand& o) {
  if (o.kind == Operand::Kind::kName) return o.name;
  if (o.kind == Operand::Kind::kNumber) return o.number.text;
  const bool vector = o.kind == Operand::Kind::kVector;
  std::string text;
  for (const Operand& part : o.parts) {
    if (!text.empty()) text += vector ? ", " : "|";
    text += part.name;
  }
  return vector ? "{" + text + "}" : text;
}

std::string InstructionText(const ScalarCase& c) {
  std::string text = c.instruction.opcode;
  const char* separator = " ";
  for (const Operand& o : c.instruction.operands) {
    text += separator + OperandText(o);
    separator = ", ";
  }
  return text + ";\n";
}

bool IsSubtraction(const ScalarCase& c) {
  return c.instruction.opcode.starts_with("sub");
}

// The carry flag is set by an addition, a borrow by a subtraction.
std::string CarryIn(const ScalarCase& c) {
  if (!c.op.form->sources().ends_with('k')) return "";
  const int word = c.op.inputs - 1;
  std::string flag = fmt::format("selp.b32 rk, 1, 0, pi{};\n", word);
  return flag + (IsSubtraction(c) ? "sub.cc.u32 rk, 0, rk;\n"
                                  : "add.cc.u32 rk, rk, 0xffffffff;\n");
}

std::string CarryOut(const ScalarCase& c) {
  if (!c.op.form->results().ends_with('k')) return "";
  const char* read =
      IsSubtraction(c) ? "subc.u32 rk, 0, 0;\n" : "addc.u32 rk, 0, 0;\n";
  return read + fmt::format("setp.ne.u32 po{}, rk, 0;\n", c.op.outputs - 1);
}

}  // namespace

std::vector<ScalarCase> AllScalarCases() {
  std::vector<ScalarCase> all;
  for (const ScalarForm& form : AllScalarForms()) {
    const bool vector = form.operands.find('{') != std::string_view::npos;
    const bool constant = form.operands.find('i') != std::string_view::npos;
    for (const std::string& spelling : SpellingsOf(form)) {
      if (vector) {
        for (int parts : {2, 4}) AddCase(form, spelling, parts, 0, all);
      } else if (constant) {
        for (uint64_t table : {0x96, 0xea, 0x1b, 0x80, 0xfe})
          AddCase(form, spelling, 0, table, all);
      } else {
        AddCase(form, spelling, 0, 0, all);
      }
    }
  }
  return all;
}

uint64_t SampleInput(Type type, int position, int sample) {
  if (type == Type::kPred)
    return Mix(static_cast<uint64_t>(sample * 8 + position)) & 1;
  const TypeInfo& info = InfoOf(type);
  if (info.lanes == 1 || BitsOf(info.element) < 8)
    return Extend(
        LaneInput(info.lanes == 1 ? type : Type::kB16, position, sample), type);
  const int bits = BitsOf(info.element);
  const uint64_t low =
      ZeroExtend(LaneInput(info.element, position, sample), bits);
  // Another sample for the upper lane.
  const uint64_t high = ZeroExtend(
      LaneInput(info.element, position, (sample * 7 + 1) % kSamples), bits);
  return high << bits | low;
}

Words SampleInputs(const ScalarCase& c, int sample) {
  Words in{};
  for (int i = 0; i < c.op.inputs; ++i)
    in[i] = SampleInput(c.op.input_types[i], i, sample);
  const size_t constant = c.op.form->sources().find('i');
  if (constant != std::string_view::npos) in[constant] = c.constant;
  return in;
}

uint64_t Comparable(const ScalarOp& op, int output, uint64_t word) {
  const Type type = op.output_types[static_cast<size_t>(output)];
  const bool f64 = op.type == Type::kF64 || op.source == Type::kF64;
  if (f64 && IsFloat(type) && std::isnan(scalar::Load(ScalarOp(), type, word)))
    return MaskOf(BitsOf(type));
  return ZeroExtend(word, BitsOf(type));
}

bool WithinBound(const ScalarOp& op, const Words& in, uint64_t word) {
  const Type element = InfoOf(op.type).element;
  const int bits = BitsOf(element);
  const uint64_t given = Execute(op, in)[0];
  auto value = [&](uint64_t packed, int lane) {
    return scalar::Load(ScalarOp(), element,
                        ZeroExtend(packed >> (lane * bits), bits));
  };
  for (int lane = 0; lane < InfoOf(op.type).lanes; ++lane) {
    const double expected = value(given, lane), found = value(word, lane);
    if (std::isnan(expected) && std::isnan(found)) continue;
    if (expected == found) continue;
    const uint64_t code = ZeroExtend(given >> (lane * bits), bits);
    const double ulp =
        std::fabs(scalar::Load(ScalarOp(), element, code ^ 1) - expected);
    const ErrorBound bound = op.error();
    const double most = std::max(
        bound.ulps * ulp,
        bound.absolute + bound.of_input * std::fabs(value(in[0], lane)));
    if (!(std::fabs(found - expected) <= most)) return false;
  }
  return true;
}

std::string KernelText(const ScalarCase& c, const std::string& kernel) {
  std::string text = fmt::format(".visible .entry {}(.param .u64 po", kernel);
  for (int i = 0; i < c.op.inputs; ++i)
    text += fmt::format(", .param .u64 p{}", i);
  text +=
      ") {\n.reg .b32 t<4>, rk;\n.reg .b64 o, off, w<8>, a<8>, di<8>, do<8>;"
      "\n.reg .b32 ri<8>, ro<8>;\n.reg .b16 hi<8>, ho<8>;\n.reg .b8 ci<8>, "
      "co<8>;\n.reg .b128 "
      "qi<8>, qo<8>;\n.reg .pred pi<8>, po<8>;\n"
      "mov.u32 t0, %ctaid.x;\nmov.u32 t1, %ntid.x;\nmov.u32 t2, %tid.x;\n"
      "mad.lo.s32 t0, t0, t1, t2;\n";
  text += fmt::format(
      "ld.param.u64 o, [po];\nmul.wide.u32 off, t0, {};\n"
      "add.s64 o, o, off;\nmul.wide.u32 off, t0, 8;\n",
      8 * c.op.outputs);
  for (int i = 0; i < c.op.inputs; ++i) {
    text += fmt::format(
        "ld.param.u64 a{0}, [p{0}];\nadd.s64 a{0}, a{0}, off;\n", i);
    text += LoadText(c.op.input_types[i], i);
    if (BitsOf(c.op.input_types[i]) > 64 && i % 2 == 1)
      text += fmt::format("mov.b128 qi{}, {{w{}, w{}}};\n", i - 1, i - 1, i);
  }
  text += CarryIn(c) + InstructionText(c) + CarryOut(c);
  for (int i = 0; i < c.op.outputs; ++i) {
    if (BitsOf(c.op.output_types[i]) > 64)
      text += i % 2 == 0 ? fmt::format("mov.b128 {{w0, w1}}, qo{};\n", i)
                         : "mov.b64 w0, w1;\n";
    text += StoreText(c.op.output_types[i], i);
  }
  return text + "ret;\n}\n";
}

}  // namespace tilesim::ptx

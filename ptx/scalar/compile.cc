// From a spelling to what executes it.
#include <bit>
#include <map>

#include "fmt/format.h"
#include "ptx/scalar/form.h"

namespace tilesim::ptx {
namespace {

constexpr ErrorBound kExact;
constexpr ErrorBound Ulps(double n) { return {n, 0}; }
constexpr ErrorBound Either(double n, double x) { return {n, x}; }
constexpr ErrorBound Absolute(double x, double of_input) {
  return {0, x, of_input};
}

constexpr ScalarForm kForms[] = {
#define PTX_SCALAR(spelling, operands, meaning, error) \
  {spelling, operands, &scalar::meaning, error},
#include "ptx/scalar/forms.def"
#undef PTX_SCALAR
};

using FormsByOpcode = std::multimap<std::string_view, const ScalarForm*>;

const FormsByOpcode& FormsOf() {
  static const auto& forms = *[] {
    auto* made = new FormsByOpcode;
    for (const ScalarForm& form : kForms) made->emplace(form.opcode(), &form);
    return made;
  }();
  return forms;
}

std::string_view OpcodeOf(std::string_view spelling) {
  return spelling.substr(0, spelling.find('.'));
}

std::optional<Type> TypeOfLetter(char letter, const ScalarOp& op) {
  switch (letter) {
    case 't':
    case 'e':
      return op.type;
    case 's':
      return op.source;
    case 'u':
    case 'i':
      return Type::kU32;
    case 'b':
      return Type::kB32;
    case 'w':
      // u16 to u32, s32 to s64: a type is followed by the one twice as wide.
      return static_cast<Type>(static_cast<uint8_t>(op.type) + 1);
    default:
      return Type::kPred;
  }
}

// Adds the words of one operand.
bool AddWords(Type type, uint8_t* count, std::array<Type, kMaxWords>* types) {
  const int words = BitsOf(type) > 64 ? 2 : 1;
  for (int i = 0; i < words; ++i) {
    if (*count == kMaxWords) return false;
    (*types)[(*count)++] = type;
  }
  return true;
}

// The parts of {a, b}: the instruction's type, divided among them.
bool AddParts(const Operand& operand, Type whole, uint8_t* count,
              std::array<Type, kMaxWords>* types) {
  const int parts = static_cast<int>(operand.parts.size());
  if (operand.kind != Operand::Kind::kVector || parts < 2 || parts > 4)
    return false;
  auto part = BitsType(BitsOf(whole) / parts);
  if (!part) return false;
  for (int i = 0; i < parts; ++i)
    if (!AddWords(*part, count, types)) return false;
  return true;
}

// Takes the operands that `letters` describe, from `next` on.
class OperandReader {
 public:
  OperandReader(const Instruction& instruction, const ScalarOp& op)
      : operands_(instruction.operands), op_(op) {}

  bool Read(std::string_view letters, uint8_t* count,
            std::array<Type, kMaxWords>* types) {
    for (char letter : letters)
      if (!ReadOne(letter, count, types)) return false;
    return true;
  }
  bool AtEnd() const { return next_ == operands_.size(); }

 private:
  bool ReadOne(char letter, uint8_t* count,
               std::array<Type, kMaxWords>* types) {
    if (letter == 'k') return AddWords(Type::kPred, count, types);
    if (letter == 'q') {  // the second of the pair just read
      return operands_[next_ - 1].kind != Operand::Kind::kPair ||
             AddWords(Type::kPred, count, types);
    }
    if (pair_ && letter == 'p') return AddWords(Type::kPred, count, types);
    if (next_ == operands_.size()) return false;
    const Operand& operand = operands_[next_++];
    pair_ = operand.kind == Operand::Kind::kPair;
    if (letter == '{') return AddParts(operand, op_.type, count, types);
    if (operand.kind == Operand::Kind::kVector ||
        operand.kind == Operand::Kind::kAddress)
      return false;
    return AddWords(*TypeOfLetter(letter, op_), count, types);
  }

  const std::vector<Operand>& operands_;
  const ScalarOp& op_;
  size_t next_ = 0;
  bool pair_ = false;
};

bool ReadOperands(const ScalarForm& form, const Instruction& instruction,
                  ScalarOp* op) {
  OperandReader reader(instruction, *op);
  return reader.Read(form.results(), &op->outputs, &op->output_types) &&
         reader.Read(form.sources(), &op->inputs, &op->input_types) &&
         reader.AtEnd();
}

// "add {.u16|u32}, add {.sat} .s32": what is executed instead.
std::string FormsText(std::string_view opcode) {
  std::string text;
  auto [begin, end] = FormsOf().equal_range(opcode);
  for (auto i = begin; i != end; ++i)
    text +=
        fmt::format("{}`{}`", text.empty() ? "" : ", ", i->second->spelling);
  return text;
}

std::string WhyNot(const Instruction& i, bool spelling_known) {
  std::string_view opcode = OpcodeOf(i.opcode);
  if (!FormsOf().contains(opcode))
    return fmt::format("`{}` is no scalar instruction that is executed",
                       i.opcode);
  if (spelling_known)
    return fmt::format("`{}` is not executed with these operands", i.opcode);
  return fmt::format("`{}` is not executed; of `{}`, these forms are: {}",
                     i.opcode, opcode, FormsText(opcode));
}

}  // namespace

std::span<const ScalarForm> AllScalarForms() { return kForms; }

ErrorBound ScalarOp::error() const { return form->error; }

bool IsScalarOpcode(std::string_view spelling) {
  return FormsOf().contains(OpcodeOf(spelling));
}

std::optional<ScalarOp> CompileScalar(const Instruction& instruction,
                                      std::string* why) {
  bool spelling_known = false;
  auto [begin, end] = FormsOf().equal_range(OpcodeOf(instruction.opcode));
  for (auto i = begin; i != end; ++i) {
    const ScalarForm& form = *i->second;
    ScalarOp op;
    op.form = &form;
    if (!ReadModifiers(form, instruction.opcode, &op)) continue;
    spelling_known = true;
    if (ReadOperands(form, instruction, &op)) return op;
  }
  if (why != nullptr) *why = WhyNot(instruction, spelling_known);
  return std::nullopt;
}

uint64_t ConstantBits(const Number& number, Type type) {
  const Type element = InfoOf(type).element;
  if (number.kind == Number::Kind::kF64 && element == Type::kF32) {
    const auto narrow = static_cast<float>(std::bit_cast<double>(number.bits));
    return std::bit_cast<uint32_t>(narrow);
  }
  if (number.kind == Number::Kind::kF32 && element == Type::kF64) {
    const auto wide = static_cast<double>(
        std::bit_cast<float>(static_cast<uint32_t>(number.bits)));
    return std::bit_cast<uint64_t>(wide);
  }
  return Extend(number.bits, type);
}

}  // namespace tilesim::ptx

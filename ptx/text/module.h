// A PTX module as a tree: what the text says, in its order, with nothing
// resolved. ptx/flow gives names their meaning.
//
//   .visible .entry k(.param .u64 a) .reqntid 128   Function, Variable,
//   Directive {                                               its body:
//   statements
//     .reg .b32 %r<4>;                              kVariable
//     @!%p1 ld.shared.v2.b32 {%r1, %r2}, [%r3+8];   kInstruction
//   }
//
// Bodies are flat: `{` and `}` are statements of their own, so that no text
// nests the tree deeper than an initialiser may be.
#ifndef TILESIM_PTX_TEXT_MODULE_H_
#define TILESIM_PTX_TEXT_MODULE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/span.h"

namespace tilesim::ptx {

// An integer or floating-point constant. Printed as it was written.
struct Number {
  enum class Kind : uint8_t { kInteger, kF32, kF64 };
  Kind kind = Kind::kInteger;
  bool negative = false;   // a `-` before it; `bits` has it applied
  uint64_t bits = 0;       // two's complement, or the bits of the float
  std::string text = "0";  // without the sign

  int64_t value() const { return static_cast<int64_t>(bits); }
  friend bool operator==(const Number&, const Number&) = default;
};

struct Operand {
  enum class Kind : uint8_t {
    kName,     // %r1, _, symbol, symbol+8, generic(symbol)+8, 0xff(symbol)
    kNumber,   // 4, -4, 0f3f800000
    kVector,   // {a, b}
    kAddress,  // [a+8], [map, {x, y}]: the base, then what the commas part
    kElement,  // symbol[3]
    kPair,     // p|q
    kList,     // (a, b) of a call
  };
  Kind kind = Kind::kName;
  bool negated = false;     // !p
  bool generic = false;     // generic(symbol), of an initialiser
  bool has_offset = false;  // of kName: `number` is added; of kElement: index
  std::optional<Number> mask;  // 0xff(symbol), of an initialiser
  std::string name;            // of kName and kElement
  Number number;
  std::vector<Operand> parts;
  ir::Span span;

  bool is_sink() const { return kind == Kind::kName && name == "_"; }
  friend bool operator==(const Operand&, const Operand&) = default;
};

struct Guard {
  std::string reg;  // empty: none
  bool negated = false;

  explicit operator bool() const { return !reg.empty(); }
  friend bool operator==(const Guard&, const Guard&) = default;
};

struct Instruction {
  Guard guard;
  std::string opcode;  // with its modifiers: "ld.shared.v2.b32"
  std::vector<Operand> operands;

  // Whether it is spelt with the modifier, or modifiers in a row: ".noinc".
  bool Has(std::string_view modifier) const;

  friend bool operator==(const Instruction&, const Instruction&) = default;
};

enum class Linkage : uint8_t { kNone, kExtern, kVisible, kWeak, kCommon };

// One name of a declaration.
struct Declarator {
  std::string name;
  std::optional<uint64_t> range;              // %r<10>
  std::vector<std::optional<uint64_t>> dims;  // [2][], nullopt: empty brackets
  std::optional<Operand> initial;
  ir::Span span;

  friend bool operator==(const Declarator&, const Declarator&) = default;
};

// .reg, .shared, .global, .const, .local, .param, .tex: one or several names.
struct Variable {
  Linkage linkage = Linkage::kNone;
  std::string space;       // ".shared"
  std::string attributes;  // ".managed" of .attribute(.managed)
  std::optional<uint64_t> align;
  std::string vector;         // ".v4", or empty
  std::string type;           // ".b8"
  bool is_pointer = false;    // .ptr, of a parameter
  std::string pointer_space;  // ".global", or empty: generic
  std::optional<uint64_t> pointer_align;
  std::vector<Declarator> names;

  friend bool operator==(const Variable&, const Variable&) = default;
};

// .reqntid 128, 1, 1 and its kin; of a function or of a module.
struct Directive {
  std::string name;  // ".reqntid"
  std::vector<Number> numbers;
  std::vector<std::string> strings;  // of .pragma, quotes included
  ir::Span span;

  friend bool operator==(const Directive&, const Directive&) = default;
};

// A line of a `.file`.
struct LinePlace {
  uint64_t file = 0, line = 0, column = 0;
  friend bool operator==(const LinePlace&, const LinePlace&) = default;
};

// .loc 1 7 22, function_name $L__info_string0+4, inlined_at 1 20 3
struct Loc {
  using Place = LinePlace;
  Place place;
  std::string function;  // the label of its name in a section; may be empty
  uint64_t function_offset = 0;
  std::optional<Place> inlined_at;

  friend bool operator==(const Loc&, const Loc&) = default;
};

// The list behind a label: .branchtargets, .calltargets.
struct Targets {
  std::string directive;
  std::vector<std::string> names;

  friend bool operator==(const Targets&, const Targets&) = default;
};

// What .callprototype and functions have in common.
struct Signature {
  std::vector<Variable> returns, params;
  std::vector<Directive> directives;

  friend bool operator==(const Signature&, const Signature&) = default;
};

struct Statement {
  enum class Kind : uint8_t {
    kInstruction,
    kLabel,      // name
    kVariable,   // variable
    kLoc,        // loc
    kPragma,     // pragma
    kOpen,       // {
    kClose,      // }
    kTargets,    // name: .branchtargets a, b;
    kPrototype,  // name: .callprototype ...;
  };
  Kind kind = Kind::kInstruction;
  ir::Span span;
  std::string name;
  Instruction instruction;
  // What few statements have lies apart, so that the many stay small.
  std::vector<Variable> variable;  // at most one
  std::vector<Loc> loc;
  std::vector<Directive> pragma;
  std::vector<Targets> targets;
  std::vector<Signature> prototype;

  friend bool operator==(const Statement&, const Statement&) = default;
};

struct Function {
  Linkage linkage = Linkage::kNone;
  bool is_entry = false;
  bool has_body = false;
  bool has_params = false;  // an entry may lack even the parentheses
  std::string attributes;
  std::string name;
  Signature signature;
  std::vector<Statement> body;
  ir::Span span;   // of its name
  ir::Span brace;  // of its body

  // The directive of that name (".reqntid"), or null.
  const Directive* Find(std::string_view directive) const;

  friend bool operator==(const Function&, const Function&) = default;
};

// .section: DWARF data, as lines of words; never interpreted.
struct Section {
  std::string name;
  std::vector<std::vector<std::string>> lines;

  friend bool operator==(const Section&, const Section&) = default;
};

// .file 1 "name", 0, 0
struct File {
  uint64_t index = 0;
  std::string name;  // quotes included
  std::vector<Number> stamp;

  friend bool operator==(const File&, const File&) = default;
};

// .alias f, g;
struct Alias {
  std::string name, of;

  friend bool operator==(const Alias&, const Alias&) = default;
};

struct Module {
  // Where a top-level thing lies in the vector of its kind, in text order.
  struct Item {
    enum class Kind : uint8_t {
      kFunction,
      kVariable,
      kSection,
      kFile,
      kAlias,
      kDirective,
    };
    Kind kind = Kind::kFunction;
    size_t index = 0;

    friend bool operator==(const Item&, const Item&) = default;
  };

  std::string version;               // "8.7"
  std::vector<std::string> targets;  // "sm_90a"
  uint64_t address_size = 0;         // 0: not given
  std::vector<Item> items;
  std::vector<Function> functions;
  std::vector<Variable> variables;
  std::vector<Section> sections;
  std::vector<File> files;
  std::vector<Alias> aliases;
  std::vector<Directive> directives;

  friend bool operator==(const Module&, const Module&) = default;
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_TEXT_MODULE_H_

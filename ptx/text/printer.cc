#include "ptx/text/printer.h"

#include <algorithm>

#include "ir/cat.h"

namespace tilesim::ptx {
namespace {

using ir::Append;

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options) {}

  std::string Run(const Module& module);
  void PrintStatement(const Statement& s);
  void PrintOperand(const Operand& o);
  std::string Take() { return std::move(out_); }

 private:
  void Newline();
  void MoveTo(ir::Span span);
  void PrintNumber(const Number& n);
  void PrintOffset(const Number& n);
  void PrintParts(const Operand& o, std::string_view open,
                  std::string_view close);
  void PrintName(const Operand& o);
  void PrintVariable(const Variable& v);
  void PrintDeclarator(const Declarator& d);
  void PrintParams(const std::vector<Variable>& params);
  void PrintDirective(const Directive& d);
  void PrintDirectives(const std::vector<Directive>& directives);
  void PrintLinkage(Linkage linkage);
  void PrintFunction(const Function& f);
  void PrintSection(const Section& s);
  void PrintFile(const File& f);
  void PrintItem(const Module& module, const Module::Item& item);
  void PrintLoc(const Loc& loc);
  void PrintInstruction(const Instruction& i);
  void PrintPrototype(const Statement& s);
  void PrintTargets(const Targets& t);

  const PrintOptions options_;
  std::string out_;
  int32_t line_ = 1;
};

void Printer::Newline() {
  out_ += '\n';
  ++line_;
}

// Blank lines, until this is the line on which `span` begins; behind what was
// printed last, if that was the line.
void Printer::MoveTo(ir::Span span) {
  if (!options_.keep_lines) return;
  while (line_ < span.line) Newline();
  if (line_ != span.line + 1 || out_.empty() || out_.back() != '\n') return;
  out_.back() = ' ';
  --line_;
}

void Printer::PrintNumber(const Number& n) {
  Append(&out_, n.negative ? "-" : "", n.text);
}

void Printer::PrintOffset(const Number& n) {
  out_ += n.negative ? "+-" : "+";  // ptxas reads no "-" here
  out_ += n.text;
}

void Printer::PrintParts(const Operand& o, std::string_view open,
                         std::string_view close) {
  out_ += open;
  for (size_t i = 0; i < o.parts.size(); ++i) {
    if (i > 0) out_ += ", ";
    PrintOperand(o.parts[i]);
  }
  out_ += close;
}

void Printer::PrintName(const Operand& o) {
  if (o.mask) {
    PrintNumber(*o.mask);
    out_ += '(';
  }
  if (o.negated) out_ += '!';
  if (o.generic) {
    Append(&out_, "generic(", o.name, ")");
  } else {
    out_ += o.name;
  }
  if (o.has_offset) PrintOffset(o.number);
  if (o.mask) out_ += ')';
}

void Printer::PrintOperand(const Operand& o) {
  switch (o.kind) {
    case Operand::Kind::kName:
      return PrintName(o);
    case Operand::Kind::kNumber:
      return PrintNumber(o.number);
    case Operand::Kind::kVector:
      return PrintParts(o, "{", "}");
    case Operand::Kind::kAddress:
      return PrintParts(o, "[", "]");
    case Operand::Kind::kList:
      return PrintParts(o, "(", ")");
    case Operand::Kind::kElement:
      Append(&out_, o.name, "[");
      PrintNumber(o.number);
      out_ += ']';
      return;
    case Operand::Kind::kPair:
      PrintOperand(o.parts[0]);
      out_ += '|';
      PrintOperand(o.parts[1]);
      return;
  }
}

void Printer::PrintInstruction(const Instruction& i) {
  if (i.guard) Append(&out_, i.guard.negated ? "@!" : "@", i.guard.reg, " ");
  out_ += i.opcode;
  for (size_t k = 0; k < i.operands.size(); ++k) {
    out_ += k == 0 ? " " : ", ";
    PrintOperand(i.operands[k]);
  }
  out_ += ';';
}

void Printer::PrintDeclarator(const Declarator& d) {
  out_ += d.name;
  if (d.range) Append(&out_, "<", *d.range, ">");
  for (const std::optional<uint64_t>& dim : d.dims) {
    out_ += '[';
    if (dim) Append(&out_, *dim);
    out_ += ']';
  }
  if (!d.initial) return;
  out_ += " = ";
  PrintOperand(*d.initial);
}

void Printer::PrintVariable(const Variable& v) {
  out_ += v.space;
  if (!v.attributes.empty()) Append(&out_, " .attribute(", v.attributes, ")");
  if (v.align) Append(&out_, " .align ", *v.align);
  if (!v.vector.empty()) Append(&out_, " ", v.vector);
  Append(&out_, " ", v.type);
  if (v.is_pointer) {
    out_ += " .ptr";
    if (!v.pointer_space.empty()) Append(&out_, " ", v.pointer_space);
    if (v.pointer_align) Append(&out_, " .align ", *v.pointer_align);
  }
  for (size_t i = 0; i < v.names.size(); ++i) {
    out_ += i == 0 ? " " : ", ";
    PrintDeclarator(v.names[i]);
  }
}

void Printer::PrintParams(const std::vector<Variable>& params) {
  out_ += '(';
  for (size_t i = 0; i < params.size(); ++i) {
    if (i > 0) out_ += ", ";
    PrintVariable(params[i]);
  }
  out_ += ')';
}

void Printer::PrintDirective(const Directive& d) {
  out_ += d.name;
  for (size_t i = 0; i < d.numbers.size(); ++i) {
    out_ += i == 0 ? " " : ", ";
    PrintNumber(d.numbers[i]);
  }
  for (size_t i = 0; i < d.strings.size(); ++i)
    Append(&out_, i == 0 ? " " : ", ", d.strings[i]);
  if (!d.strings.empty()) out_ += ';';
}

void Printer::PrintDirectives(const std::vector<Directive>& directives) {
  for (const Directive& d : directives) {
    out_ += ' ';
    PrintDirective(d);
  }
}

void Printer::PrintLinkage(Linkage linkage) {
  switch (linkage) {
    case Linkage::kNone:
      return;
    case Linkage::kExtern:
      out_ += ".extern ";
      return;
    case Linkage::kVisible:
      out_ += ".visible ";
      return;
    case Linkage::kWeak:
      out_ += ".weak ";
      return;
    case Linkage::kCommon:
      out_ += ".common ";
      return;
  }
}

void Printer::PrintLoc(const Loc& loc) {
  auto place = [&](const Loc::Place& p) {
    Append(&out_, p.file, " ", p.line, " ", p.column);
  };
  out_ += ".loc ";
  place(loc.place);
  if (!loc.function.empty()) {
    Append(&out_, ", function_name ", loc.function);
    if (loc.function_offset > 0) Append(&out_, "+", loc.function_offset);
  }
  if (!loc.inlined_at) return;
  out_ += ", inlined_at ";
  place(*loc.inlined_at);
}

void Printer::PrintTargets(const Targets& t) {
  out_ += t.directive;
  for (size_t i = 0; i < t.names.size(); ++i)
    Append(&out_, i == 0 ? " " : ", ", t.names[i]);
  out_ += ';';
}

void Printer::PrintPrototype(const Statement& s) {
  const Signature& p = s.prototype[0];
  out_ += ".callprototype ";
  PrintParams(p.returns);
  out_ += " _ ";
  PrintParams(p.params);
  PrintDirectives(p.directives);
  out_ += ';';
}

void Printer::PrintStatement(const Statement& s) {
  bool named = s.kind == Statement::Kind::kTargets ||
               s.kind == Statement::Kind::kPrototype;
  if (named) Append(&out_, s.name, ": ");
  switch (s.kind) {
    case Statement::Kind::kInstruction:
      return PrintInstruction(s.instruction);
    case Statement::Kind::kLabel:
      Append(&out_, s.name, ":");
      return;
    case Statement::Kind::kVariable:
      PrintVariable(s.variable[0]);
      out_ += ';';
      return;
    case Statement::Kind::kLoc:
      return PrintLoc(s.loc[0]);
    case Statement::Kind::kPragma:
      return PrintDirective(s.pragma[0]);
    case Statement::Kind::kOpen:
      out_ += '{';
      return;
    case Statement::Kind::kClose:
      out_ += '}';
      return;
    case Statement::Kind::kTargets:
      return PrintTargets(s.targets[0]);
    case Statement::Kind::kPrototype:
      return PrintPrototype(s);
  }
}

void Printer::PrintFunction(const Function& f) {
  MoveTo(f.span);
  PrintLinkage(f.linkage);
  out_ += f.is_entry ? ".entry " : ".func ";
  if (!f.attributes.empty()) Append(&out_, ".attribute(", f.attributes, ") ");
  if (!f.signature.returns.empty()) {
    PrintParams(f.signature.returns);
    out_ += ' ';
  }
  out_ += f.name;
  if (f.has_params) PrintParams(f.signature.params);
  PrintDirectives(f.signature.directives);
  if (!f.has_body) {
    out_ += ';';
    return Newline();
  }
  Newline();
  MoveTo(f.brace);
  out_ += '{';
  Newline();
  for (const Statement& s : f.body) {
    MoveTo(s.span);
    if (s.kind != Statement::Kind::kLabel) out_ += '\t';
    PrintStatement(s);
    Newline();
  }
  out_ += '}';
  Newline();
}

void Printer::PrintSection(const Section& s) {
  Append(&out_, ".section ", s.name, " {");
  Newline();
  for (const std::vector<std::string>& line : s.lines) {
    for (size_t i = 0; i < line.size(); ++i)
      Append(&out_, i == 0 ? "" : " ", line[i]);
    Newline();
  }
  out_ += '}';
  Newline();
}

void Printer::PrintFile(const File& f) {
  Append(&out_, ".file ", f.index, " ", f.name);
  for (const Number& n : f.stamp) {
    out_ += ", ";
    PrintNumber(n);
  }
  Newline();
}

void Printer::PrintItem(const Module& module, const Module::Item& item) {
  switch (item.kind) {
    case Module::Item::Kind::kFunction:
      return PrintFunction(module.functions[item.index]);
    case Module::Item::Kind::kVariable:
      PrintLinkage(module.variables[item.index].linkage);
      PrintVariable(module.variables[item.index]);
      out_ += ';';
      return Newline();
    case Module::Item::Kind::kSection:
      return PrintSection(module.sections[item.index]);
    case Module::Item::Kind::kFile:
      return PrintFile(module.files[item.index]);
    case Module::Item::Kind::kAlias: {
      const Alias& a = module.aliases[item.index];
      Append(&out_, ".alias ", a.name, ", ", a.of, ";");
      return Newline();
    }
    case Module::Item::Kind::kDirective:
      PrintDirective(module.directives[item.index]);
      return Newline();
  }
}

std::string Printer::Run(const Module& module) {
  Append(&out_, ".version ", module.version);
  Newline();
  out_ += ".target ";
  for (size_t i = 0; i < module.targets.size(); ++i)
    Append(&out_, i == 0 ? "" : ", ", module.targets[i]);
  Newline();
  if (module.address_size > 0) {
    Append(&out_, ".address_size ", module.address_size);
    Newline();
  }
  for (const Module::Item& item : module.items) PrintItem(module, item);
  return std::move(out_);
}

}  // namespace

std::string Print(const Module& module, const PrintOptions& options) {
  if (!options.rename_registers) return Printer(options).Run(module);
  Module renamed = module;
  RenameRegisters(renamed);
  return Printer(options).Run(renamed);
}

std::string Print(const Statement& statement) {
  Printer printer({});
  printer.PrintStatement(statement);
  return printer.Take();
}

std::string Print(const Operand& operand) {
  Printer printer({});
  printer.PrintOperand(operand);
  return printer.Take();
}

}  // namespace tilesim::ptx

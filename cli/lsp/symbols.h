// What a text declares: for definitions, hover and completion.
#ifndef TILESIM_CLI_LSP_SYMBOLS_H_
#define TILESIM_CLI_LSP_SYMBOLS_H_

#include <optional>
#include <string>
#include <vector>

#include "cli/lsp/document.h"
#include "ir/program.h"

namespace tilesim::cli::lsp {

struct Symbol {
  std::string name;
  std::string what;  // "param", "shared", "fn"
  std::string path;  // of the file that has it
  ir::Span span;     // of its name
  std::string line;  // that declares it, as written
};

// Of one file, with those of the functions it includes.
class Symbols {
 public:
  Symbols() = default;
  // `program` as ParseSyntax or ParsePartly has it.
  Symbols(const ir::Program& program, const Document& document);

  // What the name means on that line (from 0): the nearest declaration above in
  // the same kernel or function, else what stands at the top level of a kernel,
  // else a function.
  const Symbol* Find(const std::string& name, int64_t line) const;
  // What may be named on that line.
  std::vector<const Symbol*> KnownAt(int64_t line) const;

 private:
  // A kernel or a function: from its line to the next one's.
  struct Unit {
    bool kernel = false;
    int32_t line = 0;
    std::vector<Symbol> symbols;  // in the order of the text
  };
  void AddKernel(const ir::Kernel& kernel, const Document& document);
  void AddFn(const ir::Fn& fn, const Document& document);
  void AddBlock(const ir::Block& block, const Document& document, Unit& unit);
  void AddIncludes(const ir::Program& program, const std::string& path,
                   int depth);
  const Unit* UnitAt(int64_t line) const;

  std::vector<Unit> units_;  // by line
  std::vector<Symbol> functions_;
};

}  // namespace tilesim::cli::lsp

#endif  // TILESIM_CLI_LSP_SYMBOLS_H_

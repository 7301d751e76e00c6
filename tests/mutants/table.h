// What becomes of a program's mutants, a row a program.
#ifndef TILESIM_TESTS_MUTANTS_TABLE_H_
#define TILESIM_TESTS_MUTANTS_TABLE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/mutants/judge.h"
#include "tests/mutants/mutate.h"

namespace tilesim::mutants {

// Of programs.txt: `examples/hopper/hgemm_v07.tile M=256 STAGES=2`, and below
// it what the program has as plain numbers: `  block 256 -> block 64`.
struct Entry {
  std::string path;
  std::string sizes;  // as they are written, and how many edits
  Instance instance;
  struct Edit {
    std::string from, to;
  };
  std::vector<Edit> edits;
};

std::vector<Entry> ReadEntries(const std::string& path);

struct Row {
  std::string path;
  std::string sizes;
  int64_t states = 0;  // of the program itself, without reduction; 0: too many
  int64_t mutants = 0;
  int64_t rejected = 0;  // no legal program
  int64_t killed = 0;
  int64_t equivalent = 0;
  int64_t undecided = 0;
  int64_t certified = 0;  // the run of the mutant stands for all its schedules
  int64_t in_full = 0;

  friend bool operator==(const Row&, const Row&) = default;
  // Of those that are programs.
  double decided() const;
};

// Is told of each mutant that is a program.
using Listener =
    std::function<void(const Entry&, const Mutant&, const Judgement&)>;

// The program as it is, and its mutants without judging them: what is cheap.
struct Subject {
  ir::Program program;
  std::vector<machine::Code> codes;
  std::vector<Mutant> mutants;
};
std::unique_ptr<Subject> Load(Entry& entry, std::string& why);

Row JudgeMutants(const Entry& entry, const Subject& subject,
                 const Listener& listener);

// A row, the table as a page, and back.
std::string Line(const Row& row);
std::string ToMarkdown(const std::vector<Row>& rows);
std::vector<Row> ReadTable(const std::string& path);

}  // namespace tilesim::mutants

#endif  // TILESIM_TESTS_MUTANTS_TABLE_H_

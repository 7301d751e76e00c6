// What the certificate, the reduced search and the oracle say of one program.
#ifndef TILESIM_TESTS_MUTANTS_JUDGE_H_
#define TILESIM_TESTS_MUTANTS_JUDGE_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/bind.h"
#include "ir/program.h"
#include "sim/machine/code.h"

namespace tilesim::mutants {

enum class Answer : uint8_t { kUndecided, kClean, kFindings };

struct Opinion {
  Answer answer = Answer::kUndecided;
  std::set<std::string> codes;  // of errors; of one that is enough to decide
};

struct Judgement {
  Opinion certificate;  // and the search where it does not hold: as `check`
  Opinion reduced;
  Opinion oracle;
  bool certified = false;  // every run stands for all
  int64_t states = 0;      // of the oracle
  // Both searches saw everything although something is wrong, so that all that
  // is wrong was compared and not only whether anything is.
  bool in_full = false;
  std::string difference;  // empty: those that decided agree
};

// What a program is shrunk to.
struct Instance {
  ir::Overrides sizes;  // each kernel takes what it knows
  int64_t sm_count = 1;
};

// The kernels of `program`, which must outlive them and was parsed with the
// instance's sizes. nullopt: `why` says what
// is wrong with the text or the sizes.
std::optional<std::vector<machine::Code>> Compile(const ir::Program& program,
                                                  const Instance& instance,
                                                  std::string& why);

// That the oracle sees of a right program; -1: more than `max_states`.
int64_t PositionsOf(const std::vector<machine::Code>& codes,
                    int64_t max_states);

// The first cluster of each kernel. `max_states` bounds each search.
Judgement Judge(const std::vector<machine::Code>& codes, int64_t max_states);
Judgement Judge(const std::vector<const machine::Code*>& codes,
                int64_t max_states);

}  // namespace tilesim::mutants

#endif  // TILESIM_TESTS_MUTANTS_JUDGE_H_

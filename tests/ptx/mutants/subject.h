// A kernel of PTX and how it is launched, as something that mutants can be made
// of and judged.
#ifndef TILESIM_TESTS_PTX_MUTANTS_SUBJECT_H_
#define TILESIM_TESTS_PTX_MUTANTS_SUBJECT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ptx/launch/launch.h"
#include "ptx/text/module.h"
#include "tests/mutants/judge.h"
#include "tests/ptx/mutants/mutate.h"

namespace tilesim::ptx_mutants {

struct Subject {
  std::string name;
  ptx::Module module;
  ptx::LaunchFile launches;
  std::vector<Mutant> mutants;  // of each kernel that is launched
};

// nullopt: `why` says what of the two files cannot be read.
std::optional<Subject> Load(const std::string& ptx, const std::string& launch,
                            std::string& why);

// What the three ways say of the first launch of that function in `module`,
// which is the subject's or a mutant. nullopt: it is refused, `why` says why.
std::optional<mutants::Judgement> JudgeModule(const Subject& subject,
                                              const ptx::Module& module,
                                              size_t function,
                                              int64_t max_states,
                                              std::string& why);

}  // namespace tilesim::ptx_mutants

#endif  // TILESIM_TESTS_PTX_MUTANTS_SUBJECT_H_

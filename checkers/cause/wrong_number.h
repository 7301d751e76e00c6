// Numbers of the text that may be wrong: how many bytes an op expects, how many
// arrivals an mbarrier.init counts. What comes in a run says what they should
// be; that others follow from them is shown by a run of the text with it.
#ifndef TILESIM_CHECKERS_CAUSE_WRONG_NUMBER_H_
#define TILESIM_CHECKERS_CAUSE_WRONG_NUMBER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checkers/cause/changed_text.h"
#include "checkers/run/log.h"
#include "ir/op.h"

namespace tilesim::checkers::cause {

struct WrongNumber {
  std::vector<const ir::Op*> ops;  // that name it, of the text
  size_t operand = 0;
  int64_t number = 0;  // that it should be
  std::string help;    // to write it
  // Fewer bytes are expected than come: a phase may be over before they are.
  bool too_few_bytes = false;
  bool too_few_arrivals = false;  // likewise
};
// Of each declaration of barriers, as far as all that counts there is alike.
std::vector<WrongNumber> WrongNumbersIn(const run::Log& log);

// The count of the barrier that is arrived at there, so high that no arrival is
// one too many: where one is, the run stops, and does not show how many come.
std::optional<WrongNumber> CountOutOfReach(const machine::Code& code,
                                           const ir::Span& arrival);

// What an mbarrier.init has counted in a run, at most; 0: it was not executed.
int64_t CountIn(const run::Log& log, const ir::Op& init);

// Waits that leave groups pending: with fewer of them, one less at first.
std::vector<WrongNumber> FewerPending(const run::Log& log);

// The text with the right one; nullptr: it is none that can be launched.
std::unique_ptr<ChangedText> WithNumber(const machine::Code& code,
                                        const WrongNumber& wrong);

}  // namespace tilesim::checkers::cause

#endif  // TILESIM_CHECKERS_CAUSE_WRONG_NUMBER_H_

// Numbers that CTAs draw from words of global memory, as many kernels do to
// find out who comes last: an atomic adds 1 to a word that is 0 at first and
// that nothing else touches, by one thread of each CTA, once.
//
//   atom.add.acq_rel.gpu n, Arrived[cta.x, cta.y], 1    // 0, 1, 2 ...
//
// The number is all that other CTAs decide for one, and of those that count in
// a word any may get any. So each CTA is judged by itself with every number it
// may get. Who has the lower one has counted before.
//
//   auto counter = TicketCounter::Of(code);
//   if (counter) ... counter->TicketsOf(cta) ...
#ifndef TILESIM_CHECKERS_RUN_TICKET_H_
#define TILESIM_CHECKERS_RUN_TICKET_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checkers/run/words_used.h"
#include "sim/machine/code.h"

namespace tilesim::checkers::run {

struct Log;

struct Ticket {
  GlobalWord word;
  int32_t op = -1;     // what counts, of Code::ops
  int64_t number = 0;  // that it gets
  bool last = false;   // nobody who counts in the word gets a higher one
  std::set<int32_t> put_back;  // ops that store 0 to words of the counter
};

class TicketCounter {
 public:
  // nullopt: the kernel has none, or in some CTA more than where it is in the
  // grid decides where it counts. Kernels of clusters have none.
  static std::optional<TicketCounter> Of(const machine::Code& code);

  // The operand of what counts that says where, in this or other code of the
  // kernel.
  const machine::CompiledOperand& WordIn(const machine::Code& code) const;
  // One for each number that the CTA may get.
  std::vector<Ticket> TicketsOf(int64_t cta) const;

 private:
  TicketCounter(int32_t op, std::set<int32_t> put_back)
      : op_(op), put_back_(std::move(put_back)) {}
  static std::optional<TicketCounter> In(const machine::Code& code,
                                         int32_t decl);
  bool FindWords(const machine::Code& code);

  int32_t op_;
  std::set<int32_t> put_back_;
  std::vector<GlobalWord> words_;         // by CTA
  std::map<GlobalWord, int64_t> counts_;  // CTAs that count in a word
};

// By CTA, the word in which the operand of an op lies. nullopt: more than where
// it is in the grid may decide that, or it is none, or there are too many CTAs.
std::optional<std::vector<GlobalWord>> WordsByCta(const machine::Code& code,
                                                  const machine::CompiledOp& op,
                                                  int operand);

// Whether each CTA of the run has counted, one of its threads and once.
bool CountsOnce(const Log& log, const Ticket& ticket);
// Whether what puts a counter back is done by nobody but the thread that has
// drawn the last number of that word.
bool PutsBackLast(const Log& log, const Ticket& ticket);

}  // namespace tilesim::checkers::run

#endif  // TILESIM_CHECKERS_RUN_TICKET_H_

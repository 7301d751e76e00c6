// What the proofs rest on, by number: the conditions of a certificate
// (docs/certificate.md 3), and what the proof for all sizes asks for
// (docs/all_sizes.md 2 to 6). Which function judges one, and which test shows
// that it is needed, is found by its name.
#ifndef TILESIM_CHECKERS_PROOF_CONDITION_H_
#define TILESIM_CHECKERS_PROOF_CONDITION_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace tilesim::checkers::proof {

enum class Condition : uint8_t {
  // Of a certificate.
  kLives,          // 3.0
  kContributions,  // 3.1
  kWaits,          // 3.2
  kExpectations,   // 3.3
  kCounts,         // 3.4
  kBarriers,       // 3.5
  kPools,          // 3.6
  // Of all sizes.
  kSameState,       // 2: an iteration ends in the state in which it began
  kRingOperands,    // 3.1: what an op works on turns with its ring
  kRingMemory,      // 3.1: a ring shares no memory, or turns whole rounds
  kRingExtents,     // 3.1: its slots are written alike and written over
  kWindow,          // 3.3: as many iterations as the window spans
  kReadsInOrder,    // 3.3: of reads somebody knows more than that each is over
  kFlagsSetOnce,    // 3.6
  kFlagsAlone,      // 3.6: a cluster is one CTA
  kFlagsOneWay,     // 3.6
  kUnsetUnawaited,  // 3.6: for who sets no flag nobody waits
  kBarrierOfAll,    // 3.6: a barrier of the grid waits for every CTA
  kAddedToIt,       // 3.6: who waits at a barrier of some has added to its word
  kSetBeforeWaits,  // 3.6: a CTA sets its flag before it waits for any
  kSettersWaitForNone,  // 3.6
  kWordsStored,         // 3.6: all words of a tensor are set
  kWholeDigits,         // 3.7: the divisor divides the digit's values
  kIdleIterations,      // 3.8: the next iteration is as the first
  kWholeRounds,         // 3.9: a ring that begins again has turned whole rounds
  kOwnPart,             // 3.10: an index of no part is none of any part
  kStepsRise,           // 3.10: who waits for a step is let go by later ones
  kOneAddAtATime,       // 3.10: nobody adds again before a barrier is passed
  kAddedOnce,           // 3.10: what is added to 0, once, is stored
  kAllCount,            // 3.10: as many count as are waited for
  kAsksOnly,            // 3.10: a loop that asks a barrier does nothing else
  kLeaderReleases,      // 3.10: who sees a leader's flag comes after it
  kLeaderIsThere,       // 3.10: one of those that wait for a flag sets it
  kFlagSetAnew,         // 3.10: a flag is not that of an earlier barrier
  kBelowGrid,           // 3.10: a loop that counts turns begins below its step
  kSetterIsOver,        // 3.10: who sets words to 0 is over when they are used
  kBehindTheWait,       // 3.11: memory of other kernels is touched behind it
  kSameTrips,        // 3.11: loops that share a count go around equally often
  kPassedOver,       // 3.11: which iterations are executed decides nothing
  kAllEntered,       // 3.11: of loops that share a count all go around
  kPassedBy,         // 3.11: nobody asks whether there is a first iteration
  kOwnInFront,       // 3.11: what a passed-over iteration sets is its own
  kEndsAsWritten,    // 3.11: what is known of a loop is of no shorter one
  kPlaceInside,      // 3.12: wherever it is, it lies inside its tensor
  kPlaceUnread,      // 3.12: what is written there is not read
  kAllOfADigit,      // 3.18: as many have a digit as there are others
  kSameElement,      // 3.13: loads that share a number are of one element
  kPutBackLast,      // 3.14: by who has drawn the last number
  kAnyPlace,         // 3.15: what is written at any place is written nowhere
  kHandedState,      // 3.19: what decides recurs from request to request
  kHandedWhichever,  // 3.19: whichever clusters are handed out
  kHandedApart,      // 3.19: what two clusters do lies apart
  kAsLoaded,         // 3.15: a place is what was loaded, and nothing else
  kAccumulatorKept,  // 3.16: nothing else was written to it
  kAccumulatorWritten,  // 3.16
  kSameText,            // 3.17: loops of the two kinds are one text
  kOnePair,             // 3.17: a thread does one pair of them at most
  kCountNow,            // 3.17: a count is that of the step it is used in
  kOneCount,            // 3.17: an operand depends on one of the two counts
  kOneForAll,           // 3.17: all that name an object do so by the same one
  kOwnBarriers,         // 3.17: who uses a barrier of the inner loop is in it
  kNoneMissing,         // 3.17: steps that may be missing ask for no tile
  kFixedNumbers,        // 3.17: of named barriers, and of pending groups
  kOfIteration,         // 3.17: a place that some even iteration has
  kAlways,              // 3.17: nothing else is done in some iterations alone
  kOnlyUpdates,         // 3.17: what is done always changes registers in place
  kElementOfTile,       // 3.17: an element that a step uses is of its own tile
  kSumsBegin,           // 3.17: a sum begins where it does if all are even
  kFixedRegisters,      // 3.17: a register tile is named by no count
  kOneBehind,           // 3.17: behind the loops barriers go by one count
  kNotLater,            // 3.17: nobody waits for what is done in later parts
  kMeetInPart,          // 3.17: who meets does so in one part
  kSameDistance,        // 3.17: who waits does so for as many before
  kNoneLacks,           // 3.17: and does so in each step
  kNothingBegins,       // 3.17: nothing is initialised or given back there
  kAllOfACell,          // 4: the parts of a cell are all of it
  kOneLast,             // 5.2: who comes after all drew the last number
  kFlagOfOneCta,        // 5.2: one CTA alone sets a word
  kSeenToTheEnd,        // 5.3: a distance was seen to be the largest
  kFixedPlaces,         // 5.3: places that are the same in every CTA
  kOneStore,            // 5.8: one op alone writes the word
  kOtherExecution,      // 5.8: each load finds that of an execution of its own
  kLastIteration,       // 5.1: what a loop leaves is of its last iteration
  kInCells,             // 5.4: a store begins where a cell begins
  kAsManyAsCells,       // 5.4
  kGuardsInside,        // 5.4: who is kept from storing would store nothing
  kLetsPass,            // 5.4: a scope that has no lane executes nothing
  kAsByItsOwn,          // 5.9: a cluster's work is done as by its own CTAs
  kAsInFront,           // 5.9: and as in front of the loop that asks
  kEachAnswer,          // 5.9: each answer is read once, in turn
  kLastStores,          // 5.10: whoever draws the last number makes the access
  kOnePlaceAWord,       // 5.10: all that count in a word would do it there
  kAnyCounts,           // 5.10: there is a last one: somebody counts
  kBackAgain,           // 5.1: what flips is back after two iterations
  kPartsMeet,           // 5.4: one kernel stores up to where another begins
  kOneInTurn,           // 5.4: in each iteration one of those in turn stores
  kThoseStore,          // 5.4: CTAs that are counted make the store
  kAllRounds,           // 5.4: no tile is left when the rounds are over
  kThoseRounds,         // 5.4: in each round with a tile the store is made
  kEachInAPiece,        // 5.11: each tile of the line is stored by somebody
  kDefined,             // 5.6: nothing is divided by 0
  kStaysInRange,        // 5.6: no iteration leads out of a range
  kPositiveFactor,      // 6.1, 6.7
  kOneDivisor,          // 6.3
  kEqualArguments,      // 6.8
  kNothingRaises,       // 6.9: no column raises a row that is refuted
};

struct Named {
  Condition condition;
  std::string_view name;  // "lives"
};
std::span<const Named> Conditions();

// For tests alone, no part of what `check` is asked: as long as one lives, the
// condition is neither judged nor told. A program that is then called clean
// shows that the condition is needed (tests/agree/conditions_test.cc,
// tests/sizes/conditions_test.cc). One at a time.
class Weakened {
 public:
  explicit Weakened(Condition condition);
  ~Weakened();
  Weakened(const Weakened&) = delete;
  Weakened& operator=(const Weakened&) = delete;
};

// Whether the condition is to be judged: always, but for Weakened.
bool IsJudged(Condition condition);

}  // namespace tilesim::checkers::proof

#endif  // TILESIM_CHECKERS_PROOF_CONDITION_H_

#include "checkers/proof/condition.h"

#include <optional>

namespace tilesim::checkers::proof {
namespace {

std::optional<Condition> weakened;

constexpr Named kNamed[] = {
    {Condition::kLives, "lives"},
    {Condition::kContributions, "contributions"},
    {Condition::kWaits, "waits"},
    {Condition::kExpectations, "expectations"},
    {Condition::kCounts, "counts"},
    {Condition::kBarriers, "barriers"},
    {Condition::kPools, "pools"},
    {Condition::kSameState, "same-state"},
    {Condition::kRingOperands, "ring-operands"},
    {Condition::kRingMemory, "ring-memory"},
    {Condition::kRingExtents, "ring-extents"},
    {Condition::kWindow, "window"},
    {Condition::kReadsInOrder, "reads-in-order"},
    {Condition::kFlagsSetOnce, "flags-set-once"},
    {Condition::kFlagsAlone, "flags-alone"},
    {Condition::kFlagsOneWay, "flags-one-way"},
    {Condition::kUnsetUnawaited, "unset-unawaited"},
    {Condition::kBarrierOfAll, "barrier-of-all"},
    {Condition::kSetBeforeWaits, "set-before-waits"},
    {Condition::kSettersWaitForNone, "setters-wait-for-none"},
    {Condition::kWholeDigits, "whole-digits"},
    {Condition::kIdleIterations, "idle-iterations"},
    {Condition::kWholeRounds, "whole-rounds"},
    {Condition::kOwnPart, "own-part"},
    {Condition::kStepsRise, "steps-rise"},
    {Condition::kAsksOnly, "asks-only"},
    {Condition::kBelowGrid, "below-grid"},
    {Condition::kSetterIsOver, "setter-is-over"},
    {Condition::kSameTrips, "same-trips"},
    {Condition::kPassedOver, "passed-over"},
    {Condition::kAllEntered, "all-entered"},
    {Condition::kPassedBy, "passed-by"},
    {Condition::kOwnInFront, "own-in-front"},
    {Condition::kEndsAsWritten, "ends-as-written"},
    {Condition::kPlaceInside, "place-inside"},
    {Condition::kPlaceUnread, "place-unread"},
    {Condition::kAllOfADigit, "all-of-a-digit"},
    {Condition::kSameElement, "same-element"},
    {Condition::kPutBackLast, "put-back-last"},
    {Condition::kAnyPlace, "any-place"},
    {Condition::kAsLoaded, "as-loaded"},
    {Condition::kAccumulatorKept, "accumulator-kept"},
    {Condition::kAccumulatorWritten, "accumulator-written"},
    {Condition::kSameText, "same-text"},
    {Condition::kOnePair, "one-pair"},
    {Condition::kCountNow, "count-now"},
    {Condition::kOneCount, "one-count"},
    {Condition::kOneForAll, "one-for-all"},
    {Condition::kOwnBarriers, "own-barriers"},
    {Condition::kNoneMissing, "none-missing"},
    {Condition::kFixedNumbers, "fixed-numbers"},
    {Condition::kOfIteration, "of-iteration"},
    {Condition::kAlways, "always"},
    {Condition::kOnlyUpdates, "only-updates"},
    {Condition::kElementOfTile, "element-of-tile"},
    {Condition::kSumsBegin, "sums-begin"},
    {Condition::kFixedRegisters, "fixed-registers"},
    {Condition::kOneBehind, "one-behind"},
    {Condition::kNotLater, "not-later"},
    {Condition::kMeetInPart, "meet-in-part"},
    {Condition::kSameDistance, "same-distance"},
    {Condition::kNoneLacks, "none-lacks"},
    {Condition::kNothingBegins, "nothing-begins"},
    {Condition::kAllOfACell, "all-of-a-cell"},
    {Condition::kOneLast, "one-last"},
    {Condition::kFlagOfOneCta, "flag-of-one-cta"},
    {Condition::kSeenToTheEnd, "seen-to-the-end"},
    {Condition::kFixedPlaces, "fixed-places"},
    {Condition::kOneStore, "one-store"},
    {Condition::kOtherExecution, "other-execution"},
    {Condition::kLastIteration, "last-iteration"},
    {Condition::kInCells, "in-cells"},
    {Condition::kAsManyAsCells, "as-many-as-cells"},
    {Condition::kGuardsInside, "guards-inside"},
    {Condition::kLetsPass, "lets-pass"},
    {Condition::kAsByItsOwn, "as-by-its-own"},
    {Condition::kAsInFront, "as-in-front"},
    {Condition::kEachAnswer, "each-answer"},
    {Condition::kLastStores, "last-stores"},
    {Condition::kOnePlaceAWord, "one-place-a-word"},
    {Condition::kAnyCounts, "any-counts"},
    {Condition::kBackAgain, "back-again"},
    {Condition::kPartsMeet, "parts-meet"},
    {Condition::kOneInTurn, "one-in-turn"},
    {Condition::kThoseStore, "those-store"},
    {Condition::kEachInAPiece, "each-in-a-piece"},
    {Condition::kDefined, "defined"},
    {Condition::kStaysInRange, "stays-in-range"},
    {Condition::kPositiveFactor, "positive-factor"},
    {Condition::kOneDivisor, "one-divisor"},
    {Condition::kEqualArguments, "equal-arguments"},
    {Condition::kNothingRaises, "nothing-raises"},
};

}  // namespace

std::span<const Named> Conditions() { return kNamed; }

Weakened::Weakened(Condition condition) { weakened = condition; }
Weakened::~Weakened() { weakened.reset(); }

bool IsJudged(Condition condition) { return weakened != condition; }

}  // namespace tilesim::checkers::proof

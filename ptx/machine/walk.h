// One strand on its way to the next operation that its threads execute.
#ifndef TILESIM_PTX_MACHINE_WALK_H_
#define TILESIM_PTX_MACHINE_WALK_H_

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ptx/machine/guide.h"

namespace tilesim::ptx {

inline constexpr size_t kWarp = ir::kWarpThreads;

class Walk {
 public:
  Walk(const PtxGuide& guide, machine::Machine& machine, machine::State& state,
       int32_t strand, machine::StepResult& result)
      : guide_(guide),
        program_(guide.program()),
        machine_(machine),
        state_(state),
        strand_(strand),
        result_(result) {}

  // False: it has ended or cannot go on.
  bool ToOperation();

 private:
  enum class Next : uint8_t { kGoOn, kThere, kStop };

  machine::Strand& strand() const { return state_.strands[strand_]; }
  Who who() const {
    const machine::Cta& cta = state_.ctas[strand().cta];
    return {strand(), cta, machine_.code_of(cta).bound};
  }
  Next One();
  // Lanes of each warp, of those that go on, for which the guard holds; all
  // warps have the same when it returns. nullopt: the strand was stopped.
  std::optional<uint32_t> Holding(const Step& step, bool* elected);
  void Narrow(uint32_t lanes, bool elected, int32_t join, uint32_t rest = 0,
              int32_t rest_pc = -1);
  bool PopFrames();
  Next Branch(const Step& step);
  Next EitherWay(const Step& step);
  Next BothWays(const Step& step, const Value& guard);
  bool MaySkip(const Step& step, const Value& guard);
  bool SkipsWide(const Step& step);
  bool PartKnown(const Step& step, int32_t join, bool computes = false);
  void SecondWay();
  void NoteGuard();
  void Forget(const Step& step, const Value& unknown);
  // Of accesses of its own memory nothing is judged.
  void ForgetUnjudged(const Step& step, const Value& unknown);
  void ForgetAt(int32_t pc);
  bool IsOnWayOf(int32_t pc) const;
  bool TakesBoth(const Step& step, const Value& guard) const;
  void NoteRead(const Step& step);
  // Only for whether it is known.
  Value GuardOf(const Step& step) const {
    return step.guard < 0 ? Value() : guide_.See(strand(), step.guard);
  }
  // Not known, and nothing is wrong with it: data decide.
  bool IsOfData(const Value& guard) const {
    return guard.unknown() && Lanes::UndefinedIn(guard) < 0 &&
           !guide_.DividesBy0(guard);
  }
  Next Trapped(const Step& step);
  Next BranchIndexed(const Step& step);
  Next Divided(const Step& step, uint32_t taken, bool elected);
  Next Operation(const Step& step);
  uint32_t Together(const Step& step);
  uint32_t OfOneBuffer(const Step& step);
  void KeepOneWarp();
  uint32_t OneLane(const Step& step);
  Next Compute(const Step& step);
  bool ExecutePayload(const Step& step);
  // False: one of them cannot be had.
  bool Results(const Step& step);
  // Accesses of memory of the thread alone, and of constants (walk_own.cc).
  bool Own(const Step& step);
  void OwnFault(ir::Code code, std::string message, std::string help);
  bool IsInside(const Step& step, const Value& address, int64_t bytes);
  void LoadOwn(const Step& step, const Value& address,
               const std::vector<Target>& results);
  Value OwnWord(const Step& step, const Value& address, size_t word);
  Value LocalWord(const Value& address, int64_t offset, int64_t bytes);
  void StoreOwn(const Step& step, const Value& address, size_t words);
  void StoreLocal(const Value& address, int64_t offset, int64_t bytes,
                  const Value& value);
  void ForgetLocal(const Value& unknown);
  std::optional<Next> GenericOwn(const Step& step);
  void Scalar(const Step& step);
  void ScalarOfSome(const Step& step, const Value& unknown);
  bool ScalarOfAll(const Step& step);
  const Step* ReductionOfStep(const Step& step) const;
  bool ReducesAlone(const Step& step);
  void SetReturned(const Step& step);
  bool DividesBy0(const Step& step, const Value& divisor);
  void Mapa(const Step& step);
  void Shuffle(const Step& step);
  void Vote(const Step& step);
  void Match(const Step& step);
  bool AreMembers(const Step& step);
  bool ReadsMembers(const Step& step, uint32_t mask);
  Next SomeLanes(std::string_view opcode);
  // Of an instruction that a whole warp executes, in one that has less lanes.
  Next PartOfWarp(std::string_view opcode);
  uint32_t Missing() const;
  // Lanes of a warp and where they go on.
  struct Way {
    uint32_t lanes;
    int32_t from;
  };
  int32_t MeetingPoint(Way a, Way b, int32_t join);
  int32_t ComesTo(Way way, int32_t join);
  bool OthersExit(const Step& step) const;
  void Elect(const Step& step);
  void Load(const Step& step);
  void AskAnswer(const Step& step);
  // Divides the strand where warps differ; true: it did.
  bool SplitWhere(const Value& v);
  Next Stop(const Value& unknown, std::string_view what);
  Next Fault(ir::Code code, std::string message, std::string help);
  bool MayWait(const Step& step) const;
  bool Executes(int32_t from, int32_t join, bool that_waits = false) const;
  bool Comes(int32_t from, int32_t to) const;  // from a step to a step
  bool PassesBy(uint32_t lanes, int32_t from, int32_t join);
  bool StepBy();
  // Whether control from there on may come to such a step before `join`.
  bool Finds(int32_t from, int32_t join,
             const std::function<bool(int32_t)>& wanted) const;
  // Lanes of the warp that are not here and have not exited: those that wait
  // for others elsewhere and do not come to this step; those that may come, in
  // another round of a loop, or exit.
  struct Absent {
    uint32_t never = 0, perhaps = 0;
  };
  Absent AbsentHere() const;
  std::vector<int32_t> PlacesOfOthers(const machine::Frame& frame) const;
  bool NamesOthers(const Step& step) const;
  bool OthersSync() const;
  bool WaitsBeforeEnd(int32_t from) const;
  bool Endless();
  int32_t LineHere() const;

  const PtxGuide& guide_;
  const Program& program_;
  machine::Machine& machine_;
  machine::State& state_;
  int32_t strand_;
  machine::StepResult& result_;
  bool again_ = false;
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_WALK_H_

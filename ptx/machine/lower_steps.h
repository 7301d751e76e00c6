// The steps of a program: from its graph, without payload.
#ifndef TILESIM_PTX_MACHINE_LOWER_STEPS_H_
#define TILESIM_PTX_MACHINE_LOWER_STEPS_H_

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/diagnostic.h"
#include "ptx/flow/slice.h"
#include "ptx/machine/discarded.h"
#include "ptx/machine/followed.h"
#include "ptx/machine/lower_ops.h"
#include "ptx/machine/program.h"
#include "ptx/machine/touches.h"
#include "sim/machine/code.h"

namespace tilesim::ptx {

// Whether such an instruction can be executed, as far as its opcode says: an
// operation that has a row, or a value that is computed. Payload need not be.
bool IsExecuted(const Node& node, Plane plane);

class Steps {
 public:
  // Adds to `program`, whose graph and memory are there, and to `code` an
  // instruction for each step and an op for each operation.
  Steps(Program& program, const Followed& followed, std::deque<ir::Op>& ops,
        machine::Code& code, ir::Diagnostics& diagnostics);
  void Run();
  // What is not checked.
  const std::vector<std::string>& open() const { return open_; }

 private:
  void FindWanted();
  void FindCosts();
  void Pay(int32_t node);
  void PayBefore(int32_t node);
  void ResolveLoads();
  void OneNode(int32_t node);
  void ExecuteAt(int32_t node, size_t first);
  void Branch(int32_t node);
  void Operation(int32_t node, const OpRow& row);
  void FollowWords(const Making& making, Step& step);
  void FollowMap(const Making& making, Step& step);
  std::vector<Target> WrittenBy(int32_t node) const;
  void Return(const Making& making, const std::vector<Target>& results,
              Step& step);
  void NotePeek(int32_t node, const Step& step);
  void ReadMap(int32_t node, const Step& copy);
  int32_t NewRegister(std::string name);
  int32_t SaysTaken(int32_t load, int32_t compare, bool holds);
  int32_t TakenAfter(int32_t load);
  bool LoadTwice(int32_t node, const OpRow& row);
  void GuardOfCopied(int32_t node, const Step& copy, Step& out);
  int64_t CopiedWord(int32_t node) const;
  void ReadCopied(int32_t node, Step& copy);
  void Rising(int32_t node, int64_t first, const std::vector<Target>& results);
  void Scalar(int32_t node);
  void Members(int32_t node);
  void ReadLane(const std::vector<Leaf>& leaves, Step& step) const;
  void LeaveOut();            // threads that the last warp has not
  bool OfWarp(int32_t node);  // shfl, vote, elect
  void Window(int32_t node, const std::vector<Leaf>& leaves);
  void Mapa(int32_t node, const std::vector<Leaf>& leaves);
  void LoadParam(int32_t node);
  void FindLocal();  // registers for words of local memory
  void Own(int32_t node);
  void Pack(int32_t node, const std::vector<Leaf>& leaves);
  void Query(int32_t node, const std::vector<Leaf>& leaves);
  void Unknown(int32_t node, const std::vector<Target>& results);
  void Constant(int32_t node, const Target& target, uint64_t bits);
  Step& Emit(Step::Kind kind, int32_t node);
  int32_t AddOp(const Node& node, const Making& making, ir::OpKind kind);
  Target TargetOf(int32_t reg) const;
  std::optional<Source> Read(const Leaf& leaf, Type type) const;
  void TouchBefore(int32_t node);
  void Refuse(int32_t node, std::string why);
  void TellRefused();
  void Resolve();  // targets and joins, by step
  std::vector<int32_t> ComputedBefore(int32_t join, int32_t branch,
                                      Step* of) const;
  bool Loads(const Step& s) const;
  bool OnlyTraps(int32_t pc) const;
  bool OfWholeWarps(const Step& step) const;
  void FindLive();
  void FindOnlySet();
  void CheckGroups();
  void FindExits();
  void MarkControl();

  Program& program_;
  const Followed& followed_;
  std::deque<ir::Op>& ops_;
  machine::Code& code_;
  ir::Diagnostics& diagnostics_;
  int32_t leaves_ = -1;       // the step by which missing threads leave
  bool builds_maps_ = false;  // some instruction copies a tensor map
  std::vector<Plane> planes_;
  std::vector<int32_t> straight_;  // Straightened
  std::vector<bool> waits_;  // by node: the test of a loop that only waits
  std::map<int32_t, int32_t> peeks_;  // nodes: Wait::peek
  std::vector<int32_t> slots_;        // by register of the graph
  std::vector<int32_t> first_;        // by block: its first step
  std::map<int32_t, Touch> touches_;
  std::optional<Discarded> discarded_;
  // Of a program that is timed, by node; and what the next step is to pay.
  std::vector<machine::Passed> passed_;
  std::vector<std::vector<int32_t>> awaited_;
  std::vector<int32_t> op_of_node_;
  machine::Passed owed_;
  std::vector<int32_t> owed_loads_;
  std::vector<std::string> open_;
  // Instructions that cannot be executed, by opcode and reason.
  struct Refused {
    int32_t first = -1;  // node
    int count = 0;
    std::string why;
  };
  std::vector<Refused> refused_;
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_LOWER_STEPS_H_

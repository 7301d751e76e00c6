// A loop that does nothing but ask for one word, and what comes of an answer,
// where all that it compares the answer with is known:
//
//   L: ld.acquire.gpu.u32 %r1, [%rd1];
//      xor.b32 %r2, %r1, %old;
//      setp.gt.s32 %p1, %r2, -1;
//      @%p1 bra L;
//
// Compilers ask once in front of it:
//
//      ld.acquire.gpu.u32 %r0, [%rd1];
//      setp.ge.u32 %p0, %r0, %goal;
//      @%p0 bra DONE;
//   L: nanosleep.u32 20;
//      ld.acquire.gpu.u32 %r1, [%rd1];
//      setp.lt.u32 %p1, %r1, %goal;
//      @%p1 bra L;
//   DONE:
#ifndef TILESIM_PTX_MACHINE_ASKING_LOOP_H_
#define TILESIM_PTX_MACHINE_ASKING_LOOP_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "ptx/flow/graph.h"
#include "ptx/machine/program.h"
#include "ptx/scalar/scalar.h"

namespace tilesim::ptx {

// A number of which some bits are known.
struct SomeBits {
  uint64_t known = 0, bits = 0;

  static SomeBits All(uint64_t bits) { return {~uint64_t{0}, bits}; }
  bool all() const { return known == ~uint64_t{0}; }
};

class AskingLoop {
 public:
  // nullopt: around the node, or right behind it, there is none. Of one,
  // nothing that a round computes goes into the next, or is read behind the
  // loop; all rounds ask for the same word, and nothing else in them has an
  // effect.
  static std::optional<AskingLoop> Of(const Graph& graph, const Memory& memory,
                                      int32_t node);

  // Registers of the graph that it reads and does not write.
  const std::vector<int32_t>& inputs() const { return inputs_; }
  bool Holds(int32_t node) const;

  // Whether the loop goes on after that answer; nullopt: that depends on what
  // is not known.
  std::optional<bool> GoesOn(const std::map<int32_t, SomeBits>& inputs,
                             SomeBits answer) const;

 private:
  struct Instruction {
    int32_t node = -1;
    bool branches = false;
    int32_t guard = -1;
    bool negated = false;
    std::optional<ScalarOp> op;  // absent: what it computes is not known
    std::vector<Source> sources;
  };
  using Registers = std::map<int32_t, SomeBits>;

  AskingLoop(const Graph& graph, int32_t node) : graph_(&graph), node_(node) {}
  static std::optional<AskingLoop> Around(const Graph& graph,
                                          const Memory& memory, int32_t node);
  static std::optional<AskingLoop> Before(const Graph& graph,
                                          const Memory& memory, int32_t node);
  bool FindLoop();
  bool FindLoopBehind(const Memory& memory);
  bool AsksAlike(int32_t node) const;
  bool NothingOfItIsLeft();
  void CompileFirst(const Memory& memory);
  std::optional<bool> GoesOnBehind(const std::map<int32_t, SomeBits>& inputs,
                                   SomeBits answer) const;
  bool OnlyAsks() const;
  bool NothingIsLeft() const;
  void Compile(const Memory& memory);
  Instruction CompileOne(const Memory& memory, int32_t node) const;
  SomeBits Computed(const Instruction& i, const Registers& now) const;
  void Execute(const Instruction& i, Registers& now) const;

  std::optional<bool> Walk(Registers& now) const;

  const Graph* graph_;
  int32_t node_;
  // Of a node in front of the loop: the loop, and what depends on the answer.
  std::shared_ptr<const AskingLoop> behind_;
  std::set<int32_t> by_answer_;
  Loop loop_;
  std::map<int32_t, Instruction> instructions_;  // by node
  std::vector<int32_t> inputs_;
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_ASKING_LOOP_H_

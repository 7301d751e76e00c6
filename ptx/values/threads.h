// The threads that execute an instruction, and what they can reach.
//
// A `Action` is what an instruction does, made once from its text (Making) and
// done for whoever comes to it. Files by unit have them; the table of which
// opcode has which is in actions.cc.
#ifndef TILESIM_PTX_VALUES_THREADS_H_
#define TILESIM_PTX_VALUES_THREADS_H_

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/machine/operands.h"
#include "ptx/values/values.h"

namespace tilesim::ptx {

// Where a thread has a number from.
struct In {
  int32_t word = -1;  // of its registers; else a constant or special
  Special special = Special::kNone;
  bool negated = false;
  uint64_t bits = 0;  // added
  int width = 64;     // at which the sum wraps around
};
// Where it puts one; -1: nowhere.
struct Out {
  int32_t word = -1;
  int bits = 64;
};

class Threads {
 public:
  Threads(Values& values, const Lowered& kernel, const machine::State& state,
          const machine::Strand& strand, const Node& node);

  Values& values() { return values_; }
  const Memory& memory() const { return kernel_.guide->program().memory; }
  const Lowered& kernel() const { return kernel_; }
  const machine::Cta& cta() const { return cta_; }
  int first_warp() const { return strand_.threads.first_warp; }
  int warps() const { return strand_.threads.warps; }
  // Lanes of a warp of the strand that execute it.
  uint32_t lanes(int warp) const { return lanes_[static_cast<size_t>(warp)]; }
  void Mask(const In& guard);
  bool none() const;
  int64_t count() const;

  // Threads are numbers in their CTA.
  template <typename F>
  void Each(F f) {
    for (int w = 0; w < warps(); ++w) {
      for (uint32_t rest = lanes(w); rest != 0; rest &= rest - 1)
        f(static_cast<size_t>(first_warp() + w) * ir::kWarpThreads +
          static_cast<size_t>(__builtin_ctz(rest)));
    }
  }
  // The first that executes it: collective operations have one number in all.
  size_t First() const;

  uint64_t Get(const In& in, size_t thread) {
    uint64_t n =
        in.word >= 0 ? own_->registers.Of(thread, in.word)
        : in.special != Special::kNone
            ? NumberOf(in.special, memory(), cta_, static_cast<int64_t>(thread))
            : 0;
    return in.negated ? uint64_t{n == 0} : ZeroExtend(n + in.bits, in.width);
  }
  void Set(const Out& out, size_t thread, uint64_t value) {
    if (out.word >= 0)
      own_->registers.Of(thread, out.word) = ZeroExtend(value, out.bits);
  }
  uint64_t* Words(int warp, int32_t word) {  // of the 32 lanes
    return own_->registers.Of(warp, word);
  }

  // Bytes that an address means; null: none, which has been told.
  uint8_t* Shared(uint64_t address, int64_t bytes);
  uint8_t* SharedOf(int rank, int64_t offset, int64_t bytes);
  uint8_t* Global(uint64_t address, int64_t bytes, GlobalBytes::For what);
  CtaValues* Peer(int rank);
  CtaValues& own() { return *own_; }
  int rank() const { return cta_.rank; }
  // 's' shared, 'g' global, 'a' what the address says. Of parameters and local
  // memory bytes are copied.
  bool Load(char space, uint64_t address, size_t thread, int64_t bytes,
            uint8_t* out);
  bool Store(char space, uint64_t address, size_t thread, int64_t bytes,
             const uint8_t* from);

  void Fail(std::string_view why);

 private:
  Values& values_;
  const Lowered& kernel_;
  const machine::State& state_;
  const machine::Strand& strand_;
  const machine::Cta& cta_;
  const Node& node_;
  CtaValues* own_;
  std::array<uint32_t, ir::kMaxWarps> lanes_{};
};

using Action = std::function<void(Threads&)>;

// An instruction that is being made an action.
struct ActionMaking {
  const Lowered& kernel;
  const RegisterWords& words;
  const Node& node;
  bool waits = false;  // the test of a loop that only waits
  std::vector<Leaf> leaves;
  std::string why;

  const Graph& graph() const { return kernel.guide->program().graph; }
  std::string_view spelling() const { return node.instruction().opcode; }
  bool Has(std::string_view modifier) const {
    return node.instruction().Has(modifier);
  }
  // The modifiers behind the first dot, in order.
  std::vector<std::string_view> Parts() const;
  const Operand& operand(size_t i) const {
    return node.instruction().operands[i];
  }
  size_t operands() const { return node.instruction().operands.size(); }

  // The names and numbers of an operand: of {a, b}, a and b. False: one of them
  // means nothing here.
  bool Ins(size_t operand, std::vector<In>* out, Type type = Type::kB64);
  std::optional<In> One(size_t operand, size_t part = 0);
  std::vector<Out> Outs(size_t operand) const;
  std::optional<In> InOf(const Leaf& leaf, Type type) const;
  // An instruction that nothing is known of: returns no action.
  Action Refuse(std::string reason);
};

// Empty: `why` says why its value is not computed.
using MakeAction = Action (*)(ActionMaking& making);

struct ActionRow {
  std::string_view opcode;  // the longest that begins a spelling is its row
  MakeAction make;
};

const std::vector<ActionRow>& AccessActions();
const std::vector<ActionRow>& AtomicActions();
const std::vector<ActionRow>& CopyActions();
const std::vector<ActionRow>& GridActions();
const std::vector<ActionRow>& LaneActions();
const std::vector<ActionRow>& MatrixActions();
const std::vector<ActionRow>& TensorCopyActions();
const std::vector<ActionRow>& Tcgen05Actions();
Action ScalarAction(ActionMaking& making);

// What the instruction does; an action that does nothing, where it moves no
// bits.
Action MakeActionOf(ActionMaking& making);

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_VALUES_THREADS_H_

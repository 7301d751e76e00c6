// The guide of PTX. Control is executed instruction by instruction, on values
// of all threads of a strand at once (lanes.h); payload is not executed.
//
// A strand is threads that have done the same. Where a branch or a guard holds
// for some warps only it divides. Where it holds for some lanes of its warps
// only, those go on and the others wait where all ways meet again (the
// post-dominator of the branch), as the lanes outside a scope of `.tile` do:
// what they did before they do not do again, so that nothing is lost that a
// thread can notice but the order among lanes, which the checkers take as open
// unless the lanes meet (checkers/order/agents.h). Two ways that both execute
// operations would come in an order that nothing enforces: that is told as a
// limit.
#ifndef TILESIM_PTX_MACHINE_GUIDE_H_
#define TILESIM_PTX_MACHINE_GUIDE_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "ptx/flow/turns.h"
#include "ptx/launch/pieces.h"
#include "ptx/machine/asking_loop.h"
#include "ptx/machine/barriers.h"
#include "ptx/machine/choices.h"
#include "ptx/machine/followed.h"
#include "ptx/machine/lanes.h"
#include "ptx/machine/payload.h"
#include "ptx/machine/program.h"
#include "ptx/machine/stored_loads.h"
#include "ptx/machine/tensor_memory.h"
#include "ptx/machine/terms.h"
#include "ptx/machine/ways.h"
#include "sim/machine/byte_sets.h"
#include "sim/machine/chosen.h"
#include "sim/machine/counting.h"
#include "sim/machine/guide.h"
#include "sim/machine/known_loads.h"
#include "sim/machine/machine.h"
#include "sim/machine/own_quarter.h"
#include "sim/machine/registers_apart.h"
#include "sim/machine/stored_loads.h"
#include "sim/machine/watched_run.h"

namespace tilesim::ptx {

// Declarations of the kernel that stands for the PTX, by number.
struct Decls {
  int32_t shared = 0, registers = 1;
  int32_t elsewhere = 2;     // stands for what an address says: a global
  int32_t first_global = 3;  // those of Memory::globals, in order
  int32_t first_pool = 0;    // one each, and one for where its address is
  int32_t pools = 0;
  int32_t first_barrier = 0;  // one each
  int32_t barriers = 0;

  int32_t PoolDecl(int32_t pool) const { return first_pool + 2 * pool; }
};

// Whose registers are asked for.
struct Who {
  const machine::Strand& strand;
  const machine::Cta& cta;
  const ir::BoundKernel& bound;

  size_t threads() const {
    return size_t{strand.threads.warps} * ir::kWarpThreads;
  }
};

// The step whose data decide that the strand is where it is; -1: none.
int32_t EitherOf(const Program& program, const machine::Strand& strand);

// Lanes of its warps that have left the kernel, as nothing but its end is
// before them.
uint32_t LanesThatExit(const Program& program, const machine::Strand& strand);

// Of compiled code, at a line.
enum class NotJudged : uint8_t {
  // Whether an assertion holds depends on a value that is not known: it is
  // taken to hold.
  kAssertion,
  // Whether the lanes that a membermask names execute its instruction is not
  // shown.
  kMembers,
  // elect.sync may choose any of several lanes: the lowest stands for it, and
  // what differs from lane to lane is that one's.
  kElection,
  // A wait is for the phase of a state, which is read as its parity.
  kWaitByState,
  // An arrival is said to complete no phase (.noComplete).
  kNoComplete,
  // A tensor map is used that the host has put into global memory: CUDA asks
  // for
  // a fence.proxy.tensormap before.
  kMapOfHost,
  // A loop that only computes goes around as often as values say that are not
  // known.
  kLoopEnds,
  // bar.red is executed as bar.sync.
  kBarRed,
  // A load is executed where data decide, as all such accesses were: what it
  // reads, one of them may have to have written.
  kReadsIfSo,
  // An access of local memory or of constants, whose address is not known, or
  // whether it is executed.
  kOwnMemory,
  // setmaxnreg, which ptxas ignores where nothing says how many registers there
  // are at first.
  kRegisters,
};

class PtxGuide : public machine::Guide,
                 public machine::Watchable,
                 public machine::Chosen,
                 public machine::Counting,
                 public machine::KnownLoads,
                 public machine::OwnQuarter,
                 public machine::StoredLoads,
                 public machine::RegistersApart {
 public:
  PtxGuide(Program program, Decls decls,
           std::shared_ptr<machine::ByteSets> sets);

  bool Advance(machine::Machine& machine, machine::State& state, int32_t strand,
               machine::StepResult& result) const override;
  int Operands(const machine::Machine& machine, const machine::State& state,
               const machine::Strand& strand, const machine::CompiledOp& op,
               ir::ConcreteOp& out) const override;
  void ReportOperand(machine::Machine& machine, const machine::State& state,
                     const machine::Strand& strand,
                     const machine::CompiledOp& op, int operand) const override;
  void Executed(machine::State& state, int32_t strand,
                const ir::ConcreteOp& concrete,
                machine::DataPort* data) const override;
  void Returned(machine::Strand& strand, const ir::ConcreteOp& concrete,
                int operand, int64_t value) const override;
  void Arrived(machine::Strand& strand, uint32_t phase) const override;
  bool PartsLeft(const machine::Strand& strand) const override;
  void Watch(int64_t cluster) const override;
  std::unique_ptr<machine::WatchedRun> Watched() const override;
  void Answered(machine::State& state, int32_t cta,
                const ir::ConcreteOp& concrete, bool canceled,
                const std::array<int32_t, 3>& first_cta) const override;
  void AppendLive(const machine::Strand& strand, int warp,
                  std::vector<int64_t>& out) const override;
  bool MayJoin(const machine::Strand& a,
               const machine::Strand& b) const override;
  void Join(machine::Machine& machine, const machine::State& state,
            machine::Strand& strand, const machine::Strand& other,
            bool forced) const override;
  void Divide(machine::Strand& strand, machine::Strand& other) const override;
  void WaysOn(const machine::Machine& machine, const machine::State& state,
              const machine::Strand& strand, int32_t pc,
              std::vector<int32_t>& out) const override;
  bool MayName(const machine::CompiledOp& op, int operand,
               int32_t decl) const override;
  bool StoresSame(const machine::CompiledOp& op) const override;
  bool IsNeverKnown(const machine::CompiledOp& op) const override;
  bool IsInVain(const machine::CompiledOp& op) const override;
  void NoteOtherLanes(int32_t op, std::string says) const {
    other_lanes_.try_emplace(op, std::move(says));
  }
  std::optional<std::string> NamesOtherLanes(
      const machine::CompiledOp& op) const override;
  const std::vector<Part>& StoredOf(
      const machine::CompiledOp& op) const override {
    return loads_of_ops_.StoredOf(op.number);
  }
  machine::LoadedRegisters ReadOf(
      const machine::CompiledOp& op) const override {
    return loads_of_ops_.ReadOf(op.number);
  }
  bool MaySetRegistersApart() const override { return !program_.letter; }
  const PassedOver* WaitsPassedOver() const override {
    return &program_.passed_over;
  }
  bool TakeAsNo(machine::Strand& strand, int32_t op) const override;
  bool IsShuffled(const machine::CompiledOp& op) const override;
  bool TakesForReadOnly(const machine::CompiledOp& op) const override;
  Meeting StoredWhereThreadsMeet(const machine::CompiledOp& op) const override;
  Both Together(const machine::CompiledOp& a, const machine::CompiledOp& b,
                Apart apart) const override;
  std::string NameOf(const ir::TileValue& tile) const override;
  std::string WarpDoes(int warp) const override;
  bool AsksUntil(const machine::CompiledOp& op, int64_t value) const override;
  bool AsksUntilGrown(const machine::CompiledOp& op,
                      int64_t value) const override;
  std::optional<int64_t> CountsUpTo(
      const machine::CompiledOp& op) const override;
  bool StoresZero(const machine::CompiledOp& op) const override;
  std::optional<int64_t> ElementOf(const machine::CompiledOp& op,
                                   int64_t cta) const override;

  // Executes payload from now on; of a program that is whole. null: nobody.
  void Carry(Payload* payload) const { payload_ = payload; }
  Payload* payload() const { return payload_; }
  // To the first result of the step at which the strand stands.
  void SetResult(machine::Strand& strand, uint64_t value) const;
  // What payload holds in the registers of those targets.
  void TakeFromPayload(machine::Strand& strand,
                       const std::vector<Target>& targets) const;

  machine::Prices* prices() const override { return prices_.get(); }
  void Price(std::unique_ptr<machine::Prices> prices) {
    prices_ = std::move(prices);
  }

  // The kernel whose code it guides, which outlives it.
  void Bind(const ir::BoundKernel& bound) { bound_ = &bound; }
  const Program& program() const { return program_; }
  const Decls& decls() const { return decls_; }
  Barriers& barriers() const { return barriers_; }
  Pools& pools() const { return pools_; }
  machine::ByteSets& sets() const { return *sets_; }
  Lanes& lanes() const { return lanes_; }
  // Barriers that an operation was seen to name, by op and barrier.
  void Named(int32_t op, int32_t barrier) const {
    named_.insert({op, barrier});
  }

  // Whether some operation has accessed bytes of an mbarrier as memory. Until
  // barriers are closed all accesses are noted; after that one is false, if it
  // is the first that does.
  bool touched_barriers() const { return touched_barriers_; }
  bool NoteShared(const ir::TileValue& box) const;
  void CloseBarriers() const;
  // Runs have found what they could; what comes is to be judged.
  bool closed() const { return closed_; }

  // The place of words of a tensor map that was copied there.
  int32_t PlaceOfMapAt(uint64_t address) const;
  // The line on which that mbarrier is initialised; 0: on several, or none.
  int32_t InitLineOf(int32_t barrier) const;

  // Adds what runs have asked for; `beside`: what they are likely to ask for
  // next, too (words_beside.h). True: it is more than before.
  bool Grow(Followed& followed, bool beside = false) const;
  // Something depends on what the step at `origin` has returned, which is not
  // followed. `decides`: not only a number that is stored as a word.
  void Want(int32_t origin, bool decides = true) const;
  // What runs have met and no verdict is about, by the line.
  void Note(NotJudged what, int32_t line) const {
    not_judged_[what].insert(line);
  }
  // Instructions that ptxas ignores.
  void NoteIgnored() const;
  // Data decide whether an access is executed.
  void NoteEither() const { either_ = true; }
  bool either() const { return either_; }
  Choices& choices() const { return choices_; }
  Ways& ways() const { return ways_; }
  // Buffers that were taken to stay as they are (Choices::relied), and that
  // something writes.
  std::vector<std::string> ReliedUpon() const;
  const std::map<NotJudged, std::set<int32_t>>& not_judged() const {
    return not_judged_;
  }
  // That something depends on a register that nothing has written.
  std::string UndefinedText(std::string_view what, int32_t reg) const;
  // Whether others than the CTAs of the launch write that buffer meanwhile.
  bool IsFromOutside(size_t buffer) const;
  // Of a value that is not known: all that execute a division divide by 0.
  bool DividesBy0(const Value& value) const;
  void NoteSomeDivideBy0(int32_t pc) const { some_divide_by_0_.insert(pc); }
  std::string DivisionText(std::string_view what, const Value& value) const;
  // What would have to be known of the launch for that; "": nothing.
  std::string MissingFor(int32_t origin) const;
  // A generic access, which is one of local memory.
  void NoteLocal(const Step& step) const { in_local_.insert(step.node); }
  bool MayBeLocal(int32_t node) const { return in_local_.contains(node); }
  // The step accesses that buffer.
  void NoteGlobal(int32_t pc, size_t buffer) const;
  // Those bytes of it; `across`: some lie in another piece of the buffer.
  void NoteBytes(int32_t pc, size_t buffer, int64_t begin, int64_t end,
                 bool across) const;
  // What was noted, by node and buffer.
  std::vector<TouchedBytes> TouchedBuffers() const;
  // Buffers that the instruction (node) was seen to access.
  std::set<size_t> BuffersOf(int32_t node) const {
    auto found = buffers_of_.find(node);
    return found == buffers_of_.end() ? std::set<size_t>() : found->second;
  }
  // Loads (nodes) that were seen to find what that cp.async has copied.
  std::set<int32_t> LoadsOfCopied(int32_t node) const;
  // Whether such words may have gone elsewhere as well.
  bool copied_on() const { return copied_on_; }
  void NoteElement(int32_t op, int64_t cta, int64_t element) const;
  // What was stored where threads meet; whether numbers of that key are new.
  void NoteMeeting(int32_t node, Meeting meeting) const;
  // Lines on which it is not known whether they store the same.
  std::set<int32_t> MeetingsNotKnown() const;
  bool IsNewMeeting(std::vector<int64_t> key) const {
    return meeting_keys_.insert(std::move(key)).second;
  }

  // A box that was worked out for some numbers, under a key that they make.
  using Key = std::array<int64_t, 6>;
  absl::node_hash_map<Key, ir::OperandValue>& boxes() const { return known_; }

  // A box of a tensor map, and its bytes in shared memory. Kept are boxes that
  // lie inside the tensor, as if their first byte were the buffer's.
  struct MapBox {
    ir::OperandValue box;
    int64_t bytes = 0;
  };
  std::vector<std::pair<TensorMap, MapBox>>& whole_boxes() const {
    return whole_boxes_;
  }
  // Sets of registers of an operation, by its step and the first of them.
  using StepPart = std::pair<int32_t, size_t>;
  absl::flat_hash_map<StepPart, ir::OperandValue>& registers() const {
    return registers_;
  }
  // What threads touch, each some bytes. `box`: from the least on; that and the
  // end of all count from what the first thread touches.
  struct Touched {
    ir::OperandValue box;
    int64_t least = 0, end = 0;
  };
  // By how far their addresses are from each other, how many bytes (of which
  // some threads may have less), where the first is between multiples of them,
  // which threads, and whether it is shared memory.
  using Touching = std::tuple<int32_t, Value, int64_t, uint64_t, uint32_t,
                              uint16_t, uint16_t, bool>;
  absl::flat_hash_map<Touching, Touched>& touched() const { return touched_; }

  // What a source is for each thread of a strand that goes on: known if it is
  // of all of these.
  Value Of(const Source& source, const Who& who) const;
  Value Get(const machine::Strand& strand, int32_t reg) const {
    const Value v = See(strand, reg);
    if (v.term != 0 && terms_ != nullptr) terms_->Read();
    return v;
  }
  // The same, of which nothing is made.
  Value See(const machine::Strand& strand, int32_t reg) const {
    const Value v = Peek(strand, reg);
    return Lanes::HasParts(v) ? lanes_.SeenBy(v, strand.threads.lanes,
                                              size_t(strand.threads.warps))
                              : v;
  }
  // With the parts of it that are known (lanes.h).
  Value OfWithParts(const Source& source, const Who& who) const;
  // As it is, of which nothing is made. The term is beside the pattern, which
  // is alone where there is none.
  static Value Peek(const machine::Strand& strand, int32_t reg) {
    const int64_t slot = strand.slots[2 * reg + 1];
    const auto pattern = static_cast<int32_t>(slot);
    return {static_cast<uint64_t>(strand.slots[2 * reg]), pattern,
            static_cast<int32_t>((slot ^ int64_t{pattern}) >> 32)};
  }
  static void PutRegister(machine::Strand& strand, int32_t reg,
                          const Value& v) {
    PutIn(strand.slots, reg, v);
  }
  static void PutIn(std::vector<int64_t>& slots, int32_t reg, const Value& v) {
    slots[2 * reg] = static_cast<int64_t>(v.base);
    slots[2 * reg + 1] =
        static_cast<int64_t>(static_cast<uint64_t>(int64_t{v.pattern}) ^
                             static_cast<uint64_t>(int64_t{v.term}) << 32);
  }
  // Of the value of a register, what the source makes of it.
  Value Moved(const Source& source, const Value& v, size_t threads) const;
  // The results of a scalar step.
  void Compute(int32_t pc, const Step& step,
               const std::array<Value, kMaxWords>& in, size_t threads,
               std::array<Value, kMaxWords>& out) const;
  // The same where some of these are not known of some threads.
  const std::vector<Value>& ComputedOfSome(
      int32_t pc, const Step& step, const std::array<Value, kMaxWords>& in,
      size_t threads) const;
  // Not where payload is executed or priced: what it costs is of warps.
  bool FollowsParts() const { return !program_.whole && !program_.timed; }
  // Writes it for the threads that the strand goes on with; the others keep
  // what they have, if it may still matter to them.
  void Set(machine::Strand& strand, const Target& target, Value value) const;
  // Null: no run is watched.
  Terms* terms() const { return terms_.get(); }
  const ir::BoundKernel& bound() const { return *bound_; }

 private:
  // The results of a scalar step for inputs that differ from thread to thread.
  const std::vector<Value>& Computed(int32_t pc, const Step& step,
                                     const std::array<Value, kMaxWords>& in,
                                     size_t threads, bool elected) const;
  Value OfSpecial(const Source& source, const Who& who) const;

  std::unique_ptr<machine::Prices> prices_;
  mutable Payload* payload_ = nullptr;
  mutable std::unique_ptr<Terms> terms_;
  const ir::BoundKernel* bound_ = nullptr;
  Program program_;
  mutable Choices choices_{program_};
  mutable Ways ways_;
  std::vector<int32_t> step_of_;  // by op; -1: none
  LoadsOfOps loads_of_ops_{program_};
  Decls decls_;
  std::shared_ptr<machine::ByteSets> sets_;
  mutable Lanes lanes_;
  mutable Barriers barriers_;
  mutable Pools pools_;
  bool Touches(const ir::TileValue& box) const;
  const Step* StepOf(const machine::CompiledOp& op) const;
  void InShared(machine::State& state, int32_t strand,
                const ir::ConcreteOp& op) const;
  void InGlobal(machine::State& state, int32_t strand, const ir::ConcreteOp& op,
                machine::DataPort& data) const;
  void BuildMap(machine::State& state, int32_t strand) const;
  // Of accesses that data choose, and of loads that go into what chooses them.
  void NoteChoices(const Who& who) const;
  void Allocated(const ir::ConcreteOp& op, machine::Cta& cta) const;
  void Stored(const Who& who, const Step& step, machine::Cta& cta) const;
  // `cta` has the words, `own` the threads.
  void AtomicIn(machine::Cta& cta, machine::Strand& strand, const Step& step,
                const ir::BoundKernel& bound, const machine::Cta& own) const;
  int32_t UnknownAt(int32_t at, bool word_known, int32_t pc) const;
  // Copies of cp.async (copied_words.cc).
  void Copied(const Who& who, const Step& step, int32_t pc) const;
  void LoadsCopied(const Step& load, int64_t at) const;
  void GrowCopies(Followed& followed) const;
  mutable std::map<int64_t, std::set<int32_t>> copied_;  // by place: steps
  mutable std::map<int32_t, std::set<int32_t>> loads_copied_;  // nodes
  mutable bool copied_on_ = false;
  void NoteAnswer(const Who& who, const Step& step, size_t word, Value*) const;
  void Loaded(machine::Strand& strand, const machine::Cta& cta,
              const ir::BoundKernel& bound, const Step& step) const;
  mutable std::set<int32_t> known_loads_;  // nodes: of shared memory
  mutable std::map<int32_t, std::string> other_lanes_;  // by op
  // By the first byte of a word: the step that has stored it last.
  mutable std::map<int64_t, int32_t> stored_by_;
  // By place: the step whose result was not known when it was stored there.
  mutable std::map<int64_t, int32_t> unknown_from_;
  // Stores (nodes) that have put into shared memory what some load there
  // decides by, and whose values are not followed; loads (nodes) that returned
  // what decides; buffers that each node has accessed.
  mutable std::set<int32_t> wanted_stores_, wanted_loads_;
  // Generic accesses (nodes) of local memory; and that what it holds decides.
  mutable std::set<int32_t> in_local_;
  mutable bool wants_local_ = false;
  mutable std::set<int32_t> some_divide_by_0_;  // by pc: not all lanes do
  mutable std::map<NotJudged, std::set<int32_t>> not_judged_;
  mutable std::map<int32_t, std::set<size_t>> buffers_of_;
  mutable bool either_ = false;
  mutable std::set<int32_t> deciding_;  // of wanted_loads_
  mutable std::map<std::pair<int32_t, size_t>, TouchedBytes> bytes_of_;
  void NoteAction(const machine::Strand& strand,
                  const ir::ConcreteOp& op) const;
  // For people: the copies that fill shared memory, by their first byte, and
  // what each warp does.
  struct Filled {
    int64_t end = 0;
    int32_t line = 0;
  };
  mutable std::map<int64_t, Filled> filled_;
  mutable std::array<uint32_t, ir::kMaxWarps> does_{};
  mutable std::map<uint64_t, int32_t> map_numbers_;  // by address
  // By op and CTA of the grid: the element; -1: several.
  mutable std::map<std::pair<int32_t, int64_t>, int64_t> element_of_;
  mutable std::map<int32_t, Meeting> meetings_;  // by node
  mutable std::set<std::vector<int64_t>> meeting_keys_;
  mutable std::set<std::tuple<int64_t, int64_t, int64_t>> boxes_;
  mutable absl::node_hash_map<Key, ir::OperandValue> known_;
  mutable std::vector<std::pair<TensorMap, MapBox>> whole_boxes_;
  mutable absl::flat_hash_map<StepPart, ir::OperandValue> registers_;
  mutable absl::flat_hash_map<Touching, Touched> touched_;
  mutable bool closed_ = false, touched_barriers_ = false;
  mutable std::set<std::pair<int32_t, int32_t>> named_;
  using Inputs = std::tuple<int32_t, size_t, std::array<Value, kMaxWords>>;
  mutable absl::node_hash_map<Inputs, std::vector<Value>> computed_;

 public:
  // Semaphores (turn_words.cc).
  std::optional<TurnAsks> AsksInTurn(
      const machine::CompiledOp& op,
      std::optional<int64_t> only) const override;
  bool IsOneElement(const machine::CompiledOp& op) const override;
  std::optional<int64_t> Puts(const machine::CompiledOp& op) const override;
  // What runs compute, and the clock, have all CTAs.
  void TakeInTurn(int32_t decl, std::optional<int64_t> only) const override {
    if (!program_.whole && !program_.timed) in_turn_.try_emplace(decl, only);
  }
  std::optional<int64_t> TurnOf(const machine::CompiledOp& op, int64_t cta,
                                int64_t element) const override;

  // Barriers of the grid (round_words.cc).
  bool AddsToRound(const machine::CompiledOp& op) const override;
  bool AsksForRound(const machine::CompiledOp& op) const override;
  void CountsRounds(int32_t decl) const override;
  bool RoundsHold(int32_t decl) const override;

  uint64_t changes() const override { return changes_; }

  // Locks (lock_words.cc).
  std::optional<LockTry> TriesLock(
      const machine::CompiledOp& op) const override;
  bool FreesLock(const machine::CompiledOp& op) const override;
  void AreLocks(int32_t decl) const override {
    if (!program_.whole && !program_.timed) locks_.insert(decl);
  }
  std::optional<std::set<int64_t>> Stored(int32_t decl) const override;

  // How far data may have steps touch, and which loads decide in any case.
  void Take(const Followed& followed);
  uint64_t WideOf(const Step& step) const {
    if (wide_.empty()) return 0;
    auto found = wide_.find(step.node);
    return found == wide_.end() ? 0 : found->second;
  }

 private:
  const std::optional<TurnAsk>& TurnAskOf(int32_t node,
                                          std::optional<int64_t> only) const;
  // Of a word that is asked for in vain at first, by who waits for `turn`: what
  // he finds, and what the word is then. nullopt: it is none, or nobody waits.
  static std::optional<std::pair<uint64_t, uint64_t>> AskInVain(
      uint64_t word, std::optional<uint64_t> turn);
  static bool IsInVain(uint64_t word);
  // Registers whose numbers the launch fixes.
  const std::map<int32_t, int64_t>& Fixed() const;
  mutable std::optional<std::map<int32_t, int64_t>> fixed_;
  struct TurnBy {
    int64_t cluster = 0, cta = 0;  // of the grid
  };
  void NoteTurn(const Step& step, const TurnBy& by, int64_t element,
                int64_t turn) const;
  std::optional<uint64_t> AwaitedTurn(const Step& step, const Who& who,
                                      int bits) const;

  const std::optional<LockTry>& LockTryOf(const Step& step) const;
  std::optional<LockTry> MakeLockTry(const Step& step) const;
  bool IsWord(const Step& step) const;
  std::optional<int64_t> FixedNumber(const Source& source) const;
  // Of a lock that others hold at times: what it is after the step, and what
  // the step returns.
  std::optional<std::pair<uint64_t, uint64_t>> UseLock(const Step& step,
                                                       uint64_t word) const;
  void NoteStored(int32_t decl, uint64_t word) const;

  mutable uint64_t changes_ = 0;

  // What is known of words of a declaration that count rounds.
  struct RoundWord {
    std::map<int64_t, uint64_t> added;  // by CTA, each time
    bool fails = false;
  };
  struct Rounds {
    // Registers of the graph with what was there before a CTA has added, of
    // which loops ask.
    std::set<int32_t> olds;
    std::set<int32_t> asks;              // nodes, by which nothing is added
    std::map<int64_t, RoundWord> words;  // by element
  };
  bool IsRound(const Step& step, uint64_t word) const;
  const std::optional<AskingLoop>& AskingLoopOf(int32_t node) const;
  bool AsksForRound(const Step& step) const;
  std::set<int32_t> AskedWith(int32_t reg) const;
  bool OnlyAsked(const Node& node) const;
  bool AskForRounds(const std::set<int32_t>& nodes) const;
  // What the step makes of such a word, and returns.
  std::pair<uint64_t, uint64_t> InRound(const Step& step, const Who& who,
                                        int64_t element, uint64_t word,
                                        uint64_t datum) const;
  std::map<int32_t, SomeBits> BitsOf(const AskingLoop& loop,
                                     const Who& who) const;
  bool EndsInTime(int32_t node, const Rounds& rounds, const Who& who,
                  uint64_t own) const;
  mutable std::map<int32_t, Rounds> rounds_;  // by declaration
  mutable std::map<int32_t, std::optional<AskingLoop>> asking_;  // by node
  // By node, the round, and what the loop compares with.
  mutable std::map<std::vector<uint64_t>, bool> ends_in_time_;

  mutable std::set<int32_t> locks_;                          // declarations
  mutable std::map<int32_t, std::set<int64_t>> stored_in_;   // by declaration
  mutable std::map<int32_t, std::optional<LockTry>> tries_;  // by node

  std::map<int32_t, uint64_t> wide_;  // by node
  // Declarations, and what their words are but for 0.
  mutable std::map<int32_t, std::optional<int64_t>> in_turn_;
  mutable std::map<std::pair<int32_t, std::optional<int64_t>>,
                   std::optional<TurnAsk>>
      turn_asks_;  // by node
  // By op, CTA, element.
  // By op, cluster of the grid and element; by buffer instead of op: the CTA
  // that uses it, -1: several do.
  mutable std::map<std::tuple<int32_t, int64_t, int64_t>, int64_t> turns_,
      turn_ctas_;
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_GUIDE_H_

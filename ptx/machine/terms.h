// What a run of one cluster owes to where in the grid the cluster lies, so that
// others need not be run.
//
// While a run is watched, a value into which the place has gone (%ctaid,
// %clusterid) has a term: how it was made of the place and of numbers that are
// the same in all clusters. In another cluster such values are worked out from
// the terms, in the order in which they were made. It executes the same if
//
// * each value by which control went is the same there: guards of instructions
//   and branches, and who executes an operation together;
// * each operation has the same operands there, as the same function fills them
//   in (Step::fill), but for where in a buffer they begin;
// * tensor maps that it builds lie at as many places, of which the same
//   operations name the same ones.
//
// By induction over the run: the operations before were the same, so that
// barriers, words of shared memory and registers without a term are.
//
// Of a run that cluster launch control hands clusters, an answer is a place as
// well: each is a variable of its own (handed_terms.cc), from 1 on, beside 0,
// the run's own cluster. Of two nothing may depend that matters.
//
// Whoever reads a value with a term must say what he makes of it, or the run is
// of no use: reads are counted, and those of a scope that knows about terms
// (Handled) are taken off.
#ifndef TILESIM_PTX_MACHINE_TERMS_H_
#define TILESIM_PTX_MACHINE_TERMS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ptx/machine/lanes.h"
#include "ptx/machine/program.h"
#include "sim/machine/state.h"
#include "sim/machine/watched_run.h"

namespace tilesim::ptx {

class PtxGuide;
struct Who;

class Terms final : public machine::WatchedRun {
 public:
  // Of that cluster's run. The guide must outlive it.
  Terms(const PtxGuide& guide, int64_t cluster);

  // Reads in its scope are spoken for. `terms`: null where none is watched.
  class Handled {
   public:
    explicit Handled(Terms* terms)
        : terms_(terms), open_(terms == nullptr ? 0 : terms->open_) {}
    Handled(const Handled&) = delete;
    Handled& operator=(const Handled&) = delete;
    ~Handled() {
      if (terms_ != nullptr) terms_->open_ = open_;
    }

   private:
    Terms* terms_;
    int64_t open_;
  };

  // Each gives the value, which was made so, its term.
  void Place(const Source& source, int rank, Value* out);
  void Moved(const Source& source, const Value& of, size_t threads, Value* out);
  void Computed(int32_t pc, std::span<const Value> in, size_t threads,
                size_t result, Value* out);
  void Slice(const Value& of, size_t first, size_t count, Value* out);
  void Join(const Value& a, size_t a_threads, const Value& b, size_t b_threads,
            Value* out);
  void Merge(const Value& those, const Value& others, uint32_t lanes,
             size_t threads, Value* out);

  // The next request was answered, there in shared memory of the CTAs of these
  // ranks; the state has it.
  struct Answering {
    uint64_t bits = 0;  // answers.h
    int32_t at = 0;
    std::vector<int> ranks;
  };
  void Answered(const machine::State& state, const Answering& answer);
  // Something else is put into these bytes.
  void Overwritten(int rank, int64_t begin, int64_t end);
  // Those bytes were loaded from that CTA's shared memory.
  bool IsAnswer(int rank, int64_t at) const;
  void LoadedAnswer(int rank, int64_t at, int64_t bytes, Value* out);
  // What query_cancel makes of it in that lane: a dimension; -1: whether a
  // cluster was taken over.
  void Asked(const Value& answer, int64_t dimension, size_t lane, Value* out);

  void Read() { ++open_; }
  void Lose() { lost_ = true; }
  // Control goes by the value; by which of its threads have the same.
  void GoesBy(const Value& v);
  void GoesByLanes(const Value& v);
  // The op is compiled so, is executed so.
  void Compiled(const machine::CompiledOp& op);
  void Executed(const Who& who, const ir::ConcreteOp& op);

  // The run is over: whether it can be told of others, as it can of itself.
  bool Close();
  bool SameIn(int64_t cluster, std::vector<Start>& out) override;
  bool SameHanded(int32_t answer, int64_t cluster,
                  std::vector<Start>& out) override;
  void AfterRefusal() override;
  std::vector<StateKey> StatesAtRequests() const override { return states_; }

 private:
  static constexpr int32_t kOfSeveral = -1;
  enum class Made : uint8_t {
    kPlace,
    kAnswer,
    kAsked,
    kMoved,
    kComputed,
    kSlice,
    kJoin,
    kMerge
  };
  struct Term {
    Made made = Made::kPlace;
    bool uniform = false;  // in every cluster
    int32_t variable = 0;
    int32_t pc = 0;  // kComputed; kPlace: the rank; kAsked: the dimension
    uint64_t a = 0, b = 0;
    size_t threads = 0;
    Source source;
    std::vector<Value> in;
  };
  struct Op {
    int64_t nth = 0;
    machine::Strand strand;
    size_t cta = 0;                              // of ctas_
    std::vector<std::pair<int32_t, Value>> has;  // registers with terms
    bool of_place = false;                       // an operand is a place itself
    int32_t variable = 0;
    ir::ConcreteOp op;
    const ir::ConcreteOp* fixed = nullptr;  // what never varies of it
  };
  using Key = std::vector<int64_t>;
  // A value by which control goes.
  struct Noted {
    Value value;
    bool behind = false;  // the first refusal
  };
  // What depends on a variable.
  struct Needed {
    std::vector<int32_t> terms;  // those that are needed
    std::vector<Value> goes_by, lanes;
    std::vector<size_t> ops;
  };

  void Make(Term term, Value* out);
  int32_t VariableOf(const Value& v) const {
    return terms_[static_cast<size_t>(v.term)].variable;
  }
  // Whether it is the same whichever cluster its variable is.
  bool IsTheSame(const Value& v);
  void Depend(const Value& v, bool& some, int32_t& variable) const;
  bool IsUniform(const Value& v) const {
    return v.term == 0 ? v.uniform()
                       : terms_[static_cast<size_t>(v.term)].uniform;
  }
  bool IsOfPlace(const machine::Strand& strand, const Source& source) const;
  void NoteMap(const Value& address);
  void FindParts();
  bool Same(int32_t variable, int64_t cluster, std::vector<Start>& out);
  int64_t ClusterOf(uint64_t answer) const;
  uint64_t AnswerOf(int64_t cluster) const;
  // Of what a state holds at a request (handed_terms.cc).
  class StateHash;
  // In the cluster that is asked about.
  Value In(const Value& v) const {
    return v.term == 0 ? v : values_[static_cast<size_t>(v.term)];
  }
  // In their order: none before what it is made of.
  bool WorkAll(const std::vector<int32_t>& terms, int64_t cluster);
  Value AnswerIn(const Term& term, const Value& in) const;
  bool WorkOut(const Term& term, const std::vector<machine::Cta>& places,
               Value* out);
  bool Divides(const Term& term, std::span<const Value> in) const;
  bool ConditionsHold(int32_t variable) const;
  bool MapsAreTheSame() const;
  const ir::ConcreteOp* Filled(Op& op, int64_t cluster);

  const PtxGuide& guide_;
  const int64_t cluster_;
  int64_t open_ = 0, executed_ = 0;
  bool lost_ = false;
  std::vector<Term> terms_;  // by number; the first is none
  absl::flat_hash_map<Key, int32_t> numbers_;
  std::map<int32_t, Noted> goes_by_, lanes_;  // by term
  std::vector<Needed> parts_;                 // by variable
  std::vector<uint64_t> answers_;             // of variables from 1 on
  // By rank and place: the variable that lies there.
  std::map<std::pair<int, int32_t>, int32_t> answers_at_;
  absl::flat_hash_map<int32_t, bool> the_same_;  // by term
  std::vector<StateKey> states_;                 // by request
  std::vector<uint8_t> wanted_;                  // bits, by register
  bool refused_ = false, only_behind_ = false;
  size_t ops_before_ = 0;    // the first refusal
  std::vector<Value> maps_;  // addresses
  std::vector<Op> ops_;
  std::map<const ir::Op*, const ir::ConcreteOp*> fixed_;
  std::vector<machine::Cta> ctas_;
  std::vector<Value> values_;  // by term
  uint64_t answer_ = 0;        // as that cluster is handed out
  // What was filled in for those values; nullopt: there is no such operation.
  absl::flat_hash_map<Key, std::optional<ir::ConcreteOp>> filled_;
};

}  // namespace tilesim::ptx

#endif  // TILESIM_PTX_MACHINE_TERMS_H_

#include "ptx/machine/lower.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ir/cat.h"
#include "ir/occupancy.h"
#include "ptx/flow/slice.h"
#include "ptx/flow/waits.h"
#include "ptx/launch/kernel.h"
#include "ptx/machine/dealt.h"
#include "ptx/machine/lower_steps.h"
#include "ptx/machine/passed.h"
#include "ptx/machine/priced.h"
#include "sim/machine/tensor_bytes.h"

namespace tilesim::ptx {
namespace {

constexpr int32_t kMostBarriers = 512, kMostPools = 16;
constexpr int64_t kSmsHopper = 132, kSmsBlackwell = 148;
constexpr uint64_t kMaxShared = 227 * 1024;

class Kernel {
 public:
  Kernel(const Module& module, const LaunchFile& file, const Launch& launch,
         const Followed& followed, std::shared_ptr<machine::ByteSets> sets,
         ir::Diagnostics& diagnostics, Purpose purpose)
      : module_(module),
        file_(file),
        launch_(launch),
        followed_(followed),
        sets_(std::move(sets)),
        diagnostics_(diagnostics),
        purpose_(purpose) {}

  std::optional<Lowered> Run() {
    function_ = FindKernel(module_, launch_.kernel);
    if (function_ == nullptr) {
      diagnostics_.Error(
          kNoLaunch, {},
          ir::Cat("the module has no kernel `", launch_.kernel, "`"));
      return std::nullopt;
    }
    out_.program = std::make_unique<ir::Program>();
    out_.ops = std::make_unique<std::deque<ir::Op>>();
    out_.code = std::make_unique<machine::Code>();
    Program program;
    program.whole = purpose_ == Purpose::kValues;
    program.timed = purpose_ == Purpose::kTime;
    program.skips = followed_.skips;
    program.letter = purpose_ == Purpose::kLetter;
    if (Calls(*function_)) {
      program.inlined =
          std::make_shared<Inlined>(InlineCalls(module_, *function_));
      function_ = &program.inlined->function;
    }
    program.graph = BuildGraph(*function_, diagnostics_);
    program.memory = Memory(module_, *function_, file_, launch_, diagnostics_);
    if (diagnostics_.has_errors()) return std::nullopt;
    SizeWords(program);
    Declare(program);
    FollowStores(program.graph);
    program.ignores_setmaxnreg =
        !launch_.registers && RegistersAtEntry(*function_, program.graph) == 0;
    Steps steps(program, followed_, *out_.ops, *out_.code, diagnostics_);
    steps.Run();
    out_.open = steps.open();
    if (diagnostics_.has_errors()) return std::nullopt;
    Finish(std::move(program));
    return std::move(out_);
  }

 private:
  ir::BoundDecl& Add(ir::Space space, std::string name, int64_t bytes) {
    ir::Decl& decl = kernel().decls.emplace_back();
    decl.space = space;
    decl.name = std::move(name);
    decl.dtype = ir::DType::kU8;
    decl.span = function_->span;
    ir::BoundDecl& bound = out_.code->bound.decls.emplace_back();
    bound.space = space;
    bound.dtype = ir::DType::kU8;
    bound.rank = 1;
    bound.shape[0] = bytes;
    bound.strides[0] = 1;
    bound.object_bytes = bytes;
    bound.layout.bits = 8;
    return bound;
  }

  ir::Kernel& kernel() { return out_.program->kernels[0]; }

  void Declare(Program& program) {
    ir::Kernel& k = out_.program->kernels.emplace_back();
    k.name = function_->name;
    bool blackwell = std::any_of(
        module_.targets.begin(), module_.targets.end(),
        [](const std::string& t) { return t.starts_with("sm_10"); });
    k.target = blackwell ? ir::Target::kSm100a : ir::Target::kSm90a;
    k.span = function_->span;
    k.programmatic = launch_.programmatic;
    auto shared = static_cast<int64_t>(program.memory.shared_bytes());
    Add(ir::Space::kShared, "shared memory", shared);
    Add(ir::Space::kReg, "registers",
        static_cast<int64_t>(program.graph.registers.size()));
    Add(ir::Space::kGlobal, "global memory", 0);
    decls_.first_global = static_cast<int32_t>(kernel().decls.size());
    const std::set<size_t> given = BuffersGiven();
    for (size_t i = 0; i < program.memory.globals().size(); ++i) {
      program.memory.globals()[i].given =
          file_.launches.size() == 1 || given.contains(FirstPieceOf(i)) ||
          program.memory.globals()[i].name == WorkspaceOf(file_, launch_) ||
          file_.buffers[i].of_module;
      AddBuffer(program.memory.globals()[i], file_.buffers[i]);
    }
    decls_.first_pool = static_cast<int32_t>(kernel().decls.size());
    decls_.pools = blackwell ? kMostPools : 0;
    for (int32_t i = 0; i < decls_.pools; ++i) AddPool();
    decls_.first_barrier = static_cast<int32_t>(kernel().decls.size());
    decls_.barriers = kMostBarriers;
    for (int32_t i = 0; i < kMostBarriers; ++i) {
      ir::BoundDecl& b = Add(ir::Space::kMbarrier, ir::Cat("mbarrier ", i), 8);
      b.dtype = ir::DType::kU64;
      b.rank = 0;
      b.place = i;
      kernel().decls.back().dtype = ir::DType::kU64;
    }
    Bind(blackwell, program);
  }

  // The shortest word by which a buffer whose words decide is accessed; an
  // element, of which a domain says something, not less and not several.
  void SizeWords(Program& program) const {
    for (const auto& [node, buffer] : followed_.words) {
      std::string_view spelling =
          program.graph.nodes[node].instruction().opcode;
      const auto copy = followed_.copies.find(node);
      const auto bytes = copy != followed_.copies.end()
                             ? copy->second
                             : static_cast<int64_t>(ScalarBytes(
                                   spelling.substr(spelling.rfind('.') + 1)));
      int64_t& word = program.memory.globals()[buffer].word;
      if (bytes > 0) word = word == 0 ? bytes : std::min(word, bytes);
      const Buffer& of = file_.buffers[buffer];
      const int64_t element =
          of.dtype.empty() ? 0 : static_cast<int64_t>(ScalarBytes(of.dtype));
      if (of.domain && of.start.bytes.size() != of.bytes && element > 0)
        word = element;
    }
  }

  size_t FirstPieceOf(size_t buffer) const {
    while (file_.buffers[buffer].piece &&
           file_.buffers[buffer].piece->begin > 0)
      --buffer;
    return buffer;
  }

  // Those that parameters of the launch lead to.
  std::set<size_t> BuffersGiven() const {
    std::set<size_t> out;
    auto add = [&](const Reference& r) {
      out.insert(FirstPieceOf(r.is_tensormap ? file_.tensormaps[r.index].buffer
                                             : r.index));
    };
    for (const Param& p : launch_.params) {
      if (p.kind == Param::Kind::kReference) add(p.reference);
      for (const auto& [offset, reference] : p.places) add(reference);
    }
    for (const size_t buffer : std::set<size_t>(out)) {
      for (const auto& [offset, map] : file_.buffers[buffer].maps)
        add({true, map, 0});
    }
    return out;
  }

  // As bytes; as an array of words, if they decide.
  void AddBuffer(Memory::Global& g, const Buffer& buffer) {
    g.decl = static_cast<int32_t>(kernel().decls.size());
    ir::BoundDecl& bound =
        Add(ir::Space::kGlobal,
            g.given ? g.name : ir::Cat(g.name, ", not given to this kernel"),
            static_cast<int64_t>(g.bytes));
    ir::Decl& decl = kernel().decls.back();
    using Kind = Start::Kind;
    decl.zero = buffer.start.kind == Kind::kZero;
    decl.undefined = buffer.start.kind == Kind::kUndefined;
    if (g.word == 0) return;
    const bool is_signed = buffer.dtype.starts_with("s");
    bound.dtype = g.word == 8   ? is_signed ? ir::DType::kS64 : ir::DType::kU64
                  : g.word == 4 ? is_signed ? ir::DType::kS32 : ir::DType::kU32
                  : g.word == 2 ? ir::DType::kF16
                                : ir::DType::kU8;
    decl.dtype = bound.dtype;
    bound.shape[0] /= g.word;
    bound.layout.bits = static_cast<int>(8 * g.word);
    if (buffer.start.bytes.size() == g.bytes)
      out_.code->given[g.name] = {
          bound.dtype, {bound.shape[0]}, buffer.start.bytes};
    if (!buffer.domain) return;
    decl.domain_low = ir::Expr::Int(buffer.domain->first);
    decl.domain_high = ir::Expr::Int(buffer.domain->second);
  }

  // Of tensor memory, and the word with its address. How many columns it has,
  // and where that is, runs find (NameFound).
  void AddPool() {
    ir::BoundDecl& pool = Add(ir::Space::kTmem, "tensor memory",
                              ir::kTmemLanes * machine::kLaneStride);
    pool.is_pool = true;
    const auto decl = static_cast<int32_t>(kernel().decls.size()) - 1;
    pool.pool = decl;
    pool.slot = decl + 1;
    constexpr int64_t kAddressBytes = 4;
    Add(ir::Space::kShared, "address of tensor memory", kAddressBytes);
  }

  // What they store is read by what decides: it decides as well.
  void FollowStores(Graph& graph) const {
    auto follow = [&](int32_t node) {
      Node& n = graph.nodes[node];
      n.reads.insert(n.reads.end(), n.data.begin(), n.data.end());
    };
    for (int32_t node : followed_.stores) follow(node);
    for (size_t i = 0; followed_.local && i < graph.nodes.size(); ++i) {
      if (graph.nodes[i].instruction().opcode.starts_with("st.local"))
        follow(static_cast<int32_t>(i));
    }
    for (const auto& [node, buffer] : followed_.words) {
      if (!followed_.stores.contains(node)) follow(node);
    }
  }

  // What ptxas gives a thread: as the launch says; all of .maxnreg, where
  // setmaxnreg deals them out; else what is alive at a time, and some more.
  int64_t Needs(const Program& program, const ir::BoundKernel& b) const {
    constexpr int64_t kMore = 8;
    if (launch_.registers) return b.regs;
    const int64_t most = ir::MostRegisters(b.block);
    if (b.regs > 0 && ExecutesSetmaxnreg(program.graph)) return b.regs;
    const int64_t alive = MostLiveRegisters(program.graph) + kMore;
    return std::min({alive, most, b.regs > 0 ? b.regs : most});
  }

  void Bind(bool blackwell, const Program& program) {
    const Memory& memory = program.memory;
    ir::BoundKernel& b = out_.code->bound;
    b.kernel = &kernel();
    b.grid = launch_.grid;
    b.cluster = memory.cluster();
    // Warps are whole to the machine; what of the last one is not there leaves
    // the kernel at once (Steps::LeaveOut).
    const Dim3& block = memory.block();
    b.block = ir::WarpsOf(block[0] * block[1] * block[2]) * ir::kWarpThreads;
    b.regs = static_cast<int64_t>(launch_.registers.value_or(0));
    if (b.regs == 0 && (ExecutesSetmaxnreg(program.graph) ||
                        function_->Find(".maxnreg") != nullptr))
      b.regs = RegistersAtEntry(*function_, program.graph);
    int64_t sms = blackwell ? kSmsBlackwell : kSmsHopper;
    if (purpose_ == Purpose::kTime) b.needs = Needs(program, b);
    b.sm_count =
        static_cast<int64_t>(file_.sms.value_or(static_cast<uint64_t>(sms)));
    b.mbarriers = kMostBarriers;
    b.shared_bytes = static_cast<int64_t>(memory.shared_bytes());
    if (b.block == 0 || b.block > ir::kMaxWarps * ir::kWarpThreads)
      diagnostics_.Error(
          kNoLaunch, function_->span,
          ir::Cat("a block of ", b.block, " threads: it has 1 to 1024"));
    if (memory.shared_bytes() > kMaxShared + kReservedShared)
      diagnostics_.Error("shape/shared", function_->span,
                         ir::Cat(memory.shared_bytes(),
                                 " bytes of shared memory: a CTA has at most ",
                                 kMaxShared, " and 1024 that are reserved"));
  }

  void Finish(Program program) {
    machine::Code& code = *out_.code;
    code.guarded = true;
    for (size_t reg = 0; reg < program.registers.size(); ++reg) {
      const Value nothing = Lanes::Undefined(static_cast<int32_t>(reg));
      code.initial_slots.push_back(static_cast<int64_t>(nothing.base));
      code.initial_slots.push_back(nothing.pattern);
    }
    code.control_decl.resize(code.bound.decls.size());
    for (const Memory::Global& g : program.memory.globals())
      code.control_decl[static_cast<size_t>(g.decl)] = g.word > 0;
    auto guide = std::make_shared<PtxGuide>(std::move(program), decls_, sets_);
    guide->Bind(code.bound);
    if (purpose_ == Purpose::kTime)
      guide->Price(std::make_unique<Priced>(*guide, code));
    guide->Take(followed_);
    guide->NoteIgnored();
    code.byte_sets = sets_;
    code.guide = guide;
    out_.guide = guide;
  }

  const Module& module_;
  const LaunchFile& file_;
  const Launch& launch_;
  const Followed& followed_;
  const std::shared_ptr<machine::ByteSets> sets_;
  ir::Diagnostics& diagnostics_;
  const Purpose purpose_;
  const Function* function_ = nullptr;
  Decls decls_;
  Lowered out_;
};

}  // namespace

std::optional<Lowered> Lower(const Module& module, const LaunchFile& file,
                             size_t launch, const Followed& followed,
                             std::shared_ptr<machine::ByteSets> sets,
                             ir::Diagnostics& diagnostics, Purpose purpose) {
  return Kernel(module, file, file.launches[launch], followed, std::move(sets),
                diagnostics, purpose)
      .Run();
}

namespace {

void NamePools(Lowered& k) {
  const std::vector<Pool>& pools = k.guide->pools().all();
  for (size_t i = 0; i < pools.size(); ++i) {
    const auto decl =
        static_cast<size_t>(k.guide->decls().PoolDecl(static_cast<int32_t>(i)));
    const machine::CompiledOp& alloc =
        k.code->ops[static_cast<size_t>(pools[i].op)];
    k.program->kernels[0].decls[decl].name =
        ir::Cat("tensor memory (line ", alloc.op->span.text_line(), ")");
    k.code->bound.decls[decl].columns = pools[i].columns;
    k.code->bound.decls[decl + 1].place = pools[i].slot;
  }
  k.guide->pools().Close();
  k.guide->boxes().clear();  // places in pools follow from their columns
}

}  // namespace

void NameFound(Lowered& k) {
  NamePools(k);
  const std::vector<int64_t>& offsets = k.guide->barriers().offsets();
  const int32_t first = k.guide->decls().first_barrier;
  for (size_t i = 0; i < offsets.size(); ++i) {
    auto decl = static_cast<size_t>(first) + i;
    const int32_t line = k.guide->InitLineOf(static_cast<int32_t>(i));
    std::string& name = k.program->kernels[0].decls[decl].name;
    name = ir::Cat("mbarrier ", k.guide->program().memory.SharedName(
                                    static_cast<uint64_t>(offsets[i])));
    if (line != 0) ir::Append(&name, " (line ", line, ")");
    k.code->bound.decls[decl].address = offsets[i];
  }
  // One that only a later run would find is not followed: it might lie where
  // another has written.
  k.guide->CloseBarriers();
  const size_t decls = static_cast<size_t>(first) + offsets.size();
  k.code->bound.decls.resize(decls);
  k.code->control_decl.resize(decls);
  k.program->kernels[0].decls.resize(decls);
  k.code->bound.mbarriers = static_cast<int32_t>(offsets.size());
  std::vector<ir::BoundDecl>& all = k.code->bound.decls;
  const bool over = k.guide->touched_barriers();
  all[static_cast<size_t>(k.guide->decls().shared)].over_barrier = over;
  for (size_t i = static_cast<size_t>(first); i < decls; ++i)
    all[i].over_barrier = over;
}

}  // namespace tilesim::ptx

#include "ir/ops/memory.h"

namespace tilesim::ir::ops {
namespace {

constexpr std::string_view kLdSt = "PTX 9.7.9";
constexpr std::string_view kAtomics = "PTX 9.7.13.6";

constexpr OperandSpec kLdGlobalOperands[] = {
    {.name = "dst", .types = kTakesReg, .doc = "register tile"},
    {.name = "src",
     .types = kTakesGlobal,
     .doc = "tile of the same shape (extents of 1 do not count); outside the "
            "tensor reads as zero"}};
constexpr OperandSpec kStGlobalOperands[] = {
    {.name = "dst",
     .types = kTakesGlobal,
     .doc = "tile of the same shape (extents of 1 do not count); what lies "
            "outside the tensor is dropped"},
    {.name = "src", .types = kTakesReg, .doc = "register tile"}};
constexpr OperandSpec kLdSharedOperands[] = {
    {.name = "dst", .types = kTakesReg, .doc = "register tile"},
    {.name = "src",
     .types = kTakesShared,
     .doc = "tile of the same shape (extents of 1 do not count)"}};
constexpr OperandSpec kStSharedOperands[] = {
    {.name = "dst",
     .types = kTakesShared,
     .doc = "tile of the same shape (extents of 1 do not count)"},
    {.name = "src", .types = kTakesReg, .doc = "register tile"}};

constexpr OperandSpec kStAsyncOperands[] = {
    {.name = "dst",
     .types = kTakesShared,
     .doc = "tile of the same shape, own or `@ cta` rank"},
    {.name = "src",
     .types = kTakesReg,
     .doc = "register tile, of 32-bit elements"},
    {.name = "bar",
     .types = kTakesBarrier,
     .doc = "barrier of the same CTA as `dst`; each thread completes its own "
            "bytes"}};

constexpr uint16_t kWord = kTakesGlobal | kTakesShared;
constexpr OperandSpec Word(std::string_view name) {
  return {.name = name,
          .types = kWord,
          .doc = "one integer element",
          .element = true};
}
constexpr OperandSpec kLdOperands[] = {
    {.name = "dst", .types = kTakesVar, .doc = "gets the value"}, Word("src")};
constexpr OperandSpec kStOperands[] = {
    Word("dst"), {.name = "src", .types = kTakesInt, .doc = "the value"}};
constexpr OperandSpec kAtomOperands[] = {
    {.name = "dst", .types = kTakesVar, .doc = "gets the value from before"},
    Word("mem"),
    {.name = "value", .types = kTakesInt, .doc = "the operand"}};
constexpr OperandSpec kCasOperands[] = {
    {.name = "dst", .types = kTakesVar, .doc = "gets the value from before"},
    Word("mem"),
    {.name = "compare",
     .types = kTakesInt,
     .doc = "exchange only if it holds this"},
    {.name = "value", .types = kTakesInt, .doc = "what to put there"}};
constexpr OperandSpec kRedOperands[] = {
    Word("mem"), {.name = "value", .types = kTakesInt, .doc = "the operand"}};

// Of an atomic or a reduction `OpT`, whose order is a `SemT`.
template <class OpT, class SemT>
Effect& ReadModifyWrite(const ConcreteOp& op, EffectSink& out) {
  constexpr int mem = OpT::kMem;
  Sem sem = op.choice<OpT, SemT>();
  MemScope scope = op.choice<OpT, AtomScope>().value_or(MemScope::kGpu);
  Effect& read = out.Read(mem);
  read.sem = sem == Sem::kRelease ? Sem::kRelaxed : sem;
  read.scope = scope;
  Effect& write = out.Write(mem);
  write.sem = sem == Sem::kAcquire ? Sem::kRelaxed : sem;
  write.scope = scope;
  return write;
}

void Adds(Effect& write, int value) {
  write.adds = true;
  write.value = value;
}

void Move(EffectSink& out, int dst, int src) {
  out.Read(src);
  out.Write(dst);
}

}  // namespace

constexpr OpInfo LdGlobal::kInfo = Row<LdGlobal>(
    {.mnemonic = "ld.global",
     .operands = kLdGlobalOperands,
     .scope = ExecScope::kAny,
     .arithmetic = Arithmetic::kExact,
     .doc =
         "a tile of global memory into registers; each thread loads what the "
         "fragment gives it, in vectors as wide as neighbours allow.",
     .source = kLdSt});
void LdGlobal::Effects(const ConcreteOp&, EffectSink& out) {
  Move(out, kDst, kSrc);
}

constexpr OpInfo StGlobal::kInfo =
    Row<StGlobal>({.mnemonic = "st.global",
                   .operands = kStGlobalOperands,
                   .scope = ExecScope::kAny,
                   .arithmetic = Arithmetic::kExact,
                   .doc = "a register tile to global memory.",
                   .source = kLdSt});
void StGlobal::Effects(const ConcreteOp&, EffectSink& out) {
  Move(out, kDst, kSrc);
}

constexpr OpInfo LdShared::kInfo =
    Row<LdShared>({.mnemonic = "ld.shared",
                   .operands = kLdSharedOperands,
                   .scope = ExecScope::kAny,
                   .arithmetic = Arithmetic::kExact,
                   .doc = "a shared tile into registers.",
                   .source = kLdSt});
void LdShared::Effects(const ConcreteOp&, EffectSink& out) {
  Move(out, kDst, kSrc);
}

constexpr OpInfo StShared::kInfo =
    Row<StShared>({.mnemonic = "st.shared",
                   .operands = kStSharedOperands,
                   .scope = ExecScope::kAny,
                   .arithmetic = Arithmetic::kExact,
                   .doc = "a register tile to shared memory; generic proxy.",
                   .source = kLdSt});
void StShared::Effects(const ConcreteOp&, EffectSink& out) {
  Move(out, kDst, kSrc);
}

constexpr OpInfo StAsync::kInfo = Row<StAsync>(
    {.mnemonic = "st.async",
     .operands = kStAsyncOperands,
     .scope = ExecScope::kAny,
     .async = AsyncUnit::kStAsync,
     .arithmetic = Arithmetic::kExact,
     .doc =
         "a register tile to shared memory of a CTA of the cluster, without "
         "waiting: weak stores by the generic proxy, 4, 8 or 16 bytes each as "
         "neighbours allow, each of which completes its bytes on `bar`. What "
         "the executing threads hold of the tile is what is to be expected.",
     .source = "PTX 9.7.9.12"});
void StAsync::Effects(const ConcreteOp&, EffectSink& out) {
  // Registers are ordinary operands: a later write waits for them.
  out.Read(kSrc);
  out.Write(kDst, Proxy::kGeneric, Milestone::kDone);
  Effect& tx = out.Value(EffectKind::kCompleteTx, kBar, kSrc, Milestone::kDone);
  tx.by_share = true;
  tx.sem = Sem::kRelease;
  tx.scope = MemScope::kCluster;
}

constexpr OpInfo Ld::kInfo = Row<Ld>(
    {.mnemonic = "ld",
     .operands = kLdOperands,
     .arithmetic = Arithmetic::kExact,
     .doc =
         "one integer into a var, the same for all executing threads: flags, "
         "lengths, counters.",
     .source = kLdSt});
void Ld::Effects(const ConcreteOp& op, EffectSink& out) {
  Effect& e = out.Read(kSrc);
  e.sem = op.choice<Ld, LdSem>();
  e.scope = op.choice<Ld, AccessScope>().value_or(MemScope::kCta);
}

constexpr OpInfo St::kInfo = Row<St>({.mnemonic = "st",
                                      .operands = kStOperands,
                                      .arithmetic = Arithmetic::kExact,
                                      .doc = "one integer to memory.",
                                      .source = kLdSt});
void St::Effects(const ConcreteOp& op, EffectSink& out) {
  Effect& e = out.Write(kDst);
  e.sem = op.choice<St, StSem>();
  e.scope = op.choice<St, AccessScope>().value_or(MemScope::kCta);
}

constexpr OpInfo AtomAdd::kInfo =
    Row<AtomAdd>({.mnemonic = "atom.add",
                  .operands = kAtomOperands,
                  .arithmetic = Arithmetic::kExact,
                  .doc = "adds, and returns what was there before.",
                  .source = kAtomics});
void AtomAdd::Effects(const ConcreteOp& op, EffectSink& out) {
  Adds(ReadModifyWrite<AtomAdd, AtomSem>(op, out), kValue);
}

constexpr OpInfo AtomExch::kInfo =
    Row<AtomExch>({.mnemonic = "atom.exch",
                   .operands = kAtomOperands,
                   .arithmetic = Arithmetic::kExact,
                   .doc = "exchanges.",
                   .source = kAtomics});
void AtomExch::Effects(const ConcreteOp& op, EffectSink& out) {
  ReadModifyWrite<AtomExch, AtomSem>(op, out);
}

constexpr OpInfo AtomCas::kInfo =
    Row<AtomCas>({.mnemonic = "atom.cas",
                  .operands = kCasOperands,
                  .arithmetic = Arithmetic::kExact,
                  .doc = "exchanges if memory holds `compare`.",
                  .source = kAtomics});
void AtomCas::Effects(const ConcreteOp& op, EffectSink& out) {
  ReadModifyWrite<AtomCas, AtomSem>(op, out);
}

constexpr OpInfo RedAdd::kInfo =
    Row<RedAdd>({.mnemonic = "red.add",
                 .operands = kRedOperands,
                 .arithmetic = Arithmetic::kExact,
                 .doc = "adds without returning anything.",
                 .source = kAtomics});
void RedAdd::Effects(const ConcreteOp& op, EffectSink& out) {
  Adds(ReadModifyWrite<RedAdd, RedSem>(op, out), kValue);
}

}  // namespace tilesim::ir::ops

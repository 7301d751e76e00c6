#include "ir/ops/memory.h"

namespace tilesim::ir::ops {
namespace {

constexpr std::string_view kLdSt = "PTX 9.7.9";
constexpr std::string_view kAtomics = "PTX 9.7.13.6";

constexpr OperandSpec kLdGlobalOperands[] = {
    {"dst", kTakesReg, false, false, "register tile"},
    {"src", kTakesGlobal, false, false,
     "tile of the same shape; outside the tensor reads as zero"}};
constexpr OperandSpec kStGlobalOperands[] = {
    {"dst", kTakesGlobal, false, false,
     "tile of the same shape; what lies outside the tensor is dropped"},
    {"src", kTakesReg, false, false, "register tile"}};
constexpr OperandSpec kLdSharedOperands[] = {
    {"dst", kTakesReg, false, false, "register tile"},
    {"src", kTakesShared, false, false, "tile of the same shape"}};
constexpr OperandSpec kStSharedOperands[] = {
    {"dst", kTakesShared, false, false, "tile of the same shape"},
    {"src", kTakesReg, false, false, "register tile"}};

constexpr OperandSpec kStAsyncOperands[] = {
    {"dst", kTakesShared, false, false,
     "tile of the same shape, own or `@ cta` rank"},
    {"src", kTakesReg, false, false, "register tile, of 32-bit elements"},
    {"bar", kTakesBarrier, false, false,
     "barrier of the same CTA as `dst`; each thread completes its own bytes"}};

constexpr uint16_t kWord = kTakesGlobal | kTakesShared;
constexpr OperandSpec Word(std::string_view name) {
  return {name, kWord, false, false, "one integer element", true};
}
constexpr OperandSpec kLdOperands[] = {
    {"dst", kTakesVar, false, false, "gets the value"}, Word("src")};
constexpr OperandSpec kStOperands[] = {
    Word("dst"), {"src", kTakesInt, false, false, "the value"}};
constexpr OperandSpec kAtomOperands[] = {
    {"dst", kTakesVar, false, false, "gets the value from before"},
    Word("mem"),
    {"value", kTakesInt, false, false, "the operand"}};
constexpr OperandSpec kCasOperands[] = {
    {"dst", kTakesVar, false, false, "gets the value from before"},
    Word("mem"),
    {"compare", kTakesInt, false, false, "exchange only if it holds this"},
    {"value", kTakesInt, false, false, "what to put there"}};
constexpr OperandSpec kRedOperands[] = {
    Word("mem"), {"value", kTakesInt, false, false, "the operand"}};

constexpr std::string_view kScopes[] = {"", "cta", "cluster", "gpu", "sys"};
constexpr std::string_view kLdSems[] = {"", "relaxed", "acquire"};
constexpr std::string_view kStSems[] = {"", "relaxed", "release"};
constexpr std::string_view kAtomSems[] = {"relaxed", "acquire", "release",
                                          "acq_rel"};
constexpr std::string_view kRedSems[] = {"relaxed", "release"};
constexpr ModSpec kLdMods[] = {{"sem", kLdSems, "weak when not written"},
                               {"scope", kScopes, "needed unless weak"}};
constexpr ModSpec kStMods[] = {{"sem", kStSems, "weak when not written"},
                               {"scope", kScopes, "needed unless weak"}};
constexpr ModSpec kAtomMods[] = {{"sem", kAtomSems, "relaxed by default"},
                                 {"scope", kScopes, "gpu when not written"}};
constexpr ModSpec kRedMods[] = {{"sem", kRedSems, "relaxed by default"},
                                {"scope", kScopes, "gpu when not written"}};

MemScope ScopeOf(const ConcreteOp& op, MemScope unmarked) {
  return op.mod(1) == 0 ? unmarked : static_cast<MemScope>(op.mod(1) - 1);
}

Effect& ReadModifyWrite(const ConcreteOp& op, EffectSink& out, int mem,
                        Sem sem) {
  MemScope scope = ScopeOf(op, MemScope::kGpu);
  Effect& read = out.Read(mem);
  read.sem = sem == Sem::kRelease ? Sem::kRelaxed : sem;
  read.scope = scope;
  Effect& write = out.Write(mem);
  write.sem = sem == Sem::kAcquire ? Sem::kRelaxed : sem;
  write.scope = scope;
  return write;
}

Effect& Atomic(const ConcreteOp& op, EffectSink& out, int mem) {
  constexpr Sem kSems[] = {Sem::kRelaxed, Sem::kAcquire, Sem::kRelease,
                           Sem::kAcqRel};
  return ReadModifyWrite(op, out, mem, kSems[op.mod(0)]);
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

constexpr OpInfo LdGlobal::kInfo = {
    .kind = OpKind::kLdGlobal,
    .mnemonic = "ld.global",
    .mods = {},
    .operands = kLdGlobalOperands,
    .scope = ExecScope::kAny,
    .arithmetic = Arithmetic::kExact,
    .doc =
        "a tile of global memory into registers; each thread loads what the "
        "fragment gives it, in vectors as wide as neighbours allow.",
    .source = kLdSt};
void LdGlobal::Effects(const ConcreteOp&, EffectSink& out) {
  Move(out, kDst, kSrc);
}

constexpr OpInfo StGlobal::kInfo = {.kind = OpKind::kStGlobal,
                                    .mnemonic = "st.global",
                                    .mods = {},
                                    .operands = kStGlobalOperands,
                                    .scope = ExecScope::kAny,
                                    .arithmetic = Arithmetic::kExact,
                                    .doc = "a register tile to global memory.",
                                    .source = kLdSt};
void StGlobal::Effects(const ConcreteOp&, EffectSink& out) {
  Move(out, kDst, kSrc);
}

constexpr OpInfo LdShared::kInfo = {.kind = OpKind::kLdShared,
                                    .mnemonic = "ld.shared",
                                    .mods = {},
                                    .operands = kLdSharedOperands,
                                    .scope = ExecScope::kAny,
                                    .arithmetic = Arithmetic::kExact,
                                    .doc = "a shared tile into registers.",
                                    .source = kLdSt};
void LdShared::Effects(const ConcreteOp&, EffectSink& out) {
  Move(out, kDst, kSrc);
}

constexpr OpInfo StShared::kInfo = {
    .kind = OpKind::kStShared,
    .mnemonic = "st.shared",
    .mods = {},
    .operands = kStSharedOperands,
    .scope = ExecScope::kAny,
    .arithmetic = Arithmetic::kExact,
    .doc = "a register tile to shared memory; generic proxy.",
    .source = kLdSt};
void StShared::Effects(const ConcreteOp&, EffectSink& out) {
  Move(out, kDst, kSrc);
}

constexpr OpInfo StAsync::kInfo = {
    .kind = OpKind::kStAsync,
    .mnemonic = "st.async",
    .mods = {},
    .operands = kStAsyncOperands,
    .scope = ExecScope::kAny,
    .async = AsyncUnit::kStAsync,
    .arithmetic = Arithmetic::kExact,
    .doc =
        "a register tile to shared memory of a CTA of the cluster, without "
        "waiting: weak stores by the generic proxy, 4, 8 or 16 bytes each as "
        "neighbours allow, each of which completes its bytes on `bar`. What "
        "the executing threads hold of the tile is what is to be expected.",
    .source = "PTX 9.7.9.12"};
void StAsync::Effects(const ConcreteOp&, EffectSink& out) {
  // Registers are ordinary operands: a later write waits for them.
  out.Read(kSrc);
  out.Write(kDst, Proxy::kGeneric, Milestone::kDone);
  Effect& tx = out.Value(EffectKind::kCompleteTx, kBar, kSrc, Milestone::kDone);
  tx.by_share = true;
  tx.sem = Sem::kRelease;
  tx.scope = MemScope::kCluster;
}

constexpr OpInfo Ld::kInfo = {
    .kind = OpKind::kLd,
    .mnemonic = "ld",
    .mods = kLdMods,
    .operands = kLdOperands,
    .arithmetic = Arithmetic::kExact,
    .doc =
        "one integer into a var, the same for all executing threads: flags, "
        "lengths, counters.",
    .source = kLdSt};
void Ld::Effects(const ConcreteOp& op, EffectSink& out) {
  constexpr Sem kSems[] = {Sem::kWeak, Sem::kRelaxed, Sem::kAcquire};
  Effect& e = out.Read(kSrc);
  e.sem = kSems[op.mod(0)];
  e.scope = ScopeOf(op, MemScope::kCta);
}

constexpr OpInfo St::kInfo = {.kind = OpKind::kSt,
                              .mnemonic = "st",
                              .mods = kStMods,
                              .operands = kStOperands,
                              .arithmetic = Arithmetic::kExact,
                              .doc = "one integer to memory.",
                              .source = kLdSt};
void St::Effects(const ConcreteOp& op, EffectSink& out) {
  constexpr Sem kSems[] = {Sem::kWeak, Sem::kRelaxed, Sem::kRelease};
  Effect& e = out.Write(kDst);
  e.sem = kSems[op.mod(0)];
  e.scope = ScopeOf(op, MemScope::kCta);
}

constexpr OpInfo AtomAdd::kInfo = {
    .kind = OpKind::kAtomAdd,
    .mnemonic = "atom.add",
    .mods = kAtomMods,
    .operands = kAtomOperands,
    .arithmetic = Arithmetic::kExact,
    .doc = "adds, and returns what was there before.",
    .source = kAtomics};
void AtomAdd::Effects(const ConcreteOp& op, EffectSink& out) {
  Adds(Atomic(op, out, kMem), kValue);
}

constexpr OpInfo AtomExch::kInfo = {.kind = OpKind::kAtomExch,
                                    .mnemonic = "atom.exch",
                                    .mods = kAtomMods,
                                    .operands = kAtomOperands,
                                    .arithmetic = Arithmetic::kExact,
                                    .doc = "exchanges.",
                                    .source = kAtomics};
void AtomExch::Effects(const ConcreteOp& op, EffectSink& out) {
  Atomic(op, out, kMem);
}

constexpr OpInfo AtomCas::kInfo = {
    .kind = OpKind::kAtomCas,
    .mnemonic = "atom.cas",
    .mods = kAtomMods,
    .operands = kCasOperands,
    .arithmetic = Arithmetic::kExact,
    .doc = "exchanges if memory holds `compare`.",
    .source = kAtomics};
void AtomCas::Effects(const ConcreteOp& op, EffectSink& out) {
  Atomic(op, out, kMem);
}

constexpr OpInfo RedAdd::kInfo = {.kind = OpKind::kRedAdd,
                                  .mnemonic = "red.add",
                                  .mods = kRedMods,
                                  .operands = kRedOperands,
                                  .arithmetic = Arithmetic::kExact,
                                  .doc = "adds without returning anything.",
                                  .source = kAtomics};
void RedAdd::Effects(const ConcreteOp& op, EffectSink& out) {
  Sem sem = op.mod(0) == 1 ? Sem::kRelease : Sem::kRelaxed;
  Adds(ReadModifyWrite(op, out, kMem, sem), kValue);
}

}  // namespace tilesim::ir::ops

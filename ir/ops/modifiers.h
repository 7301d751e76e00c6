// Every modifier of the op table: how each choice is written, what it means.
#ifndef TILESIM_IR_OPS_MODIFIERS_H_
#define TILESIM_IR_OPS_MODIFIERS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "ir/effect.h"
#include "ir/modifier.h"

namespace tilesim::ir::ops {

// A scope that need not be written.
using WrittenScope = std::optional<MemScope>;

// --- mbarriers and barriers --------------------------------------------------

// Release is what an unmarked arrival means in PTX (9.7.13.15).
struct ArriveSem {
  static constexpr std::string_view kName = "sem";
  static constexpr std::string_view kDoc =
      "memory order; release when not written";
  static constexpr Choice<Sem> kChoices[] = {{"", Sem::kRelease},
                                             {"relaxed", Sem::kRelaxed},
                                             {"release", Sem::kRelease}};
};

struct WaitSem {
  static constexpr std::string_view kName = "sem";
  static constexpr std::string_view kDoc =
      "memory order; acquire when not written";
  static constexpr Choice<Sem> kChoices[] = {{"", Sem::kAcquire},
                                             {"relaxed", Sem::kRelaxed},
                                             {"acquire", Sem::kAcquire}};
};

// Of arrivals and waits.
struct BarrierScope {
  static constexpr std::string_view kName = "scope";
  static constexpr std::string_view kDoc =
      "scope of the order; cta when not written";
  static constexpr Choice<WrittenScope> kChoices[] = {
      {"", std::nullopt},
      {"cta", MemScope::kCta},
      {"cluster", MemScope::kCluster}};
};

struct ClusterArriveSem {
  static constexpr std::string_view kName = "sem";
  static constexpr std::string_view kDoc = "release when not written";
  static constexpr Choice<Sem> kChoices[] = {{"", Sem::kRelease},
                                             {"relaxed", Sem::kRelaxed},
                                             {"release", Sem::kRelease}};
};

// cp.async.mbarrier.arrive
struct Noinc {
  static constexpr std::string_view kName = "noinc";
  static constexpr std::string_view kDoc =
      "do not raise the pending count now: the arrival is one that init "
      "counted";
  static constexpr Choice<bool> kChoices[] = {{"", false}, {"noinc", true}};
};

// --- fences ------------------------------------------------------------------

struct FenceSem {
  static constexpr std::string_view kName = "sem";
  static constexpr std::string_view kDoc = "what it orders";
  static constexpr Choice<Sem> kChoices[] = {{"acq_rel", Sem::kAcqRel},
                                             {"sc", Sem::kSc},
                                             {"acquire", Sem::kAcquire},
                                             {"release", Sem::kRelease}};
};

struct FenceScope {
  static constexpr std::string_view kName = "scope";
  static constexpr std::string_view kDoc = "for whom";
  static constexpr Choice<MemScope> kChoices[] = {
      {"cta", MemScope::kCta},
      {"cluster", MemScope::kCluster},
      {"gpu", MemScope::kGpu},
      {"sys", MemScope::kSys}};
};

struct ProxySpace {
  static constexpr std::string_view kName = "space";
  static constexpr std::string_view kDoc =
      "one state space only, of shared::cta not what peers have; all when not "
      "written";
  static constexpr Choice<FenceKind> kChoices[] = {
      {"", FenceKind::kProxyAsync},
      {"shared::cta", FenceKind::kProxyShared},
      {"global", FenceKind::kProxyGlobal},
      {"shared::cluster", FenceKind::kProxyCluster}};
};

// --- asynchronous copies and tcgen05 -----------------------------------------

struct CtaGroup {
  enum Value : uint8_t { kUnwritten, kOne, kTwo };
  static constexpr std::string_view kName = "cta_group";
  static constexpr std::string_view kDoc =
      "one CTA, or the pair whose ranks differ in the last bit";
  static constexpr Choice<Value> kChoices[] = {
      {"", kUnwritten}, {"cta_group::1", kOne}, {"cta_group::2", kTwo}};
};

// tma.reduce
struct ReduceOp {
  enum Value : uint8_t { kAdd, kMin, kMax };
  static constexpr std::string_view kName = "op";
  static constexpr std::string_view kDoc =
      "what is done to each element in global memory";
  static constexpr Choice<Value> kChoices[] = {
      {"add", kAdd}, {"min", kMin}, {"max", kMax}};
};

// bulk.wait_group
struct ReadOnly {
  static constexpr std::string_view kName = "read";
  static constexpr std::string_view kDoc =
      "wait only until the sources are read: shared memory may be reused, the "
      "global writes may be in flight";
  static constexpr Choice<bool> kChoices[] = {{"", false}, {"read", true}};
};

// cp.async
struct Zfill {
  static constexpr std::string_view kName = "fill";
  static constexpr std::string_view kDoc =
      "src-size: an instruction reads what the tensor has of its bytes and "
      "fills the rest with zeros";
  static constexpr bool kFills = true;
  static constexpr Choice<bool> kChoices[] = {{"", false}, {"zfill", true}};
};

// clc.try_cancel
struct Multicast {
  static constexpr std::string_view kName = "multicast";
  static constexpr std::string_view kDoc = "to every CTA of the cluster";
  static constexpr Choice<bool> kChoices[] = {{"", false}, {"multicast", true}};
};

// --- loads, stores, atomics --------------------------------------------------

struct LdSem {
  static constexpr std::string_view kName = "sem";
  static constexpr std::string_view kDoc = "weak when not written";
  static constexpr Choice<Sem> kChoices[] = {
      {"", Sem::kWeak}, {"relaxed", Sem::kRelaxed}, {"acquire", Sem::kAcquire}};
};

struct StSem {
  static constexpr std::string_view kName = "sem";
  static constexpr std::string_view kDoc = "weak when not written";
  static constexpr Choice<Sem> kChoices[] = {
      {"", Sem::kWeak}, {"relaxed", Sem::kRelaxed}, {"release", Sem::kRelease}};
};

struct AtomSem {
  static constexpr std::string_view kName = "sem";
  static constexpr std::string_view kDoc = "relaxed by default";
  static constexpr Choice<Sem> kChoices[] = {{"relaxed", Sem::kRelaxed},
                                             {"acquire", Sem::kAcquire},
                                             {"release", Sem::kRelease},
                                             {"acq_rel", Sem::kAcqRel}};
};

struct RedSem {
  static constexpr std::string_view kName = "sem";
  static constexpr std::string_view kDoc = "relaxed by default";
  static constexpr Choice<Sem> kChoices[] = {{"relaxed", Sem::kRelaxed},
                                             {"release", Sem::kRelease}};
};

inline constexpr Choice<WrittenScope> kScopes[] = {
    {"", std::nullopt},
    {"cta", MemScope::kCta},
    {"cluster", MemScope::kCluster},
    {"gpu", MemScope::kGpu},
    {"sys", MemScope::kSys}};

// Of ld and st.
struct AccessScope {
  static constexpr std::string_view kName = "scope";
  static constexpr std::string_view kDoc = "needed unless weak";
  static constexpr auto& kChoices = kScopes;
};

// Of atom and red.
struct AtomScope {
  static constexpr std::string_view kName = "scope";
  static constexpr std::string_view kDoc = "gpu when not written";
  static constexpr auto& kChoices = kScopes;
};

// --- arithmetic --------------------------------------------------------------

// cvt
struct CvtRound {
  enum Value : uint8_t { kNearest, kTruncate, kSatfinite };
  static constexpr std::string_view kName = "round";
  static constexpr std::string_view kDoc =
      "to nearest even when not written; rz truncates; satfinite clamps (fp8 "
      "and narrower always do)";
  static constexpr Choice<Value> kChoices[] = {
      {"", kNearest}, {"rz", kTruncate}, {"satfinite", kSatfinite}};
};

}  // namespace tilesim::ir::ops

#endif  // TILESIM_IR_OPS_MODIFIERS_H_

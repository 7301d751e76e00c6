#include "tests/agree/random_program.h"

#include <random>

#include "ir/cat.h"

namespace tilesim::checkers {
namespace {

class Writer {
 public:
  explicit Writer(uint64_t seed, bool wide) : wide_(wide), random_(seed) {}

  std::string Write() {
    warps_ = 2 + Pick(3);
    barriers_ = 1 + Pick(3);
    talks_ = Pick(5) == 0;
    pair_ = wide_ && Pick(2) == 0;
    if (pair_) warps_ = 1 + Pick(2);
    Line("kernel k target sm_90a {");
    Line(pair_ ? "  grid (2)\n  cluster (2)" : "  grid (1)");
    Line(ir::Cat("  block ", 32 * warps_));
    Line("  global A : u32[16]");
    Line("  shared a[4] : u32[4]");
    if (wide_) Line("  shared t : u32[32, 4]\n  global B : u32[16]");
    if (talks_) Line("  global F : u32[2] zero");
    for (int b = 0; b < barriers_; ++b) Line(ir::Cat("  mbarrier m", b));
    Line("  thread 0 {");
    for (int b = 0; b < barriers_; ++b)
      Line(ir::Cat("    mbarrier.init m", b, ", ", Pick(4) == 0 ? 2 : 1));
    Line("    fence.mbarrier_init");
    Line("  }");
    Line("  bar.sync 0");
    if (pair_) Line("  barrier.cluster.arrive\n  barrier.cluster.wait");
    for (int w = 0; w < warps_; ++w) Role(w);
    Line("}");
    return std::move(text_);
  }

 private:
  int Pick(int n) { return static_cast<int>(random_() % n); }
  void Line(const std::string& line) { ir::Append(&text_, line, "\n"); }
  std::string Barrier() { return ir::Cat("m", Pick(barriers_)); }

  void Role(int warp) {
    Line(ir::Cat("  role r", warp, " = warp ", warp, " {"));
    if (wide_)
      Line(
          "    reg v : u32[32, 4] fragment row\n"
          "    reg w : u32[32, 4] fragment blocked(1)\n    mov v, 1");
    bool loops = Pick(3) == 0;
    if (loops) Line(ir::Cat("    for i in 0..", 1 + Pick(3), " {"));
    int ops = 1 + Pick(loops ? 3 : 4);
    for (int i = 0; i < ops; ++i) Op(warp, loops);
    if (loops) Line("    }");
    // Some leave, while others come to a barrier.
    if (wide_ && Pick(4) == 0)
      Line(pair_ ? "    barrier.cluster.arrive\n    barrier.cluster.wait"
                 : "    bar.sync 3");
    Line("  }");
  }

  std::string Scope() {
    static constexpr const char* kScopes[] = {
        "", ".cluster", ".release.cluster", ".relaxed.cluster", ".release.cta"};
    return kScopes[Pick(5)];
  }

  void Elect(const std::string& line) {
    Line("    elect {");
    Line(ir::Cat("      ", line));
    Line("    }");
  }

  void WideOp(int warp) {
    switch (Pick(pair_ ? 12 : 8)) {
      case 0:
        return Line("    st.shared t, v");
      case 1:
        return Line("    ld.shared w, t");
      case 2:
        return Line("    st.shared t, w");
      case 3:
        return Line("    bar.warp.sync");
      case 4:
        Elect(ir::Cat("bulk.store B[0 :+ 4], ", Stage(warp)));
        return Elect("bulk.commit_group");
      case 5:
        return Elect(Pick(2) == 0 ? "bulk.wait_group 0"
                                  : "bulk.wait_group.read 0");
      case 6:
        return Elect(ir::Cat("cp.async ", Stage(warp), ", A[0 :+ 4]"));
      case 7:
        if (Pick(2) == 0)
          return Elect(ir::Cat("cp.async.mbarrier.arrive.noinc ", Barrier()));
        Elect("cp.async.commit_group");
        return Elect("cp.async.wait_group 0");
      case 8:
        return Line(Pick(2) == 0 ? "    fence.acq_rel.cluster"
                                 : "    fence.acq_rel.cta");
      case 9:
        return Line(
            ir::Cat("    mbarrier.wait",
                    Pick(2) == 0 ? ".acquire.cluster" : ".relaxed.cluster", " ",
                    Barrier(), ", parity = ", Pick(2)));
      default:
        return Elect(ir::Cat("mbarrier.arrive", Scope(), " ", Barrier(),
                             " @ cta 1 - cluster.rank"));
    }
  }

  std::string Parity(bool loops) {
    if (loops && Pick(3) != 0) return Pick(2) == 0 ? "i & 1" : "(i + 1) & 1";
    return ir::Cat(Pick(4) == 0 ? 1 : 0);
  }

  // Mostly of the warp's own.
  std::string Stage(int warp) {
    return ir::Cat("a[", Pick(4) == 0 ? Pick(warps_) : warp, "]");
  }

  std::string Word() { return ir::Cat("F[", Pick(2), "]"); }

  // Something that decides whether there is an arrival, or a copy.
  void Talk(int warp) {
    static constexpr const char* kScopes[] = {"acquire", "relaxed"};
    Line("    elect {");
    Line("      var seen = 0");
    switch (Pick(6)) {
      case 0:
      case 1:
        Line(ir::Cat("      ld.", kScopes[Pick(2)], ".cta seen, ", Word()));
        break;
      case 2:
        Line(ir::Cat("      atom.add.acq_rel.cta seen, ", Word(), ", 1"));
        break;
      case 3:
        Line(ir::Cat("      mbarrier.test_wait seen, ", Barrier(),
                     ", parity = ", Pick(2)));
        break;
      default:
        Line(ir::Cat("      st.", Pick(2) == 0 ? "release" : "relaxed", ".cta ",
                     Word(), ", 1"));
        return Line("    }");
    }
    std::string then = Pick(3) == 0 ? ir::Cat("st ", Stage(warp), "[0], 1")
                                    : ir::Cat("mbarrier.arrive ", Barrier());
    Line(ir::Cat("      if ", Pick(3) == 0 ? "seen == 0" : "seen != 0", " {"));
    Line(ir::Cat("        ", then));
    Line("      }");
    Line("    }");
  }

  // Goes round until another warp has written: perhaps for ever.
  void Poll() {
    Line("    elect {");
    Line("      var seen = 0");
    Line("      while seen == 0 {");
    if (Pick(2) == 0) {
      Line(ir::Cat("        ld.acquire.cta seen, ", Word()));
    } else {
      Line(ir::Cat("        mbarrier.test_wait seen, ", Barrier(),
                   ", parity = 0"));
    }
    Line("      }");
    Line("    }");
  }

  void Op(int warp, bool loops) {
    if (wide_ && Pick(2) == 0) return WideOp(warp);
    if (talks_ && Pick(3) == 0) return Talk(warp);
    if (talks_ && Pick(12) == 0) return Poll();
    switch (Pick(15)) {
      case 0:
        return Line(Pick(2) == 0 && warps_ > 1 ? "    bar.sync 1, 64"
                                               : "    bar.sync 2");
      case 12:
      case 13:
        Line("    elect {");
        Line(ir::Cat("      st ", Stage(warp), "[0], 1"));
        return Line("    }");
      case 14:
        return Line("    fence.proxy.async");
      case 1:
        Line("    elect {");
        Line(ir::Cat("      mbarrier.expect_tx ", Barrier(), ", 16"));
        return Line("    }");
      case 2:
      case 3: {
        std::string bar = Barrier();
        Line("    elect {");
        Line(ir::Cat("      mbarrier.arrive.expect_tx ", bar, ", 16"));
        Line(ir::Cat("      bulk.load ", Stage(warp), ", A[0:+4], ", bar));
        return Line("    }");
      }
      case 4:
      case 5:
      case 6:
        Line("    elect {");
        Line(ir::Cat("      mbarrier.arrive ", Barrier()));
        return Line("    }");
      default:
        return Line(ir::Cat("    mbarrier.wait ", Barrier(),
                            ", parity = ", Parity(loops)));
    }
  }

  const bool wide_;
  bool pair_ = false;
  std::mt19937_64 random_;
  std::string text_;
  int warps_ = 0;
  int barriers_ = 0;
  bool talks_ = false;  // over words in memory, or asks barriers
};

}  // namespace

std::string RandomProgram(uint64_t seed) { return Writer(seed, false).Write(); }

std::string RandomWideProgram(uint64_t seed) {
  return Writer(seed, true).Write();
}

}  // namespace tilesim::checkers

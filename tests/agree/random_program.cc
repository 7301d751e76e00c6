#include "tests/agree/random_program.h"

#include <random>

#include "ir/cat.h"

namespace tilesim::checkers {
namespace {

class Writer {
 public:
  explicit Writer(uint64_t seed) : random_(seed) {}

  std::string Write() {
    warps_ = 2 + Pick(3);
    barriers_ = 1 + Pick(3);
    talks_ = Pick(5) == 0;
    Line("kernel k target sm_90a {");
    Line("  grid (1)");
    Line(ir::Cat("  block ", 32 * warps_));
    Line("  global A : u32[16]");
    Line("  shared a[4] : u32[4]");
    if (talks_) Line("  global F : u32[2] zero");
    for (int b = 0; b < barriers_; ++b) Line(ir::Cat("  mbarrier m", b));
    Line("  thread 0 {");
    for (int b = 0; b < barriers_; ++b)
      Line(ir::Cat("    mbarrier.init m", b, ", ", Pick(4) == 0 ? 2 : 1));
    Line("    fence.mbarrier_init");
    Line("  }");
    Line("  bar.sync 0");
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
    bool loops = Pick(3) == 0;
    if (loops) Line(ir::Cat("    for i in 0..", 1 + Pick(3), " {"));
    int ops = 1 + Pick(loops ? 3 : 4);
    for (int i = 0; i < ops; ++i) Op(warp, loops);
    if (loops) Line("    }");
    Line("  }");
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
    if (talks_ && Pick(3) == 0) return Talk(warp);
    if (talks_ && Pick(12) == 0) return Poll();
    switch (Pick(15)) {
      case 0:
        return Line(Pick(2) == 0 ? "    bar.sync 1, 64" : "    bar.sync 2");
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

  std::mt19937_64 random_;
  std::string text_;
  int warps_ = 0;
  int barriers_ = 0;
  bool talks_ = false;  // over words in memory, or asks barriers
};

}  // namespace

std::string RandomProgram(uint64_t seed) { return Writer(seed).Write(); }

}  // namespace tilesim::checkers

#include "tests/sizes/form.h"

#include <algorithm>
#include <random>

#include "tests/sizes/form_map.h"
#include "tests/sizes/form_ring.h"
#include "tests/sizes/form_writer.h"

namespace tilesim::checkers {
namespace {

// Programs that are no ring of stages.
class Other : public FormWriter {
 public:
  using FormWriter::FormWriter;

  std::string Write() {
    switch (Below(5)) {
      case 0:
        BeginsAnew();
        return "barriers that begin anew";
      case 1:
        HandsOn();
        return "answers that are handed on";
      case 2:
        Registers();
        return "registers in a loop";
      case 3:
        Columns();
        return "columns in a loop";
      default:
        Products();
        return "groups by a parameter";
    }
  }

 private:
  void Inits(const std::vector<std::pair<std::string, int>>& barriers) {
    Block("thread 0", [&] {
      for (const auto& [name, count] : barriers)
        Line("mbarrier.init {}, {}", name, About(count));
      Line("fence.mbarrier_init");
    });
  }

  // Barriers of a tile are its own.
  void BeginsAnew() {
    int stages = 1 + Below(3);
    bool empty = Coin();
    Block("kernel k target sm_90a", [&] {
      Constant("S", stages);
      Line("param T : {}.. = 3", Below(2));
      Line("param K : {}.. = 4", Below(2));
      Line("global A : u32[32]");
      Line("grid (1)\n  block 64");
      Line("mbarrier full[S]");
      Line("shared a[S] : u32[32]");
      Block("for t in 0..T", [&] {
        Block("thread 0", [&] {
          Block("for s in 0..S", [&] { Line("mbarrier.init full[s], 1"); });
          Needed("fence.mbarrier_init", "t");
        });
        Needed("bar.sync 0", "t");
        std::string end = empty ? "max(K - 2, 0)" : "K";
        Block("for i in 0.." + end, [&] { TurnOfATile(stages); });
        Block("thread 0", [&] {
          Block("for s in 0..S",
                [&] { Needed("mbarrier.inval full[s]", "t"); });
        });
      });
    });
  }
  void TurnOfATile(int stages) {
    Block("warp 0, elect", [&] {
      Line("mbarrier.arrive.expect_tx full[i % S], bytes(a)");
      Line("bulk.load a[i % S], A[0 :+ 32], full[i % S]");
    });
    std::string parity = Coin() ? "(i / S) & 1" : "i % (2 * S) / S";
    if (Mutated("the parity goes on from tile to tile"))
      parity = fmt::format("((t * K + i) / {}) & 1", stages);
    Line("mbarrier.wait full[i % S], parity = {}", parity);
    Needed("bar.sync 0", "i");
  }

  // One warp asks for clusters, others learn of it by a shared slot.
  void HandsOn() {
    int readers = 1 + Below(3), count = About(readers);
    bool ring = Coin();
    std::string s = ring ? "[n % 2]" : "", f = ring ? "n / 2" : "n";
    Block("kernel k target sm_100a", [&] {
      Line("param T : 1.. = 5");
      Line("grid (T)\n  block {}", 32 * (1 + readers));
      Line("mbarrier answered, full{0}, empty{0}", ring ? "[2]" : "");
      Line("shared answer : u32[4]");
      Line("shared slot{} : u32[2]", ring ? "[2]" : "");
      Block("thread 0", [&] {
        Line("mbarrier.init answered, 1");
        for (int i = 0; i < 1 + ring; ++i) {
          std::string index = ring ? fmt::format("[{}]", i) : "";
          Line("mbarrier.init full{}, 1", index);
          Line("mbarrier.init empty{}, {}", index, count);
        }
        Line("fence.mbarrier_init");
      });
      Line("bar.sync 0");
      Block("role scheduler = warp 0, elect", [&] { Scheduler(s, f); });
      Block(fmt::format("role work = warps 1..{}, elect", 1 + readers), [&] {
        Line("var n = 0\n    var more = 1\n    var x = 0");
        Block("while more", [&] {
          Needed(fmt::format("mbarrier.wait full{}, parity = {} & 1", s, f),
                 "n");
          Line("ld more, slot{}[0]", s);
          Block("if more", [&] { Line("ld x, slot{}[1]", s); });
          Line("mbarrier.arrive empty{}", s);
          Line("n = n + 1");
        });
      });
    });
  }
  void Scheduler(const std::string& s, const std::string& f) {
    Line("var n = 0\n    var more = 1\n    var x = 0\n    var y = 0");
    Block("while more", [&] {
      Line("mbarrier.arrive.expect_tx answered, 16");
      Line("clc.try_cancel answer, answered");
      Needed("mbarrier.wait answered, parity = n & 1", "n");
      Line("clc.query_cancel more, x, y, answer");
      Needed("fence.proxy.async", "n");
      Needed(fmt::format("mbarrier.wait empty{}, parity = ({} + 1) & 1", s, f),
             "n");
      Line("st slot{}[0], more", s);
      Block("if more", [&] { Line("st slot{}[1], x", s); });
      Needed(fmt::format("mbarrier.arrive full{}", s), "n");
      Line("n = n + 1");
    });
  }

  // Two warpgroups hand registers to each other in each tile.
  void Registers() {
    int low = 80, high = 176 + 8 * About(0);
    Block("kernel k target sm_90a", [&] {
      Line("param T : {}.. = 3", Below(2));
      Line("grid (1)\n  block 256 regs 128");
      Block("for t in 0..T", [&] {
        auto change = [&](int group, const char* how, int count) {
          Block(fmt::format("warpgroup {}", group), [&] {
            Needed(fmt::format("setmaxnreg.{} {}", how, count), "t");
          });
        };
        change(0, "dec", low);
        change(1, "inc", high);
        Needed("bar.sync 0", "t");
        change(1, "dec", 128);
        change(0, "inc", 128);
        Needed("bar.sync 0", "t");
      });
    });
  }

  // Two warps take tensor memory in turn, each once the other has given back.
  void Columns() {
    static constexpr int kColumns[] = {128, 256, 512};
    int p = Below(3), q = Below(3);
    Block("kernel k target sm_100a", [&] {
      Line("param T : 1.. = 3");
      Line("grid (1)\n  block 64");
      Line("shared one : u32[1]\n  shared two : u32[1]");
      Line("tmem p : columns {} slot one", kColumns[p]);
      Line("tmem q : columns {} slot two", kColumns[q]);
      Line("mbarrier given[2]");
      Inits({{"given[0]", 1}, {"given[1]", 1}});
      Line("bar.sync 0");
      Taker(0, "p");
      Taker(1, "q");
    });
  }
  void Taker(int warp, const char* pool) {
    Block(fmt::format("role taker{} = warp {}", warp, warp), [&] {
      Block("for t in 0..T", [&] {
        // The first begins; then each waits for what the other gave back.
        Needed(fmt::format("mbarrier.wait given[{}], parity = {}", 1 - warp,
                           warp == 0 ? "(t + 1) & 1" : "t & 1"),
               "t");
        Line("tcgen05.alloc {}", pool);
        Needed(fmt::format("tcgen05.dealloc {}", pool), "t");
        Line("bar.warp.sync");
        Block("elect", [&] {
          Needed(fmt::format("mbarrier.arrive given[{}]", warp), "t");
        });
      });
    });
  }

  // Slots are released as many groups late as a parameter says.
  void Products() {
    int stages = 3 + Below(3), most = stages - 1 - Below(2);
    Block("kernel k target sm_90a", [&] {
      Constant("S", stages);
      Line("param Q : 0..{} = 1", std::min(About(most), 6));
      Line("param K : {}.. = 4", Below(2));
      Line("global A : f16[64, 64]");
      Line("grid (1)\n  block 160");
      Line("mbarrier full[S], empty[S]");
      Line("shared a[S] : f16[64, 64] swizzle 128B");
      Block("thread 0", [&] {
        Block("for s in 0..S", [&] {
          Line("mbarrier.init full[s], 1\n      mbarrier.init empty[s], 1");
        });
        Line("fence.mbarrier_init");
      });
      Line("bar.sync 0");
      Block("role load = warp 4, elect", [&] {
        Block("for k in 0..K", [&] {
          Needed("mbarrier.wait empty[k % S], parity = (k / S + 1) & 1", "k");
          Line("mbarrier.arrive.expect_tx full[k % S], bytes(a)");
          Line("tma.load a[k % S], A, full[k % S]");
        });
      });
      Block("role math = warpgroup 0", [&] { Math(); });
    });
  }
  void Math() {
    Line("reg acc : f32[64, 64] fragment wgmma");
    Block("for k in 0..K", [&] {
      Needed("mbarrier.wait full[k % S], parity = (k / S) & 1", "k");
      Line("wgmma.fence");
      Line("wgmma.mma_async acc, a[k % S], a[k % S], accumulate = k > 0");
      Needed("wgmma.commit_group", "k");
      std::string left = "Q";
      if (Mutated("one group too many is left")) left = "Q + 1";
      Line("wgmma.wait_group {}", left);
      Block("if k >= Q", [&] {
        Needed("bar.sync 1, 128", "k");
        Block("warp 0, elect",
              [&] { Needed("mbarrier.arrive empty[(k - Q) % S]", "k"); });
      });
    });
    Line("wgmma.wait_group 0");
  }
};

template <typename Writer>
Form Written(uint64_t seed) {
  const uint64_t of_both = seed / 2;
  Form out;
  Writer right(of_both, 0, 0);
  out.shape = right.Write();
  if (seed % 2 == 0) {
    out.defines = right.defines();
    out.uses = right.uses();
    out.text = right.TakeText();
    return out;
  }
  std::mt19937_64 random(seed);
  int site = 1 + static_cast<int>(random() % right.sites());
  Writer wrong(of_both, site, random());
  wrong.Write();
  out.defines = wrong.defines();
  out.uses = wrong.uses();
  out.text = wrong.TakeText();
  out.mutation = wrong.mutation();
  return out;
}

}  // namespace

std::string Form::Edited() const {
  std::string out = text;
  for (const auto& [name, value] : defines) {
    const size_t from = out.find("const " + name + " = ");
    const size_t line = out.find('\n', from);
    out.replace(from, line - from, fmt::format("const {} = {}", name, value));
  }
  return out;
}

Form RandomForm(uint64_t seed) {
  switch (seed / 2 % 6) {
    case 0:
    case 3:
      return Written<Other>(seed);
    case 1:
      return Written<FormMap>(seed);
    default:
      return Written<FormRing>(seed);
  }
}

}  // namespace tilesim::checkers

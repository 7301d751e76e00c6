#include "tests/sizes/late.h"

#include <algorithm>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "tests/sizes/text_writer.h"

namespace tilesim::checkers {
namespace {

// Writes a program. Any synchronising statement may be left out in some turns,
// or be for another slot or phase.
class Writer : public TextWriter {
 public:
  explicit Writer(uint64_t seed) : random_(seed) {
    mistakes_ = Below(4) == 0 ? 0 : 1 + Below(2);
    stages_ = 2 + Below(4) + (Below(4) == 0 ? Below(4) : 0);
    second_ = 2 + Below(3);
    nested_ = Below(2) == 0;
  }

  std::string Write() {
    switch (Below(8)) {
      case 0:
        Multistage();
        break;
      case 1:
        Stores();
        break;
      case 2:
        Products();
        break;
      case 3:
        Chain();
        break;
      case 4:
        Halves();
        break;
      case 5:
        Pushes();
        break;
      default:
        Ring();
    }
    return TakeText();
  }

 private:
  int Below(int end) {
    return std::uniform_int_distribution<int>(0, end - 1)(random_);
  }
  bool Coin() { return Below(2) == 0; }
  std::string Pick(const std::vector<std::string>& of) {
    return of[Below(static_cast<int>(of.size()))];
  }

  // --- mistakes ---

  bool Mistaken() {
    if (mistakes_ == 0 || Below(7) != 0) return false;
    --mistakes_;
    return true;
  }

  // In some turns only; `n` counts all of them.
  std::string SomeTurns() {
    int far = 1 + Below(12);
    std::vector<std::string> all = {
        fmt::format("n % {} == {}", 2 + Below(5), Below(2)),
        fmt::format("n % {} != {}", 2 + Below(5), Below(2)),
        fmt::format("n != {}", far),
        fmt::format("n < {}", far),
        fmt::format("n > {}", far),
        fmt::format("n / {} % 2 == 0", stages_),
        fmt::format("n / {} % 3 != 2", stages_),
        "n % S != 0"};
    if (nested_) {
      std::vector<std::string> more = {fmt::format("t != {}", Below(5)),
                                       fmt::format("t < {}", Below(5)),
                                       fmt::format("t % {} == 0", 2 + Below(2)),
                                       "k > 0",
                                       "k + 1 < K",
                                       fmt::format("k != {}", Below(7)),
                                       fmt::format("K < {}", 4 + far),
                                       "t + 1 < T"};
      all.insert(all.end(), more.begin(), more.end());
    } else {
      all.push_back("n + 1 < N");
      all.push_back(fmt::format("N < {}", 4 + far));
      all.push_back(fmt::format("n + {} < N", far));
    }
    return Pick(all);
  }

  void Sync(const std::string& statement) {
    if (!Mistaken()) return Line("{}", statement);
    if (Below(5) == 0) return;
    Block("if " + SomeTurns(), [&] { Line("{}", statement); });
  }

  // A number that a little more or less is wrong of.
  int About(int right) {
    return Mistaken() ? std::max(0, right + (Coin() ? 1 : -1)) : right;
  }

  std::string Slot(const std::string& of, const std::string& size) {
    if (!Mistaken()) return fmt::format("({}) % {}", of, size);
    return Coin() ? fmt::format("({} + {}) % {}", of, 1 + Below(2), size)
                  : fmt::format("(({}) % {} * ({} ? 1 : 0))", of, size,
                                SomeTurns());
  }

  std::string Parity(const std::string& of, const std::string& size, int flip) {
    std::string right = fmt::format("(({}) / {} + {}) & 1", of, size, flip);
    if (!Mistaken()) return right;
    return fmt::format("{} ? {} : 1 - ({})", SomeTurns(), right, right);
  }

  // --- parts ---

  void Head(const char* target, int warps) {
    text_ += fmt::format("kernel late target {} {{\n", target);
    depth_ = 1;
    if (nested_) {
      bool both = Below(3) != 0, inner = Coin();
      Size("K", both || inner);
      Size("T", both || !inner);
    } else {
      Line("param N : 1.. = 4");
    }
    Line("const S = {}, S2 = {}", stages_, second_);
    Line("global G : f32[8, 32]");
    Line("global O : f32[1048576, 32]");
    Line("grid (1)");
    Line("block {}", 32 * warps);
  }

  void Size(const char* name, bool open) {
    if (open) return Line("param {} : 1.. = 3", name);
    Line("const {} = {}", name, 1 + Below(7));
  }

  void Turns(
      const Body& body, const Body& tile = [] {}) {
    if (!nested_) return Block("for n in 0..N", body);
    Line("var n = 0");
    Block("for t in 0..T", [&] {
      Block("for k in 0..K", [&] {
        body();
        Line("n = n + 1");
      });
      tile();
    });
  }
  std::string All() const { return nested_ ? "(T * K)" : "N"; }

  void Init(const std::vector<std::pair<std::string, int>>& rings) {
    Block("warp 0, elect", [&] {
      for (const auto& [name, count] : rings) {
        const char* size = name.back() == '2' ? "S2" : "S";
        Block(fmt::format("for i in 0..{}", size),
              [&, &name = name, &count = count] {
                Line("mbarrier.init {}[i], {}", name, count);
              });
      }
      Line("fence.mbarrier_init");
    });
    Line("bar.sync 0");
  }

  void Registers(int rows = 8) {
    Line("reg v : f32[{}, 32] fragment blocked(1)", rows);
    Line("mov v, 0.0");
  }

  void Arrive(const std::string& bar) {
    Line("bar.warp.sync");
    Block("elect", [&] { Sync("mbarrier.arrive " + bar); });
  }

  // Fills slot after slot.
  void Producer(int how) {
    std::string wait = fmt::format("mbarrier.wait empty[{}], parity = {}",
                                   Slot("n", "S"), Parity("n", "S", 1));
    std::string slot = Slot("n", "S");
    if (how == 0) {
      Block("role producer = warp 0, elect", [&] {
        Turns([&] {
          Sync(wait);
          Line("mbarrier.arrive.expect_tx full[{}], bytes(s)", slot);
          Line("tma.load s[{}], G[0 :+ 8, :], full[{}]", slot, slot);
        });
      });
      return;
    }
    Block("role producer = warp 0", [&] {
      Registers();
      Turns([&] {
        Sync(wait);
        Line("st.shared s[{}], v", slot);
        if (how == 2) Line("fence.proxy.async");
        Arrive(fmt::format("full[{}]", Slot("n", "S")));
      });
    });
  }

  // Releases what was waited for `lag` turns ago.
  void Release(int lag) {
    if (lag == 0) return Arrive(fmt::format("empty[{}]", Slot("n", "S")));
    Block(fmt::format("if n >= {}", lag), [&] {
      Arrive(fmt::format("empty[{}]", Slot(fmt::format("n - {}", lag), "S")));
    });
  }

  void WaitFull() {
    Sync(fmt::format("mbarrier.wait full[{}], parity = {}", Slot("n", "S"),
                     Parity("n", "S", 0)));
  }

  void Tail(int lag) {
    if (Below(3) != 0) return;
    std::string guard =
        fmt::format("if {} >= {}", All(), std::max(lag, Below(14)));
    Block(guard, [&] {
      if (lag == 0) {
        Line("mbarrier.wait full[({} - 1) % S], parity = (({} - 1) / S) & 1",
             All(), All());
        return;
      }
      Block(fmt::format("for i in 1..{}", lag + 1), [&] {
        Line("ld.shared v, s[{}]", Slot(fmt::format("{} - i", All()), "S"));
      });
    });
  }

  // --- programs ---

  // A producer; consumers that all use every slot, or take turns.
  void Ring() {
    int consumers = 1 + Below(3), lag = Below(stages_);
    bool turns = consumers > 1 && Below(3) == 0, stores = Below(3) == 0;
    if (turns) lag = 0;
    Head("sm_90a", 1 + consumers);
    Line("mbarrier full[S], empty[S]");
    Line("shared s[S] : f32[8, 32]");
    Init({{"full", 1}, {"empty", turns ? 1 : consumers}});
    Producer(stores ? 2 : Below(2));
    for (int c = 0; c < consumers; ++c) {
      Block(fmt::format("role consumer{} = warp {}", c, c + 1), [&] {
        Registers();
        auto body = [&] {
          WaitFull();
          stores ? Store(lag) : Use(lag);
          Release(lag);
        };
        Turns([&] {
          if (!turns) return body();
          Block(fmt::format("if n % {} == {}", consumers, c), body);
        });
        if (stores) Block("elect", [&] { Line("bulk.wait_group 0"); });
        if (!turns && !stores) Tail(lag);
      });
    }
    Line("}}");
  }

  void Use(int lag) {
    if (Coin()) {
      Line("ld.shared v, s[{}]", Slot("n", "S"));
    } else {
      Line("ld.shared v[0 :+ 4, :], s[n % S][0 :+ 4, :]");
      if (Coin()) Line("st.shared s[n % S][4 :+ 4, :], v[4 :+ 4, :]");
    }
    if (lag == 0) return;
    int back = About(1 + Below(lag));
    Block(fmt::format("if n >= {}", back), [&] {
      Line("ld.shared v, s[{}]", Slot(fmt::format("n - {}", back), "S"));
    });
  }

  void Store(int lag) {
    Line("fence.proxy.async");
    Line("bar.warp.sync");
    Block("elect", [&] {
      Line("bulk.store O[n * 8 :+ 8, :], s[n % S]");
      Sync("bulk.commit_group");
      Sync(fmt::format("bulk.wait_group.read {}", About(lag)));
    });
    Line("bar.warp.sync");
  }

  // cp.async some turns ahead.
  void Multistage() {
    nested_ = false;
    int ahead = 1 + Below(stages_ - 1);
    Head("sm_90a", 2);
    Line("shared s[S] : f32[16, 32]");
    Registers(16);
    Block(fmt::format("for j in 0..{}", ahead), [&] {
      Block("if j < N", [&] { Line("cp.async s[j], G[0 :+ 16, :]"); });
      Line("cp.async.commit_group");
    });
    int distance = About(ahead), left = About(ahead - 1);
    Turns([&] {
      Sync(fmt::format("cp.async.wait_group {}", left));
      Sync("bar.sync 0");
      Line("ld.shared v, s[{}]", Slot("n", "S"));
      if (ahead == stages_ || Below(4) == 0) Sync("bar.sync 0");
      Block(fmt::format("if n + {} < N", distance), [&] {
        Line("cp.async s[{}], G[0 :+ 16, :]",
             Slot(fmt::format("n + {}", distance), "S"));
      });
      Sync("cp.async.commit_group");
    });
    Line("cp.async.wait_group 0");
    Line("}}");
  }

  // One warp stages tiles that it stores.
  void Stores() {
    int left = About(Below(stages_));
    Head("sm_90a", 1);
    Line("shared s[S] : f32[8, 32]");
    Registers();
    Turns([&] {
      Block("elect",
            [&] { Sync(fmt::format("bulk.wait_group.read {}", left)); });
      Line("bar.warp.sync");
      Line("st.shared s[{}], v", Slot("n", "S"));
      Line("fence.proxy.async");
      Line("bar.warp.sync");
      Block("elect", [&] {
        Line("bulk.store O[n * 8 :+ 8, :], s[n % S]");
        Sync("bulk.commit_group");
      });
    });
    Block("elect", [&] { Line("bulk.wait_group 0"); });
    Line("}}");
  }

  // A warpgroup multiplies, and releases late.
  void Products() {
    int lag = Below(stages_);
    Head("sm_90a", 5);
    Line("global A : f16[64, 64]");
    Line("mbarrier full[S], empty[S]");
    Line("shared s[S] : f16[64, 64] swizzle 128B");
    Init({{"full", 1}, {"empty", 1}});
    std::string slot = Slot("n", "S");
    Block("role producer = warp 4, elect", [&] {
      Turns([&] {
        Sync(fmt::format("mbarrier.wait empty[{}], parity = {}", slot,
                         Parity("n", "S", 1)));
        Line("mbarrier.arrive.expect_tx full[{}], bytes(s)", slot);
        Line("tma.load s[{}], A, full[{}]", slot, slot);
      });
    });
    Block("role multiplier = warpgroup 0", [&] {
      Line("reg acc : f32[64, 64] fragment wgmma");
      Turns([&] {
        WaitFull();
        Line("wgmma.fence");
        Line("wgmma.mma_async acc, s[n % S], s[n % S], accumulate = n > 0");
        Sync("wgmma.commit_group");
        Sync(fmt::format("wgmma.wait_group {}", About(lag)));
        ReleaseByGroup(lag);
      });
      Line("wgmma.wait_group 0");
    });
    Line("}}");
  }

  void ReleaseByGroup(int lag) {
    auto release = [&] {
      Line("bar.sync 1, 128");
      std::string slot =
          lag == 0 ? Slot("n", "S") : Slot(fmt::format("n - {}", lag), "S");
      Block("thread 0",
            [&] { Sync(fmt::format("mbarrier.arrive empty[{}]", slot)); });
    };
    if (lag == 0) return release();
    Block(fmt::format("if n >= {}", lag), release);
  }

  // Who empties one ring fills another, a slot a turn or a slot a tile.
  void Chain() {
    bool by_tile = nested_;
    std::string m = by_tile ? "t" : "n";
    Head("sm_90a", 3);
    Line("mbarrier full[S], empty[S], full2[S2], empty2[S2]");
    Line("shared s[S] : f32[8, 32]");
    Line("shared u[S2] : f32[8, 32]");
    Init({{"full", 1}, {"empty", 1}, {"full2", 1}, {"empty2", 1}});
    Producer(Below(2));
    auto hand_over = [&] {
      Sync(fmt::format("mbarrier.wait empty2[{} % S2], parity = {}", m,
                       Parity(m, "S2", 1)));
      Line("st.shared u[{}], v", Slot(m, "S2"));
      Arrive(fmt::format("full2[{}]", Slot(m, "S2")));
    };
    Block("role middle = warp 1", [&] {
      Registers();
      Turns(
          [&] {
            WaitFull();
            Line("ld.shared v, s[{}]", Slot("n", "S"));
            Arrive(fmt::format("empty[{}]", Slot("n", "S")));
            if (!by_tile) hand_over();
          },
          [&] {
            if (by_tile) hand_over();
          });
    });
    Last(m, by_tile);
    Line("}}");
  }

  void Last(const std::string& m, bool by_tile) {
    int lag = Below(second_);
    Block("role last = warp 2", [&] {
      Registers();
      std::string loop = by_tile ? "for t in 0..T" : "for n in 0..N";
      if (by_tile) Line("let n = 0");
      if (by_tile) Line("let k = 0");
      Block(loop, [&] {
        Sync(fmt::format("mbarrier.wait full2[{} % S2], parity = {}", m,
                         Parity(m, "S2", 0)));
        Line("ld.shared v, u[{} % S2]", m);
        auto release = [&] {
          Arrive(fmt::format("empty2[{}]",
                             Slot(fmt::format("{} - {}", m, lag), "S2")));
        };
        if (lag == 0) return release();
        int back = About(lag);
        Block(fmt::format("if {} >= {}", m, back),
              [&] { Line("ld.shared v, u[({} - {}) % S2]", m, back); });
        Block(fmt::format("if {} >= {}", m, lag), release);
      });
    });
  }

  std::string Relaxed() { return Mistaken() ? ".relaxed.cta" : ""; }

  // One half of each slot is written before, one turn after turn; the first is
  // used again at the end, or after each tile, in the slot that comes next.
  void Halves() {
    Head("sm_90a", 2);
    bool meets = Coin();
    Line("mbarrier full[S2], empty[S2]");
    Line("shared s[S] : f32[8, 32]");
    int late = Mistaken() ? Below(stages_) : -1;
    auto fill = [&](bool now) {
      Block("role fill = warp 0", [&] {
        Registers(4);
        Block("for i in 0..S", [&] {
          Block(fmt::format("if i {} {}", now ? "!=" : "==", late),
                [&] { Line("st.shared s[i][0 :+ 4, :], v"); });
        });
      });
    };
    fill(true);
    Init2();
    if (late >= 0) fill(false);
    auto use = [&](bool reads) {
      if (reads) return Line("ld.shared v, s[n % S][0 :+ 4, :]");
      Line("st.shared s[n % S][0 :+ 4, :], v");
    };
    bool first = Coin(), other = Coin();
    bool hands = nested_ && meets;
    Block("role writer = warp 1", [&] {
      Registers(4);
      Turns([&] { Line("st.shared s[{}][4 :+ 4, :], v", Slot("n", "S")); },
            [&] {
              if (hands)
                Sync(fmt::format("mbarrier.wait empty[t % S2], parity = {}",
                                 Parity("t", "S2", 1)));
              use(first);
              if (hands) Arrive("full[t % S2]");
            });
      if (!nested_) {
        Line("let n = N");
        use(first);
      }
    });
    if (hands) Other([&] { use(other); });
    Line("}}");
  }

  void Init2() {
    Block("warp 0, elect", [&] {
      Block("for i in 0..S2", [&] {
        Line("mbarrier.init full[i], 1");
        Line("mbarrier.init empty[i], 1");
      });
      Line("fence.mbarrier_init");
    });
    Line("bar.sync 0");
  }

  // Takes what another hands over tile by tile, S2 tiles late.
  void Other(const Body& use) {
    Block("role other = warp 0", [&] {
      Registers(4);
      Line("var n = 0");
      Line("let k = 0");
      Block("for t in 0..T", [&] {
        Sync(fmt::format("mbarrier.wait full[t % S2], parity = {}",
                         Parity("t", "S2", 0)));
        Line("n = n + K");
        use();
        Arrive("empty[t % S2]");
      });
    });
  }

  // Copies from slots that are written at the end, awaited one by one.
  void Pushes() {
    nested_ = false;
    Head("sm_90a", 2);
    Line("mbarrier bar[S2], fin");
    Line("shared s[S] : f32[8, 32]");
    Line("shared sink[S2] : f32[8, 32]");
    Block("role fill = warp 0", [&] {
      Registers();
      Block("for i in 0..S", [&] { Line("st.shared s[i], v"); });
      Line("fence.proxy.async");
      Block("elect", [&] {
        Block("for i in 0..S2", [&] { Line("mbarrier.init bar[i], 1"); });
        Line("mbarrier.init fin, 1");
        Line("fence.mbarrier_init");
      });
    });
    Line("bar.sync 0");
    Block("role pusher = warp 0, elect", [&] {
      Turns([&] {
        Sync(fmt::format("mbarrier.wait{} bar[n % S2], parity = {}", Relaxed(),
                         Parity("n", "S2", 1)));
        Line("mbarrier.arrive.expect_tx{} bar[n % S2], bytes(s)", Relaxed());
        Line("bulk.push sink[n % S2] @ cta 0, s[n % S], bar[n % S2] @ cta 0");
      });
      Line("mbarrier.arrive{} fin", Relaxed());
    });
    Block("role last = warp 1", [&] {
      Registers();
      Line("mbarrier.wait{} fin, parity = 0", Relaxed());
      Block("for i in 1..min(N, S2) + 1", [&] {
        Line("mbarrier.wait bar[(N - i) % S2], parity = ((N - i) / S2) & 1");
      });
      Line("let n = N");
      Line("st.shared s[{}], v", Slot("n", "S"));
    });
    Line("}}");
  }

  std::mt19937_64 random_;
  int mistakes_ = 0;
  int stages_ = 2, second_ = 2;
  bool nested_ = false;
};

}  // namespace

std::string LateProgram(uint64_t seed) { return Writer(seed).Write(); }

}  // namespace tilesim::checkers

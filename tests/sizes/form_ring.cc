#include "tests/sizes/form_ring.h"

namespace tilesim::checkers {

std::string FormRing::Write() {
  Choose();
  Block("kernel k target sm_90a", [&] {
    Head();
    Inits();
    Block("role load = warp 0, elect", [&] { Producer(); });
    for (int r = 0; r < readers_; ++r) Consumer(r);
    Last();
  });
  static constexpr const char* kLoops[] = {"ring",
                                           "ring of tiles",
                                           "ring of parts",
                                           "ring of a period",
                                           "ring of odd CTAs",
                                           "ring of a persistent loop"};
  return fmt::format("{}{}{}{}", kLoops[static_cast<int>(loop_)],
                     rate_ == Rate::kPairs    ? ", pairs"
                     : rate_ == Rate::kHalves ? ", halves"
                                              : "",
                     peers_ ? ", peers" : "", peeks_ ? ", peeks" : "");
}

void FormRing::Choose() {
  stages_ = 1 + Below(4);
  loop_ = static_cast<Loop>(Below(6));
  low_ = Below(2);
  peeks_ = Below(3) == 0;
  exits_ = Below(3) == 0;
  arrays_ = Below(3);
  rate_ = Below(3) == 0 ? (Coin() ? Rate::kPairs : Rate::kHalves) : Rate::kSame;
  // Twice as many turns of a part, or of a period, are another one's turns.
  bool uneven = loop_ == Loop::kParts || loop_ == Loop::kPeriod;
  if (rate_ == Rate::kPairs && uneven) rate_ = Rate::kSame;
  readers_ = rate_ == Rate::kSame ? 1 + Below(2) : 1;
  if (rate_ == Rate::kPairs && stages_ == 1) stages_ = 3;
  bool alike = loop_ == Loop::kFlat || loop_ == Loop::kTiles;
  peers_ = alike && rate_ == Rate::kSame && Below(3) == 0;
  if (peers_) readers_ = 1;
  // Else who comes to the end waits there for who waits at the barrier.
  if (peers_) exits_ = false;
  copies_ = !peers_ && (rate_ == Rate::kHalves || Below(4) != 0);
  if (exits_) Uses("exits");
  if (peers_) Uses("scopes");
  if (copies_) Uses("raw copies");
  rows_ = copies_ && loop_ == Loop::kFlat && rate_ == Rate::kSame && Coin();
}

void FormRing::Head() {
  Constant("S", stages_);
  if (loop_ != Loop::kFlat && loop_ != Loop::kPeriod && loop_ != Loop::kOddOnly)
    Line("param T : {}.. = 2", Below(2));
  Line("param K : {}.. = 3", low_);
  std::string grid = "1";
  if (peers_) grid = "2";
  if (loop_ == Loop::kParts || loop_ == Loop::kPersistent) grid = "P";
  if (loop_ == Loop::kParts || loop_ == Loop::kPersistent)
    Constant("P", 2 + Below(2));
  if (loop_ == Loop::kPeriod || loop_ == Loop::kOddOnly) {
    Line("param C : 1.. = 3");
    grid = "C";
  }
  // A copy past the end of the tensor is an error.
  int rows = rows_ ? About(1) : 1;
  Line("global A : u32[{}, 32]", !rows_     ? "1"
                                 : rows > 1 ? "max(K - 1, 1)"
                                            : "K + 1");
  Line("grid ({})", grid);
  if (peers_) Line("cluster (2)");
  Line("block {}", 32 * (1 + readers_ + exits_));
  if (arrays_ == 0) Line("mbarrier full[S], empty[S]");
  if (arrays_ == 1) Line("mbarrier bar[2 * S]");
  if (arrays_ == 2) Line("mbarrier bar[2, S]");
  Line("shared a[S] : u32[32]");
}

void FormRing::Inits() {
  Block("thread 0", [&] {
    int full = About(1), empty = About(readers_);
    Block("for s in 0..S", [&] {
      Line("mbarrier.init {}, {}", Full("s"), full);
      Line("mbarrier.init {}, {}", Empty("s"), empty);
    });
    Line("fence.mbarrier_init");
  });
  Line("bar.sync 0");
  if (peers_) Line("barrier.cluster.arrive\n  barrier.cluster.wait");
}

std::string FormRing::Full(const std::string& slot) const {
  return arrays_ == 0   ? fmt::format("full[{}]", slot)
         : arrays_ == 1 ? fmt::format("bar[{}]", slot)
                        : fmt::format("bar[0, {}]", slot);
}

std::string FormRing::Empty(const std::string& slot) const {
  return arrays_ == 0   ? fmt::format("empty[{}]", slot)
         : arrays_ == 1 ? fmt::format("bar[S + {}]", slot)
                        : fmt::format("bar[1, {}]", slot);
}

// --- turns, slots and phases ---

void FormRing::Loops(const std::string& n, const std::string& trips,
                     const Body& body) {
  std::string end = trips;
  if (Mutated("a role goes around once more or less"))
    end = How(2) == 0 ? trips + " + 1" : fmt::format("max({} - 1, 0)", trips);
  auto counted = [&] {
    body();
    Line("{0} = {0} + 1", n);
  };
  switch (loop_) {
    case Loop::kFlat:
      return Block(fmt::format("for {} in 0..{}", n, end), body);
    case Loop::kPeriod:
      return Block(fmt::format("for {} in 0..{} + cta.x % 2", n, end), body);
    case Loop::kOddOnly:
      return Block("if cta.x % 2 == 1", [&] {
        Block(fmt::format("for {} in 0..{}", n, end), body);
      });
    case Loop::kTiles:
      Line("var {} = 0", n);
      return Block("for t in 0..T",
                   [&] { Block(fmt::format("for i in 0..{}", end), counted); });
    case Loop::kParts:
      Line("var {} = 0", n);
      return Block("for t in 0..T", [&] {
        Block(fmt::format("for i in cta.x * cdiv({0}, P)..min({0}, (cta.x + 1) "
                          "* cdiv({0}, P))",
                          end),
              counted);
      });
    case Loop::kPersistent:
      Line("var {} = 0", n);
      return Block("for t in cta.x..T step P",
                   [&] { Block(fmt::format("for i in 0..{}", end), counted); });
  }
}

void FormRing::Turns(const Cursor& cursor, bool pairs, const Body& body) {
  if (cursor.variables) Line("var s = 0\n    var ph = 0");
  Loops("n", pairs ? "2 * K" : "K", [&] {
    body();
    if (cursor.variables) Move(cursor);
  });
}

void FormRing::Move(const Cursor& cursor) {
  bool late = Mutated("the phase flips in another turn");
  const char* last = late ? "s == 0" : "s == S - 1";
  const char* first = late ? "s == S - 1" : "s == 0";
  switch (cursor.moves) {
    case 0:
      Line("s = s + 1");
      return Block("if s == S", [&] {
        Line("s = 0");
        if (!late) Line("ph = ph ^ 1");
      });
    case 1:
      Line("s = (s + 1) % S");
      return Line("ph = ph ^ ({})", first);
    case 2:
      Line("ph = ph ^ ({})", last);
      return Line("s = s == S - 1 ? 0 : s + 1");
    default:
      Line("s = s + 1");
      Line("ph = ph ^ (s == {})", late ? "S - 1" : "S");
      return Line("s = s == S ? 0 : s");
  }
}

std::string FormRing::Slot(const Cursor& cursor, const std::string& n) {
  std::string right = cursor.variables ? "s" : fmt::format("({}) % S", n);
  if (!Mutated("another slot")) return right;
  return How(2) == 0 ? fmt::format("({} + 1) % S", right)
                     : fmt::format("({} ? {} : 0)", SomeTurns("n"), right);
}

std::string FormRing::ParityOf(const std::string& n, int flip, int stages) {
  switch (Below(6)) {
    case 0:
      if (stages == 2 || stages == 4) {
        std::string bit =
            fmt::format("(({}) & {}) >> {}", n, 2 * stages - 1, stages / 2);
        return flip ? fmt::format("1 - ({})", bit) : bit;
      }
      return fmt::format("(({}) / {} + {}) & 1", n, stages, flip);
    case 1:
      return fmt::format("{}(({}) % {}) / {}", flip ? "1 - " : "", n,
                         2 * stages, stages);
    case 2:
      return fmt::format("({}) % {} < {} ? {} : {}", n, 2 * stages, stages,
                         flip, 1 - flip);
    case 3:
      return fmt::format("({}) / {} % 2 == {}", n, stages, 1 - flip);
    case 4:
      return fmt::format("{}(({}) / {} & 1)", flip ? "!" : "", n, stages);
    default:
      return fmt::format("(({}) / {} + {}) & 1", n, stages, flip);
  }
}

std::string FormRing::Parity(const Cursor& cursor, const std::string& n,
                             int flip) {
  std::string ph = Coin() ? "ph ^ 1" : "1 - ph";
  std::string right =
      cursor.variables ? (flip ? ph : "ph") : ParityOf(n, flip, stages_);
  if (!Mutated("another parity")) return right;
  switch (How(4)) {
    case 0:
      return fmt::format("(({}) / {} + {}) & 1", n, stages_ + 1, flip);
    case 1:
      return fmt::format("1 - ({})", right);
    default:
      return fmt::format("{} ? ({}) : 1 - ({})", SomeTurns("n"), right, right);
  }
}

// --- roles ---

// Of a thread in another CTA both sides say the scope.
std::string FormRing::Scope(const char* order) {
  if (!peers_) return "";
  if (!Mutated("a scope that is too narrow"))
    return fmt::format(".{}.cluster", order);
  return How(2) == 0 ? fmt::format(".{}.cta", order) : ".relaxed.cluster";
}

void FormRing::Wait(const std::string& barrier, const std::string& parity,
                    const std::string& n) {
  std::string scope = Scope("acquire");
  std::string wait =
      fmt::format("mbarrier.wait{} {}, parity = {}", scope, barrier, parity);
  if (!peeks_) return Needed(wait, n);
  std::string asked = parity;
  if (Mutated("a peek for another phase")) asked = "1 - (" + parity + ")";
  Line("var ready = 0");
  Line("mbarrier.test_wait{} ready, {}, parity = {}", scope, barrier, asked);
  Block("if !ready", [&] { Needed(wait, n); });
}

void FormRing::Arrive(const std::string& barrier, const std::string& n) {
  Needed(fmt::format("mbarrier.arrive{} {}{}", Scope("release"), barrier,
                     peers_ ? " @ cta 1 - cluster.rank" : ""),
         n);
}

void FormRing::Fill(const std::string& slot, const std::string& n) {
  std::string at = rows_ ? n + ", :" : "0, :";
  if (!copies_) {
    if (peers_) {
      Line("st a[{}][0] @ cta 1 - cluster.rank, {}", slot, n);
    } else {
      Line("st a[{}][0], {}", slot, n);
    }
    return Arrive(Full(slot), n);
  }
  bool halves = rate_ == Rate::kHalves;
  Needed(fmt::format("mbarrier.arrive.expect_tx {}, bytes(a)", Full(slot)), n);
  if (!halves) return Line("bulk.load a[{}], A[{}], {}", slot, at, Full(slot));
  Line("bulk.load a[{}][0 :+ 16], A[0, 0 :+ 16], {}", slot, Full(slot));
  Line("bulk.load a[{}][16 :+ 16], A[0, 16 :+ 16], {}", slot, Full(slot));
}

void FormRing::Producer() {
  Cursor cursor{Coin(), Below(4)};
  Turns(cursor, rate_ == Rate::kPairs, [&] {
    std::string slot = Slot(cursor, "n");
    Wait(Empty(slot), Parity(cursor, "n", 1), "n");
    Fill(slot, "n");
  });
}

void FormRing::Take(const Cursor& cursor, const std::string& n) {
  std::string slot = Slot(cursor, n);
  Wait(Full(slot), Parity(cursor, n, 0), "n");
  Line("ld x, a[{}][0]", slot);
  Line("fence.proxy.async");
  Arrive(Empty(slot), "n");
}

// Two turns for a slot.
void FormRing::TakeHalves(const Cursor& cursor) {
  Block("for h in 0..2", [&] {
    Block("if h == 0",
          [&] { Wait(Full(Slot(cursor, "n")), Parity(cursor, "n", 0), "n"); });
    Line("ld x, a[{}][h * 16]", Slot(cursor, "n"));
    Line("fence.proxy.async");
    bool early = Mutated("released after its first half");
    Block(early ? "if h == 0" : "if h == 1",
          [&] { Arrive(Empty(Slot(cursor, "n")), "n"); });
  });
}

void FormRing::Consumer(int number) {
  // A pair of slots is named by the number of the turn.
  Cursor cursor{rate_ != Rate::kPairs && Coin(), Below(4)};
  Block(fmt::format("role use{} = warp {}, elect", number, number + 1), [&] {
    Line("var x = 0");
    Turns(cursor, false, [&] {
      if (rate_ == Rate::kHalves) return TakeHalves(cursor);
      if (rate_ == Rate::kSame) return Take(cursor, "n");
      Block("if 1", [&] { Take(cursor, "2 * n"); });
      Block("if 1", [&] { Take(cursor, "2 * n + 1"); });
    });
  });
}

// Who has left does not hold up a barrier without a count, and peers stay
// until they are no longer needed.
void FormRing::Last() {
  if (exits_) {
    Block(fmt::format("role last = warps 1..{}", 2 + readers_), [&] {
      bool counts = Mutated("who has left is counted");
      Line("bar.sync 3{}",
           counts ? fmt::format(", {}", 32 * (2 + readers_)) : "");
    });
  }
  if (!peers_) return;
  Needed("barrier.cluster.arrive", "K");
  Line("barrier.cluster.wait");
}

}  // namespace tilesim::checkers

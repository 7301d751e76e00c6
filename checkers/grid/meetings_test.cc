// Random index maps: what the solver says of all sizes against what all small
// sizes have, one CTA at a time.
#include "checkers/grid/meetings.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "frontend/parse.h"
#include "ir/cat.h"

namespace tilesim::checkers::grid {
namespace {

struct Env {
  int64_t p = 1, q = 1, gx = 1, gy = 1, x = 0, y = 0, t = 0;
};

// An expression, as text and as a function.
struct E {
  std::string text;
  std::function<int64_t(const Env&)> at;
};

E Number(int64_t n) {
  return {ir::Cat(n), [=](const Env&) { return n; }};
}
E operator+(E a, E b) {
  return {ir::Cat("(", a.text, " + ", b.text, ")"),
          [=](const Env& e) { return a.at(e) + b.at(e); }};
}
E operator*(E a, E b) {
  return {ir::Cat("(", a.text, " * ", b.text, ")"),
          [=](const Env& e) { return a.at(e) * b.at(e); }};
}
// A CTA that divides by 0 goes no further.
struct Fault {};
int64_t Divisor(int64_t b) {
  if (b == 0) throw Fault();
  return b;
}
E operator/(E a, E b) {
  return {ir::Cat("(", a.text, " / ", b.text, ")"),
          [=](const Env& e) { return a.at(e) / Divisor(b.at(e)); }};
}
E operator%(E a, E b) {
  return {ir::Cat("(", a.text, " % ", b.text, ")"),
          [=](const Env& e) { return a.at(e) % Divisor(b.at(e)); }};
}
E Min(E a, E b) {
  return {ir::Cat("min(", a.text, ", ", b.text, ")"),
          [=](const Env& e) { return std::min(a.at(e), b.at(e)); }};
}

const E kP{"P", [](const Env& e) { return e.p; }};
const E kQ{"Q", [](const Env& e) { return e.q; }};
const E kX{"cta.x", [](const Env& e) { return e.x; }};
const E kY{"cta.y", [](const Env& e) { return e.y; }};
const E kGx{"grid.x", [](const Env& e) { return e.gx; }};
const E kT{"t", [](const Env& e) { return e.t; }};

struct Map {
  E gx, gy;
  bool persistent = false;  // t from cta.x by grid.x up to `end`
  E end;                    // else t is `first`
  E first;
  bool pieces = false;  // t of cta.x's piece of `end`, by 1
  std::vector<E> index;
};

class Maker {
 public:
  explicit Maker(uint32_t seed) : random_(seed) {}

  Map Make() {
    Map m;
    m.end = Pick<E>({kP * kQ, kP * Number(3), kP});
    m.persistent = One(2);
    if (m.persistent) {
      m.gx = Pick<E>({Min(Number(4), m.end), Number(3), m.end});
      m.gy = Number(1);
      m.first = kX;
    } else if (One(2)) {
      m.gx = Pick<E>({kP, Min(kP, Number(4))});
      m.gy = Pick<E>({kQ, Number(2)});
      m.first = Pick<E>(
          {kY * kGx + kX, kX * kQ + kY, kY * kP + kX, kX * kP + kY, kX + kY});
    } else {
      m.gx = m.end;
      m.gy = Number(1);
      m.first = kX;
    }
    m.index = Index();
    return m;
  }

  // Stream-K: as many pieces as CTAs, of the same length but for what is left;
  // seldom one more than its piece.
  Map Pieces() {
    Map m;
    m.pieces = true;
    m.gx = Pick<E>({Min(Number(4), kP * kQ), Number(3), kP});
    m.gy = Number(1);
    E whole = Pick<E>({kP * kQ, kP, kP * Number(3)});
    m.first = kX * whole / kGx;
    m.end = (kX + Number(1)) * whole / kGx + Number(One(3) ? 1 : 0);
    E d = Pick<E>({kP, kQ, Number(2)});
    m.index = Pick<std::vector<E>>({{kT},
                                    {kT / d, kT % d},
                                    {kT % d, kT / d},
                                    {kT * Number(2) + Number(1)},
                                    {kT / d}});
    return m;
  }

  // The same in units, so many a tile: whole tiles of a piece, behind the rest
  // of another's. Seldom one more, or without that rest.
  Map Tiles() {
    Map m;
    m.pieces = true;
    E tiles = Pick<E>({kP, kP * Number(3)});
    m.gx = Pick<E>({Min(Number(4), tiles), Min(Number(3), kP)});
    m.gy = Number(1);
    E begin = kX * tiles * kQ / kGx;
    E end = (kX + Number(1)) * tiles * kQ / kGx;
    E head = (kQ + begin % kQ * Number(-1)) % kQ;
    if (One(2)) head = Min(end + begin * Number(-1), head);
    E start = One(4) ? begin : begin + head;
    m.first = Number(0);
    m.end = (end + start * Number(-1)) / kQ + Number(One(3) ? 1 : 0);
    E tile = (start + kT * kQ) / kQ;
    E d = Pick<E>({kP, Number(2)});
    m.index = Pick<std::vector<E>>({{tile}, {tile % d, tile / d}});
    return m;
  }

  // Three digits of a CTA's number, in some order; seldom of the wrong base.
  // Counted up, or down from the last one.
  Map Digits() {
    Map m;
    E d = Pick<E>({kP, kQ, kP * Number(3)}), f = Pick<E>({kP, kQ, Number(2)});
    m.end = d * f * Pick<E>({Number(2), kQ});
    m.gx = One(2) ? Min(Number(5), m.end) : m.end;
    m.gy = Number(1);
    m.persistent = true;
    m.first = kX;
    E t = One(3) ? m.end + Number(-1) + kT * Number(-1) : kT;
    E of = One(2) ? d * f : f * d;
    E wrong = Pick<E>({kP, kQ, Number(2)});
    m.index = {t / of, t / d % (One(3) ? wrong : f), t % (One(3) ? wrong : d)};
    std::shuffle(m.index.begin(), m.index.end(), random_);
    return m;
  }

 private:
  std::vector<E> Index() {
    const E d = Pick<E>({kP, kQ, Number(2), Number(3), kP * kQ});
    const E f = One(2) ? Pick<E>({kP, kQ, Number(3)}) : d;
    switch (Below(9)) {
      case 0:
        return {kT / d, kT % f};
      case 1:
        return {kT % f * Number(1 + Below(3)), kT / d + Number(Below(2))};
      case 2:
        return {kT / d * f + kT % d};
      case 3:
        return {kT % d * Pick<E>({kP, kQ, Number(4)}) + kT / d};
      case 4:
        return Grouped(Number(2), kQ, kP);
      case 5:
        return {Pick<E>({kT % d, kT / d, kT / d + kT % d})};
      case 6:
        return {kT % d, Pick<E>({kX, kY, kT % f})};
      case 7:
        return Grouped(Number(2 + Below(2)), Pick<E>({kP, kQ}), kP);
      default:
        return {kT * Number(1 + Below(2)) + Number(Below(3))};
    }
  }

  // Rasterised in groups of so many rows, of `columns` and `rows` tiles.
  std::vector<E> Grouped(const E& group, const E& columns, const E& rows) {
    E of = group * columns;
    E first = kT / of * group;
    E tall = Min(group, rows + Number(0) + first * Number(-1));
    if (One(4)) tall = group;
    return {first + kT % of % tall, kT % of / tall};
  }

  uint32_t Below(uint32_t n) { return random_() % n; }
  bool One(uint32_t of) { return Below(of) == 0; }
  template <typename T>
  T Pick(std::vector<T> all) {
    return all[Below(static_cast<uint32_t>(all.size()))];
  }

  std::mt19937 random_;
};

std::string TextOf(const Map& m) {
  std::string index;
  for (const E& e : m.index)
    ir::Append(&index, index.empty() ? "" : ", ", e.text);
  std::string shape = m.index.size() == 3   ? "4096, 4096, 4096"
                      : m.index.size() == 2 ? "65536, 65536"
                                            : "1073741824";
  return ir::Cat(
      "kernel k target sm_90a {\n  param P : 1.. = 2\n"
      "  param Q : 1.. = 2\n  global W : u32[",
      shape, "]\n  grid (", m.gx.text, ", ", m.gy.text,
      ")\n  block 32\n  thread 0 {\n",
      m.pieces
          ? ir::Cat("    for t in ", m.first.text, "..", m.end.text, " {\n")
      : m.persistent
          ? ir::Cat("    for t in cta.x..", m.end.text, " step grid.x {\n")
          : ir::Cat("    let t = ", m.first.text, "\n    if t >= 0 {\n"),
      "      st W[", index, "], 1\n    }\n  }\n}\n");
}

using Place = std::vector<int64_t>;

// Where a CTA writes, one place after another.
std::vector<Place> EachPlaceOf(const Map& m, Env e, bool* faults) {
  std::vector<Place> out;
  e.t = m.first.at(e);
  int64_t end = m.persistent || m.pieces ? m.end.at(e) : e.t + 1;
  try {
    for (; e.t < end; e.t += m.pieces ? 1 : e.gx) {
      Place place;
      for (const E& index : m.index) place.push_back(index.at(e));
      out.push_back(place);
    }
  } catch (const Fault&) {
    if (faults != nullptr) *faults = true;
  }
  return out;
}

std::set<Place> PlacesOf(const Map& m, const Env& e, bool* faults = nullptr) {
  std::vector<Place> all = EachPlaceOf(m, e, faults);
  return {all.begin(), all.end()};
}

Env At(const Map& m, int64_t p, int64_t q) {
  Env e;
  e.p = p;
  e.q = q;
  e.gx = m.gx.at(e);
  e.gy = m.gy.at(e);
  return e;
}

bool CollidesAt(const Map& m, int64_t p, int64_t q) {
  std::set<Place> all;
  Env e = At(m, p, q);
  for (e.y = 0; e.y < e.gy; ++e.y) {
    for (e.x = 0; e.x < e.gx; ++e.x) {
      for (const Place& place : PlacesOf(m, e)) {
        if (!all.insert(place).second) return true;
      }
    }
  }
  return false;
}

bool CollidesSomewhere(const Map& m) {
  for (int64_t p = 1; p <= 12; ++p) {
    for (int64_t q = 1; q <= 12; ++q) {
      if (CollidesAt(m, p, q)) return true;
    }
  }
  return false;
}

// An example may come after a fault of the same CTA: that ends it first.
bool IsReal(const Map& m, const Example& example) {
  bool faults = false;
  Env e = At(m, example.sizes.at("P"), example.sizes.at("Q"));
  auto places = [&](const std::array<int64_t, 3>& cta) {
    e.x = cta[0];
    e.y = cta[1];
    return PlacesOf(m, e, &faults);
  };
  bool there = example.first[0] < e.gx && example.first[1] < e.gy &&
               example.second[0] < e.gx && example.second[1] < e.gy &&
               example.first != example.second;
  std::set<Place> first = places(example.first),
                  second = places(example.second);
  bool meet = std::any_of(first.begin(), first.end(),
                          [&](const Place& p) { return second.count(p) != 0; });
  return there && (faults || meet);
}

// The accesses of a program's kernel; both must outlive the meetings of them.
struct Read {
  std::optional<ir::Program> program;
  std::optional<machine::Code> code;
  Accesses accesses;
};

Read ReadText(const std::string& text) {
  Read out;
  ir::Diagnostics diagnostics;
  out.program = frontend::Parse({"random.tile", text}, diagnostics);
  EXPECT_TRUE(out.program) << text << diagnostics.all()[0].message;
  if (!out.program) return out;
  auto bound = ir::Bind(out.program->kernels[0], {}, 132, diagnostics);
  EXPECT_TRUE(bound) << text;
  if (!bound) return out;
  out.code = machine::Compile(*bound, diagnostics, machine::Params::kKept);
  EXPECT_TRUE(out.code) << text;
  if (out.code) out.accesses = AccessesOf(*out.code, {});
  return out;
}

struct Tally {
  int all = 0, injective = 0, decided = 0;
};

void ExpectDecided(const Tally& tally, int tenths = 9) {
  std::printf("%d maps, %d injective, %d decided\n", tally.all, tally.injective,
              tally.decided);
  EXPECT_GE(tally.injective * 10, tally.all * 3);
  EXPECT_LE(tally.injective * 10, tally.all * 7);
  EXPECT_GE(tally.decided * 10, tally.all * tenths);
}

// TILESIM_INDEX_MAPS=2000 for more of them, TILESIM_INDEX_SEED for others.
int MapsOr(int usual) {
  const char* count = std::getenv("TILESIM_INDEX_MAPS");
  return count == nullptr ? usual : std::atoi(count);
}

uint32_t FirstSeed() {
  const char* first = std::getenv("TILESIM_INDEX_SEED");
  return first == nullptr ? 1 : static_cast<uint32_t>(std::atoi(first));
}

void JudgeMap(const Map& m, uint32_t seed, Tally& tally) {
  std::string text = TextOf(m);
  const Read read = ReadText(text);
  ASSERT_TRUE(read.code);
  std::vector<Meeting> meetings = MeetingsIn(read.accesses, {});
  bool collides = CollidesSomewhere(m);
  ++tally.all;
  tally.injective += !collides;
  if (meetings.empty()) {
    EXPECT_FALSE(collides) << "seed " << seed << "\n" << text;
    ++tally.decided;
  } else if (meetings[0].example) {
    EXPECT_TRUE(IsReal(m, *meetings[0].example)) << "seed " << seed << "\n"
                                                 << text;
    ++tally.decided;
  }
}

TEST(Meetings, OfRandomIndexMapsAreAsInSmallSizes) {
  const int maps = MapsOr(150);
  const uint32_t seed = FirstSeed();
  Tally tally;
  for (int i = 0; i < maps; ++i)
    JudgeMap(Maker(seed + i).Make(), seed + i, tally);
  ExpectDecided(tally);
}

TEST(Meetings, OfRandomDigitsAreAsInSmallSizes) {
  const int maps = MapsOr(80);
  const uint32_t seed = FirstSeed();
  Tally tally;
  for (int i = 0; i < maps; ++i)
    JudgeMap(Maker(seed + i).Digits(), seed + i, tally);
  ExpectDecided(tally);
}

// The same places one after another, by one thread.
std::string InLoops(const Map& m) {
  std::string text = TextOf(m);
  size_t grid = text.find("  grid ("), body = text.find("  thread 0 {\n");
  text.replace(grid, body - grid,
               ir::Cat("  grid (1)\n  block 32\n  let width = ", m.gx.text,
                       "\n  let height = ", m.gy.text, "\n"));
  body = text.find("  thread 0 {\n");
  text.insert(body + 13, "    for y in 0..height {\n    for x in 0..width {\n");
  text.insert(text.rfind("  }\n}\n"), "    }\n    }\n");
  for (const auto& [from, to] :
       {std::pair("cta.x", "x"), {"cta.y", "y"}, {"grid.x", "width"}}) {
    for (size_t at; (at = text.find(from)) != std::string::npos;)
      text.replace(at, std::string_view(from).size(), to);
  }
  return text;
}

// Whether some place comes twice, before a fault.
bool ComesAgain(const Map& m, int64_t p, int64_t q) {
  std::set<Place> all;
  Env e = At(m, p, q);
  for (e.y = 0; e.y < e.gy; ++e.y) {
    for (e.x = 0; e.x < e.gx; ++e.x) {
      bool faults = false;
      std::vector<Place> places = EachPlaceOf(m, e, &faults);
      for (const Place& place : places) {
        if (!all.insert(place).second) return true;
      }
      if (faults) return false;
    }
  }
  return false;
}

void JudgeLoops(const Map& m, uint32_t seed, Tally& tally) {
  std::string text = InLoops(m);
  const Read read = ReadText(text);
  ASSERT_TRUE(read.code);
  std::vector<Meeting> meetings = MeetingsInCluster(read.accesses, {}, nullptr);
  bool again = false, faults = false;
  for (int64_t p = 1; p <= 12; ++p) {
    for (int64_t q = 1; q <= 12; ++q) again |= ComesAgain(m, p, q);
  }
  ++tally.all;
  tally.injective += !again;
  if (meetings.empty()) {
    EXPECT_FALSE(again) << "seed " << seed << "\n" << text;
    ++tally.decided;
  } else if (meetings[0].example) {
    int64_t p = meetings[0].example->sizes.at("P");
    int64_t q = meetings[0].example->sizes.at("Q");
    Env e = At(m, p, q);
    for (e.y = 0; e.y < e.gy; ++e.y) {
      for (e.x = 0; e.x < e.gx; ++e.x) EachPlaceOf(m, e, &faults);
    }
    EXPECT_TRUE(faults || ComesAgain(m, p, q)) << "seed " << seed << "\n"
                                               << text;
    ++tally.decided;
  }
}

TEST(Meetings, OfOneThreadAreAsInSmallSizes) {
  const int maps = MapsOr(150);
  const uint32_t seed = FirstSeed();
  Tally tally;
  for (int i = 0; i < maps; ++i)
    JudgeLoops(Maker(seed + i).Make(), seed + i, tally);
  ExpectDecided(tally);
}

TEST(Meetings, OfRandomPiecesAreAsInSmallSizes) {
  const int maps = MapsOr(60);
  Tally tally;
  for (int i = 0; i < maps; ++i)
    JudgeMap(Maker(i).Pieces(), static_cast<uint32_t>(i), tally);
  ExpectDecided(tally);
}

TEST(Meetings, OfRandomTilesOfPiecesAreAsInSmallSizes) {
  const int maps = MapsOr(40);
  Tally tally;
  for (int i = 0; i < maps; ++i)
    JudgeMap(Maker(i).Tiles(), static_cast<uint32_t>(i), tally);
  ExpectDecided(tally, 6);  // products of products: not all are
}

// Tiles whose first unit is in the CTA's piece, by quotients and remainders of
// where the piece begins and ends.
constexpr char kTiles[] = R"(
kernel k target sm_90a {
  param P : 1.. = 5
  param Q : 1.. = 5
  param U : 1.. = 5
  let T = P * Q
  let C = min(132, T)
  global D : u32[P, Q, 32]
  grid (C)
  block 32
  let first = cta.x * T * U / C
  let end = (cta.x + 1) * T * U / C
  let head = min(end - first, (U - first % U) % U)
  let whole = (end - first - head) / U
  thread 0 {
    for s in 0..whole + 1 {
      if first + head + s * U < end + MORE {
        let tile = (first + head + s * U) / U
        st D[tile % P, tile / P, 0], 1
      }
    }
  }
})";

bool Meet(const std::string& text) {
  const Read read = ReadText(text);
  return !MeetingsIn(read.accesses, {}).empty();
}

std::string With(std::string text, const std::string& name,
                 const std::string& value) {
  return text.replace(text.find(name), name.size(), value);
}

TEST(Meetings, OfTilesThatBeginInAPiece) {
  EXPECT_FALSE(Meet(With(kTiles, "MORE", "0")));
  EXPECT_TRUE(Meet(With(kTiles, "MORE", "1")));
}

// The sum of a scalar to which the first and the last iteration add something
// else than the others.
constexpr char kSegments[] = R"(
kernel k target sm_90a {
  param N : 1.. = 5
  global D : u32[N, 65536]
  grid (N)
  block 32
  thread 0 {
    var at = 0
    for s in 0..N {
      var units = 4
      if s == 0 {
        units = 3
      }
      if s == N - 1 {
        units = LAST
      }
      for n in 0..units {
        at = at + 1
      }
    }
    if at == 3 + (N - 2) * 4 + 2 && N > 1 {
      st D[0, 0], 1
    }
    st D[cta.x, 1], 1
  }
})";

TEST(Meetings, OfSumsWhoseFirstAndLastPartDiffer) {
  EXPECT_FALSE(Meet(With(kSegments, "LAST", "1")));
  EXPECT_TRUE(Meet(With(kSegments, "LAST", "2")));
}

}  // namespace
}  // namespace tilesim::checkers::grid

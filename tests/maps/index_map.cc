#include "tests/maps/index_map.h"

#include <functional>
#include <random>
#include <set>
#include <utility>

#include "tests/maps/expression.h"

namespace tilesim::checkers::maps {
namespace {

// More than any place is.
constexpr int64_t kEnough = 1048576;

class Maker {
 public:
  explicit Maker(uint64_t seed) : random_(seed) {}

  IndexMap Make() {
    map_.grid = {Number(1), Number(1), Number(1)};
    map_.first = kX;
    map_.end = Number(0);
    using Form = void (Maker::*)();
    static constexpr std::pair<const char*, Form> kForms[] = {
        {"two digits", &Maker::TwoDigits},
        {"digits in one index", &Maker::DigitsInOneIndex},
        {"three digits", &Maker::ThreeDigits},
        {"a grid of two dimensions", &Maker::TwoDimensions},
        {"a grid of three dimensions", &Maker::ThreeDimensions},
        {"groups of rows", &Maker::Groups},
        {"a persistent loop", &Maker::PersistentLoop},
        {"pieces of one length", &Maker::Pieces},
        {"slots of a workspace", &Maker::Slots},
        {"a minimum", &Maker::Minimum},
        {"diagonals", &Maker::Diagonals},
        {"rounded quotients", &Maker::RoundedQuotients},
        {"the other way round", &Maker::Reversed},
        {"some of the CTAs", &Maker::SomeCtas},
        {"a stride", &Maker::Stride},
        {"any expression", &Maker::Anything}};
    const auto& [name, form] = kForms[Below(std::size(kForms))];
    map_.form = name;
    (this->*form)();
    Domains();
    Store();
    Extents();
    return std::move(map_);
  }

 private:
  // --- forms: half of them as they should be, half with another number ---

  void Flat(const E& ctas) { map_.grid[0] = ctas; }

  void TwoDigits() {
    Flat(kP * kQ);
    E d = Wrong() ? Pick<E>({kP, Number(3), kP + Number(1)}) : kQ;
    map_.index = {kT / kQ, kT % d};
    if (One(2)) std::swap(map_.index[0], map_.index[1]);
  }

  void DigitsInOneIndex() {
    Flat(kP * kQ);
    E radix = Wrong() ? Pick<E>({kP, kQ - Number(1), Number(6)}) : kQ;
    map_.index = {kT % kP * radix + kT / kP};
  }

  void ThreeDigits() {
    Flat(kP * kQ * kR);
    E high = kQ * kR, low = kR, middle = kR;
    if (Wrong()) *Pick<E*>({&high, &low, &middle}) = Pick<E>({kP, kQ * kP});
    map_.index = {kT / high, kT % high / middle, kT % low};
    if (One(3))
      map_.index = {(kT / high * kQ + kT % high / middle) * kR + kT % low};
  }

  void TwoDimensions() {
    map_.grid[0] = kP;
    map_.grid[1] = kQ;
    E width = Wrong() ? Pick<E>({kQ, Number(4), Min(kP, kQ)}) : kP;
    map_.index = {kY * width + kX};
    if (One(3)) map_.index = {kX, (kX + kY) % (Wrong() ? kP : kQ)};
  }

  void ThreeDimensions() {
    map_.grid = {kP, kQ, kR};
    E height = Wrong() ? Pick<E>({kR, kP}) : kQ;
    map_.index = {(kZ * height + kY) * kP + kX};
    if (One(3)) map_.index = {kZ * height + kY, kX};
  }

  // Rasterised in groups of so many rows, of which the last may be smaller.
  void Groups() {
    Flat(kP * kQ);
    E group = One(3) ? kR : Number(2 + Below(3));
    E of = group * kQ;
    E first = kT / of * group;
    E tall = Wrong() ? group : Min(group, kP - first);
    map_.index = {first + kT % of % tall, kT % of / tall};
  }

  void PersistentLoop() {
    map_.turns = IndexMap::Turns::kPersistent;
    map_.end = kP * kQ;
    map_.grid[0] = Pick<E>({Min(Number(4), map_.end), Number(3), kP});
    map_.first = Wrong() ? kX / Number(2) : kX;
    map_.index = {kT / kQ, kT % kQ};
    if (One(3)) map_.index = {kT % kP * (Wrong() ? kP : kQ) + kT / kP};
  }

  void Pieces() {
    map_.turns = IndexMap::Turns::kPiece;
    E whole = Pick<E>({kP * kQ, kP, kP * Number(3)});
    map_.grid[0] = Pick<E>({Min(Number(4), whole), Number(3), kP});
    map_.first = kX * whole / kGx;
    map_.end = (kX + Number(1)) * whole / kGx + Number(Wrong() ? 1 : 0);
    E d = Pick<E>({kP, kQ, Number(2)});
    map_.index = {kT};
    if (One(2)) map_.index = {kT / d, kT % d};
  }

  void Slots() {
    E slots = Pick<E>({Number(16), kQ, Number(10)});
    Flat(Wrong() ? kP : Min(kP, slots));
    map_.index = {kT % slots};
    if (One(2)) map_.index = {kT % slots, kT / Number(2 + Below(2))};
  }

  void Minimum() {
    E least = Min(kP, kQ);
    Flat(Wrong() ? kP : least);
    map_.index = {Min(kT, kQ)};
    if (One(2)) {
      map_.grid[1] = kR;
      map_.index = {kY * (Wrong() ? kQ - Number(1) : kQ) + Min(kX, kQ)};
    }
  }

  void Diagonals() {
    map_.grid[0] = kP;
    map_.grid[1] = kQ;
    map_.index = {kX + kY};
    if (!Wrong()) map_.index.push_back(Pick<E>({kX, kY}));
    if (One(3)) map_.index = {(kX + kY) % kP, Wrong() ? kX : kY};
  }

  void RoundedQuotients() {
    E width = Cdiv(kP, kQ);
    Flat(kP);
    map_.index = {kT / width,
                  kT % (Wrong() ? Pick<E>({kQ, kP / kQ + Number(1)}) : width)};
    if (One(3)) {
      E wide = kP / kQ;
      Flat(wide * kQ);
      map_.permitted = {kQ < kP + Number(1)};
      map_.index = {kT % wide * (Wrong() ? kQ - Number(1) : kQ) + kT / wide};
    }
  }

  void Reversed() {
    E all = kP * kQ;
    Flat(all);
    E back = all - Number(1) - kT;
    map_.index = {back / kQ, back % (Wrong() ? kP : kQ)};
    if (One(2)) map_.index = {kT / kQ, kQ - Number(1) - kT % kQ};
    if (One(3))
      map_.index = {kT / kQ * kQ + (kQ - kT % kQ) % (Wrong() ? kP : kQ)};
  }

  void SomeCtas() {
    E d = Pick<E>({Number(2), kQ});
    Flat(kP * d);
    map_.conditions = {kT % d == Number(0)};
    map_.index = {kT / (Wrong() ? d * Number(2) : d)};
    if (One(2)) {
      map_.conditions = {kT < kP};
      map_.index = {kT % (Wrong() ? kQ : kP)};
    }
  }

  void Stride() {
    Flat(kP);
    map_.grid[1] = kQ;
    E pitch = Wrong() ? kP - Number(1) + kQ : kP + Number(Below(3));
    map_.index = {kX + kY * pitch};
    if (One(2))
      map_.index = {kX * Number(2 + Below(2)) + kY % Number(2), kY / Number(2)};
  }

  // What nobody would write: mostly it collides.
  void Anything() {
    map_.grid[0] = kP;
    map_.grid[1] = kQ;
    map_.index = {Some(2), Some(2)};
    if (One(2)) map_.index.push_back(Pick<E>({kX, kY}));
  }
  E Some(int depth) {
    if (depth == 0)
      return Pick<E>({kX, kY, kX + kY * kP, Number(1 + Below(3))});
    E a = Some(depth - 1);
    E d = Pick<E>({kP, kQ, kR, Number(2), Number(3)});
    switch (Below(5)) {
      case 0:
        return a + Some(depth - 1);
      case 1:
        return a / d;
      case 2:
        return a % d;
      case 3:
        return a * d;
      default:
        return Min(a, d);
    }
  }

  // --- parameters and stores ---

  bool Names(const std::string& name) const {
    auto names = [&](const E& e) {
      return e.text.find(name) != std::string::npos;
    };
    bool out = names(map_.first) || names(map_.end);
    for (const auto* list : {&map_.grid, &map_.index, &map_.conditions})
      for (const E& e : *list) out |= names(e);
    return out;
  }

  void Domains() {
    std::vector<Domain> all = {{"P"}, {"Q"}, {"R"}};
    for (const Domain& d : all) {
      if (Names(d.name)) map_.domains.push_back(d);
    }
    const bool few = map_.domains.size() < 3 && map_.index.size() < 3;
    for (Domain& d : map_.domains) {
      switch (Below(4)) {
        case 0:
          break;
        case 1:
          d.step = 2 + Below(2);
          d.low = d.step;
          break;
        case 2:
          d.low = 2;
          break;
        default:
          if (few) d.high = 100;
      }
      if (d.high == 12 && d.step > 1) d.high = 12 / d.step * d.step;
    }
  }

  void Store() {
    const bool last = map_.index.size() > 2;
    switch (Below(last ? 2 : 4)) {
      case 0:
        map_.store = "bulk.store";
        map_.words = One(5) ? 8 : 4;
        return Scale(4);
      case 1:
        map_.store = "st";
        return;
      case 2:
        map_.store = "st";
        return;
      default:
        map_.store = "st.global";
        map_.words = 32;
        // In a loop lanes of one warp would meet, which is another finding.
        return Scale(map_.turns == IndexMap::Turns::kOne && One(6) ? 31 : 32);
    }
  }
  void Scale(int by) { map_.index.back() = map_.index.back() * Number(by); }

  // Of half of the maps whose elements must be there: extents that their places
  // need, as far as small sizes show, or others.
  void Extents() {
    if (map_.store == "st.global" || One(2)) return;
    std::vector<E> all = {Number(12), Number(40)};
    const std::vector<E> params = {kP, kQ, kR};
    for (size_t i = 0; i < params.size(); ++i) {
      if (!Has(params[i])) continue;
      all.push_back(params[i]);
      for (size_t k = 0; k <= i; ++k) {
        if (!Has(params[k])) continue;
        all.push_back(params[i] * params[k]);
        all.push_back(params[i] + params[k]);
      }
    }
    std::vector<E> chosen;
    for (size_t d = 0; d < map_.index.size(); ++d)
      chosen.push_back(One(all, d));
    map_.shape = std::move(chosen);
  }
  bool Has(const E& param) const {
    return std::any_of(map_.domains.begin(), map_.domains.end(),
                       [&](const Domain& d) { return d.name == param.text; });
  }
  E One(const std::vector<E>& all, size_t dim) {
    const bool scaled =
        map_.store == "bulk.store" && dim + 1 == map_.index.size();
    std::vector<E> fit, other;
    for (const E& e : all) {
      map_.shape.assign(map_.index.size(), Number(kEnough));
      map_.shape[dim] = scaled ? e * Number(4) : e;
      (map_.LeavesUpTo(3) ? other : fit).push_back(map_.shape[dim]);
    }
    if (fit.empty()) return Number(kEnough);
    return !other.empty() && One(6) ? Pick(other) : Pick(fit);
  }

  int Below(int end) { return static_cast<int>(random_() % end); }
  bool One(int of) { return Below(of) == 0; }
  bool Wrong() { return One(2); }
  template <typename T>
  T Pick(std::vector<T> all) {
    return all[Below(static_cast<int>(all.size()))];
  }

  std::mt19937_64 random_;
  IndexMap map_;
};

// Larger than most places of sizes to 100.
std::string Shape(const IndexMap& map) {
  std::string out;
  for (const E& e : map.shape)
    ir::Append(&out, out.empty() ? "" : ", ", e.text);
  if (!out.empty()) return out;
  static constexpr const char* kShapes[] = {"1073741824", "16384, 65536",
                                            "16384, 16384, 16384"};
  return ir::Cat(kShapes[map.index.size() - 1],
                 map.store == "st.global" ? ", 4" : "");
}

std::string StoreText(const IndexMap& map) {
  std::string at;
  for (const E& e : map.index) ir::Append(&at, at.empty() ? "" : ", ", e.text);
  if (map.store == "st") return ir::Cat("      st W[", at, "], 1\n");
  ir::Append(&at, " :+ ", map.words);
  if (map.store == "st.global")
    return ir::Cat("      st.global W[", at, ", :], v\n");
  return ir::Cat("      bulk.store W[", at, "], a\n",
                 "      bulk.commit_group\n      bulk.wait_group 0\n");
}

// What comes before the stores, and the scope of those that make them.
std::string Before(const IndexMap& map) {
  if (map.store == "st.global")
    return "  reg v : u32[32, 4] fragment row\n  mov v, 1\n  warp 0 {\n";
  if (map.store == "st") return "  thread 0 {\n";
  std::string out = "  warp 0, elect {\n";
  for (int64_t i = 0; i < map.words; ++i)
    ir::Append(&out, "    st a[", i, "], 1\n");
  return out + "    fence.proxy.async\n";
}

std::string Head(const IndexMap& map) {
  if (map.turns == IndexMap::Turns::kOne)
    return ir::Cat("    let t = ", map.first.text, "\n    if ",
                   map.conditions.empty() ? "t >= 0" : map.conditions[0].text,
                   " {\n");
  return ir::Cat(
      "    for t in ", map.first.text, "..", map.end.text,
      map.turns == IndexMap::Turns::kPersistent ? " step grid.x" : "", " {\n");
}

// The places that a CTA stores at, until it divides by 0.
void PlacesOf(const IndexMap& map, Env e,
              const std::function<void(Place)>& each) {
  try {
    e.t = map.first.at(e);
    const bool one = map.turns == IndexMap::Turns::kOne;
    const int64_t end = one ? e.t + 1 : map.end.at(e);
    const int64_t step = map.turns == IndexMap::Turns::kPersistent ? e.gx : 1;
    for (; e.t < end; e.t += step) {
      if (!map.conditions.empty() && map.conditions[0].at(e) == 0) continue;
      Place place;
      for (const E& index : map.index) place.push_back(index.at(e));
      for (int64_t i = 0; i < map.words; ++i, ++place.back()) each(place);
    }
  } catch (const Fault&) {
  }
}

Env At(const IndexMap& map, const ir::Overrides& sizes) {
  auto value = [&](const char* name) {
    auto it = sizes.find(name);
    return it == sizes.end() ? 1 : it->second;
  };
  Env e;
  e.p = value("P");
  e.q = value("Q");
  e.r = value("R");
  e.gx = map.grid[0].at(e);
  e.gy = map.grid[1].at(e);
  e.gz = map.grid[2].at(e);
  return e;
}

// Of a store that cuts off its end no place is beyond.
std::vector<int64_t> ExtentsAt(const IndexMap& map, const Env& e) {
  constexpr int64_t kAny = int64_t{1} << 60;
  if (map.store == "st.global")
    return std::vector<int64_t>(map.index.size(), kAny);
  std::vector<int64_t> out;
  for (const E& extent : map.shape) out.push_back(extent.at(e));
  if (!out.empty()) return out;
  static constexpr int64_t kShapes[][3] = {
      {1073741824}, {16384, 65536}, {16384, 16384, 16384}};
  const int64_t* all = kShapes[map.index.size() - 1];
  return {all, all + map.index.size()};
}

}  // namespace

std::string IndexMap::Text() const {
  std::string out = "kernel k target sm_90a {\n";
  for (const Domain& d : domains)
    ir::Append(&out, "  param ", d.name, " : ", d.low, "..", d.high, " step ",
               d.step, " = ", d.name == "P" ? d.high : d.low, "\n");
  for (const E& e : permitted) ir::Append(&out, "  requires ", e.text, "\n");
  ir::Append(&out, "  global W : u32[", Shape(*this), "] undefined\n");
  if (store == "bulk.store")
    ir::Append(&out, "  shared a : u32[", words, "]\n");
  ir::Append(&out, "  grid (", grid[0].text, ", ", grid[1].text, ", ",
             grid[2].text, ")\n  block 32\n", Before(*this), Head(*this),
             StoreText(*this), "    }\n  }\n}\n");
  return out;
}

bool IndexMap::Permits(const ir::Overrides& sizes) const {
  const Env e = At(*this, sizes);
  return std::all_of(permitted.begin(), permitted.end(),
                     [&](const E& one) { return one.at(e) != 0; });
}

bool IndexMap::CollidesAt(const ir::Overrides& sizes) const {
  std::set<Place> all;
  Env e = At(*this, sizes);
  for (e.z = 0; e.z < e.gz; ++e.z) {
    for (e.y = 0; e.y < e.gy; ++e.y) {
      for (e.x = 0; e.x < e.gx; ++e.x) {
        std::set<Place> own;
        PlacesOf(*this, e, [&](Place p) { own.insert(std::move(p)); });
        for (const Place& place : own) {
          if (!all.insert(place).second) return true;
        }
      }
    }
  }
  return false;
}

bool IndexMap::LeavesAt(const ir::Overrides& sizes) const {
  Env e = At(*this, sizes);
  bool leaves = false;
  const std::vector<int64_t> extents = ExtentsAt(*this, e);
  for (e.z = 0; e.z < e.gz; ++e.z) {
    for (e.y = 0; e.y < e.gy; ++e.y) {
      for (e.x = 0; e.x < e.gx; ++e.x) {
        PlacesOf(*this, e, [&](const Place& place) {
          for (size_t d = 0; d < place.size(); ++d)
            leaves |= place[d] < 0 || place[d] >= extents[d];
        });
      }
    }
  }
  return leaves;
}

bool IndexMap::CollidesUpTo(int64_t top) const {
  return AnyUpTo(top, [this](const auto& sizes) { return CollidesAt(sizes); });
}

bool IndexMap::LeavesUpTo(int64_t top) const {
  return AnyUpTo(top, [this](const auto& sizes) { return LeavesAt(sizes); });
}

bool IndexMap::AnyUpTo(
    int64_t top, const std::function<bool(const ir::Overrides&)>& is) const {
  ir::Overrides sizes;
  std::function<bool(size_t)> from = [&](size_t which) {
    if (which == domains.size()) return Permits(sizes) && is(sizes);
    const Domain& d = domains[which];
    for (int64_t n = d.low; n <= std::min(d.high, top); n += d.step) {
      sizes[d.name] = n;
      if (from(which + 1)) return true;
    }
    return false;
  };
  return from(0);
}

IndexMap RandomIndexMap(uint64_t seed) { return Maker(seed).Make(); }

}  // namespace tilesim::checkers::maps

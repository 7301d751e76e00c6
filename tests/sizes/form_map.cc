#include "tests/sizes/form_map.h"

#include <iterator>

namespace tilesim::checkers {

std::string FormMap::Write() {
  deal_ = static_cast<Deal>(Below(5));
  copy_ = static_cast<Copy>(Below(4));
  if (copy_ != Copy::kRegisters) Uses("raw copies");
  Uses("index forms");
  Block("kernel k target sm_90a", [&] {
    Head();
    Tiles();
  });
  static constexpr const char* kDeals[] = {
      "tiles by a quotient", "tiles of a plane", "tiles in groups",
      "tiles of a persistent loop", "tiles in pieces"};
  static constexpr const char* kCopies[] = {"", ", bulk.store", ", cp.async",
                                            ", cp.async.zfill"};
  return std::string(kDeals[static_cast<int>(deal_)]) +
         kCopies[static_cast<int>(copy_)];
}

void FormMap::Head() {
  const bool several = deal_ == Deal::kPersistent || deal_ == Deal::kPieces;
  Constant("P", 2 + Below(3));
  if (deal_ == Deal::kGroups) Constant("G", 1 + Below(3));
  Line("param M : 1.. = 3\n  param N : {}.. = 2", 1 + Below(2));
  const bool in = copy_ == Copy::kAsync || copy_ == Copy::kFilled;
  if (copy_ == Copy::kRegisters) Line("global D : u32[M * 32, N * 4]");
  if (copy_ == Copy::kBulk)
    Line("global D : u32[M, N * 8{}]",
         Mutated("a row too short") ? " - 4" : "");
  if (in) {
    const bool ends = copy_ == Copy::kFilled || Mutated("a row too short");
    Line("global A : u32[M, N * 8{}]\n  global D : u32[M, N]",
         ends ? " - 4" : "");
  }
  Line("grid ({})", several ? "P" : deal_ == Deal::kPlane ? "M, N" : "M * N");
  Line("block 32");
  if (copy_ != Copy::kRegisters) Line("shared s : u32[8]");
}

void FormMap::Tiles() {
  if (copy_ == Copy::kRegisters)
    Line("reg v : u32[32, 4] fragment row\n  mov v, 1");
  auto tiles = [&] {
    auto one = [&](const std::string& tile) {
      return [&, tile] {
        Place(tile);
        Tile();
      };
    };
    if (deal_ == Deal::kPersistent) {
      const bool late = Mutated("a step that is one too small");
      return Block(fmt::format("for t in cta.x..M * N step {}",
                               late ? "max(P - 1, 1)" : "grid.x"),
                   one("t"));
    }
    if (deal_ == Deal::kPieces) {
      const bool more = Mutated("a piece that is one too long");
      return Block(
          fmt::format("for t in cta.x * (M * N) / P..min((cta.x + 1) * (M * N) "
                      "/ P{}, M * N)",
                      more ? " + 1" : ""),
          one("t"));
    }
    one("cta.x")();
  };
  if (copy_ == Copy::kRegisters) return tiles();
  Block("warp 0, elect", [&] {
    if (copy_ == Copy::kBulk) {
      Block("for i in 0..8", [&] { Line("st s[i], 1"); });
      Needed("fence.proxy.async", "M");
    } else {
      Line("var x = 0");
    }
    tiles();
    if (copy_ == Copy::kBulk) Line("bulk.wait_group 0");
  });
}

void FormMap::Place(const std::string& tile) {
  if (deal_ == Deal::kPlane) {
    Line("let m = cta.{}", Mutated("the other dimension")
                               ? (How(2) == 0 ? "y % M" : "x / 2")
                               : "x");
    return Line("let n = cta.y");
  }
  if (deal_ == Deal::kGroups) {
    Line("let first = {} / (G * N) * G", tile);
    Line("let tall = {}", Mutated("the last group taken for a whole one")
                              ? "G"
                              : "min(G, M - first)");
    Line("let m = min(first + {0} % (G * N) % tall, M - 1)", tile);
    return Line("let n = {} % (G * N) / tall", tile);
  }
  static constexpr const char* kOthers[] = {"max(N - 1, 1)", "N + 1", "2", "M"};
  const std::string by =
      Mutated("another divisor") ? kOthers[How(std::size(kOthers))] : "N";
  Line("let m = {} / {}", tile, Mutated("another quotient") ? "(2 * N)" : "N");
  Line("let n = min({} % {}, N - 1)", tile, by);
}

std::string FormMap::Column(const char* right) {
  if (Mutated("a start that is not aligned"))
    return fmt::format("{} + {}", right, How(2) == 0 ? "1" : "2 * (n % 2)");
  if (Mutated("a start one tile on")) return fmt::format("{} + 8", right);
  return right;
}

void FormMap::Tile() {
  if (copy_ == Copy::kRegisters) {
    const bool close = Mutated("tiles that overlap");
    return Line("st.global D[m * {} :+ 32, n * 4 :+ 4], v", close ? 31 : 32);
  }
  copy_ == Copy::kBulk ? StoreInBulk() : CopyIn();
}

void FormMap::StoreInBulk() {
  Line("bulk.store D[m, {} :+ 8], s", Column("n * 8"));
  Line("bulk.commit_group");
}

void FormMap::CopyIn() {
  const bool fills =
      copy_ == Copy::kFilled && !Mutated("nothing fills what is not there");
  Line("cp.async{} s, A[m, {} :+ 8]", fills ? ".zfill" : "", Column("n * 8"));
  Line("cp.async.commit_group");
  Needed("cp.async.wait_group 0", "n");
  Line("ld x, s[0]");
  Line("st D[m, n], x");
}

}  // namespace tilesim::checkers

#include "checkers/pipeline/leader_words.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checkers/pipeline/copied_block.h"
#include "checkers/pipeline/joined_scopes.h"
#include "checkers/pipeline/word_arrays.h"
#include "checkers/proof/condition.h"
#include "checkers/sizes/partition/expressions.h"
#include "checkers/sizes/partition/known_numbers.h"
#include "ir/op.h"
#include "ir/printer.h"
#include "ir/values/dtype.h"
#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
using ir::Block;
using ir::Builtin;
using ir::Expr;
using ir::ExprKind;
using ir::ExprOp;
using ir::IsBinary;
using ir::NameKind;
using ir::OpKind;
using ir::Stmt;
using sizes::partition::Binary;
using sizes::partition::KnownNumbers;

namespace {

constexpr int64_t kMostInAFlag = int64_t{1} << 30;

// `first`: of cta.x or grid.x.
int DimOf(const Expr& e, Builtin first) {
  if (e.kind != ExprKind::kName || e.name_kind != NameKind::kBuiltin) return -1;
  const int dim = e.slot - static_cast<int>(first);
  return dim >= 0 && dim < 3 ? dim : -1;
}

bool HasMod(const ir::Op& op, std::string_view choice) {
  for (size_t i = 0; i < op.mods.size(); ++i) {
    if (op.info->mods[i].choices[op.mods[i]] == choice) return true;
  }
  return false;
}

// A loop that asks for one word, and does nothing else.
struct Ask {
  Stmt* loop = nullptr;
  int32_t slot = -1;
  Expr until;  // it goes on as long as it has found less, or another number
  const ir::Ref& ref() const { return op().operands[1].ref; }
  const ir::Op& op() const { return *loop->body[0].op; }
};

// One barrier.
struct Site {
  Block* block = nullptr;
  size_t begin = 0, end = 0;        // of its statements in the block
  std::vector<std::string> scopes;  // around
  const Stmt* loop = nullptr;       // around
  Stmt* add = nullptr;
  bool leader_adds = true;
  Expr leads;              // of which CTA this holds
  bool otherwise = false;  // of which it does not
  Ask all, go;
  Stmt *guard = nullptr, *set = nullptr;  // of the leader
  Block lets;                             // variables and lets inside
  bool fits = false;

  const ir::Ref& count() const { return add->op->operands[0].ref; }
  const ir::Ref& flag() const { return set->op->operands[0].ref; }
};

class Leaders {
 public:
  Leaders(const ir::Program& program, const ir::Overrides& defines,
          ir::Kernel& kernel)
      : program_(program), kernel_(kernel), known_(defines, kernel) {}

  bool Rewrite() {
    if (!kernel_.cluster.empty()) return false;
    for (const ir::Constant& c : kernel_.constants) {
      if (c.is_let) lets_.emplace(c.slot, c.value);
    }
    JoinScopes(kernel_);
    ir::ForEachStmt(kernel_.body, [&](const Stmt& s) { Count(s); });
    Look(kernel_.body, Around{OneThread(kernel_), {}, nullptr, true});
    for (Site& site : sites_) site.fits = Fits(site);
    // Where one barrier is not such a one, none of its words is.
    for (size_t n = 0; n < sites_.size(); ++n) {
      for (const Site& a : sites_) {
        for (Site& b : sites_) {
          b.fits &= a.fits || (a.count().decl != b.count().decl &&
                               a.flag().decl != b.flag().decl);
        }
      }
    }
    for (const Site& site : sites_) {
      if (site.fits) barriers_.emplace(&site, Written(site));
    }
    if (barriers_.empty()) return false;
    Write(kernel_.body);
    kernel_.items.clear();  // they count statements
    return true;
  }

 private:
  struct Around {
    OneThread threads;
    std::vector<std::string> scopes;
    const Stmt* loop = nullptr;
    bool always = true;  // under no condition, in one loop at most
  };

  void Count(const Stmt& s) {
    if (s.kind == Stmt::Kind::kLet) lets_.emplace(s.slot, s.value);
    if (s.kind == Stmt::Kind::kAssign) assigned_.insert(s.slot);
    Stmt alone = s;
    alone.body.clear();
    alone.orelse.clear();
    ir::ForEachExpr(alone, [&](Expr& e) { CountNames(e); });
    if (!s.op) return;
    for (const ir::Operand& o : s.op->operands) {
      if (o.kind == ir::Operand::Kind::kRef) ++uses_[o.ref.decl];
    }
  }

  void CountNames(const Expr& e) {
    ++names_[ir::SlotOf(e)];
    for (const Expr& arg : e.args) CountNames(arg);
  }

  // Lets written out.
  Expr Written(const Expr& e) const {
    const auto let =
        e.kind == ExprKind::kName ? lets_.find(ir::SlotOf(e)) : lets_.end();
    if (let != lets_.end()) return Written(let->second);
    Expr out = e;
    for (Expr& arg : out.args) arg = Written(arg);
    return out;
  }

  void Look(Block& block, const Around& around) {
    for (size_t i = 0; i < block.size(); ++i) {
      Stmt& s = block[i];
      if (around.threads.is() && around.threads.always() && around.always) {
        Site site;
        site.block = &block;
        site.begin = i;
        site.scopes = around.scopes;
        site.loop = around.loop;
        if (Match(site)) {
          i = site.end - 1;
          sites_.push_back(std::move(site));
          continue;
        }
      }
      Around inside = around;
      const bool loops = s.kind == Stmt::Kind::kFor;
      if (s.kind == Stmt::Kind::kIf || s.kind == Stmt::Kind::kWhile ||
          (loops && around.loop != nullptr))
        inside.always = false;
      if (loops) inside.loop = &s;
      for (const ir::Scope& scope : s.scopes) inside.threads.Enter(scope);
      if (!s.scopes.empty()) inside.scopes.push_back(ir::ToString(s.scopes));
      Look(s.body, inside);
      Look(s.orelse, inside);
    }
  }

  static bool Adds(const Stmt& s) {
    return s.op && s.op->info->kind == OpKind::kRedAdd &&
           s.op->operands[1].expr.is_int(1);
  }

  static bool Declares(const Stmt& s) {
    return s.kind == Stmt::Kind::kVar || s.kind == Stmt::Kind::kLet;
  }

  static std::optional<Ask> AskOf(Stmt& s) {
    if (s.kind != Stmt::Kind::kWhile || s.body.size() != 1 || !s.body[0].op ||
        s.body[0].op->info->kind != OpKind::kLd)
      return std::nullopt;
    const Expr& e = s.value;
    Ask out;
    out.loop = &s;
    out.slot = ir::SlotOf(s.body[0].op->operands[0].expr);
    const bool turned = IsBinary(e, ExprOp::kGt);
    if (!turned && !IsBinary(e, ExprOp::kLt) && !IsBinary(e, ExprOp::kNe)) {
      if (!IsBinary(e, ExprOp::kEq) || !e.args[1].is_int(0))
        return std::nullopt;
      out.until = Expr::Int(1, s.span);
    } else {
      out.until = e.args[turned ? 0 : 1];
    }
    if (out.slot < 0 || ir::SlotOf(e.args[turned ? 1 : 0]) != out.slot)
      return std::nullopt;
    return out;
  }

  bool Match(Site& site) {
    Block& block = *site.block;
    size_t at = site.begin;
    if (Adds(block[at])) site.add = &block[at++];
    const auto pass = [&](Block& in, size_t& i) {
      while (i < in.size() && Declares(in[i])) site.lets.push_back(in[i++]);
    };
    if (site.add != nullptr) pass(block, at);
    if (at >= block.size() || block[at].kind != Stmt::Kind::kIf) return false;
    Stmt& asks = block[at++];
    site.guard = &asks;
    site.leads = Written(asks.value);
    const bool turned =
        IsBinary(site.leads, ExprOp::kNe) || IsBinary(site.leads, ExprOp::kGt);
    site.otherwise = turned;
    Block& leader = turned ? asks.orelse : asks.body;
    Block& others = turned ? asks.body : asks.orelse;
    if (!MatchLeader(leader, site)) return false;
    Block* waits = &block;
    size_t i = at;
    if (!others.empty()) {
      waits = &others;
      i = 0;
      if (site.add == nullptr && Adds(others[0])) {
        site.add = &others[i++];
        site.leader_adds = false;
      }
    }
    pass(*waits, i);
    if (site.add == nullptr || i >= waits->size()) return false;
    const auto go = AskOf((*waits)[i++]);
    if (!go || (waits == &others && i != others.size())) return false;
    site.go = *go;
    site.end = waits == &block ? i : at;
    return true;
  }

  static bool MatchLeader(Block& leader, Site& site) {
    size_t i = 0;
    const auto pass = [&] {
      while (i < leader.size() && Declares(leader[i]))
        site.lets.push_back(leader[i++]);
    };
    pass();
    const auto all = i < leader.size() ? AskOf(leader[i++]) : std::nullopt;
    if (!all) return false;
    site.all = *all;
    pass();
    if (i + 1 != leader.size() || !leader[i].op ||
        leader[i].op->info->kind != OpKind::kSt)
      return false;
    site.set = &leader[i];
    return true;
  }

  bool Fits(const Site& site) const {
    const auto of = [&](int32_t decl, auto ref) {
      return std::count_if(sites_.begin(), sites_.end(), [&](const Site& s) {
        return (s.*ref)().decl == decl;
      });
    };
    const int32_t count = site.count().decl, flag = site.flag().decl;
    if (count < 0 || flag < 0 || count == flag || !IsOfWords(count) ||
        !IsOfWords(flag))
      return false;
    const auto counts = of(count, &Site::count), flags = of(flag, &Site::flag);
    return uses_.at(count) == 2 * counts && uses_.at(flag) == 2 * flags &&
           (site.loop == nullptr || (counts == 1 && flags == 1)) &&
           Is(site.all, site.count()) && Is(site.go, site.flag()) &&
           Begins(site.all, site) && Begins(site.go, site) && HandsOn(site) &&
           LoopIsOfAll(site) && LeadsOne(site) && UntilAll(site).has_value() &&
           IsSetAnew(site);
  }

  bool IsOfWords(int32_t decl) const {
    const ir::Decl& d = kernel_.decls[decl];
    const bool result =
        std::any_of(kernel_.computes.begin(), kernel_.computes.end(),
                    [&](const ir::Computes& c) { return c.target == d.name; });
    return d.space == ir::Space::kGlobal && d.zero && !result &&
           d.array.empty() && d.strides.empty() && !values::IsFloat(d.dtype) &&
           values::BitsOf(d.dtype) >= kWordBits &&
           IsOfOne(program_, d.name.substr(0, d.name.find_first_of("#[")));
  }

  // Asks for that word.
  bool Is(const Ask& ask, const ir::Ref& word) const {
    return ask.ref().decl == word.decl && WordOf(ask.ref()) == WordOf(word);
  }

  // The subscripts, with lets written out; "": it is no single element.
  std::string WordOf(const ir::Ref& ref) const {
    std::string out;
    for (const Expr& at : Subscripts(ref)) out += ir::ToString(at) + ", ";
    return out;
  }

  std::vector<Expr> Subscripts(const ir::Ref& ref) const {
    std::vector<Expr> out;
    if (ref.groups.size() != 1 || !ref.cta.empty() || ref.transposed)
      return out;
    for (const ir::Subscript& s : ref.groups[0]) {
      if (s.kind != ir::Subscript::Kind::kIndex) return {};
      out.push_back(Written(s.start));
    }
    return out;
  }

  // With 0, and nobody else asks for what was found.
  bool Begins(const Ask& ask, const Site& site) const {
    const auto zero = [&](const Stmt& s) {
      return s.kind == Stmt::Kind::kVar && s.slot == ask.slot &&
             s.value.is_int(0);
    };
    const Block& block = *site.block;
    return names_.at(ask.slot) == 2 && !assigned_.contains(ask.slot) &&
           (std::any_of(site.lets.begin(), site.lets.end(), zero) ||
            std::any_of(block.begin(), block.begin() + site.begin, zero));
  }

  // Who sees the flag comes after what its leader comes after.
  static bool HandsOn(const Site& site) {
    if (!proof::IsJudged(proof::Condition::kLeaderReleases)) return true;
    const ir::Op &set = *site.set->op, &go = site.go.op();
    return HasMod(set, "release") &&
           (HasMod(set, "gpu") || HasMod(set, "sys")) &&
           HasMod(go, "acquire") && (HasMod(go, "gpu") || HasMod(go, "sys"));
  }

  // All CTAs go around it equally often.
  bool LoopIsOfAll(const Site& site) const {
    if (site.loop == nullptr) return true;
    bool leaves = false;
    ir::ForEachStmt(site.loop->body, [&](const Stmt& s) {
      leaves |= s.kind == Stmt::Kind::kBreak || s.kind == Stmt::Kind::kContinue;
    });
    return !leaves && !site.loop->step &&
           known_.Of(site.loop->low).value_or(-1) >= 0 &&
           IsOfSizes(Written(site.loop->high));
  }

  static bool IsOfSizes(const Expr& e) {
    if (e.kind == ExprKind::kName)
      return e.name_kind == NameKind::kParam || e.name_kind == NameKind::kConst;
    return std::all_of(e.args.begin(), e.args.end(), IsOfSizes);
  }

  // What names a word: constants, places, the counter of the loop.
  struct Named {
    bool is = false;
    std::set<int> dims;
    bool step = false;
  };

  Named NamedBy(const ir::Ref& ref, const Site& site) const {
    Named out;
    for (const Expr& e : Subscripts(ref)) {
      const int dim = DimOf(e, Builtin::kCtaX);
      if (dim >= 0)
        out.dims.insert(dim);
      else if (site.loop != nullptr && ir::SlotOf(e) == site.loop->slot)
        out.step = true;
      else if (!known_.Of(e))
        return out;
    }
    out.is = !WordOf(ref).empty();
    return out;
  }

  // Of the CTAs that have a flag one leads, whatever the grid is.
  bool LeadsOne(const Site& site) const {
    const Named flag = NamedBy(site.flag(), site);
    std::set<int> fixed;
    if (!flag.is || !FixPlaces(site.leads, site.otherwise, fixed)) return false;
    for (int d = 0; d < std::ssize(kernel_.grid); ++d) {
      const bool one = kernel_.grid[d].is_int(1);
      if (flag.dims.contains(d) ? fixed.contains(d)
                                : !one && !fixed.contains(d))
        return false;
    }
    return true;
  }

  // cta.x == 0 && cta.y == grid.y - 1; `other`: cta.x != 0
  bool FixPlaces(const Expr& e, bool other, std::set<int>& fixed) const {
    if (!other && IsBinary(e, ExprOp::kAnd))
      return FixPlaces(e.args[0], false, fixed) &&
             FixPlaces(e.args[1], false, fixed);
    const bool above = other && IsBinary(e, ExprOp::kGt);
    if (!IsBinary(e, other ? ExprOp::kNe : ExprOp::kEq) && !above) return false;
    const int dim = DimOf(e.args[0], Builtin::kCtaX);
    if (dim < 0 || dim >= std::ssize(kernel_.grid)) return false;
    const Expr& at = e.args[1];
    const auto number = known_.Of(at), extent = known_.Of(kernel_.grid[dim]);
    const bool there =
        number &&
        (*number == 0 || (*number > 0 && *number < extent.value_or(0)));
    const bool last = IsBinary(at, ExprOp::kSub) && at.args[1].is_int(1) &&
                      IsExtent(at.args[0], dim);
    const bool any = !proof::IsJudged(proof::Condition::kLeaderIsThere);
    if (above ? number != 0 : !there && !last && !(any && number)) return false;
    return fixed.insert(dim).second;
  }

  bool IsExtent(const Expr& e, int dim) const {
    if (DimOf(e, Builtin::kGridX) == dim) return true;
    const Expr extent = Written(kernel_.grid[dim]);
    const auto a = known_.Of(e), b = known_.Of(extent);
    return (a && a == b) || ir::ToString(e) == ir::ToString(extent);
  }

  static void Factors(const Expr& e, std::vector<Expr>& out) {
    if (!IsBinary(e, ExprOp::kMul)) return out.push_back(e);
    for (const Expr& arg : e.args) Factors(arg, out);
  }

  // The extents of the grid in which CTAs of one word differ.
  bool TakeGrid(const Named& word, std::vector<Expr>& factors) const {
    for (int d = 0; d < std::ssize(kernel_.grid); ++d) {
      if (kernel_.grid[d].is_int(1) || word.dims.contains(d)) continue;
      const auto at =
          std::find_if(factors.begin(), factors.end(),
                       [&](const Expr& f) { return IsExtent(f, d); });
      if (at == factors.end()) return false;
      factors.erase(at);
    }
    return true;
  }

  // How many a leader waits for if it adds as well. nullopt: it does not wait
  // for all.
  std::optional<Expr> UntilAll(const Site& site) const {
    const Named count = NamedBy(site.count(), site);
    const Named flag = NamedBy(site.flag(), site);
    if (!count.is || !std::includes(flag.dims.begin(), flag.dims.end(),
                                    count.dims.begin(), count.dims.end()))
      return std::nullopt;
    const Expr e = Written(site.all.until);
    std::vector<Expr> factors, of_all;
    Factors(e, factors);
    std::optional<Expr> all;
    if (site.leader_adds) {
      if (!TakeGrid(count, factors)) return std::nullopt;
      all = site.all.until;
    } else {
      // Of those that count in one word one leads.
      const auto less =
          std::find_if(factors.begin(), factors.end(), [](const Expr& f) {
            return IsBinary(f, ExprOp::kSub) && f.args[1].is_int(1);
          });
      if (less == factors.end() || count.dims != flag.dims) return std::nullopt;
      all = less->args[0];
      factors.erase(less);
      Factors(*all, of_all);
      if (!TakeGrid(count, of_all) || !of_all.empty()) return std::nullopt;
      for (const Expr& f : factors) all = Binary(ExprOp::kMul, f, *all);
    }
    return IsRound(site, count, factors) ? all : std::nullopt;
  }

  // As many times as a CTA has added by then.
  bool IsRound(const Site& site, const Named& count,
               const std::vector<Expr>& factors) const {
    if (site.loop != nullptr && !count.step)
      return factors.size() == 1 &&
             StepLess(factors[0], site) == 1 - *known_.Of(site.loop->low);
    int64_t round = 1, is = 1;
    for (const Site& s : sites_) {
      if (s.count().decl != site.count().decl || &s == &site) continue;
      if (!site.leader_adds || !s.leader_adds || s.scopes != site.scopes ||
          WordOf(s.count()) != WordOf(site.count()))
        return false;
      round += &s < &site ? 1 : 0;
    }
    for (const Expr& f : factors) {
      const auto n = known_.Of(f);
      if (!n || *n < 1 || std::max(*n, is) > kMostInAFlag) return false;
      is *= *n;
    }
    return is == round;
  }

  // it + c: c.
  std::optional<int64_t> StepLess(const Expr& e, const Site& site) const {
    if (ir::SlotOf(e) == site.loop->slot) return 0;
    if (!IsBinary(e, ExprOp::kAdd)) return std::nullopt;
    for (int i : {0, 1}) {
      if (ir::SlotOf(e.args[i]) == site.loop->slot)
        return known_.Of(e.args[1 - i]);
    }
    return std::nullopt;
  }

  // No flag is waited for that an earlier barrier has set.
  bool IsSetAnew(const Site& site) const {
    const Expr to = Written(site.set->op->operands[1].expr);
    if (ir::ToString(to) != ir::ToString(Written(site.go.until))) return false;
    const auto number = known_.Of(to);
    if (number && (*number < 1 || *number > kMostInAFlag)) return false;
    if (site.loop != nullptr) {
      if (number)
        return NamedBy(site.flag(), site).step ||
               !proof::IsJudged(proof::Condition::kFlagSetAnew);
      const auto from = StepLess(to, site);
      return from && *known_.Of(site.loop->low) + *from >= 1 &&
             *from < kMostInAFlag && IsSmall(Written(site.loop->high));
    }
    for (const Site& s : sites_) {
      if (&s == &site) break;
      if (s.flag().decl != site.flag().decl) continue;
      const auto before = known_.Of(Written(s.set->op->operands[1].expr));
      if (!number || !before || *before >= *number || s.scopes != site.scopes ||
          WordOf(s.flag()) != WordOf(site.flag()))
        return false;
    }
    return number.has_value();
  }

  bool IsSmall(const Expr& e) const {
    if (const auto n = known_.Of(e)) return *n < kMostInAFlag;
    return std::any_of(
        kernel_.params.begin(), kernel_.params.end(), [&](const ir::Param& p) {
          return e.kind == ExprKind::kName && e.name_kind == NameKind::kParam &&
                 p.slot == e.slot && p.high && *p.high < kMostInAFlag;
        });
  }

  Block Written(const Site& site) const {
    Block out{*site.add};
    out.insert(out.end(), site.lets.begin(), site.lets.end());
    out.push_back(*site.all.loop);
    out.back().value =
        Binary(ExprOp::kLt, site.all.op().operands[0].expr, *UntilAll(site));
    // Nobody waits for it; that there is such a word is still asked.
    out.push_back(*site.guard);
    (site.otherwise ? out.back().orelse : out.back().body) = {*site.set};
    (site.otherwise ? out.back().body : out.back().orelse).clear();
    return out;
  }

  void Write(Block& block) {
    for (Stmt& s : block) {
      Write(s.body);
      Write(s.orelse);
    }
    Block out;
    for (size_t i = 0; i < block.size(); ++i) {
      const auto site =
          std::find_if(sites_.begin(), sites_.end(), [&](const Site& s) {
            return s.fits && s.block == &block && s.begin == i;
          });
      if (site == sites_.end()) {
        out.push_back(std::move(block[i]));
        continue;
      }
      const Block& by = barriers_.at(&*site);
      out.insert(out.end(), by.begin(), by.end());
      i = site->end - 1;
    }
    block = std::move(out);
  }

  const ir::Program& program_;
  ir::Kernel& kernel_;
  const KnownNumbers known_;
  std::map<int32_t, Expr> lets_;
  std::map<int32_t, int> names_;  // how often scalars are named, by slot
  std::set<int32_t> assigned_;    // scalars
  std::map<int32_t, int> uses_;   // of declarations
  std::vector<Site> sites_;       // in the order of the text
  std::map<const Site*, Block> barriers_;  // in their place
};

}  // namespace

std::optional<ir::Program> WithWaitsOfAll(const ir::Program& program,
                                          const ir::Overrides& defines) {
  ir::Program out = program;
  bool any = false;
  const auto of_one = [&](const ir::Decl& d) {
    return IsOfOne(program, d.name);
  };
  for (ir::Kernel& kernel : out.kernels) {
    SplitWords(defines, of_one, kernel);
    any |= Leaders(program, defines, kernel).Rewrite();
  }
  if (!any) return std::nullopt;
  return out;
}

}  // namespace tilesim::checkers::pipeline

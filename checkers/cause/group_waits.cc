#include "checkers/cause/group_waits.h"

#include <algorithm>
#include <string>
#include <utility>

#include "checkers/cause/moved_text.h"
#include "ir/cat.h"
#include "ir/ops/bulk.h"
#include "ir/ops/cp_async.h"
#include "ir/ops/wgmma.h"

namespace tilesim::checkers::cause {
using ir::Block;
using ir::Span;
using ir::Stmt;

namespace {

constexpr size_t kMostWaits = 12;  // each is a run

// Ops of one kind of groups.
struct Groups {
  std::vector<const ir::OpInfo*> operations;
  const ir::OpInfo *commit, *wait;
  size_t pending;           // operand of the wait
  std::string_view family;  // of findings that show best what is missing
  // Whether a wait right behind them may be what is missing: it would be none
  // of a pipeline.
  bool waits_at_once = true;
};

std::vector<Groups> AllGroups() {
  using namespace ir::ops;
  return {{{&WgmmaMmaAsync::kInfo},
           &WgmmaCommitGroup::kInfo,
           &WgmmaWaitGroup::kInfo,
           WgmmaWaitGroup::kPending,
           "wgmma"},
          {{&TmaStore::kInfo, &TmaReduce::kInfo, &BulkStore::kInfo},
           &BulkCommitGroup::kInfo,
           &BulkWaitGroup::kInfo,
           BulkWaitGroup::kPending,
           "exit"},
          {{&CpAsync::kInfo},
           &CpAsyncCommitGroup::kInfo,
           &CpAsyncWaitGroup::kInfo,
           CpAsyncWaitGroup::kPending,
           "race",
           false}};
}

bool Is(const Stmt& s, const ir::OpInfo* info) {
  return s.op && s.op->info == info;
}

// Where what is missing goes, and what that is.
struct Missing {
  Span behind;  // a statement's
  bool commit = false, wait = false;
};

// Behind the operation that comes last in a block with one at those places. In
// a loop or branch it may be the blocks around that commit it: `committed`.
void AddMissing(const Block& block, const Groups& groups,
                const std::vector<Span>& places, bool committed,
                std::vector<Missing>& out) {
  const Stmt *last = nullptr, *commit = nullptr;
  bool named = false;
  for (size_t i = 0; i < block.size(); ++i) {
    const Stmt& s = block[i];
    const bool later =
        committed ||
        std::any_of(block.begin() + static_cast<int64_t>(i) + 1, block.end(),
                    [&](const Stmt& next) { return Is(next, groups.commit); });
    AddMissing(s.body, groups, places, later, out);
    AddMissing(s.orelse, groups, places, later, out);
    const auto& all = groups.operations;
    if (s.op && std::find(all.begin(), all.end(), s.op->info) != all.end()) {
      last = &s;
      commit = nullptr;
      named |= std::any_of(places.begin(), places.end(), [&](const Span& p) {
        return p.line == s.op->span.line && p.column == s.op->span.column;
      });
    }
    if (last != nullptr && Is(s, groups.commit)) commit = &s;
  }
  if (!named) return;
  const bool none = commit == nullptr;
  if (none && committed) return;
  if (none) out.push_back({last->span, true, false});
  if (groups.waits_at_once)
    out.push_back({none ? last->span : commit->span, none, true});
}

// The copy of `block` with it.
bool Insert(Block& block, const Groups& groups, const Missing& missing) {
  for (size_t i = 0; i < block.size(); ++i) {
    Stmt& s = block[i];
    if (Insert(s.body, groups, missing) || Insert(s.orelse, groups, missing))
      return true;
    if (!s.op || s.span.line != missing.behind.line ||
        s.span.column != missing.behind.column)
      continue;
    std::vector<Stmt> more;
    if (missing.commit) more.push_back(OpStmt(groups.commit, missing.behind));
    if (missing.wait) {
      Stmt& wait = more.emplace_back(OpStmt(groups.wait, missing.behind));
      ir::Operand& pending = wait.op->operands[groups.pending];
      pending.kind = ir::Operand::Kind::kExpr;
      pending.expr = ir::Expr::Int(0, missing.behind);
    }
    block.insert(block.begin() + static_cast<int64_t>(i) + 1, more.begin(),
                 more.end());
    return true;
  }
  return false;
}

std::string HelpFor(const Groups& groups, const Missing& missing) {
  std::string what;
  if (missing.commit) ir::Append(&what, "`", groups.commit->mnemonic, "`");
  if (missing.commit && missing.wait) what += " and ";
  if (missing.wait) ir::Append(&what, "`", groups.wait->mnemonic, " 0`");
  return ir::Cat(what, " behind line ", missing.behind.text_line(),
                 missing.commit && !missing.wait
                     ? ": no group has them, and the wait is for groups"
                     : "");
}

}  // namespace

std::vector<Rewrite> GroupWaits(const machine::Code& code,
                                const std::vector<Span>& places) {
  std::vector<Rewrite> out;
  for (const Groups& groups : AllGroups()) {
    std::vector<Missing> all;
    AddMissing(code.kernel().body, groups, places, false, all);
    for (const Missing& missing : all) {
      if (out.size() == kMostWaits) return out;
      Rewrite r{code.kernel(), HelpFor(groups, missing), groups.family};
      if (Insert(r.kernel.body, groups, missing)) out.push_back(std::move(r));
    }
  }
  return out;
}

}  // namespace tilesim::checkers::cause

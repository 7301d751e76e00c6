#include "checkers/pipeline/word_arrays.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "checkers/sizes/partition/known_numbers.h"
#include "ir/cat.h"
#include "ir/op.h"
#include "ir/walk.h"

namespace tilesim::checkers::pipeline {
using ir::Decl;
using ir::Expr;
using ir::Ref;
using sizes::partition::KnownNumbers;

namespace {

// Of each dimension the number that names a place in it, if one does.
using Element = std::vector<std::optional<int64_t>>;

// nullopt: it is no element of a tensor, or of another CTA.
std::optional<Element> PlaceOf(const Ref& ref, const KnownNumbers& known) {
  if (ref.groups.size() != 1 || !ref.cta.empty() || ref.transposed)
    return std::nullopt;
  Element out;
  for (const ir::Subscript& s : ref.groups[0]) {
    if (s.kind != ir::Subscript::Kind::kIndex) return std::nullopt;
    out.push_back(known.Of(s.start));
  }
  return out;
}

template <typename Visit>
void EachRef(ir::Block& body, const Visit& visit) {
  ir::ForEachStmt(body, [&](ir::Stmt& s) {
    if (!s.op) return;
    for (ir::Operand& o : s.op->operands) {
      if (o.kind == ir::Operand::Kind::kRef && o.ref.decl >= 0) visit(o.ref);
    }
  });
}

// The dimensions in which each op names a place that is there by a number.
std::vector<bool> NumberedIn(ir::Kernel& kernel, int32_t decl,
                             const KnownNumbers& known) {
  const Decl& d = kernel.decls[decl];
  std::vector<bool> out(d.shape.size(), d.array.empty() && d.strides.empty());
  EachRef(kernel.body, [&](const Ref& ref) {
    if (ref.decl != decl) return;
    const auto place = PlaceOf(ref, known);
    for (size_t i = 0; i < out.size(); ++i) {
      const bool at = place && i < place->size() && (*place)[i];
      const auto extent = known.Of(d.shape[i]);
      out[i] =
          out[i] && at && extent && *(*place)[i] >= 0 && *(*place)[i] < *extent;
    }
  });
  return out;
}

// What is left of the subscripts, or of the shape, without those dimensions;
// one of `rest` if nothing is.
template <typename T>
void Leave(const std::vector<bool>& out, const T& rest, std::vector<T>& of) {
  std::vector<T> left;
  for (size_t i = 0; i < of.size(); ++i) {
    if (!out[i]) left.push_back(std::move(of[i]));
  }
  if (left.empty()) left.push_back(rest);
  of = std::move(left);
}

// As many tensors as ops name by number. False: it stays one.
bool Split(ir::Kernel& kernel, int32_t decl, const KnownNumbers& known) {
  const std::vector<bool> numbered = NumberedIn(kernel, decl, known);
  std::map<std::vector<int64_t>, int32_t> own;
  const auto key = [&](const Ref& ref) {
    const Element place = *PlaceOf(ref, known);
    std::vector<int64_t> out;
    for (size_t i = 0; i < place.size(); ++i) {
      if (numbered[i]) out.push_back(*place[i]);
    }
    return out;
  };
  if (std::find(numbered.begin(), numbered.end(), true) == numbered.end())
    return false;
  EachRef(kernel.body, [&](const Ref& ref) {
    if (ref.decl == decl) own[key(ref)] = -1;
  });
  if (own.size() < 2) return false;
  const Decl d = kernel.decls[decl];
  for (auto& [numbers, to] : own) {
    Decl one = d;
    for (int64_t n : numbers) ir::Append(&one.name, "[", n, "]");
    Leave(numbered, Expr::Int(1, d.span), one.shape);
    to = static_cast<int32_t>(kernel.decls.size());
    kernel.decls.push_back(std::move(one));
  }
  EachRef(kernel.body, [&](Ref& ref) {
    if (ref.decl != decl) return;
    ref.decl = own.at(key(ref));
    ref.name = kernel.decls[ref.decl].name;
    ir::Subscript first;
    first.start = Expr::Int(0, ref.groups[0][0].start.span);
    Leave(numbered, first, ref.groups[0]);
  });
  return true;
}

}  // namespace

bool IsOfOne(const ir::Program& program, const std::string& name) {
  int64_t kernels = 0;
  for (const ir::Kernel& k : program.kernels) {
    kernels += std::any_of(k.decls.begin(), k.decls.end(),
                           [&](const ir::Decl& d) { return d.name == name; });
  }
  return kernels == 1;
}

bool SplitWords(const ir::Overrides& defines,
                const std::function<bool(const Decl&)>& may,
                ir::Kernel& kernel) {
  const KnownNumbers known(defines, kernel);
  bool any = false;
  const auto decls = static_cast<int32_t>(kernel.decls.size());
  for (int32_t decl = 0; decl < decls; ++decl) {
    const Decl d = kernel.decls[decl];
    const bool result =
        std::any_of(kernel.computes.begin(), kernel.computes.end(),
                    [&](const ir::Computes& c) { return c.target == d.name; });
    if (d.space != ir::Space::kGlobal || !d.zero || result || !may(d)) continue;
    any |= Split(kernel, decl, known);
  }
  if (any) kernel.items.clear();  // they count declarations
  return any;
}

}  // namespace tilesim::checkers::pipeline

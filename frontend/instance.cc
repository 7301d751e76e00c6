#include "frontend/instance.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "ir/cat.h"
#include "ir/walk.h"

namespace tilesim::frontend {
namespace {

using Box = std::vector<ir::Subscript>;

Box Flat(const ir::Ref& r) {
  Box out;
  for (const Box& group : r.groups)
    out.insert(out.end(), group.begin(), group.end());
  return out;
}

ir::Expr Sum(const ir::Expr& a, const ir::Expr& b) {
  if (a.is_int(0)) return b;
  if (b.is_int(0)) return a;
  ir::Expr e;
  e.kind = ir::ExprKind::kBinary;
  e.op = ir::ExprOp::kAdd;
  e.args = {a, b};
  e.span = b.span;
  return e;
}

// `inner` of what the slice `outer` takes.
ir::Subscript Within(const ir::Subscript& outer, ir::Subscript inner) {
  using Kind = ir::Subscript::Kind;
  if (outer.kind == Kind::kAll) return inner;
  if (inner.kind == Kind::kAll) return outer;
  inner.start = Sum(outer.start, inner.start);
  return inner;
}

// Subscripts are counted in the box: they go where it has a slice, and behind
// all that it names.
Box Joined(const Box& box, const Box& subscripts) {
  Box out;
  auto next = subscripts.begin();
  for (const ir::Subscript& s : box) {
    bool taken =
        s.kind != ir::Subscript::Kind::kIndex && next != subscripts.end();
    out.push_back(taken ? Within(s, *next++) : s);
  }
  out.insert(out.end(), next, subscripts.end());
  return out;
}

}  // namespace

int64_t SizeOf(const ir::Expr& e) {
  int64_t size = 1;
  for (const ir::Expr& arg : e.args) size += SizeOf(arg);
  return size;
}

int HeightOf(const ir::Expr& e) {
  int height = 0;
  for (const ir::Expr& arg : e.args) height = std::max(height, HeightOf(arg));
  return height + 1;
}

void Instance::Rename(std::string& name) const {
  if (auto it = renamed.find(name); it != renamed.end()) {
    name = it->second;
  } else if (auto n = numbers.find(name); n != numbers.end()) {
    name = n->second.name;
  }
}

void Instance::Rewrite(ir::Expr& e) const {
  ++nodes_;
  e.span = Here(e.span);
  bool bytes = e.kind == ir::ExprKind::kCall && e.name == "bytes";
  if (bytes) return BytesOf(e);
  for (ir::Expr& arg : e.args) Rewrite(arg);
  if (e.kind != ir::ExprKind::kName) return;
  if (auto tile = tiles.find(e.name); tile != tiles.end()) {
    e.name = tile->second.name;
    return;
  }
  auto number = numbers.find(e.name);
  if (number == numbers.end()) return Rename(e.name);
  ir::Span span = e.span;
  e = number->second;
  nodes_ += SizeOf(e);
  e.span = span;
}

// Of one object of a declaration: a tile that was passed is that, unless it is
// a part of one.
void Instance::BytesOf(ir::Expr& e) const {
  ir::Expr& name = e.args[0];
  name.span = Here(name.span);
  auto it = tiles.find(name.name);
  if (it == tiles.end()) {
    if (auto r = renamed.find(name.name); r != renamed.end())
      name.name = r->second;
    return;
  }
  Box box = Flat(it->second);
  bool part = std::any_of(box.begin(), box.end(), [](const auto& s) {
    return s.kind != ir::Subscript::Kind::kIndex;
  });
  if (part) {
    diagnostics_
        .Error("type/operand", e.span,
               ir::Cat("`", name.name, "` is a part of `", it->second.name,
                       "` in this call; `bytes` is of whole tiles"))
        .help =
        "pass the number of bytes, or the whole tile and where to start";
  }
  name.name = it->second.name;
}

void Instance::Rewrite(ir::Ref& r) const {
  nodes_ += 4;
  r.span = Here(r.span);
  auto tile = tiles.find(r.name);
  if (tile == tiles.end()) return Rename(r.name);
  PutBox(tile->second, r);
}

void Instance::PutBox(const ir::Ref& of, ir::Ref& r) const {
  Box box = Flat(of), subscripts = Flat(r);
  bool twice = !of.cta.empty() && !r.cta.empty();
  if (twice || (of.transposed && !subscripts.empty())) {
    diagnostics_.Error(
        "type/operand", r.span,
        ir::Cat("`", r.name, "` is ", twice ? "in another CTA" : "transposed",
                " by what is passed; it cannot be ",
                twice ? "put in one again" : "subscripted"));
    return;
  }
  r.name = of.name;
  r.transposed = r.transposed != of.transposed;
  if (r.cta.empty()) r.cta = of.cta;
  bool objects = std::all_of(box.begin(), box.end(), [](const auto& s) {
    return s.kind == ir::Subscript::Kind::kIndex;
  });
  if (objects) {
    r.groups.insert(r.groups.begin(), of.groups.begin(), of.groups.end());
    return;
  }
  r.groups = {Joined(box, subscripts)};
}

// A name alone is read as a tile where both are possible, and as a number in a
// call.
void Instance::Rewrite(ir::Operand& o) const {
  using Kind = ir::Operand::Kind;
  o.span = Here(o.span);
  bool name = o.kind == Kind::kExpr && o.expr.kind == ir::ExprKind::kName;
  if (name && tiles.contains(o.expr.name)) {
    o.kind = Kind::kRef;
    o.ref = ir::Ref();
    o.ref.name = o.expr.name;
    o.ref.span = o.expr.span;
    o.expr = ir::Expr();
  }
  ForEachExpr(o, [this](ir::Expr& e) { Rewrite(e); });
  if (o.kind != Kind::kRef) return;
  auto number = numbers.find(o.ref.name);
  if (number == numbers.end()) return Rewrite(o.ref);
  ir::Span span = Here(o.ref.span);
  if (!o.ref.groups.empty() || o.ref.transposed || !o.ref.cta.empty()) {
    diagnostics_.Error("type/operand", span,
                       ir::Cat("`", o.ref.name, "` is a number, not a tile"));
  } else if (number->second.kind == ir::ExprKind::kName) {
    o.ref.name = number->second.name;
    o.ref.span = span;
  } else {
    o.kind = Kind::kExpr;
    o.expr = number->second;
    o.expr.span = span;
    o.ref = ir::Ref();
  }
}

void Instance::Rewrite(ir::Stmt& s) const {
  nodes_ += 16;
  s.span = Here(s.span);
  bool role = s.kind == ir::Stmt::Kind::kScope;
  bool call = s.kind == ir::Stmt::Kind::kCall;
  if (!role && !call) Rename(s.name);
  for (ir::Expr* e : {&s.value, &s.low, &s.high}) Rewrite(*e);
  if (s.step) Rewrite(*s.step);
  for (ir::Scope& scope : s.scopes) {
    scope.span = Here(scope.span);
    Rewrite(scope.low);
    Rewrite(scope.high);
  }
  if (s.decl) {
    s.decl_id = -1;  // a tile of its own
    s.decl->span = Here(s.decl->span);
    Rename(s.decl->name);
    for (ir::Expr& e : s.decl->array) Rewrite(e);
    for (ir::Expr& e : s.decl->shape) Rewrite(e);
    Rewrite(s.decl->fragment_arg);
  }
  if (s.op) {
    s.op->span = Here(s.op->span);
    for (ir::Operand& o : s.op->operands) Rewrite(o);
  }
  if (s.call) {
    for (std::string& name : s.call->names) Rename(name);
    for (ir::Operand& o : s.call->args) Rewrite(o);
  }
  for (ir::Stmt& inner : s.body) Rewrite(inner);
  for (ir::Stmt& inner : s.orelse) Rewrite(inner);
}

}  // namespace tilesim::frontend

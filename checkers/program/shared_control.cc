#include "checkers/program/shared_control.h"

#include <algorithm>

#include "ir/cat.h"
#include "ir/stored.h"

namespace tilesim::checkers::program {
namespace {

bool Names(const ir::Kernel& kernel, const std::string& tensor) {
  return std::any_of(kernel.decls.begin(), kernel.decls.end(),
                     [&](const ir::Decl& d) { return d.name == tensor; });
}

}  // namespace

// Compiled code writes where its addresses say, which its text does not.
bool OthersMayStore(const ir::Program& program, const machine::Code& code,
                    const std::string& tensor) {
  return std::any_of(
      program.kernels.begin(), program.kernels.end(), [&](const ir::Kernel& k) {
        if (k.name == code.kernel().name) return false;
        return code.guide != nullptr ? Names(k, tensor)
                                     : ir::StoredTensors(k).contains(tensor);
      });
}

std::vector<std::string> SharedControlOf(const ir::Program& program,
                                         const machine::Code& code) {
  std::vector<std::string> out;
  for (size_t i = 0; i < code.control_decl.size(); ++i) {
    const std::string& name = code.kernel().decls[i].name;
    bool global = code.bound.decls[i].space == ir::Space::kGlobal;
    if (code.control_decl[i] && global && OthersMayStore(program, code, name))
      out.push_back(name);
  }
  return out;
}

std::set<int32_t> ListenersOf(const ir::Program& program,
                              const machine::Code& code) {
  std::vector<std::string> shared = SharedControlOf(program, code);
  std::set<int32_t> out;
  ir::EffectSink sink;
  for (size_t i = 0; i < code.ops.size(); ++i) {
    ir::ConcreteOp fixed = machine::FixedOperands(code.ops[i]);
    sink.Clear();
    ir::EffectsOf(fixed, sink);
    for (const ir::Effect& e : sink.effects()) {
      bool strong = e.kind == ir::EffectKind::kRead &&
                    e.sem != ir::Sem::kWeak && fixed.is_tile(e.operand);
      if (!strong) continue;
      const std::string& name =
          code.kernel().decls[fixed.tile(e.operand).decl].name;
      if (std::find(shared.begin(), shared.end(), name) != shared.end())
        out.insert(static_cast<int32_t>(i));
    }
  }
  return out;
}

namespace {

void Open(const std::string& name, Conclusions& out) {
  out.open.Add(ir::Cat("control may depend on values of `", name,
                       "`, which another kernel writes"));
}

}  // namespace

void SharedControl::OnCluster(const ClusterRun& run, Conclusions out) {
  const std::vector<std::string> shared = SharedControlOf(program_, run.code);
  if (run.code.guide == nullptr) {
    for (const std::string& name : shared) Open(name, out);
    return;
  }
  decide_[run.of.kernel].insert(shared.begin(), shared.end());
  NoteWrites(run);
}

void SharedControl::NoteWrites(const ClusterRun& run) {
  if (run.runs.empty()) not_known_.insert(run.of.kernel);
  for (const JudgedRun& judged : run.runs) {
    for (const run::Event& e : judged.log->events) {
      if (e.kind != run::Event::Kind::kOp) continue;
      for (const ir::Effect& f : e.effects()) {
        const bool writes =
            f.kind == ir::EffectKind::kWrite &&
            e.concrete().is_tile(f.operand) &&
            e.concrete().tile(f.operand).space == ir::Space::kGlobal;
        if (!writes) continue;
        const auto decl =
            static_cast<size_t>(e.concrete().tile(f.operand).decl);
        written_[run.of.kernel].insert(run.code.kernel().decls[decl].name);
      }
    }
  }
}

void SharedControl::OnProgramEnd(Conclusions out) {
  for (const auto& [kernel, names] : decide_) {
    for (const std::string& name : names) {
      bool others = false;
      for (size_t i = 0; i < program_.kernels.size(); ++i) {
        if (i == kernel) continue;
        others |= not_known_.contains(i) || !decide_.contains(i) ||
                  written_[i].contains(name);
      }
      if (others) Open(name, out);
    }
  }
}

}  // namespace tilesim::checkers::program

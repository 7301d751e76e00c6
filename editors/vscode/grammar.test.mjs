// The grammar, by the library that colours text in the editor.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import test from "node:test";
import oniguruma from "vscode-oniguruma";
import textmate from "vscode-textmate";

const require = createRequire(import.meta.url);
const wasm = await readFile(
  require.resolve("vscode-oniguruma/release/onig.wasm"),
);
await oniguruma.loadWASM(wasm.buffer);
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (p) => new oniguruma.OnigScanner(p),
    createOnigString: (s) => new oniguruma.OnigString(s),
  }),
  loadGrammar: async () =>
    textmate.parseRawGrammar(
      await readFile(
        new URL("./tile.tmLanguage.json", import.meta.url),
        "utf8",
      ),
      "tile.json",
    ),
});
const grammar = await registry.loadGrammar("source.tile");

// The innermost scope of the text on that line.
function scopeOf(line, text) {
  const at = line.indexOf(text);
  const token = grammar
    .tokenizeLine(line, textmate.INITIAL)
    .tokens.find((t) => t.startIndex <= at && at < t.endIndex);
  return token.scopes.at(-1);
}

const cases = [
  ["kernel k target sm_90a {", "kernel", "storage.type.tile"],
  ["  param M : 64.. step 64 = 4096", "4096", "constant.numeric.tile"],
  ["  shared a : f16[64, 64] swizzle 128B", "f16", "support.type.tile"],
  ["  shared a : f16[64, 64] swizzle 128B", "128B", "constant.numeric.tile"],
  ["  shared a : f16[64, 64] swizzle 128B", "swizzle", "keyword.other.tile"],
  ["  role load = warp 0, elect {", "elect", "storage.modifier.scope.tile"],
  ["    tma.load a, A[m :+ 64, :], full", "tma.load",
    "entity.name.function.op.tile"],
  ["    mbarrier.arrive.expect_tx full, 64", "mbarrier.arrive.expect_tx",
    "entity.name.function.op.tile"],
  ["    mbarrier.wait full, parity = k & 1 // why", "why",
    "comment.line.double-slash.tile"],
  ["  //! error[race/war]", "error", "comment.line.expectation.tile"],
  ["  let m = cta.x * 64", "cta.x", "variable.language.tile"],
  ["  reg acc : f32[64, 128] fragment wgmma", "wgmma",
    "support.constant.fragment.tile"],
  ["  for k in 0..K / 64 {", "for", "keyword.control.tile"],
  ['include "tiles.tile"', "tiles", "string.quoted.double.tile"],
];
for (const [line, text, scope] of cases) {
  test(`${text} in "${line.trim()}"`, () => {
    assert.equal(scopeOf(line, text), scope);
  });
}

test("a name that begins like an op is none", () => {
  assert.equal(scopeOf("  add_rows x", "add_rows"), "source.tile");
});

// `tilesim lsp` and the protocol library that the extension's client stands on.
// TILESIM names the command.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import test from "node:test";
import protocol from "vscode-languageserver-protocol/node.js";

const command = process.env.TILESIM ?? "tilesim";
const uri = "file:///none/x.tile";
const text =
  "kernel k target sm_90a {\n  grid (1)\n  block 128\n  param N : 1..8 = 2\n" +
  "  bar.sync 0\n  bra.sync 0\n}\n";

test("a session as the editor has it", async () => {
  const server = spawn(command, ["lsp"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const c = protocol.createProtocolConnection(
    new protocol.StreamMessageReader(server.stdout),
    new protocol.StreamMessageWriter(server.stdin),
  );
  c.listen();
  const { capabilities } = await c.sendRequest(
    protocol.InitializeRequest.type,
    { processId: null, rootUri: null, capabilities: {} },
  );
  assert.ok(capabilities.hoverProvider);
  await c.sendNotification(protocol.InitializedNotification.type, {});
  const published = new Promise((resolve) => {
    c.onNotification(protocol.PublishDiagnosticsNotification.type, resolve);
  });
  await c.sendNotification(protocol.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "tile", version: 1, text },
  });
  const { diagnostics } = await published;
  assert.deepEqual(
    diagnostics.map((d) => [d.code, d.range.start.line]),
    [["name/op", 5]],
  );
  assert.match(diagnostics[0].message, /did you mean `bar\.sync`/);
  const hover = await c.sendRequest(protocol.HoverRequest.type, {
    textDocument: { uri },
    position: { line: 4, character: 4 },
  });
  assert.match(hover.contents.value, /^## bar\.sync/);
  await c.sendRequest(protocol.ShutdownRequest.type);
  const exited = new Promise((resolve) => server.on("exit", resolve));
  await c.sendNotification(protocol.ExitNotification.type);
  assert.equal(await exited, 0);
});

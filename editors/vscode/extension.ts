// Starts `tilesim lsp` for .tile files.
import * as vscode from "vscode";
import {
  LanguageClient,
  LanguageClientOptions,
  ServerOptions,
  TransportKind,
} from "vscode-languageclient/node";

let client: LanguageClient | undefined;

async function start(): Promise<void> {
  const settings = vscode.workspace.getConfiguration("tilesim");
  const server: ServerOptions = {
    command: settings.get<string>("path", "tilesim"),
    args: ["lsp"],
    transport: TransportKind.stdio,
  };
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: "file", language: "tile" },
      { scheme: "untitled", language: "tile" },
    ],
    initializationOptions: {
      checkOnSave: settings.get<boolean>("checkOnSave", true),
    },
  };
  client = new LanguageClient("tilesim", "tilesim", server, options);
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    void vscode.window.showErrorMessage(
      `tilesim: cannot start \`${server.command} lsp\` (${error}); ` +
        "the setting tilesim.path says where the command is",
    );
  }
}

async function stop(): Promise<void> {
  const old = client;
  client = undefined;
  await old?.stop();
}

export async function activate(
  context: vscode.ExtensionContext,
): Promise<void> {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("tilesim.restart", restart),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("tilesim")) await restart();
    }),
  );
  await start();
}

export function deactivate(): Promise<void> {
  return stop();
}

"""A session with `tilesim lsp`, as an editor has it.

    with Session("build/tilesim") as s:
        s.open(uri, text)
        s.diagnostics(uri)            # of the newest version
        s.request("textDocument/hover", s.at(uri, line, character))
"""
import json
import queue
import subprocess
import threading

SECONDS = 60


class Session:
    def __init__(self, command, options=None):
        self.server = subprocess.Popen([command, "lsp"], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE)
        self.incoming = queue.Queue()
        self.waiting = []  # notifications that nobody has asked for yet
        self.next_id = 0
        self.versions = {}
        threading.Thread(target=self._read, daemon=True).start()
        self.capabilities = self.request("initialize", {
            "processId": None, "rootUri": None, "capabilities": {},
            "initializationOptions": options or {}})["capabilities"]
        self.notify("initialized", {})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.kill()
        self.server.wait()
        self.server.stdin.close()

    def _read(self):
        out = self.server.stdout
        while True:
            length = None
            while (line := out.readline().strip()):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if length is None:
                self.incoming.put(None)
                return
            self.incoming.put(json.loads(out.read(length)))

    def raw(self, data):
        self.server.stdin.write(data)
        self.server.stdin.flush()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def next(self):
        message = self.incoming.get(timeout=SECONDS)
        if message is None:
            raise EOFError("the server has ended")
        return message

    def request(self, method, params):
        """The result; KeyError with the error where there is none."""
        self.next_id += 1
        self.send({"id": self.next_id, "method": method, "params": params})
        while True:
            message = self.next()
            if message.get("id") == self.next_id:
                if "error" in message:
                    raise KeyError(message["error"]["message"])
                return message["result"]
            self.waiting.append(message)

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def open(self, uri, text):
        self.versions[uri] = 1
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri, "languageId": "tile", "version": 1, "text": text}})

    def edit(self, uri, text):
        self.versions[uri] += 1
        self.notify("textDocument/didChange", {
            "textDocument": {"uri": uri, "version": self.versions[uri]},
            "contentChanges": [{"text": text}]})

    def save(self, uri):
        self.notify("textDocument/didSave", {"textDocument": {"uri": uri}})

    def wait_for(self, wanted):
        """The parameters of the first notification of which that is true."""
        for i, message in enumerate(self.waiting):
            if wanted(message):
                return self.waiting.pop(i)["params"]
        while True:
            message = self.next()
            if wanted(message):
                return message["params"]
            self.waiting.append(message)

    def diagnostics(self, uri, having=lambda all: True):
        """Of the newest version, once they are as wanted."""
        version = self.versions[uri]
        return self.wait_for(
            lambda m: m.get("method") == "textDocument/publishDiagnostics" and
            m["params"]["uri"] == uri and
            m["params"]["version"] == version and
            having(m["params"]["diagnostics"]))["diagnostics"]

    def ask(self, method, uri, line=0, character=0):
        return self.request(f"textDocument/{method}", {
            "textDocument": {"uri": uri},
            "position": {"line": line, "character": character}})

    def stop(self):
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.server.wait(timeout=SECONDS)

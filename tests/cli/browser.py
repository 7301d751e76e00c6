"""A headless Chromium, told what to do over the DevTools protocol on a pipe.

    with browser.Browser() as page:
        page.open(path)
        page.value("document.title")
        page.screenshot(path, 1400, 900)

Nothing but the browser is needed. `found()` is its path, or None.
"""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser",
         "google-chrome")
SECONDS = 60


def found():
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(
            ignore_cleanup_errors=True)  # it writes there to the last
        to_child, to_us = os.pipe(), os.pipe()

        def pipes():  # the protocol's are 3 and 4
            low, high = os.dup(to_child[0]), os.dup(to_us[1])
            os.dup2(low, 3)
            os.dup2(high, 4)

        self.process = subprocess.Popen(
            [found(), "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--hide-scrollbars",
             "--remote-debugging-pipe",
             f"--user-data-dir={self.profile.name}", "about:blank"],
            preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_child[0])
        os.close(to_us[1])
        self.write, self.read = to_child[1], to_us[0]
        self.buffer, self.number, self.errors, self.session = b"", 0, [], None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        os.close(self.write)
        self.process.terminate()
        self.process.wait(timeout=SECONDS)
        os.close(self.read)
        self.profile.cleanup()

    def message(self, deadline):
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.read], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self.read, 1 << 20)
            if not part:
                raise EOFError("the browser has ended")
            self.buffer += part
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def note(self, event):
        """Whatever the page complains about is an error."""
        method, params = event.get("method", ""), event.get("params", {})
        self.events.append(method)
        if method == "Runtime.exceptionThrown":
            self.errors.append(params["exceptionDetails"]["text"] + " " + str(
                params["exceptionDetails"].get("exception", {}).get(
                    "description")))
        elif method == "Runtime.consoleAPICalled" and \
                params["type"] in ("error", "warning", "assert"):
            self.errors.append(str(params["args"]))
        elif method == "Log.entryAdded" and \
                params["entry"]["level"] in ("error", "warning"):
            self.errors.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent" and \
                not params["request"]["url"].startswith(("file:", "data:")):
            self.errors.append("it asks for " + params["request"]["url"])

    def call(self, method, **params):
        self.number += 1
        asked = {"id": self.number, "method": method, "params": params}
        if self.session:
            asked["sessionId"] = self.session
        os.write(self.write, json.dumps(asked).encode() + b"\0")
        deadline = time.monotonic() + SECONDS
        while True:
            said = self.message(deadline)
            if said.get("id") == self.number:
                if "error" in said:
                    raise RuntimeError(f"{method}: {said['error']}")
                return said["result"]
            self.note(said)

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        deadline = time.monotonic() + SECONDS
        while "Page.loadEventFired" not in self.events:
            self.note(self.message(deadline))

    def value(self, expression):
        """Of a script that may wait: promises are awaited."""
        said = self.call("Runtime.evaluate", expression=expression,
                         returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in said:
            raise RuntimeError(f"{expression}: {said['exceptionDetails']}")
        return said["result"].get("value")

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width,
                  height=height, deviceScaleFactor=1, mobile=False)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def frame(self):
        """Waits until what was asked for is drawn."""
        self.value("new Promise(r => requestAnimationFrame("
                   "() => requestAnimationFrame(r)))")

    def screenshot(self, path, width, height):
        self.size(width, height)
        self.frame()
        shot = self.call("Page.captureScreenshot", format="png")
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))

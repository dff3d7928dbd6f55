"""A page in headless Chromium, driven over pipes by the DevTools protocol: what it says, asks for and shows."""
import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
WAIT = 60  # seconds: far more than anything here takes


class Browser:
    """`faults` are errors of scripts and on the console; `requests` whatever the page has asked for."""

    def __init__(self, *flags):
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.to_read, self.to_write = os.pipe()
        self.from_read, self.from_write = os.pipe()
        # It reads its commands from 3 and answers on 4.
        shell = f'exec "$0" "$@" 3<&{self.to_read} 4>&{self.from_write}'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check",
             "--user-data-dir=" + self.home.name, "--window-size=1300,1000", *flags],
            pass_fds=(self.to_read, self.from_write), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(self.to_read)
        os.close(self.from_write)
        self.rest, self.number, self.session = b"", 0, None
        self.faults, self.requests, self.loaded = [], [], False
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network":
            self.call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.to_write)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self.from_read)
        self.home.cleanup()

    def receive(self, until):
        """The next message, or none until then."""
        while b"\0" not in self.rest:
            if not select.select([self.from_read], [], [], max(0, until - time.monotonic()))[0]:
                return None
            more = os.read(self.from_read, 1 << 20)
            if not more:
                raise RuntimeError("the browser has ended")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(text)
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.faults.append(json.dumps(params["exceptionDetails"])[:500])
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.faults.append(params["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
            self.faults.append(json.dumps(params["args"])[:500])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Page.loadEventFired":
            self.loaded = True
        return message

    def call(self, method, **params):
        self.number += 1
        command = {"id": self.number, "method": method, "params": params}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.to_write, json.dumps(command).encode() + b"\0")
        until = time.monotonic() + WAIT
        while (message := self.receive(until)) is not None:
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
        raise RuntimeError(f"{method}: no answer after {WAIT} s")

    def open(self, file):
        """Loads a file."""
        begun = time.monotonic()
        self.loaded = False
        self.call("Page.navigate", url="file://" + os.path.abspath(file))
        while not self.loaded:
            if self.receive(begun + WAIT) is None:
                raise RuntimeError(f"{file} has not loaded after {WAIT} s")
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def drawn(self):
        """Waits until what was asked for is drawn."""
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def press(self, key):
        text = key if len(key) == 1 else ""
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.drawn()

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)
        self.drawn()

    def dark(self, is_dark):
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.drawn()

    def screenshot(self, file, whole=False):
        with open(file, "wb") as out:
            out.write(base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]))

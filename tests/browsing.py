"""One browser a process: Playwright's simple interface can be started only once."""

import atexit
from functools import lru_cache

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
]  # fmt: skip
LOCAL = (
    "http://127.0.0.1",
    "http://localhost",
    "ws://127.0.0.1",
    "ws://localhost",
    "file:",
    "data:",
    "blob:",
    "about:",
)


@lru_cache
def opened_browser(chromium):
    """Return the browser of this process; it is closed when the process ends."""
    from playwright.sync_api import sync_playwright

    playwright = sync_playwright().start()
    atexit.register(playwright.stop)
    return playwright.chromium.launch(executable_path=chromium, args=FLAGS)


class Visit:
    """An open page that remembers what went wrong and whom it asked."""

    def __init__(self, context):
        self.page = context.new_page()
        self.page.set_default_timeout(20_000)
        self.wrong, self.asked, self.said = [], [], []
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on(
            "console", lambda said: said.type in ("error", "warning") and self.said.append(said.text)
        )
        self.page.on(
            "dialog", lambda dialog: (self.wrong.append("dialog " + dialog.message), dialog.dismiss())
        )
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("websocket", lambda socket: self.asked.append(socket.url))

    def abroad(self):
        return [url for url in self.asked if not url.startswith(LOCAL)]

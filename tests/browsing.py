"""A browser for a while, and a page in it that remembers what happened."""

from contextlib import contextmanager

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


@contextmanager
def opened_browser(chromium):
    """Open a browser and close it in the end.

    Playwright's simple interface runs once at a time in a process: fixtures that use this last for a module.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield opened
        opened.close()


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

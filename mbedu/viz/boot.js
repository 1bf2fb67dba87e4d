// Find the host of this very script (no ids, so the same output twice has the same bytes), unpack, start.
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}
function waiting(root, found) {
  for (const node of root.querySelectorAll("*")) {
    if (node.dataset?.film && !node.shadowRoot) found.push(node);
    else if (node.shadowRoot) waiting(node.shadowRoot, found);
  }
  return found;
}
async function start(host) {
  if (host.shadowRoot || !host.dataset.film) return;
  const root = host.attachShadow({ mode: "open" });
  root.append(el("style", {}, CSS));
  host.setAttribute("data-lm-suppress-shortcuts", "true");
  try {
    const film = await unpack(host.dataset.film);
    new KINDS[host.dataset.kind](film, root, "p", host.dataset.kind);
  } catch (error) {
    root.append(el("p", {}, "The player could not start (" + error + "). The run in words:"), el("slot"));
  }
}
const script = document.currentScript;
const hosts = script ? [script.closest("[data-film]")] : waiting(document, []); // some pages run scripts without saying which
for (const host of hosts) if (host) start(host);

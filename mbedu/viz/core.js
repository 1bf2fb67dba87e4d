// Small helpers, the network and the explanation. No library, no network, no global name.
// All text goes in by textContent, so a name can contain anything.
const NS = "http://www.w3.org/2000/svg";

function put(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value != null) node.setAttribute(key, value);
  }
  for (const child of children) if (child != null) node.append(child);
  return node;
}
const el = (tag, attributes, ...children) => put(document.createElement(tag), attributes, children);
const draw = (tag, attributes, ...children) => put(document.createElementNS(NS, tag), attributes, children);
const say = (node, text) => { if (node.textContent !== text) node.textContent = text; };
const fill = (node, ...children) => node.replaceChildren(...children.filter((c) => c != null));

// names of variables keep to themselves, whatever direction they are written in
const name = (text) => el("bdi", { class: "name" }, text);
function listed(names) {
  const out = document.createDocumentFragment();
  names.forEach((n, i) => out.append(i ? ", " : "", name(n)));
  return out;
}
const side = (names) => {
  const out = document.createDocumentFragment();
  if (names.length > 1) out.append("{", listed(names), "}");
  else out.append(listed(names));
  return out;
};
// X ⊥ Y | Z; the stroke of "dependent" is drawn by the style sheet, fonts do not agree on it
function formula(film, step, open) {
  const of = (numbers) => numbers.map((i) => film.names[i]), given = of(step.z), many = given.length > 6;
  const [words, look, text] = open ? ["independent?", "open", "⊥?"] : step.i ? ["independent of", "indep", "⊥"] : ["dependent on", "dep", "⊥"];
  const out = el("span", { class: "formula" }, side(of(step.x)),
    el("span", { class: "sign " + look, role: "img", "aria-label": words }, text), side(of(step.y)));
  if (given.length) out.append(el("span", { class: "bar" }, "|"), listed(many ? given.slice(0, 4) : given));
  if (many) out.append(el("span", { class: "more", title: given.join(", ") }, ` and ${given.length - 4} more`));
  return out;
}

function coded(text) {
  const out = el("span");
  text.split("⊥\u0338").forEach((part, i) => out.append(...(i ? [el("span", { class: "sign dep", role: "img", "aria-label": "dependent on" }, "⊥")] : []), part));
  return out;
}

const H = 15; // half the height of a node
const tagWidth = (letters) => 7.5 * letters.length + 5; // as in layout.py
function outline(shape, w) {
  const a = w / 2, c = 10;
  if (shape === "hex") return `M${-a - 6} 0L${-a + 6} ${-H - 2}H${a - 6}L${a + 6} 0L${a - 6} ${H + 2}H${-a + 6}Z`;
  if (shape === "square") return `M${-a} ${-H}H${a}V${H}H${-a}Z`;
  return `M${-a + c} ${-H}H${a - c}A${c} ${c} 0 0 1 ${a} ${-H + c}V${H - c}A${c} ${c} 0 0 1 ${a - c} ${H}` +
    `H${-a + c}A${c} ${c} 0 0 1 ${-a} ${H - c}V${-H + c}A${c} ${c} 0 0 1 ${-a + c} ${-H}Z`;
}
const SHAPES = { given: "square", tested: "hex", enters: "hex", leaves: "hex", chosen: "hex" };
const SIGNS = { given: "|", tested: "?", enters: "+", leaves: "−", chosen: "★", asked: "" };
const STANDING_SIGNS = { removed: "−", rejected: "×", target: "T", outer: "T" };

class Network {
  constructor(film, id) {
    this.film = film;
    this.nodes = new Map();
    this.edges = new Map();
    const p = film.picture;
    this.title = draw("title", { id: id + "-title" });
    this.svg = draw("svg", { viewBox: `0 0 ${p.w} ${p.h}`, role: "img", "aria-labelledby": id + "-title" }, this.title);
    this.svg.append(draw("defs", {}, ...["", "lit"].map((kind) => draw("marker", {
      id: "arrow" + kind, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: kind ? 5 : 8, markerHeight: kind ? 5 : 8,
      orient: "auto-start-reverse", class: "arrow " + kind }, draw("path", { d: "M0 0L10 5L0 10Z" })))));
    this.at = new Map(p.nodes.map((n) => [n[0], n]));
    for (const e of p.edges) this.edge(e);
    this.link = this.svg.appendChild(draw("path", { class: "link" }));
    for (const n of p.nodes) this.node(n);
    this.box = el("div", { class: "net", tabindex: 0, role: "group", "aria-label": "Network" }, this.svg);
    this.zoom = 1;
  }
  edge([from, to, ...via]) {
    const a = this.at.get(from), b = this.at.get(to);
    const points = [[a[1], a[2]]];
    for (let i = 0; i < via.length; i += 2) points.push([via[i], via[i + 1]]);
    points.push([b[1], b[2]]);
    points[0] = leave(points[0], points[1], a[3]);
    points[points.length - 1] = leave(points[points.length - 1], points[points.length - 2], b[3]);
    const path = draw("path", { class: "edge", d: smooth(points), "marker-end": "url(#arrow)" });
    this.edges.set(from + ">" + to, path);
    this.svg.append(path);
  }
  node([i, x, y, w, text, letters]) {
    // an arrow may come in at the usual corners; then mbedu.viz.tags has found others
    const [signX, signY, setX, setY, anchor] = this.film.picture.tags?.[i] || [w / 2 + 1, -H - 2, -w / 2 + 2, -H - 4, "start"];
    const parts = {
      outline: draw("path", { class: "shape" }),
      inner: draw("path", { class: "inner", d: outline("pill", w - 7), transform: "scale(1 .78)" }),
      text: draw("text", { class: "label", x: letters ? -tagWidth(letters) / 2 : 0, y: 5 }, text),
      set: draw("text", { class: "set", x: setX, y: setY, "text-anchor": anchor }),
      sign: draw("text", { class: "sign", x: signX, y: signY }),
      title: draw("title", {}, this.film.names[i]),
    };
    const letter = letters ? draw("text", { class: "letter", x: w / 2 - 8, y: 5 }, letters) : null;
    const g = draw("g", { class: "node", transform: `translate(${x} ${y})` }, parts.title, parts.outline,
      parts.inner, parts.text, parts.set, parts.sign, letter);
    this.nodes.set(i, { g, w, ...parts });
    this.svg.append(g);
  }
  // states: for each variable [standing, act, sets] by name
  draw(states) {
    for (const [i, node] of this.nodes) {
      const [standing, act, sets] = states[i];
      const key = standing + "/" + act + "/" + sets;
      if (node.key === key) continue;
      node.key = key;
      node.g.setAttribute("class", `node ${standing}` + (act ? ` now ${act}` : ""));
      node.outline.setAttribute("d", outline(SHAPES[act] || "pill", node.w));
      say(node.set, sets.length > 14 ? sets.slice(0, 13) + "…" : sets);
      say(node.sign, SIGNS[act] || STANDING_SIGNS[standing] || "");
      const words = [standing === "open" ? "" : standing, act].filter(Boolean).join(", ");
      say(node.title, this.film.names[i] + (words ? ": " + words : "") + (sets ? ` (${sets})` : ""));
    }
  }
  // without edges a line shows who is being asked about
  relate(step) {
    const none = this.film.picture.edges.length || !step || step.k !== "asked";
    const ends = none ? [] : [...step.x, ...step.y].map((i) => this.at.get(i)).filter(Boolean);
    const [a, ...others] = ends;
    this.link.setAttribute("d", others.map((b) => `M${a[1]} ${a[2]}L${b[1]} ${b[2]}`).join(""));
    this.link.setAttribute("class", "link " + (step && step.i ? "indep" : "dep"));
  }
  light(path, blocker) {
    const number = (n) => this.film.names.indexOf(n);
    for (const e of this.edges.values()) { e.classList.remove("lit", "shut"); e.setAttribute("marker-end", "url(#arrow)"); }
    for (const n of this.nodes.values()) n.g.classList.remove("lit", "blocker");
    (path || []).forEach((n, k) => {
      const i = number(n), j = number(path[k + 1]);
      this.nodes.get(i)?.g.classList.add("lit");
      const edge = this.edges.get(i + ">" + j) || this.edges.get(j + ">" + i);
      if (edge) { edge.classList.add(blocker ? "shut" : "lit"); edge.setAttribute("marker-end", "url(#arrowlit)"); }
    });
    if (blocker) this.nodes.get(number(blocker))?.g.classList.add("blocker");
  }
  scale(factor) {
    this.zoom = factor;
    this.svg.style.width = factor === 1 ? "" : factor * 100 + "%";
    this.svg.style.maxHeight = factor === 1 ? "" : "none";
  }
}

function leave([x, y], [tx, ty], w) {
  const dx = tx - x, dy = ty - y;
  const t = Math.min(dx ? (w / 2 + 2) / Math.abs(dx) : Infinity, dy ? (H + 3) / Math.abs(dy) : Infinity, 0.5);
  return [x + dx * t, y + dy * t];
}
function smooth(points) {
  let d = `M${points[0].map(r1)}`;
  for (let i = 1; i < points.length - 1; i++) {
    const next = i === points.length - 2 ? points[i + 1] : mid(points[i], points[i + 1]);
    d += `Q${points[i].map(r1)} ${next.map(r1)}`;
  }
  return points.length === 2 ? d + `L${points[1].map(r1)}` : d;
}
const r1 = (v) => Math.round(v * 10) / 10;
const mid = (a, b) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];

// ------------------------------------------------------------------ why
function explain(why, network) {
  const out = el("div", { class: "told" });
  if (why.text) out.append(el("p", {}, why.text));
  if (why.path) {
    network?.light(why.path);
    out.append(el("ul", {}, ...(why.steps || []).map((s) => el("li", {}, name(s.node), " lets it through: " + s.how + "."))));
  } else if (why.blocked?.length) {
    const buttons = why.blocked.map((b) => el("button", { type: "button", class: "path", onclick: (e) => {
      for (const other of buttons) other.setAttribute("aria-pressed", other === e.currentTarget);
      network?.light(b.path, b.node);
    } }, el("bdi", {}, b.written), " — blocked at ", name(b.node), ": " + b.how));
    out.append(el("p", { class: "hint" }, "Click a path to see where it is blocked."),
      el("ul", {}, ...buttons.map((b) => el("li", {}, b))));
  }
  if (why.tables?.length) out.append(why.x_levels ? contingency(why) : conditionals(why));
  for (const block of why.blocks || []) out.append(explain(block.explanation, network));
  if (!out.childNodes.length) out.append(el("ul", {}, ...Object.entries(why).map(([k, v]) => el("li", {}, k.replaceAll("_", " ") + ": " + (typeof v === "object" ? JSON.stringify(v) : v)))));
  return out;
}
const assignment = (values) => Object.entries(values).map(([k, v]) => `${k} = ${v}`).join(", ");
const valued = (value) => (value && typeof value === "object" ? assignment(value) : String(value));

function conditionals(why) {
  const where = Object.keys(why.stratum || {}).length ? " where " + assignment(why.stratum) : "";
  const head = why.tables.map((t) => el("th", { scope: "col" }, "given " + valued(t.y)));
  const rows = why.tables[0].x.map((_, r) => el("tr", {}, el("th", { scope: "row" }, valued(why.tables[0].x[r].value)),
    ...why.tables.map((t) => share(t.x[r]))));
  return el("table", { class: "facts" }, el("caption", {}, "Two conditional distributions" + where),
    el("thead", {}, el("tr", {}, el("td", {}), ...head)), el("tbody", {}, ...rows));
}
function share(cell) {
  const bar = el("span", { class: "share", "aria-hidden": "true" });
  bar.style.width = Math.round(cell.float * 60) / 10 + "em";
  const exact = String(cell.fraction).length <= 12 ? ` (${cell.fraction})` : "";
  return el("td", {}, cell.float.toFixed(4) + exact, bar);
}

// observed counts with what independence would lead to expect, stratum by stratum
function contingency(why) {
  const tables = why.tables.map((t) => el("table", { class: "facts" },
    el("caption", {}, (Object.keys(t.stratum).length ? assignment(t.stratum) : "all rows") + ` (n = ${t.n})`),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, why.x.join(", ") + " \\ " + why.y.join(", ")), ...why.y_levels.map((v) => el("th", { scope: "col" }, v)))),
    el("tbody", {}, ...t.observed.map((row, r) => el("tr", {}, el("th", { scope: "row" }, why.x_levels[r]), ...row.map((n, c) => count(n, t.expected[r][c])))))));
  const more = why.strata - why.tables.length;
  const hint = "Each cell: observed count, then the count that independence would lead to expect; ▲ more, ▼ fewer by over a tenth." + (more > 0 ? ` ${more} smaller strata are not shown.` : "");
  return el("div", {}, el("p", { class: "hint" }, hint), el("div", { class: "strata" }, ...tables));
}
function count(n, expected) {
  const apart = n - expected, far = Math.abs(apart) > 0.1 * Math.max(expected, 1);
  const shown = expected >= 100 ? expected.toFixed(0) : expected.toFixed(1);
  return el("td", { class: far ? (apart > 0 ? "more" : "less") : "" }, String(n), el("span", { class: "expected" }, ` (${shown})`), far ? (apart > 0 ? " ▲" : " ▼") : "");
}

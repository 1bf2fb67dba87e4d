// One film: its code, its network, its question, its list of tests. It knows how to show step n.
const ROWS = 300;

class View {
  constructor(film, id, options) {
    this.film = film;
    this.options = options || {};
    this.at = -1;
    this.rows = 0;
    this.states = expand(film);
    this.sets = carried(film.steps, "sets");
    this.tests = film.steps.flatMap((s, n) => (s.k === "asked" ? [n] : []));
    this.network = new Network(film, id);
    this.build(id);
  }
  build(id) {
    const film = this.film;
    this.crumbs = el("p", { class: "crumbs" });
    this.say = el("p", { class: "say", role: "status", "aria-live": "polite" });
    this.query = el("p", { class: "query" });
    this.button = el("button", { type: "button", class: "whybutton", "aria-expanded": "false", "aria-controls": id + "-why",
      onclick: () => this.openWhy(!this.whyOpen) }, "Why?");
    this.why = el("div", { class: "why", id: id + "-why", hidden: true });
    this.line = el("p", { class: "atline", "aria-hidden": "true" }); // where the code stands, when the code itself is further down
    this.now = el("div", { class: "now" }, this.say, el("div", { class: "ask" }, this.query, this.button), this.line, this.why);
    this.code = el("div", { class: "code", tabindex: 0, role: "group", "aria-label": "Pseudo-code" });
    this.setbox = el("div", { class: "sets", role: "group", "aria-label": "Sets" });
    this.count = el("p", { class: "count" });
    this.body = el("tbody");
    this.tested = el("div", { class: "tests", tabindex: 0, role: "group", "aria-label": "Tests so far" },
      el("table", {}, el("caption", { class: "hide" }, "Tests so far, newest first"), el("thead", {}, el("tr", {},
        ...["step", "question", "verdict", "p"].map((t) => el("th", { scope: "col" }, t)))), this.body));
    const zoom = [["−", 1 / 1.4, "Make the network smaller"], ["fit", 0, "Fit the network"], ["+", 1.4, "Make the network larger"]]
      .map(([text, by, label]) => el("button", { type: "button", "aria-label": label, title: label,
        onclick: () => this.network.scale(by ? Math.min(5, Math.max(1, this.network.zoom * by)) : 1) }, text));
    const left = film.picture.left_out;
    this.picture = el("div", { class: "picture" }, this.network.box, el("div", { class: "under" }, legend(film, this.options.tint),
      el("span", { class: "zoom" }, ...zoom)),
      left ? el("p", { class: "hint" }, `${left} of ${film.names.length} variables are not drawn; the text names them.`) : null);
    const wide = film.picture.w > 620 ? " wide" : "";
    this.root = el("div", { class: "view" + wide }, this.crumbs, this.now, el("div", { class: "panes" },
      el("div", { class: "side" }, this.code, this.setbox), this.picture,
      el("div", { class: "list" }, this.count, this.tested)));
  }
  // before the first step: the network with nothing done yet
  blank() {
    this.at = -1;
    this.network.draw(this.film.names.map(() => ["open", "", ""]));
    for (const part of [this.network.title, this.say, this.crumbs]) say(part, "");
    fill(this.query);
    this.showCode(this.film.steps[0]);
    fill(this.setbox);
    this.showTests(-1);
    this.hasWhy = false;
    this.button.hidden = true;
    this.openWhy(false);
  }
  // options.asking: the step is about to be asked, its verdict is still hidden
  show(n, asking) {
    const step = this.film.steps[n], hidden = asking != null;
    this.at = n;
    const ask = hidden ? this.film.steps[asking] : null;
    this.network.draw(hidden ? mixed(this.states[n], this.states[asking], ask) : this.states[n]);
    this.network.relate(hidden ? null : step);
    this.network.light(null);
    say(this.network.title, hidden ? "The state before the question" : step.t);
    if (!hidden) say(this.say, step.t);
    this.showQuery(hidden && ask.k === "asked" ? ask : hidden ? null : step, hidden);
    this.showCode(hidden ? ask : step);
    this.showSets(this.sets[n], step);
    this.showTests(n);
    const parts = step.in || [];
    const words = [...parts, step.f ? "phase " + step.f : ""].filter(Boolean);
    fill(this.crumbs, ...words.flatMap((w, i) => (i ? [" › ", el("bdi", {}, w)] : [el("bdi", {}, w)])));
    this.hasWhy = !hidden && step.k === "asked";
    this.button.hidden = !this.hasWhy;
    if (this.whyOpen || !this.why.hidden) this.openWhy(this.whyOpen, true);
  }
  showQuery(step, open) {
    if (!step || step.k !== "asked") return fill(this.query);
    const verdict = open ? null : el("span", { class: "verdict " + (step.i ? "indep" : "dep") }, step.i ? "independent" : "dependent");
    const facts = open ? [] : step.e.map((f) => el("span", { class: "fact" + (f === "not reliable" ? " bad" : "") }, f));
    fill(this.query, formula(this.film, step, open), verdict, ...facts);
  }
  showCode(step) {
    const key = step.p || "";
    if (this.codeKey !== key) {
      this.codeKey = key;
      const code = this.film.codes[key];
      this.lines = new Map();
      const rows = (code?.lines || []).map(([number, text]) => {
        const row = el("div", { class: "line" }, el("span", { class: "mark", "aria-hidden": "true" }), coded(text));
        if (number != null) this.lines.set(number, row);
        return row;
      });
      fill(this.code, code ? el("div", { class: "codetitle" }, code.title + (code.place ? " · " + code.place : "")) : null,
        code ? el("div", { class: "lines" }, ...rows) : el("p", { class: "hint" }, "This function has no pseudo-code."));
    }
    this.lit?.classList.remove("lit");
    this.lit?.removeAttribute("aria-current");
    this.lit = this.lines?.get(step.l);
    fill(this.line, ...(this.lit ? ["▶ ", this.lit.lastChild.cloneNode(true)] : []));
    if (!this.lit) return;
    this.lit.classList.add("lit");
    this.lit.setAttribute("aria-current", "step");
    within(this.code, this.lit);
  }
  showSets(sets, step) {
    fill(this.setbox, ...(sets || []).map(([label, members]) => {
      const fresh = step.k === "changed" && label.split(".").pop() === step.name ? step.add : [];
      const row = el("p", { class: "set" }, el("span", { class: "setname" }, label), " = {");
      members.forEach((m, i) => row.append(i ? ", " : "", el("bdi", { class: "name" + (fresh.includes(m) ? " fresh" : "") }, this.film.names[m])));
      row.append("}", el("span", { class: "size" }, ` ${members.length}`));
      return row;
    }));
  }
  showTests(n) {
    const upto = this.tests.findIndex((t) => t > n), wanted = upto < 0 ? this.tests.length : upto;
    if (wanted < this.rows || wanted - this.rows > ROWS) { this.body.replaceChildren(); this.rows = Math.max(0, wanted - ROWS); }
    for (; this.rows < wanted; this.rows++) {
      this.body.prepend(this.row(this.tests[this.rows]));
      if (this.body.children.length > ROWS) this.body.lastChild.remove();
    }
    for (const row of this.body.querySelectorAll(".current")) row.classList.remove("current");
    if (wanted && this.tests[wanted - 1] === n) this.body.firstChild.classList.add("current");
    let largest = 0;
    for (let i = 0; i < wanted; i++) largest = Math.max(largest, this.film.steps[this.tests[i]].z.length);
    const kept = wanted > ROWS ? ` (the newest ${ROWS} are listed)` : "";
    say(this.count, `${wanted} ${wanted === 1 ? "test" : "tests"} so far; largest conditioning set ${largest}${kept}`);
    this.tested.scrollTop = 0;
  }
  row(n) {
    const step = this.film.steps[n];
    const jump = el("button", { type: "button", "aria-label": `Go to step ${n}`, onclick: () => this.options.go?.(n) }, String(n));
    return el("tr", { class: (this.options.tint?.(n) || "") }, el("td", {}, jump), el("td", {}, formula(this.film, step)),
      el("td", { class: step.i ? "indep" : "dep" }, step.i ? "indep." : "dep."), el("td", { class: step.bad ? "bad" : "" },
        (step.pv || "") + (step.bad ? " !" : "")));
  }
  openWhy(open, keep) {
    this.whyOpen = open;
    if (!open) this.network.light(null);
    this.why.hidden = !open || !this.hasWhy;
    this.button.setAttribute("aria-expanded", String(!this.why.hidden));
    if (this.why.hidden) return;
    const index = this.film.steps[this.at].why;
    fill(this.why, index == null ? el("p", {}, "No explanation is stored for this verdict; the judge itself may give one: judge.explain(query).")
      : explain(this.film.whys[index], this.network));
  }
}

function within(box, row) {
  const top = row.offsetTop - box.offsetTop;
  if (top < box.scrollTop || top + row.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 3;
}
function expand(film) {
  const words = film.states.map(([s, a, sets]) => [film.standings[s], film.acts[a], sets]);
  let now = film.names.map(() => words[0]);
  return film.steps.map((step) => {
    now = now.slice();
    for (let i = 0; i < step.m.length; i += 2) now[step.m[i]] = words[step.m[i + 1]];
    return now;
  });
}
function carried(steps, key) {
  let last = null;
  return steps.map((s) => (last = s[key] || last));
}
// what stands as before, with what is being asked now
const mixed = (before, after, step) => before.map(([standing, , sets], i) => [standing, step.k === "asked" ? after[i][1] : "", sets]);

const KEY = [["target", "", "T", "target"], ["in", "", "S", "in a set"], ["open", "tested", "?", "being tested"], ["open", "given", "|", "given"],
  ["open", "enters", "+", "enters"], ["open", "leaves", "−", "leaves"], ["removed", "", "−", "removed"], ["rejected", "", "×", "found independent"]];
function legend(film, closed) {
  const items = KEY.map(([standing, act, sign, text]) => el("span", { class: "item" }, draw("svg", { viewBox: "-17 -17 34 34", "aria-hidden": "true" },
    draw("g", { class: `node ${standing}${act ? " now " + act : ""}` }, draw("path", { class: "shape", d: outline(SHAPES[act] || "pill", 22) }),
      draw("path", { class: "inner", d: outline("pill", 15), transform: "scale(1 .78)" }), draw("text", { class: "label", y: 5 }, sign))), text));
  if (film.picture.nodes.some((n) => n[5])) items.push(el("span", { class: "item" }, el("b", {}, "pa ch sp"), " parent, child, spouse of the target"));
  return el("details", { class: "legend", open: !closed }, el("summary", {}, "Key"), el("div", {}, ...items));
}

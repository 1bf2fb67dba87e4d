// The controls, the keyboard, and the start: every host on the page gets its own player.
const LEVELS = { test: () => true, change: (s) => s.k === "returned" || s.k === "chose" || (s.k === "changed" && s.add.length + s.rem.length > 0),
  phase: (s) => s.k === "entered" || s.k === "returned" };
const ICONS = { first: "M4 3h3v14H4zM17 3v14L7 10z", prev: "M15 3v14L4 10z", play: "M5 3v14l12-7z", pause: "M4 3h4v14H4zM12 3h4v14h-4z",
  next: "M5 3v14l11-7z M5 3", last: "M13 3h3v14h-3zM3 3v14l10-7z" };
const icon = (d) => draw("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, draw("path", { d }));

// rows: for each position the steps that it shows, one a film
class Player {
  constructor(film, root, id, kind) {
    this.film = film;
    this.id = id;
    this.kind = kind;
    this.at = 0;
    this.views = this.makeViews(film);
    this.rows = this.makeRows(film);
    this.level = "test";
    this.speed = 1;
    this.bar = this.controls();
    this.extra = el("div", { class: "extra" });
    this.frame = el("section", { class: "player", tabindex: 0, "aria-label": "Trace player: " + film.title, "aria-describedby": id + "-keys" },
      el("p", { class: "title" }, el("bdi", {}, film.title), el("span", { class: "judge" }, film.judge ? " · asked of " + film.judge : "")),
      this.bar, this.extra, this.stage(), el("p", { class: "keys", id: id + "-keys" },
        "Keys: ← → step, Home End first and last, Space play and pause, Esc leave."));
    this.frame.addEventListener("keydown", (e) => this.key(e));
    for (const type of ["keyup", "keypress"]) this.frame.addEventListener(type, (e) => e.stopPropagation());
    root.append(this.frame);
    this.begin();
  }
  begin() { this.go(0); }
  makeViews(film) { return [new View(film, this.id, { go: (n) => this.go(n) })]; }
  makeRows(film) { return film.steps.map((_, n) => [n]); }
  stage() { return this.views[0].root; }
  limit() { return this.rows.length - 1; }
  controls() {
    const button = (key, label, action) => el("button", { type: "button", class: key, "aria-label": label, title: label, onclick: action }, icon(ICONS[key]));
    this.slider = el("input", { type: "range", min: 0, max: this.rows.length - 1, value: 0, "aria-label": "Step", oninput: () => { this.pause(); this.go(+this.slider.value); } });
    this.where = el("span", { class: "where" });
    this.playing = button("play", "Play", () => this.toggle());
    const choose = (label, options, change) => el("label", {}, label + " ", el("select", { onchange: (e) => change(e.target.value) },
      ...options.map(([value, text, selected]) => el("option", { value, selected }, text))));
    return el("div", { class: "controls", role: "group", "aria-label": "Controls" },
      el("span", { class: "buttons" }, button("first", "First step", () => { this.pause(); this.go(0); }), button("prev", "Previous", () => { this.pause(); this.move(-1); }),
        this.playing, button("next", "Next", () => { this.pause(); this.move(1); }), button("last", "Last step", () => { this.pause(); this.go(this.rows.length - 1); })),
      this.slider, this.where,
      choose("by", [["test", "test"], ["change", "change"], ["phase", "phase"]], (v) => { this.level = v; }),
      choose("speed", [["0.5", "½×"], ["1", "1×", true], ["2", "2×"], ["4", "4×"]], (v) => { this.speed = +v; }));
  }
  counts(n) { return n === 0 || n === this.rows.length - 1 || this.rows[n].some((s, k) => s != null && s !== this.rows[n - 1][k] && LEVELS[this.level](this.views[k].film.steps[s])); }
  move(by) {
    let n = this.at + by;
    while (n > 0 && n < this.limit() && !this.counts(n)) n += by;
    this.go(n);
  }
  go(n) {
    this.at = Math.max(0, Math.min(this.limit(), n));
    this.show();
    this.slider.value = this.at;
    const words = `step ${this.at} of ${this.rows.length - 1}`;
    say(this.where, words);
    this.slider.setAttribute("aria-valuetext", words + ": " + this.views[0].say.textContent);
    if (this.at >= this.limit()) this.pause();
  }
  show() { this.rows[this.at].forEach((n, k) => { if (n != null) this.views[k].show(n); }); }
  toggle() {
    if (this.timer) return this.pause();
    if (this.at >= this.limit()) this.go(0);
    this.sign(true);
    const tick = () => { this.timer = setTimeout(() => { this.move(1); if (this.timer) tick(); }, 1400 / this.speed); };
    tick();
  }
  pause() { clearTimeout(this.timer); this.timer = 0; this.sign(false); }
  sign(on) {
    this.playing.replaceChildren(icon(ICONS[on ? "pause" : "play"]));
    for (const key of ["aria-label", "title"]) this.playing.setAttribute(key, on ? "Pause" : "Play");
  }
  // the notebook must not hear what is typed here ("a" would insert a cell); combinations such as Ctrl+S are its own
  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    e.stopPropagation();
    const on = e.target.tagName, native = on === "SELECT" || (on === "INPUT" && e.target.type !== "range");
    if (native && e.key !== "Escape") return;
    const acts = { ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1), Home: () => this.jump(0), End: () => this.jump(this.rows.length - 1),
      Escape: () => this.leave(), " ": on === "BUTTON" || on === "SUMMARY" ? null : () => this.toggle() };
    if (!acts[e.key]) return;
    e.preventDefault();
    acts[e.key]();
  }
  step(by) { this.pause(); this.move(by); }
  jump(n) { this.pause(); this.go(n); }
  leave() {
    this.pause();
    for (const view of this.views) view.openWhy(false);
    this.frame.getRootNode().activeElement?.blur();
  }
}

const KINDS = { play: Player };

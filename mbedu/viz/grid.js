// Runs made beforehand for each pair of settings; two sliders choose which one is shown.
class Grid {
  constructor(film, root, id) {
    this.film = film;
    this.at = film.start.slice();
    this.network = new Network(film, id);
    this.say = el("p", { class: "say", role: "status", "aria-live": "polite" });
    this.facts = el("p", { class: "query" });
    const sliders = film.axes.map((axis, k) => {
      const out = el("output", {}, axis.values[this.at[k]]);
      const input = el("input", { type: "range", min: 0, max: axis.values.length - 1, value: this.at[k], "aria-valuetext": axis.values[this.at[k]], oninput: () => {
        this.at[k] = +input.value;
        say(out, axis.values[this.at[k]]);
        input.setAttribute("aria-valuetext", axis.values[this.at[k]]);
        this.show();
      } });
      return el("label", { class: "axis" }, axis.name + " = ", out, input);
    });
    this.frame = el("section", { class: "player", tabindex: 0, "aria-label": film.title }, el("p", { class: "title" }, el("bdi", {}, film.title)),
      el("div", { class: "controls" }, ...sliders), el("div", { class: "now" }, this.say, this.facts), el("div", { class: "picture" }, this.network.box),
      el("p", { class: "hint" }, film.hint), this.table());
    for (const type of ["keydown", "keyup", "keypress"]) this.frame.addEventListener(type, (e) => { if (!e.ctrlKey && !e.metaKey && !e.altKey) e.stopPropagation(); });
    root.append(this.frame);
    this.show();
  }
  cell() { return this.film.cells[this.at[0]][this.at[1]]; }
  show() {
    const cell = this.cell();
    this.network.draw(this.film.names.map((_, i) => this.film.looks[cell.look[i]]));
    say(this.say, cell.t);
    say(this.network.title, cell.t);
    say(this.facts, cell.facts);
    for (const [key, box] of this.boxes) box.classList.toggle("here", key === this.at.join());
  }
  table() {
    const [rows, columns] = this.film.axes;
    this.boxes = new Map();
    const body = rows.values.map((value, r) => el("tr", {}, el("th", { scope: "row" }, value), ...columns.values.map((_, c) => {
      const cell = this.film.cells[r][c], box = el("td", {}, cell.short);
      this.boxes.set([r, c].join(), box);
      return box;
    })));
    return el("div", { class: "tests told", tabindex: 0, role: "group", "aria-label": "All settings" }, el("table", { class: "facts" }, el("caption", {}, this.film.caption), el("thead", {}, el("tr", {},
      el("th", { scope: "col" }, `${rows.name} \\ ${columns.name}`), ...columns.values.map((v) => el("th", { scope: "col" }, v)))), el("tbody", {}, ...body)));
  }
}
KINDS.grid = Grid;

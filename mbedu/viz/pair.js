// Two films in lock step. Python has aligned them: each row names a step of either film, or none yet.
class Pair extends Player {
  makeViews(film) {
    return film.films.map((f, k) => new View(f, this.id + k, { tint: (n) => film.tints[k][n] || "",
      go: (n) => this.go(film.rows.findIndex((row) => row[k] === n)) }));
  }
  makeRows(film) { return film.rows; }
  begin() { this.go(this.film.start || 0); }
  stage() {
    this.flags = this.views.map(() => el("p", { class: "flag" }));
    const columns = this.views.map((view, k) => {
      view.root.prepend(el("p", { class: "label" }, el("bdi", {}, this.film.labels[k])), this.flags[k]);
      return el("div", { class: "column" }, view.root);
    });
    if (this.film.first != null) this.extra.append(el("button", { type: "button", class: "tofirst", onclick: () => { this.pause(); this.go(this.film.first); } }, this.film.jump));
    if (this.film.summary) this.extra.append(el("p", { class: "summary" }, this.film.summary));
    return el("div", { class: "columns" }, ...columns);
  }
  show() {
    const row = this.rows[this.at], before = this.rows[this.at - 1] || [];
    row.forEach((n, k) => {
      const view = this.views[k], waits = n == null || (this.at > 0 && before[k] === n);
      if (n == null) view.blank();
      else if (view.at !== n) view.show(n);
      const tint = n == null ? "" : this.film.tints[k][n] || "";
      view.root.parentNode.className = "column" + (waits ? " waits" : "") + (tint ? " " + tint : "");
      say(this.flags[k], waits ? (n == null ? "not started" : n === view.film.steps.length - 1 ? "finished" : "waits") : this.film.words[tint] || "");
    });
  }
}
KINDS.pair = Pair;

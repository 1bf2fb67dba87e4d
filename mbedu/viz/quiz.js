// The player that asks before it shows. Nothing leaves the page: the score becomes a short code.
class Quiz extends Player {
  begin() {
    this.asked = 0;
    this.right = 0;
    this.answers = "";
    this.panel = el("div", { class: "quiz", role: "group", "aria-label": "Question" });
    this.extra.append(this.panel);
    this.pose();
  }
  get question() { return this.film.quiz.questions[this.asked]; }
  limit() { return this.question ? this.question.step - 1 + (this.answered ? 1 : 0) : this.rows.length - 1; }
  show() {
    const n = this.at, pending = this.question && !this.answered && n === this.limit();
    this.views[0].show(n, pending ? this.question.step : null);
    if (pending) say(this.views[0].say, this.question.ask);
    if (this.panel) this.panel.hidden = Boolean(this.question) && n < this.limit();
  }
  pose() {
    this.answered = false;
    this.views[0].openWhy(false);
    this.go(this.limit());
    if (!this.question) return this.finish();
    const q = this.question, total = this.film.quiz.questions.length;
    const buttons = q.options.map((text, i) => el("button", { type: "button", class: "option", onclick: () => this.answer(i, buttons) }, el("bdi", {}, text)));
    fill(this.panel, el("p", { class: "hint" }, `Question ${this.asked + 1} of ${total}; right so far: ${this.right}.`),
      el("p", { class: "asking" }, q.ask), el("p", { class: "options" }, ...buttons), this.reply = el("p", { class: "reply", role: "status" }));
  }
  answer(i, buttons) {
    const q = this.question, ok = i === q.right;
    this.answered = true;
    this.right += ok;
    this.answers += ok ? "1" : "0";
    buttons.forEach((b, k) => {
      b.disabled = true;
      if (k === q.right) b.classList.add("ok");
      else if (k === i) b.classList.add("wrong");
      if (k === q.right || k === i) b.append(k === q.right ? " ✓" : " ✗");
    });
    this.go(q.step);
    this.views[0].openWhy(this.film.steps[q.step].k === "asked");
    const on = el("button", { type: "button", class: "continue", onclick: () => { this.asked++; this.pose(); } }, "Continue");
    fill(this.reply, ok ? "Right. " : "Not so. ", this.film.steps[q.step].t + " ", on);
    on.focus();
  }
  finish() {
    const total = this.film.quiz.questions.length, code = sealed(this.film.quiz, this.right, this.answers);
    fill(this.panel, el("p", { class: "asking", role: "status" }, `You answered ${this.right} of ${total} questions right.`),
      el("p", {}, "Your code: ", el("code", { class: "sealed" }, code)));
  }
}
// must say the same as mbedu.viz.quiz.seal
function sealed(quiz, right, answers) {
  const marks = BigInt("0b1" + answers).toString(36).toUpperCase();
  const head = `MBQ-${quiz.digest}-${right}-${answers.length}-${marks}`;
  return head + "-" + mark(head + "|" + quiz.student);
}
function mark(text) {
  const mask = (1n << 64n) - 1n;
  let h = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) h = ((h ^ BigInt(byte)) * 0x100000001b3n) & mask;
  for (let i = 0; i < 3; i++) h = ((h ^ (h >> 29n)) * 0xbf58476d1ce4e5b9n) & mask;
  return (h >> 24n).toString(36).toUpperCase().padStart(8, "0");
}
KINDS.quiz = Quiz;

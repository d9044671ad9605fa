// A figure: its title, its controls, what is drawn, what to know about it, its data as a
// table, and its downloads. Every chart of the page is one.

// figures are all of the page, for redrawing when colours or sizes change.
const figures = [];

// Figure holds what a chart needs. draw(figure, width) is called whenever it must be
// drawn anew, and returns
//   label: what a reader who does not see it is told,
//   table: {columns, rows} of what it shows,
//   notes: what makes its numbers less than they seem.
class Figure {
  constructor({ id, title, parent, draw, asSVG, asSpec }) {
    this.id = id;
    this.paint = draw;
    this.title = el("h3", { id: `${id}-title` }, title);
    this.tools = el("div", { class: "tools", role: "group", "aria-label": `Downloads of ${title}` });
    this.controls = el("div", { class: "controls", hidden: true });
    this.canvas = el("div", { class: "canvas", id: `${id}-canvas`, role: "img" });
    this.notes = el("div", {});
    this.tableBox = el("div", {});
    this.details = el("details", { class: "data" }, el("summary", {}, "Data as a table"), this.tableBox);
    this.node = el("figure", { class: "chart", id, "aria-labelledby": `${id}-title` },
      el("figcaption", {}, this.title, this.tools), this.controls, this.canvas, this.notes, this.details);
    const name = () => fileName(data.title, this.title.textContent);
    this.button("CSV", "csv", () => save(`${name()}.csv`, "text/csv;charset=utf-8", csv(this.drawn.table)));
    this.button("SVG", "svg", async () => save(`${name()}.svg`, "image/svg+xml", await asSVG(this)));
    this.button("PNG", "png", async () => savePNG(`${name()}.png`, await asSVG(this)));
    if (asSpec) {
      this.spec = () => JSON.stringify(asSpec(this), null, 2);
      const button = this.button("Copy spec", "spec", () => copy(this.spec(), button));
      button.title = "The Vega-Lite specification with its data";
    }
    this.asSVG = () => asSVG(this);
    this.details.addEventListener("toggle", () => this.fillTable());
    parent.append(this.node);
    figures.push(this);
  }

  button(text, kind, clicked) {
    const button = el("button", { type: "button", "data-kind": kind, "aria-label": `${text}: ${this.title.textContent}` }, text);
    button.addEventListener("click", clicked);
    this.tools.append(button);
    return button;
  }

  control(...nodes) {
    this.controls.hidden = false;
    this.controls.append(...nodes);
  }

  rename(title) {
    this.title.textContent = title;
    this.tools.setAttribute("aria-label", `Downloads of ${title}`);
    for (const b of this.tools.children) b.setAttribute("aria-label", `${b.textContent}: ${title}`);
  }

  // draw draws it anew, for paper if a width is given.
  draw(width = 0) {
    this.node.dataset.drawn = "";
    this.drawn = this.paint(this, width || this.width());
    this.drawn.table = markedTable(this.drawn.table);
    this.canvas.setAttribute("aria-label", this.drawn.label);
    this.notes.replaceChildren(...[...(this.drawn.notes ?? []), ...markedNotes()].map((n) => el("p", { class: n.warn ? "under warned" : "under" }, n.text)));
    this.fillTable();
    this.node.dataset.drawn = "yes";
  }

  width() { return Math.max(Math.floor(this.node.clientWidth), 300); }

  // fillTable fills the table while it is open. Very long ones are cut; the CSV is not.
  fillTable() {
    if (!this.details.open || !this.drawn) {
      this.tableBox.replaceChildren();
      return;
    }
    const { columns, rows } = this.drawn.table;
    const most = 200;
    const numeric = columns.map((_, i) => rows.some((r) => typeof r[i] === "number"));
    const cell = (v, i) => el("td", { class: numeric[i] ? "n" : null }, typeof v === "number" ? number(v) : v ?? "–");
    const table = el("table", { class: "plain" },
      el("caption", { class: "hidden" }, this.title.textContent),
      el("thead", {}, el("tr", {}, ...columns.map((c, i) => el("th", { scope: "col", class: numeric[i] ? "n" : null }, c)))),
      el("tbody", {}, ...rows.slice(0, most).map((row) => el("tr", {}, ...row.map(cell)))));
    this.tableBox.replaceChildren(el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Data of ${this.title.textContent}` }, table));
    if (rows.length > most) this.tableBox.append(el("p", { class: "quiet" }, `The first ${most} of ${rows.length} rows; the CSV has all.`));
  }
}

// savePNG draws an SVG at twice its size.
function savePNG(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  const image = new Image();
  image.onload = () => {
    const canvas = el("canvas", { width: image.width * 2, height: image.height * 2 });
    const context = canvas.getContext("2d");
    context.fillStyle = theme().bg;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(url);
    canvas.toBlob((blob) => save(name, "image/png", blob));
  };
  image.src = url;
}

// absent says why a section has no chart, and what would make one.
function absent(section, text) { section.append(el("p", { class: "quiet absent" }, text)); }

// many tells whether enough messages did not finish to warn of it.
function many(unfinished, messages) { return unfinished > data.few * messages; }

// markedNotes says what qualifies the numbers of which rows; it stands below every figure.
function markedNotes() {
  const names = new Map();
  for (const row of data.rows) if (row.marks) names.set(row.marks, [...(names.get(row.marks) ?? []), row.name]);
  const who = (list) => (list.length === data.rows.length && list.length > 1 ? "all" : list.length > 6 ? `${list.slice(0, 5).join("; ")}; and ${list.length - 5} more` : list.join("; "));
  return [...names].map(([marks, list]) => ({ warn: true, text: `${marks[0].toUpperCase()}${marks.slice(1)}: ${who(list)}.` }));
}

// markedTable adds what qualifies the numbers of rows to a table of rows.
function markedTable(table) {
  if (!["variant", "cell"].includes(table.columns[0]) || !data.rows.some((row) => row.marks)) return table;
  const marks = new Map(data.rows.map((row) => [row.name, row.marks ?? ""]));
  return { columns: [...table.columns, "notices"], rows: table.rows.map((r) => [...r, marks.get(r[0]) ?? ""]) };
}

// unfinishedNotes says which of the rows left messages unfinished or were cut short.
function unfinishedNotes(rows, group = "") {
  const notes = [];
  for (const i of rows) {
    const row = data.rows[i];
    const [messages, unfinished] = row.unfinished[group] ?? [0, 0];
    const parts = [];
    if (row.partial > 0) parts.push(`${row.partial} of ${row.runs} runs cut short`);
    if (row.failed > 0) parts.push(`${row.failed} of ${row.runs} runs failed`);
    if (many(unfinished, messages) || row.cut && unfinished > 0) parts.push(`${number(unfinished)} of ${number(messages)} messages did not finish`);
    if (parts.length) notes.push(`${row.name}: ${parts.join("; ")}`);
  }
  if (notes.length > 6) return [{ warn: true, text: `${notes.slice(0, 5).join(". ")}. ${notes.length - 5} more are in the notes.` }];
  return notes.map((text) => ({ warn: true, text: `${text}.` }));
}

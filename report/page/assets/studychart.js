// The metrics of a study over its axes: a chart with lines and intervals, and a heat map.
// Both show the axes that the reader chooses; what is on no axis has a level chosen.

const studyChoice = { metric: 0, x: -1, color: -1, facet: -1, fixed: {} };

function studySection() {
  const section = document.getElementById("study");
  if (!section) return;
  const axes = data.axes.map((a, i) => ({ ...a, i })).filter((a) => a.levels.length > 1);
  if (!axes.length || !data.metrics.length) {
    absent(section, "The study has one cell. Its numbers are in the summary.");
    return;
  }
  // The first axis of numbers goes to the right, the others to colours and panels.
  studyChoice.x = (axes.find((a) => a.numbers) ?? axes[axes.length - 1]).i;
  const rest = axes.filter((a) => a.i !== studyChoice.x);
  studyChoice.color = rest[0]?.i ?? -1;
  studyChoice.facet = rest[1]?.i ?? -1;
  const best = data.metrics.findIndex((m) => m.name === "slowdown_bare_p99");
  studyChoice.metric = best >= 0 && data.rows.some((r) => r.estimates[best]?.[0]) ? best : 0;

  const controls = el("div", { class: "controls", id: "study-controls" });
  section.append(controls);
  const chart = vegaFigure({ id: "study-chart", title: "Metric over the axes", parent: section, build: studyChart });
  const heat = vegaFigure({ id: "study-heat", title: "Every cell", parent: section, build: studyHeat });
  const changed = () => {
    fillStudyControls(controls, axes, changed);
    chart.draw();
    heat.draw();
  };
  fillStudyControls(controls, axes, changed);
}

// fillStudyControls makes the choices anew, since what can be chosen depends on them, and
// gives the keyboard back its place.
function fillStudyControls(box, axes, changed) {
  const focused = [...box.querySelectorAll("select")].indexOf(document.activeElement);
  const c = studyChoice;
  const options = axes.map((a) => [a.i, a.name]);
  const none = [[-1, "none"]];
  // Choosing an axis that is in use elsewhere swaps the two.
  const set = (slot) => (v) => {
    const value = Number(v);
    for (const other of ["x", "color", "facet"]) if (other !== slot && c[other] === value && value >= 0) c[other] = c[slot];
    c[slot] = value;
    changed();
  };
  const nodes = [
    choice("Metric", data.metrics.map((m, i) => [i, m.name.includes(".") ? `${m.name.slice(0, m.name.lastIndexOf("."))}: ${m.title}` : m.title]), c.metric, (v) => { c.metric = Number(v); changed(); }),
    choice("Along x", options, c.x, set("x")),
  ];
  if (axes.length > 1) nodes.push(choice("Colour", [...none, ...options.filter(([i]) => i !== c.x)], c.color, set("color")));
  if (axes.length > 2) nodes.push(choice("Panels", [...none, ...options.filter(([i]) => i !== c.x && i !== c.color)], c.facet, set("facet")));
  for (const a of axes) {
    if ([c.x, c.color, c.facet].includes(a.i)) continue;
    c.fixed[a.i] ??= 0;
    nodes.push(choice(`${a.name} is`, a.levels.map((l, i) => [i, l]), c.fixed[a.i], (v) => { c.fixed[a.i] = Number(v); changed(); }));
  }
  box.replaceChildren(...nodes.map((n) => n.node));
  if (focused >= 0) nodes[Math.min(focused, nodes.length - 1)].select.focus();
}

// studyValues are the cells that are chosen, with their numbers.
function studyValues() {
  const c = studyChoice;
  const used = [c.x, c.color, c.facet];
  const metric = data.metrics[c.metric];
  const values = [];
  data.rows.forEach((row) => {
    const chosen = data.axes.every((a, i) => used.includes(i) || a.levels.length < 2 || row.levels[i] === c.fixed[i]);
    if (!chosen) return;
    const [n, mean, low, high] = row.estimates[c.metric] ?? [0, null, null, null];
    const group = metric.name.includes(".") ? metric.name.slice(0, metric.name.lastIndexOf(".")) : "";
    const but = [];
    if (row.cut) but.push("cut short");
    else if (row.partial) but.push(`${row.partial} of ${row.runs} cut short`);
    if (row.failed) but.push(`${row.failed} of ${row.runs} failed`);
    const [messages, unfinished] = row.unfinished[group] ?? [0, 0];
    const left = unfinished ? [`${number(unfinished)} of ${number(messages)} unfinished`] : [];
    const less = [...but, ...left].join(", ");
    if (row.cut || many(unfinished, messages)) but.push(...left);
    const xAxis = data.axes[c.x];
    values.push({
      cell: row.name, n, mean, low, high, but: but.join(", "), less,
      x: xAxis.levels[row.levels[c.x]], at: xAxis.numbers?.[row.levels[c.x]] ?? null,
      color: c.color >= 0 ? data.axes[c.color].levels[row.levels[c.color]] : "all", facet: c.facet >= 0 ? data.axes[c.facet].levels[row.levels[c.facet]] : "all",
      text: mean === null ? "none" : String(Number(mean.toPrecision(3))),
    });
  });
  return { values, metric, title: metric.unit ? `${metric.title} (${metric.unit})` : metric.title };
}

const studyColumns = (title) => ["cell", title, "95% low", "95% high", "seeds", "unfinished, cut short or failed"];
const studyTable = (values, title) => ({ columns: studyColumns(title), rows: values.map((v) => [v.cell, v.mean, v.low, v.high, v.n, v.less]) });

// studyNotes says what the marks of cells mean that are less than they seem.
function studyNotes(values, sign) {
  const bad = values.filter((v) => v.but);
  if (!bad.length) return [];
  const named = bad.slice(0, 4).map((v) => `${v.cell}: ${v.but}`).join("; ");
  return [{ warn: true, text: `${sign}: ${named}${bad.length > 4 ? `; and ${bad.length - 4} more, in the table below` : ""}.` }];
}

function facetsOf(width, least) {
  const c = studyChoice;
  if (c.facet < 0) return { columns: 1, panel: width - 80 };
  const n = data.axes[c.facet].levels.length;
  const columns = Math.max(Math.min(n, Math.floor(width / least), 4), 1);
  return { columns, panel: Math.max(Math.floor((width - 70 - 30 * columns) / columns), 140) };
}

const studyTip = (title) => [{ field: "cell" }, { field: "mean", title }, { field: "low", title: "95% low" }, { field: "high", title: "95% high" }, { field: "n", title: "seeds" }, { field: "but" }];

function studyChart(width, t) {
  const { values, metric, title } = studyValues();
  const c = studyChoice;
  const xAxis = data.axes[c.x];
  const levels = c.color >= 0 ? data.axes[c.color].levels : ["all"];
  const styles = levels.map((_, i) => styleOf(i, t));
  const numeric = Boolean(xAxis.numbers);
  const { columns, panel } = facetsOf(width, 320);
  const known = values.flatMap((v) => [v.mean, v.low, v.high]).filter((v) => v !== null);
  const log = known.length > 0 && Math.min(...known) > 0 && Math.max(...known) / Math.min(...known) > 50;
  const legend = { ...legendOf(levels, width - 160), title: c.color >= 0 ? data.axes[c.color].name : null };
  const coded = (range) => ({ field: "color", type: "nominal", sort: null, scale: { domain: levels, range }, legend: c.color >= 0 ? legend : null });
  const x = numeric
    ? { field: "at", type: "quantitative", title: axisTitle(xAxis), scale: { zero: false, nice: false, padding: 14 }, axis: { values: xAxis.numbers, grid: false, labelOverlap: "greedy", labelExpr: "format(datum.value, '~g')" } }
    : { field: "x", type: "nominal", sort: xAxis.levels, title: xAxis.name, axis: { labelAngle: xAxis.levels.some((l) => l.length * 7 > panel / xAxis.levels.length) ? -35 : 0 } };
  const offset = numeric ? {} : { xOffset: { field: "color", type: "nominal", sort: levels } };
  const dash = coded(styles.map((s) => (s.dash.length ? s.dash : [1, 0])));
  const y = (field) => ({ field, type: "quantitative", title, scale: { type: log ? "log" : "linear", zero: !log && !numeric, nice: true }, axis: { tickCount: 5, ...axisNumbers(log) } });
  const spec = {
    width: panel, height: 260,
    encoding: { x, ...offset, color: coded(styles.map((s) => s.color)) },
    layer: [
      ...(numeric ? [{ transform: [{ filter: "isValid(datum.mean)" }], mark: { type: "line" }, encoding: { y: y("mean"), strokeDash: dash } }] : []),
      { transform: [{ filter: "isValid(datum.low)" }], mark: { type: "rule", strokeWidth: 1.6 }, encoding: { y: y("low"), y2: { field: "high" } } },
      { transform: [{ filter: "isValid(datum.low)" }], mark: { type: "tick", orient: "horizontal", size: 8, thickness: 1.6 }, encoding: { y: y("low") } },
      { transform: [{ filter: "isValid(datum.low)" }], mark: { type: "tick", orient: "horizontal", size: 8, thickness: 1.6 }, encoding: { y: y("high") } },
      { transform: [{ filter: "isValid(datum.mean)" }], mark: { type: "point", size: 62, strokeWidth: 1.7, opacity: 1, tooltip: true }, encoding: {
        y: y("mean"), shape: coded(styles.map((s) => s.shape)), tooltip: studyTip(title),
        fill: { condition: { test: "datum.but !== ''", value: t.bg }, field: "color", type: "nominal", scale: { domain: levels, range: styles.map((s) => s.color) }, legend: null },
      } },
    ],
  };
  return {
    spec: c.facet >= 0
      ? { data: { values }, facet: { field: "facet", type: "nominal", sort: data.axes[c.facet].levels, title: data.axes[c.facet].name }, columns, spacing: 26, spec }
      : { data: { values }, ...spec },
    label: `Chart of ${title} over ${xAxis.name}${c.color >= 0 ? `, a line for each ${data.axes[c.color].name}` : ""}. ${describe(values.map((v) => [v.cell, v.text]), 6)}`,
    table: studyTable(values, title),
    notes: [{ text: metric.neutral ? "Neither less nor more is better." : metric.lower ? "Less is better." : "More is better." }, ...studyNotes(values, "Hollow points are less than they seem")],
  };
}

function axisTitle(a) { return a.unit ? `${a.name} (${a.unit})` : a.name; }

function studyHeat(width, t) {
  const { values, metric, title } = studyValues();
  const c = studyChoice;
  const xAxis = data.axes[c.x];
  const levels = c.color >= 0 ? data.axes[c.color].levels : ["all"];
  const { columns } = facetsOf(width, 320);
  const longest = Math.min(Math.max(...levels.map((l) => l.length)) * 7, 160);
  const step = Math.max(Math.min(Math.floor(((width - longest - 60 - 26 * (columns - 1)) / columns) / xAxis.levels.length), 110), 46);
  const known = values.map((v) => v.mean).filter((v) => v !== null);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const log = least > 0 && most / least > 50;
  // Texts are in the page's or the opposite colour, whichever shows on the cell.
  for (const v of values) {
    v.mark = v.text + (v.but ? " ⚠" : "");
    const share = v.mean === null || most === least ? 0 : log ? Math.log(v.mean / least) / Math.log(most / least) : (v.mean - least) / (most - least);
    v.lettering = letteringOn(rampColor(t.ramp, share));
  }
  const spec = {
    width: { step }, height: { step: 30 },
    encoding: {
      x: { field: "x", type: "nominal", sort: xAxis.levels, title: axisTitle(xAxis), axis: { labelAngle: 0, domain: false, ticks: false, labelLimit: step } },
      y: { field: "color", type: "nominal", sort: levels, title: null, axis: { domain: false, ticks: false, labelLimit: 160, ...(c.color < 0 ? { labels: false } : {}) } },
    },
    layer: [
      { mark: { type: "rect", stroke: t.bg, strokeWidth: 2, cornerRadius: 3, tooltip: true, invalid: null }, encoding: {
        color: { condition: { test: "!isValid(datum.mean)", value: t.panel }, field: "mean", type: "quantitative", title, scale: { type: log ? "log" : "linear", range: t.ramp, interpolate: "rgb", domain: known.length ? [least, most] : [0, 1], zero: false, nice: false }, legend: { gradientLength: 180, gradientThickness: 9, ...axisNumbers(log), tickCount: 4, titleLimit: 300 } },
        tooltip: studyTip(title) } },
      { mark: { type: "text", fontSize: 12, color: { expr: "datum.lettering" } }, encoding: { text: { field: "mark" } } },
    ],
  };
  return {
    spec: c.facet >= 0
      ? { data: { values }, facet: { field: "facet", type: "nominal", sort: data.axes[c.facet].levels, title: data.axes[c.facet].name }, columns, spacing: 26, spec }
      : { data: { values }, ...spec },
    label: `Heat map of ${title} by ${xAxis.name}${c.color >= 0 ? ` and ${data.axes[c.color].name}` : ""}. ${describe(values.map((v) => [v.cell, v.text]), 6)}`,
    table: studyTable(values, title),
    notes: studyNotes(values, "Cells with ⚠ are less than they seem"),
  };
}

// letteringOn returns black or white, whichever has more contrast.
function letteringOn(color) {
  const channel = (o) => {
    const v = parseInt(color.slice(o, o + 2), 16) / 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  };
  const light = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
  return light > 0.19 ? "#111418" : "#ffffff";
}

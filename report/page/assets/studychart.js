// The metrics of a study over its axes: a chart with lines and intervals, and a heat map.
// Both show the axes that the reader chooses; what is on no axis has a level chosen. At first
// colours are the variants, and all cells are shown: what is left makes a panel for each
// combination.

// eachCombination has a panel for each combination of what is on no other axis.
const eachCombination = -2;

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
  const others = axes.filter((a) => a.i !== data.axis);
  studyChoice.x = (others.find((a) => a.numbers) ?? others[others.length - 1] ?? axes[0]).i;
  const rest = axes.filter((a) => a.i !== studyChoice.x);
  studyChoice.color = (rest.find((a) => a.i === data.axis) ?? rest[0])?.i ?? -1;
  const left = rest.filter((a) => a.i !== studyChoice.color);
  studyChoice.facet = left.length > 1 ? eachCombination : left[0]?.i ?? -1;
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
  if (axes.length > 2) nodes.push(choice("Panels", [...none, ...(axes.length > 3 ? [[eachCombination, "each combination"]] : []), ...options.filter(([i]) => i !== c.x && i !== c.color)], c.facet, set("facet")));
  for (const a of axes) {
    if ([c.x, c.color, c.facet].includes(a.i) || c.facet === eachCombination) continue;
    c.fixed[a.i] ??= 0;
    nodes.push(choice(`${a.name} is`, a.levels.map((l, i) => [i, l]), c.fixed[a.i], (v) => { c.fixed[a.i] = Number(v); changed(); }));
  }
  box.replaceChildren(...nodes.map((n) => n.node));
  if (focused >= 0) nodes[Math.min(focused, nodes.length - 1)].select.focus();
}

// facetAxes are the axes that panels differ in.
function facetAxes() {
  const c = studyChoice;
  if (c.facet === eachCombination) return data.axes.map((_, i) => i).filter((i) => i !== c.x && i !== c.color && data.axes[i].levels.length > 1);
  return c.facet >= 0 ? [c.facet] : [];
}

const facetName = (levels, axes) => axes.map((i) => (axes.length > 1 ? `${data.axes[i].name} ${data.axes[i].levels[levels[i]]}` : data.axes[i].levels[levels[i]])).join(", ");

// studyValues are the cells that are chosen, with their numbers, and the panels they are in.
function studyValues() {
  const c = studyChoice;
  const faceted = facetAxes();
  const used = [c.x, c.color, ...faceted];
  const metric = data.metrics[c.metric];
  const values = [];
  const facets = [];
  data.rows.forEach((row) => {
    const chosen = data.axes.every((a, i) => used.includes(i) || a.levels.length < 2 || row.levels[i] === c.fixed[i]);
    if (!chosen) return;
    const [n, mean, low, high] = row.estimates[c.metric] ?? [0, null, null, null];
    const but = [];
    if (row.partial) but.push(`${row.partial} of ${row.runs} cut short`);
    if (row.failed) but.push(`${row.failed} of ${row.runs} failed`);
    const [messages, unfinished] = row.unfinished[groupOf(metric)] ?? [0, 0];
    if (unfinished) but.push(`${number(unfinished)} of ${number(messages)} unfinished`);
    if (row.marks) but.push(row.marks);
    const xAxis = data.axes[c.x];
    const instead = insteadOf(row, c.metric);
    const facet = facetName(row.levels, faceted);
    if (!facets.includes(facet)) facets.push(facet);
    values.push({
      cell: row.name, barred: Boolean(row.barred), panel: row.panel, n, mean, low, high, instead, less: but.join(", "),
      x: xAxis.levels[row.levels[c.x]], at: xAxis.numbers?.[row.levels[c.x]] ?? null, place: c.color >= 0 ? row.levels[c.color] : 0,
      color: c.color >= 0 ? data.axes[c.color].levels[row.levels[c.color]] : "all", facet,
      text: mean === null ? instead || "none" : String(Number(mean.toPrecision(3))),
    });
  });
  return { values, facets, metric, title: metric.unit ? `${metric.title} (${metric.unit})` : metric.title };
}

const studyColumns = (title) => ["cell", title, ...data.ends, "seeds", "unfinished, cut short or failed"];
const studyTable = (values, title) => ({ columns: studyColumns(title), rows: values.map((v) => [v.cell, v.mean ?? v.text, v.low, v.high, v.n, v.less]) });

// studyNotes says which cells have something else in the place of a value.
function studyNotes(values, sign) {
  const bad = values.filter((v) => v.instead);
  if (!bad.length) return [];
  const named = bad.slice(0, 4).map((v) => `${v.cell} (${v.less || v.instead})`).join("; ");
  return [{ warn: true, text: `${sign}: ${named}${bad.length > 4 ? `; and ${bad.length - 4} more, in the table below` : ""}.` }];
}

// studyFacets repeats a specification for each panel.
function studyFacets(values, facets, columns, spec, panel) {
  const axes = facetAxes();
  if (!axes.length) return { data: { values }, ...spec };
  const title = axes.length > 1 ? null : data.axes[axes[0]].name;
  return { data: { values }, facet: { field: "facet", type: "nominal", sort: facets, title, header: { labelLimit: panel + 30 } }, columns, spacing: 26, spec };
}

function facetsOf(width, least, n) {
  if (!facetAxes().length) return { columns: 1, panel: Math.max(width - 80, 140) };
  const columns = evenColumns(n, Math.floor(width / least));
  return { columns, panel: Math.max(Math.floor((width - 70 - 30 * columns) / columns), 140) };
}

const studyTip = (title) => [{ field: "cell" }, { field: "mean", title }, { field: "low", title: data.ends[0] }, { field: "high", title: data.ends[1] }, { field: "n", title: "seeds" }, { field: "instead" }, { field: "less", title: "but" }];

function studyChart(width, t) {
  const { values, facets, metric, title } = studyValues();
  const c = studyChoice;
  const xAxis = data.axes[c.x];
  const levels = c.color >= 0 ? data.axes[c.color].levels : ["all"];
  const styles = levels.map((_, i) => styleOf(i, t));
  const numeric = Boolean(xAxis.numbers);
  const { columns, panel } = facetsOf(width, 320, facets.length);
  const known = values.flatMap((v) => [v.mean, v.low, v.high]).filter((v) => v !== null);
  const log = known.length > 0 && Math.min(...known) > 0 && Math.max(...known) / Math.min(...known) > 50;
  const legend = { ...legendOf(levels, width - 160), title: c.color >= 0 ? data.axes[c.color].name : null };
  const coded = (range) => ({ field: "color", type: "nominal", sort: null, scale: { domain: levels, range }, legend: c.color >= 0 ? legend : null });
  const x = numeric
    ? { field: "at", type: "quantitative", title: xAxis.name, scale: { zero: false, nice: false, padding: 14, ...(evenInLog(xAxis.numbers) ? { type: "log" } : {}) }, axis: { values: xAxis.numbers, grid: false, labelOverlap: "greedy", labelExpr: levelLabels(xAxis) } }
    : { field: "x", type: "nominal", sort: xAxis.levels, title: xAxis.name, axis: { labelAngle: xAxis.levels.some((l) => l.length * 7 > panel / xAxis.levels.length) ? -35 : 0 } };
  const offset = numeric ? {} : { xOffset: { field: "color", type: "nominal", sort: levels } };
  const dash = coded(styles.map((s) => (s.dash.length ? s.dash : [1, 0])));
  const y = (field) => ({ field, type: "quantitative", title, scale: { type: log ? "log" : "linear", zero: !log && !numeric, nice: true }, axis: { tickCount: 5, ...axisNumbers(log) } });
  const spec = {
    width: panel, height: 260,
    encoding: { x, ...offset, color: coded(styles.map((s) => s.color)) },
    layer: [
      ...(numeric ? [{ mark: { type: "line", invalid: "break-paths-filter-domains" }, encoding: { y: y("mean"), strokeDash: dash } }] : []),
      { transform: [{ filter: "isValid(datum.low)" }], mark: { type: "rule", strokeWidth: 1.6 }, encoding: { y: y("low"), y2: { field: "high" } } },
      { transform: [{ filter: "isValid(datum.low)" }], mark: { type: "tick", orient: "horizontal", size: 8, thickness: 1.6 }, encoding: { y: y("low") } },
      { transform: [{ filter: "isValid(datum.low)" }], mark: { type: "tick", orient: "horizontal", size: 8, thickness: 1.6 }, encoding: { y: y("high") } },
      { transform: [{ filter: "isValid(datum.mean)" }], mark: { type: "point", size: 62, strokeWidth: 1.7, opacity: 1, tooltip: true }, encoding: {
        y: y("mean"), shape: coded(styles.map((s) => s.shape)), tooltip: studyTip(title),
        fill: coded(styles.map((s) => s.color)),
      } },
      // A ring is around what is not ranked.
      { transform: [{ filter: "datum.barred && isValid(datum.mean)" }], mark: { type: "point", shape: "circle", size: 190, strokeWidth: 1.4, opacity: 1, filled: false, tooltip: true }, encoding: { y: y("mean"), color: { value: t.warn }, tooltip: studyTip(title) } },
      // What did not finish stands where it is worse, beside or below the others.
      { transform: [{ filter: "datum.instead !== ''" }], mark: { type: "text", text: "✕", fontSize: 12, fontWeight: "bold", tooltip: true, ...(numeric ? { dy: { expr: `datum.place * ${metric.lower ? 11 : -11}` } } : {}) }, encoding: {
        y: { value: metric.lower ? 7 : 260 - 7 }, tooltip: studyTip(title),
      } },
    ],
  };
  return {
    spec: studyFacets(values, facets, columns, spec, panel),
    label: `Chart of ${title} over ${xAxis.name}${c.color >= 0 ? `, a line for each ${data.axes[c.color].name}` : ""}. ${describe(values.map((v) => [v.cell, v.text]), 6)}`,
    table: studyTable(values, title),
    notes: [{ text: metric.neutral ? "Neither less nor more is better." : metric.lower ? "Less is better." : "More is better." }, ...studyNotes(values, "✕ has no value"), ...(values.some((v) => v.barred && v.mean !== null) ? [{ warn: true, text: "A ring is around what is not ranked." }] : [])],
  };
}

// levelLabels writes the labels of an axis of numbers as the scenario has them.
function levelLabels(a) {
  return a.numbers.map((v, i) => `datum.value === ${v} ? ${JSON.stringify(a.levels[i])} : `).join("") + "format(datum.value, '~g')";
}

// evenInLog tells whether numbers are spaced more evenly on a logarithmic axis.
function evenInLog(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  if (sorted.length < 3 || sorted[0] <= 0) return false;
  const unevenness = (of) => {
    const steps = sorted.slice(1).map((v, i) => of(v) - of(sorted[i]));
    return Math.max(...steps) / Math.min(...steps);
  };
  return unevenness(Math.log) < unevenness((v) => v);
}

// costs says of each value how many times worse it is than the best that it can be compared
// with, at the same levels of all axes but that of the variants. Where 0 is a value, 1 is
// added to both. Null where there is no order.
function costs(values, metric) {
  if (metric.neutral || data.axis < 0 || data.variants.length < 2) return null;
  const zero = data.rows.some((r) => r.estimates[studyChoice.metric]?.[1] === 0) ? 1 : 0;
  const best = new Map();
  for (const row of data.rows) {
    const mean = row.estimates[studyChoice.metric]?.[1] ?? null;
    if (mean === null || row.barred) continue;
    const known = best.get(row.panel);
    if (known === undefined || (metric.lower ? mean < known : mean > known)) best.set(row.panel, mean);
  }
  return values.map((v) => {
    if (v.mean === null || v.barred) return null;
    const [a, b] = metric.lower ? [v.mean, best.get(v.panel)] : [best.get(v.panel), v.mean];
    return (a + zero) / (b + zero);
  });
}

function studyHeat(width, t) {
  const { values, facets, metric, title } = studyValues();
  const c = studyChoice;
  const xAxis = data.axes[c.x];
  const levels = c.color >= 0 ? data.axes[c.color].levels : ["all"];
  const { columns, panel } = facetsOf(width, 320, facets.length);
  const longest = Math.min(Math.max(...levels.map((l) => l.length)) * 7, 160);
  const step = Math.max(Math.min(Math.floor(((width - longest - 60 - 26 * (columns - 1)) / columns) / xAxis.levels.length), 110), 46);
  const ratios = costs(values, metric);
  values.forEach((v, i) => { v.cost = ratios ? ratios[i] : v.mean; });
  const known = values.map((v) => v.cost).filter((v) => v !== null && Number.isFinite(v));
  const [least, most] = [Math.min(...known), Math.max(...known, ratios ? 1.05 : -Infinity)];
  const log = known.length > 0 && least > 0 && (ratios !== null || most / least > 50);
  // Texts are in the page's or the opposite colour, whichever shows on the cell.
  for (const v of values) {
    v.mark = v.instead ? (step < 70 ? "unfin." : v.instead) : v.text;
    if (v.instead && v.instead !== "unfinished") v.mark = v.instead;
    const share = v.cost === null || most === least ? 0 : log ? Math.log(v.cost / least) / Math.log(most / least) : (v.cost - least) / (most - least);
    v.lettering = v.mean === null ? t.warn : letteringOn(rampColor(t.ramp, share));
  }
  const legendTitle = ratios ? "times the best of the same column and panel" : title;
  const spec = {
    width: { step }, height: { step: 30 },
    encoding: {
      x: { field: "x", type: "nominal", sort: xAxis.levels, title: xAxis.name, axis: { labelAngle: 0, domain: false, ticks: false, labelLimit: step } },
      y: { field: "color", type: "nominal", sort: levels, title: null, axis: { domain: false, ticks: false, labelLimit: 160, ...(c.color < 0 ? { labels: false } : {}) } },
    },
    layer: [
      { mark: { type: "rect", stroke: t.bg, strokeWidth: 2, cornerRadius: 3, tooltip: true, invalid: null }, encoding: {
        color: { condition: { test: "!isValid(datum.cost)", value: t.warnBg }, field: "cost", type: "quantitative", title: legendTitle, scale: { type: log ? "log" : "linear", range: t.ramp, interpolate: "rgb", domain: known.length ? [least, most] : [0, 1], zero: false, nice: false }, legend: { gradientLength: 180, gradientThickness: 9, ...axisNumbers(log && most / least > 50), ...(ratios && most < 10 ? { format: ".2~f" } : {}), tickCount: 4, titleLimit: 300 } },
        tooltip: [...studyTip(title), ...(ratios ? [{ field: "cost", title: "times the best" }] : [])] } },
      { mark: { type: "text", fontSize: 12, color: { expr: "datum.lettering" } }, encoding: { text: { field: "mark" } } },
    ],
  };
  return {
    spec: studyFacets(values, facets, columns, spec, panel),
    label: `Heat map of ${title} by ${xAxis.name}${c.color >= 0 ? ` and ${data.axes[c.color].name}` : ""}. ${describe(values.map((v) => [v.cell, v.text]), 6)}`,
    table: studyTable(values, title),
    notes: [
      ...(ratios ? [{ text: "Numbers are values. Colours show how many times worse a value is than the best at the same levels of the other axes." }] : []),
      ...studyNotes(values, "Without a value"),
    ],
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

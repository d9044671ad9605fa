// Timelines of ports, of connections and of where credit is, by uPlot: one or two variants side by side, all with
// the same axes and one cursor.

// panelKinds are the panels from top to bottom, with the series they show and what these are
// of. The thin dashed line of a port is what it accepted, the plain one what it transmitted.
const panelKinds = [
  { id: "rate", title: `rate (${data.rate_unit}): transmitted, and accepted dashed`, kinds: ["transmitted", "accepted"], unit: data.rate_unit, of: "ports" },
  { id: "queue", title: "queue (kB)", kinds: ["queue"], unit: "kB", of: "ports" },
  { id: "dropped", title: "drops (frames per bucket)", kinds: ["dropped"], unit: "frames", of: "ports" },
  { id: "paused", title: "paused (% of time)", kinds: ["paused"], unit: "%", of: "ports" },
  { id: "window", title: "congestion window (kB), and in flight dashed", kinds: ["window", "in_flight"], unit: "kB", of: "connections" },
  { id: "pace", title: `pace that the congestion control sets (${data.rate_unit})`, kinds: ["pace"], unit: data.rate_unit, of: "connections" },
  { id: "credit", title: "credit of all hosts (kB), by place", kinds: ["credit"], unit: "kB", of: "places" },
];
const kindNames = { transmitted: "transmitted", accepted: "accepted", queue: "queue", dropped: "drops", paused: "paused", window: "window", in_flight: "in flight", pace: "pace", credit: "credit" };

// families are what series are of: how they are called, and how many are shown at first.
const families = [
  { key: "ports", label: "Ports", most: 8 },
  { key: "connections", label: "Connections", most: 4 },
  { key: "places", label: "Credit", most: 3 },
];

function timelinesSection() {
  const section = document.getElementById("timelines");
  if (!data.timelines?.length) {
    absent(section, "No time series were recorded. Name ports under record: ports: in the scenario, as in \"tor0->spine*\", and run it again.");
    return;
  }
  const runs = data.timelines.length > 1 ? [0, data.timelines.length - 1] : [0];
  const state = { runs, plots: [] };
  for (const family of families) state[family.key] = firstEntities(family, runs);
  const figure = new Figure({
    id: "timeline", title: `${timelineTitle()} over time`, parent: section,
    draw: (f, width) => drawTimelines(state, f, width),
    asSVG: (f) => new XMLSerializer().serializeToString(timelineSVG(timelineScene(state, Math.max(f.width(), 640), theme()))),
  });
  figure.canvas.classList.add("screen-only");
  state.paper = el("div", { class: "print-only" });
  state.readout = el("div", { class: "screen-only" });
  state.legend = el("ul", { class: "legend screen-only", "aria-label": "Legend" });
  figure.canvas.before(state.legend);
  figure.canvas.after(state.paper, state.readout);
  timelineControls(state, figure);
  explainTimelines();
}

function timelineControls(state, figure) {
  const options = data.timelines.map((run, i) => [i, data.rows[run.row].name]);
  const redraw = () => figure.draw();
  const first = choice("Variant", options, state.runs[0], (v) => { state.runs[0] = Number(v); redraw(); });
  figure.control(first.node);
  if (options.length > 1) {
    const second = choice("Beside it", [[-1, "none"], ...options], state.runs[1], (v) => {
      state.runs = v === "-1" ? [state.runs[0]] : [state.runs[0], Number(v)];
      redraw();
    });
    figure.control(second.node);
  }
  const pickers = el("div", { class: "pickers picker" });
  for (const { key, label } of families) {
    const names = allEntities(key);
    if (names.length > 1) pickers.append(entityPicker(state, key, label, names, redraw));
  }
  figure.controls.after(pickers);
  state.slider = el("input", { type: "range", id: "time-slider", min: "0", max: "1000", value: "0", step: "1" });
  state.output = el("output", { for: "time-slider" });
  state.slider.addEventListener("input", () => moveTime(state, Number(state.slider.value)));
  state.readout.before(el("div", { class: "slider screen-only" }, el("label", { for: "time-slider" }, "Values at"), state.slider, state.output));
}

// timelineTitle lists what there are timelines of.
function timelineTitle() {
  const names = families.filter((f) => allEntities(f.key).length).map((f) => f.label.toLowerCase());
  const text = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];
  return text[0].toUpperCase() + text.slice(1);
}

// entityPicker chooses ports, connections or places.
function entityPicker(state, key, label, names, redraw) {
  const said = () => `${label} shown: ${state[key].length} of ${names.length}`;
  const summary = el("summary", {}, said());
  const boxes = names.map((name) => {
    const box = el("input", { type: "checkbox", value: name, checked: state[key].includes(name) });
    box.addEventListener("change", () => {
      state[key] = names.filter((_, i) => boxes[i].checked);
      summary.textContent = said();
      redraw();
    });
    return box;
  });
  return el("details", { class: "picker" }, summary, el("fieldset", { class: "pick" }, el("legend", {}, `${label} shown`),
    el("div", { class: "many" }, ...boxes.map((b, i) => el("label", {}, b, names[i])))));
}

const familyOf = (line) => panelKinds.find((p) => p.kinds.includes(line.kind))?.of;

// allEntities are those of a family in all runs, spine2 before spine10.
function allEntities(key) {
  const names = new Set(data.timelines.flatMap((run) => run.lines.filter((l) => familyOf(l) === key).map((l) => l.entity)));
  return [...names].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
}

// hottestEntities are those of a family, those that did most first, by turns of the runs.
function hottestEntities(key, runs) {
  const of = runs.map((i) => {
    const own = new Set(data.timelines[i].lines.filter((l) => familyOf(l) === key).map((l) => l.entity));
    return data.timelines[i].hottest.filter((name) => own.has(name));
  });
  const list = new Set();
  for (let i = 0; of.some((names) => i < names.length); i++) for (const names of of) if (i < names.length) list.add(names[i]);
  return [...list];
}

// firstEntities are those shown at first: the hottest of the runs shown, so many in all.
function firstEntities({ key, most }, runs) {
  const chosen = new Set(hottestEntities(key, runs).slice(0, most));
  return allEntities(key).filter((name) => chosen.has(name));
}

// timelineScene gathers what is to be drawn: a column a run, with panels on common axes.
function timelineScene(state, width, t) {
  const runs = state.runs.map((i) => data.timelines[i]);
  const ends = runs.map((run) => Math.max(...run.lines.map((l) => l.values.length)) * run.step);
  const to = Math.max(...ends);
  const styles = new Map();
  for (const { key } of families) {
    // The hottest have the first colours, whichever are shown.
    const names = hottestEntities(key, data.timelines.map((_, i) => i));
    for (const name of state[key]) styles.set(`${key}:${name}`, styleOf(names.indexOf(name), t));
  }
  const kinds = panelKinds.filter((p) => runs.some((run) => run.lines.some((l) => p.kinds.includes(l.kind))));
  const columns = runs.map((run) => ({
    title: `${rowTitle(run.row)}, seed ${run.seed}`,
    run,
    panels: kinds.map((p) => panelOf(run, p, state, styles, to)),
  }));
  kinds.forEach((_, j) => {
    const high = Math.max(0, ...columns.flatMap((c) => c.panels[j].lines.flatMap((l) => l.values.filter((v) => v !== null))));
    for (const c of columns) c.panels[j].high = high * 1.04 || 1;
  });
  const legend = [];
  const shown = families.filter((f) => kinds.some((k) => k.of === f.key));
  for (const [key, name] of shown.flatMap((f) => state[f.key].map((n) => [f.key, n]))) {
    const s = styles.get(`${key}:${name}`);
    legend.push({ name, color: s.color, dash: s.dash });
  }
  return { columns, legend, marks: runs.map((run) => run.marks), scale: timeScale(to), width, t };
}

function panelOf(run, kind, state, styles, to) {
  const lines = run.lines.filter((l) => kind.kinds.includes(l.kind) && state[kind.of].includes(l.entity)).map((l) => {
    const style = styles.get(`${kind.of}:${l.entity}`);
    const second = kind.kinds.indexOf(l.kind) === 1;
    return { name: `${l.entity} ${kindNames[l.kind]}`, entity: l.entity, kind: l.kind, values: l.values, color: style.color, dash: second ? [3, 3] : style.dash, width: second ? 1 : 1.5 };
  });
  const n = Math.max(0, ...run.lines.map((l) => l.values.length));
  return { id: kind.id, title: kind.title, unit: kind.unit, x: Array.from({ length: n }, (_, i) => i * run.step), lines, from: 0, to, low: 0, high: 1 };
}

function drawTimelines(state, figure, width) {
  const t = theme();
  const scene = timelineScene(state, width, t);
  for (const plot of state.plots) plot.destroy();
  state.plots = [];
  state.scene = scene;
  // On a phone, columns stand below each other.
  state.two = scene.columns.length > 1 && width >= 640;
  const box = el("div", { class: `columns${state.two ? " two" : ""}` });
  figure.canvas.replaceChildren(box);
  const columnWidth = state.two ? Math.floor((width - 26) / 2) : width;
  scene.columns.forEach((column, i) => {
    const place = el("div", {}, el("h4", {}, column.title));
    box.append(place);
    column.panels.forEach((panel, j) => {
      place.append(el("p", { class: "panel-title" }, panel.title));
      state.plots.push(plotPanel(panel, place, columnWidth, scene, i, j === column.panels.length - 1, state));
    });
  });
  state.legend.replaceChildren(...scene.legend.map((e) => el("li", {}, legendLine(e), e.name)));
  state.paper.replaceChildren(timelineSVG({ ...scene, width: Math.min(width, paperWidth) }));
  moveTime(state, Number(state.slider.value));
  const marks = [...new Set(scene.marks.flat().map((m) => `${timeText(m.at)}: ${m.what}`))];
  return {
    label: `Timelines of ${families.filter((f) => state[f.key].length).map((f) => `${state[f.key].length} ${f.label.toLowerCase()}`).join(", ")} in ${scene.columns.map((c) => c.title).join(" and ")}: ${scene.columns[0].panels.map((p) => p.title).join("; ")}. The slider below reads values out.`,
    table: timelineTable(scene),
    notes: [
      ...(marks.length ? [{ text: `Dashed vertical lines: ${marks.slice(0, 6).join("; ")}${marks.length > 6 ? `; and ${marks.length - 6} more` : ""}.` }] : []),
      ...unfinishedNotes([...new Set(scene.columns.map((c) => c.run.row))]),
    ],
  };
}

function legendLine(e) {
  return svg("svg", { width: 26, height: 10, "aria-hidden": "true" },
    svg("line", { x1: 0, x2: 26, y1: 5, y2: 5, stroke: e.color, "stroke-width": 2, "stroke-dasharray": e.dash.length ? e.dash.join(" ") : null }));
}

function plotPanel(panel, parent, width, scene, column, last, state) {
  const { t, scale } = scene;
  const font = `11px ${fontFamily}`;
  const axis = { stroke: t.ink, font, grid: { stroke: t.grid, width: 1 }, ticks: { stroke: t.muted, width: 1, size: 4 } };
  return new uPlot({
    width, height: last ? 168 : 136,
    padding: [6, 20, 0, 0],
    legend: { show: false },
    cursor: { y: false, sync: { key: "weft" }, drag: { x: true, y: false }, points: { size: 5 } },
    scales: { x: { time: false, range: [panel.from, panel.to] }, y: { range: [panel.low, panel.high] } },
    axes: [
      { ...axis, size: last ? 24 : 10, labelFont: font, labelSize: 18, labelGap: 0, label: last ? `time (${scale.unit})` : null, values: (_, ticks) => (last ? ticks.map((v) => number(v / scale.divisor)) : ticks.map(() => "")) },
      { ...axis, size: 52, values: (_, ticks) => ticks.map((v) => v.toLocaleString("en")) },
    ],
    series: [{}, ...panel.lines.map((l) => ({ label: l.name, stroke: l.color, width: l.width, dash: l.dash.length ? l.dash : undefined, points: { show: false } }))],
    hooks: {
      draw: [(u) => drawMarks(u, scene.marks[column], t)],
      setCursor: [(u) => { if (u.cursor.event && u.cursor.idx !== null) readTime(state, u.posToVal(u.cursor.left, "x")); }],
    },
  }, [panel.x, ...panel.lines.map((l) => padded(l.values, panel.x.length))], parent);
}

// padded fills up a series that ends early: nothing happened after it.
function padded(values, n) { return values.length < n ? [...values, ...new Array(n - values.length).fill(null)] : values; }

function drawMarks(u, marks, t) {
  const { ctx } = u;
  ctx.save();
  ctx.strokeStyle = t.ink;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
  for (const mark of marks) {
    const x = Math.round(u.valToPos(mark.at, "x", true));
    if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, u.bbox.top);
    ctx.lineTo(x, u.bbox.top + u.bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

// moveTime puts the cursor of all plots at a thousandth of the time.
function moveTime(state, thousandth) {
  const { to } = state.scene.columns[0].panels[0];
  const at = (thousandth / 1000) * to;
  for (const u of state.plots) u.setCursor({ left: u.valToPos(at, "x"), top: 0 }, false);
  readTime(state, at);
}

// readTime writes the values at a time, a row an entity, and moves the slider there.
function readTime(state, at) {
  const { columns, scale } = state.scene;
  const { to } = columns[0].panels[0];
  state.slider.value = String(Math.round((at / to) * 1000));
  const text = `${number(Number((at / scale.divisor).toPrecision(4)))} ${scale.unit}`;
  state.output.textContent = text;
  state.slider.setAttribute("aria-valuetext", text);
  const valueAt = (line, run) => line?.values[Math.min(Math.floor(at / run.step), line.values.length - 1)];
  const tables = columns.map((c) => {
    const kinds = [...new Set(c.panels.flatMap((p) => p.lines.map((l) => l.kind)))];
    const entities = [...new Set(c.panels.flatMap((p) => p.lines.map((l) => l.entity)))];
    const lines = c.panels.flatMap((p) => p.lines.map((l) => ({ ...l, unit: p.unit })));
    const find = (e, k) => lines.find((l) => l.entity === e && l.kind === k);
    return el("table", { class: "plain" },
      el("caption", { class: "hidden" }, `Values at ${text} in ${c.title}`),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, ""), ...kinds.map((k) => el("th", { scope: "col", class: "n" }, `${kindNames[k] ?? k} ${lines.find((l) => l.kind === k).unit}`)))),
      el("tbody", {}, ...entities.map((e) => el("tr", {}, el("th", { scope: "row" }, e), ...kinds.map((k) => el("td", { class: "n" }, find(e, k) ? number(valueAt(find(e, k), c.run)) : ""))))));
  });
  state.readout.replaceChildren(el("details", { class: "readout", open: state.readoutOpen, ontoggle: (e) => { state.readoutOpen = e.target.open; } },
    el("summary", {}, "Values at the cursor"), el("div", { class: `columns${state.two ? " two" : ""}` },
      ...tables.map((table, i) => el("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": `Values at the cursor in ${columns[i].title}` }, table)))));
}

function timelineTable(scene) {
  const rows = [];
  for (const { run, panels } of scene.columns) {
    for (const panel of panels) {
      for (const line of panel.lines) {
        line.values.forEach((v, i) => { if (v !== null) rows.push([data.rows[run.row].name, line.kind, line.entity, Number((i * run.step).toPrecision(8)), v, panel.unit]); });
      }
    }
  }
  return { columns: ["variant", "kind", "entity", "time (µs)", "value", "unit"], rows };
}

function explainTimelines() {
  const spans = [...new Set(data.timelines.filter((r) => r.span > 1).map((r) => r.span))];
  if (spans.length) {
    const run = data.timelines.find((r) => r.span > 1);
    thinnedRules.push(`Timelines: two points stand for ${spans.join(" or ")} recorded buckets of ${timeText(run.bucket)}: their smallest and largest value, in order. Every peak and dip stays, at most that far from its place.`);
  }
  const left = {};
  for (const run of data.timelines) for (const [kind, n] of Object.entries(run.left ?? {})) left[kind] = Math.max(left[kind] ?? 0, n);
  for (const [kind, n] of Object.entries(left)) thinnedRules.push(`Timelines: ${n} recorded series of ${kindNames[kind] ?? kind} are left out; the busiest are kept.`);
  thinnedRules.push("Timelines show the first seed of each variant, with four significant digits.");
}

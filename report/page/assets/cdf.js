// Distributions of completion times and slowdowns. Messages that did not finish count, so
// that their curve ends below 1.

// slowdownTitle says what slowdowns are over.
const slowdownTitle = "slowdown (ideal without headers)";

function cdfSection() {
  const section = document.getElementById("distributions");
  const groups = data.groups.filter((g) => g.rows.some((r) => r && r.fct.values.length));
  if (!groups.length) {
    absent(section, "No measured message finished.");
    return;
  }
  const pair = el("div", { class: panelCount > 1 ? "" : "pair" });
  let group = groups[0];
  let tail = "cdf";
  const charts = [
    cdfFigure(pair, "cdf-fct", "FCT", "fct", () => [group, tail]),
    cdfFigure(pair, "cdf-slowdown", "Slowdown", "slowdown", () => [group, tail]),
  ];
  const redraw = () => { for (const c of charts) c.draw(); };
  const controls = el("div", { class: "controls" },
    choice("Shown as", [["cdf", "share finished within a time (CDF)"], ["tail", "share that took longer (CCDF, log)"]], tail, (v) => { tail = v; redraw(); }).node);
  if (groups.length > 1) {
    controls.append(choice("Traffic", groups.map((g, i) => [i, groupText(g.name)]), 0, (v) => { group = groups[v]; redraw(); }).node);
  }
  section.append(controls, pair);
  thinnedRules.push("Distributions: a curve keeps at most 300 points (40 with many variants), half spaced evenly in share and half along the tail. The first and the last are among them. Every point is exact.");
}

function cdfFigure(parent, id, title, quantity, chosen) {
  const figure = vegaFigure({
    id, title, parent,
    build(width, t) {
      const [group, shape] = chosen();
      return cdfChart(group, quantity, shape === "tail", width, t);
    },
  });
  figure.followsRows = true;
  return figure;
}

function cdfChart(group, quantity, tail, width, t) {
  const rows = shownRows().filter((i) => group.rows[i]?.[quantity].values.length);
  const all = rows.flatMap((i) => group.rows[i][quantity].values);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const scale = quantity === "fct" ? timeScale(most) : { unit: "", divisor: 1 };
  const log = least > 0 && most / least > 20;
  const values = [];
  const named = (i) => ({ variant: variantName(data.rows[i]), panel: panelName(data.rows[i]) });
  for (const i of rows) {
    const { values: at, shares } = group.rows[i][quantity];
    // A curve begins at 0, at its first value.
    if (!tail) values.push({ ...named(i), value: at[0] / scale.divisor, share: 0 });
    at.forEach((v, k) => {
      const share = tail ? 1 - shares[k] : shares[k];
      if (!tail || share > 1e-9) values.push({ ...named(i), value: v / scale.divisor, share });
    });
  }
  const title = quantity === "fct" ? `FCT (${scale.unit})` : slowdownTitle;
  const scales = variantScales(t);
  const legend = variantLegend(width, "stroke");
  const layout = panelLayout(width, 280, 66);
  const ended = rows.filter((i) => many(group.rows[i].unfinished, group.rows[i].messages));
  const field = (name, s) => ({ field: name, type: "nominal", scale: s, sort: null, legend });
  return {
    spec: panelled(values, {
      width: layout.panel, height: panelCount > 1 ? 150 : 240,
      layer: [
        { mark: { type: "line", interpolate: "step-after" }, encoding: { strokeDash: field("variant", scales.dash) } },
        // Wide and invisible, so that a curve is easy to point at; of very many, not.
        ...(values.length <= mostPoints ? [{ mark: { type: "point", size: 120, opacity: 0, tooltip: true }, encoding: { tooltip: [
          { field: "variant" }, { field: "value", title, format: ".4" }, { field: "share", title: tail ? "share that took longer" : "share within", format: ".4" },
        ] } }] : []),
      ],
      encoding: {
        x: { field: "value", type: "quantitative", title, scale: { type: log ? "log" : "linear", zero: false, nice: !log }, axis: { grid: true, ...axisNumbers(log), tickCount: log ? 4 : 6, labelOverlap: "greedy" } },
        y: { field: "share", type: "quantitative", title: tail ? "share that took longer" : "share of messages", scale: tail ? { type: "log" } : { domain: [0, 1] }, axis: { tickCount: 5, ...(tail ? { labelExpr: "format(datum.value, '~g')", labelOverlap: "greedy" } : { format: ".1f" }) } },
        color: field("variant", scales.color),
      },
    }, layout),
    label: `Distribution of ${title}. ${describe(rows.map((i) => [data.rows[i].name, many(group.rows[i].unfinished, group.rows[i].messages) ? "unfinished" : percentileText(group.rows[i][quantity].p)]))}`,
    table: {
      columns: ["variant", quantity === "fct" ? "FCT (µs)" : slowdownTitle, "share of all messages"],
      rows: rows.flatMap((i) => group.rows[i][quantity].values.map((v, k) => [data.rows[i].name, v, group.rows[i][quantity].shares[k]])),
    },
    notes: endedNotes(ended, group),
  };
}

// endedNotes says which curves end below 1.
function endedNotes(ended, group) {
  const text = (i) => `${data.rows[i].name}: the curve ends at ${number(1 - group.rows[i].unfinished / group.rows[i].messages)}; the rest did not finish.`;
  const notes = ended.slice(0, 4).map(text);
  if (ended.length > 4) notes.push(`${ended.length - 4} more curves end below 1.`);
  return notes.map((note) => ({ warn: true, text: note }));
}

// mostPoints is up to how many points of curves can be pointed at.
const mostPoints = 8000;

function percentileText(p) { return `median ${number(p[0])}, 95th percentile ${number(p[1])}, 99th percentile ${number(p[2])}`; }

// Bars of runtime, goodput or any other metric, with intervals over seeds. Runs that end
// while load is offered have slowdowns in the place of runtimes, which are how long that was.

const allGroups = data.groups.length ? data.groups.map((g) => g.name) : [""];
function groupText(name) { return name === "" ? "all messages" : name; }

function barsSection() {
  const section = document.getElementById("bars");
  const shown = data.offered
    ? [["bar-slowdown-p50", "Median slowdown", "slowdown_bare_p50"], ["bar-slowdown-p99", "99th percentile of slowdowns", "slowdown_bare_p99"]]
    : [["bar-runtime", "Runtime", "runtime_us"]];
  shown.push(["bar-goodput", "Goodput", "goodput_gbps"]);
  const groups = allGroups.filter((g) => shown.every(([, , metric]) => metricIndex(g, metric) >= 0));
  if (!groups.length) {
    absent(section, `No run has a ${data.offered ? "slowdown" : "runtime"} or a goodput.`);
    return;
  }
  // Long names need the whole width.
  const long = Math.max(...data.rows.map((r) => r.name.length)) > 24;
  const pair = el("div", { class: long ? "" : "pair" });
  let group = groups[0];
  const charts = shown.map(([id, title, metric]) => barChart(pair, id, title, () => metricIndex(group, metric)));
  if (groups.length > 1) {
    const pick = choice("Traffic", groups.map((g) => [g, groupText(g)]), group, (v) => {
      group = v;
      for (const c of charts) c.draw();
    });
    section.append(el("div", { class: "controls" }, pick.node));
  }
  section.append(pair);
}

// metricIndex returns the index of a metric of a group, or -1.
function metricIndex(group, name) {
  const full = group === "" ? name : `${group}.${name}`;
  return data.metrics.findIndex((m) => m.name === full);
}

function barChart(parent, id, title, metricOf) {
  return vegaFigure({
    id, title, parent,
    build(width, t) {
      const at = metricOf();
      const metric = data.metrics[at];
      const group = metric.name.includes(".") ? metric.name.slice(0, metric.name.lastIndexOf(".")) : "";
      const isTime = metric.unit === "µs";
      const scale = isTime ? timeScale(Math.max(...data.rows.map((r) => r.estimates[at]?.[1] ?? 0))) : { unit: metric.unit, divisor: 1 };
      const values = data.rows.map((row, i) => barValue(row, i, at, group, scale.divisor, metric));
      const shown = data.rows.map((_, i) => i);
      const axis = `${metric.title}${scale.unit ? ` (${scale.unit})` : ""}`;
      const tip = [
        { field: "variant", title: "variant" }, { field: "text", title: metric.title }, { field: "seeds", title: "seeds" }, { field: "note", title: "but" },
      ];
      const y = { field: "variant", type: "nominal", sort: null, title: null, axis: { ticks: false, domain: false, labelLimit: Math.round(width * 0.34), labelPadding: 8 } };
      // Room for the texts at the ends of bars.
      const room = Math.max(...values.map((v) => v.end ?? 0)) * (1 + 96 / Math.max(width * 0.64 - 96, 60)) || 1;
      const x = { field: "value", type: "quantitative", title: axis, scale: { domain: [0, room] }, axis: { tickCount: 5 } };
      const scales = variantScales(shown, t);
      const few = data.rows.length <= 12;
      return {
        spec: {
          data: { values },
          width: Math.max(width - 12, 200),
          height: { step: few ? 34 : 20 },
          autosize: { type: "fit-x", contains: "padding" },
          encoding: { y },
          layer: [
            { mark: { type: "bar", height: { band: 0.62 }, cornerRadiusEnd: 2, tooltip: true, color: t.colors[0] }, encoding: {
              x, tooltip: tip,
              ...(data.rows.length > styleCount ? {} : { color: { field: "variant", type: "nominal", scale: scales.color, legend: null } }),
              fillOpacity: { condition: { test: "datum.note !== ''", value: 0.35 }, value: 0.85 },
            } },
            { transform: [{ filter: "datum.note !== ''" }], mark: { type: "bar", height: { band: 0.62 }, cornerRadiusEnd: 2, fill: null, stroke: t.ink, strokeDash: [4, 3] }, encoding: { x } },
            { mark: { type: "rule", strokeWidth: 1.5 }, transform: [{ filter: "isValid(datum.low)" }], encoding: { x: { field: "low", type: "quantitative" }, x2: { field: "high" } } },
            { mark: { type: "tick", thickness: 1.5, size: 9, color: t.ink }, transform: [{ filter: "isValid(datum.low)" }], encoding: { x: { field: "low", type: "quantitative" } } },
            { mark: { type: "tick", thickness: 1.5, size: 9, color: t.ink }, transform: [{ filter: "isValid(datum.low)" }], encoding: { x: { field: "high", type: "quantitative" } } },
            { mark: { type: "text", align: "left", dx: 6, baseline: "middle" }, encoding: { x: { field: "end", type: "quantitative" }, text: { field: "shown" } } },
          ],
        },
        label: `Bar chart of ${axis} of ${values.length} variants. ${describe(values.map((v) => [v.variant, v.text + (v.note ? ` (${v.note})` : "")]))}`,
        table: {
          columns: ["variant", axis, "95% low", "95% high", "seeds", "unfinished or cut short"],
          rows: values.map((v) => [v.variant, v.value, v.low, v.high, v.n, v.less]),
        },
        notes: unfinishedNotes(shown, group),
      };
    },
  });
}

function barValue(row, i, at, group, divisor, metric) {
  const [n, mean, low, high] = row.estimates[at] ?? [0, null, null, null];
  const scaled = (v) => (v === null ? null : v / divisor);
  const [messages, unfinished] = row.unfinished[group] ?? [0, 0];
  const notes = [];
  if (row.cut) notes.push("cut short");
  if (unfinished > 0) notes.push(`${number(unfinished)} of ${number(messages)} unfinished`);
  const less = notes.join(", ");
  // A few unfinished messages are no reason to set a bar off.
  const note = row.cut || many(unfinished, messages) ? less : "";
  const more = less && metric.name.endsWith("runtime_us") ? "> " : "";
  return {
    variant: row.name, value: scaled(mean), low: scaled(low), high: scaled(high), end: scaled(Math.max(mean ?? 0, high ?? 0)), n, note, less,
    text: mean === null ? "none" : more + withInterval(scaled(mean), scaled(low), scaled(high)),
    shown: mean === null ? "none" : `${more}${number(scaled(mean))}${note ? "  ⚠" : ""}`, seeds: n,
  };
}

// describe lists the first pairs of a chart for readers who do not see it.
function describe(pairs, most = 8) {
  const list = pairs.slice(0, most).map(([k, v]) => `${k}: ${v}`).join("; ");
  return pairs.length > most ? `${list}; and ${pairs.length - most} more, in the table below.` : `${list}.`;
}

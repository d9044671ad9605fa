// Bars of runtime, goodput or any other metric, with intervals over seeds. Runs that end
// while load is offered have slowdowns in the place of runtimes, which are how long that was.

const allGroups = data.groups.length ? data.groups.map((g) => g.name) : [""];
function groupText(name) { return name === "" ? "all messages" : name; }

// jobTime is what counts of a group that is a job.
const jobTime = "job_time_us";

function barsSection() {
  const section = document.getElementById("bars");
  const shown = data.offered
    ? [["bar-slowdown-p50", "Median slowdown", "slowdown_bare_p50"], ["bar-slowdown-p99", "99th percentile of slowdowns", "slowdown_bare_p99"]]
    : [["bar-runtime", data.metrics.some((m) => m.name === jobTime) ? "Time of jobs, and runtime" : "Runtime", "runtime_us"]];
  shown.push(["bar-goodput", "Goodput", "goodput_gbps"]);
  const groups = allGroups.filter((g) => shown.every(([, , metric]) => metricIndex(g, metric) >= 0));
  if (!groups.length) {
    absent(section, `No run has a ${data.offered ? "slowdown" : "runtime"} or a goodput.`);
    return;
  }
  // Long names and panels need the whole width.
  const long = panelCount > 1 || Math.max(...data.variants.map((v) => v.length)) > 24;
  const pair = el("div", { class: long ? "" : "pair" });
  let group = groups[0];
  const charts = shown.map(([id, title, metric]) => barChart(pair, id, title, () => {
    const job = metric === "runtime_us" ? metricIndex(group, jobTime) : -1;
    return job < 0 ? metricIndex(group, metric) : job;
  }));
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
      const group = groupOf(metric);
      const isTime = metric.unit === "µs";
      const scale = isTime ? timeScale(Math.max(...data.rows.map((r) => r.estimates[at]?.[1] ?? 0))) : { unit: metric.unit, divisor: 1 };
      const values = data.rows.map((row) => barValue(row, at, group, scale.divisor));
      const axis = `${metric.title}${scale.unit ? ` (${scale.unit})` : ""}`;
      const tip = [
        { field: "variant", title: "variant" }, ...(panelCount > 1 ? [{ field: "panel", title: "of" }] : []),
        { field: "text", title: metric.title }, { field: "seeds", title: "seeds" }, { field: "less", title: "but" },
      ];
      const scales = variantScales(t);
      const labels = Math.min(Math.max(...scales.color.domain.map((v) => v.length)) * 7 + 12, Math.round(width * 0.34));
      const panel = Math.max(width - labels - 30, 160);
      const y = { field: "variant", type: "nominal", sort: scales.color.domain, title: null, axis: { ticks: false, domain: false, labelLimit: labels, labelPadding: 8, ...(data.variants.length < 2 ? { labels: false } : {}) } };
      // Room for the texts at the ends of bars.
      const marked = 96 + 6 * Math.max(...values.map((v) => v.marks.length));
      const room = Math.max(...values.map((v) => v.end ?? 0)) * (1 + marked / Math.max(panel - marked, 60)) || 1;
      const x = { field: "value", type: "quantitative", title: axis, scale: { domain: [0, room] }, axis: { tickCount: 5 } };
      const few = data.rows.length <= 12;
      const ends = (field) => ({ mark: { type: "tick", thickness: 1.5, size: 9, color: t.ink }, transform: [{ filter: "isValid(datum.low)" }], encoding: { x: { field, type: "quantitative" } } });
      const spec = {
        width: panelCount < 2 ? Math.max(width - 12, 200) : panel,
        height: { step: few ? 34 : 20 },
        encoding: { y },
        layer: [
          { mark: { type: "bar", height: { band: 0.62 }, cornerRadiusEnd: 2, tooltip: true, fillOpacity: 0.85 }, encoding: {
            x, tooltip: tip, color: { field: "variant", type: "nominal", scale: scales.color, legend: null },
          } },
          { mark: { type: "rule", strokeWidth: 1.5 }, transform: [{ filter: "isValid(datum.low)" }], encoding: { x: { field: "low", type: "quantitative" }, x2: { field: "high" } } },
          ends("low"), ends("high"),
          { mark: { type: "text", align: "left", dx: 6, baseline: "middle" }, encoding: {
            x: { field: "end", type: "quantitative" }, text: { field: "shown" },
            color: { condition: { test: "!isValid(datum.value)", value: t.warn }, value: t.ink },
          } },
        ],
      };
      return {
        spec: panelCount < 2 ? { data: { values }, autosize: { type: "fit-x", contains: "padding" }, ...spec }
          : { data: { values }, facet: { row: { field: "panel", type: "nominal", sort: data.panels, title: null, header: { labelOrient: "top", labelAnchor: "start", labelAngle: 0, labelLimit: width - 20, labelPadding: 2 } } }, spacing: 6, spec },
        label: `Bar chart of ${axis} of ${values.length} variants. ${describe(values.map((v) => [v.cell, v.text]))}`,
        table: {
          columns: ["variant", axis, ...data.ends, "seeds", "unfinished or cut short"],
          rows: values.map((v) => [v.cell, v.value ?? v.text, v.low, v.high, v.seeds, v.less]),
        },
        notes: unfinishedNotes(values.flatMap((v, i) => (v.value === null ? [i] : [])), group),
      };
    },
  });
}

function barValue(row, at, group, divisor) {
  const [n, mean, low, high] = row.estimates[at] ?? [0, null, null, null];
  const scaled = (v) => (v === null ? null : v / divisor);
  const [messages, unfinished] = row.unfinished[group] ?? [0, 0];
  const notes = [];
  if (row.partial) notes.push(`${row.partial} of ${row.runs} runs cut short`);
  if (row.failed) notes.push(`${row.failed} of ${row.runs} runs failed`);
  if (unfinished > 0) notes.push(`${number(unfinished)} of ${number(messages)} messages did not finish`);
  if (row.marks) notes.push(row.marks);
  const nothing = insteadOf(row, at) || "none";
  return {
    cell: row.name, marks: row.marks ?? "", variant: variantName(row), panel: panelName(row), seeds: n, less: notes.join(", "),
    value: scaled(mean), low: scaled(low), high: scaled(high), end: scaled(Math.max(mean ?? 0, high ?? 0)),
    text: mean === null ? nothing : withInterval(scaled(mean), scaled(low), scaled(high)),
    shown: mean === null ? nothing : number(scaled(mean)) + (row.marks ? ` (${row.marks})` : ""),
  };
}

// describe lists the first pairs of a chart for readers who do not see it.
function describe(pairs, most = 8) {
  const list = pairs.slice(0, most).map(([k, v]) => `${k}: ${v}`).join("; ");
  return pairs.length > most ? `${list}; and ${pairs.length - most} more, in the table below.` : `${list}.`;
}

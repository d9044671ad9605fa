// Completion times and slowdowns by message size: a panel for each percentile, or of one
// percentile for each combination of levels.

const percentiles = ["median", "95th percentile", "99th percentile"];

function sizesSection() {
  const section = document.getElementById("sizes");
  const groups = data.groups.filter((g) => g.rows.some((r) => r && r.sizes.length));
  if (!groups.length) {
    absent(section, "No run has measured messages.");
    return;
  }
  let group = groups[0];
  let quantity = "slowdown";
  let percentile = percentiles[2];
  variantPicker(section, () => { for (const f of figures) if (f.followsRows) f.draw(); });
  const one = el("p", { class: "under one-size" });
  const figure = vegaFigure({ id: "by-size", title: "FCT and slowdown by message size", parent: section, build: (width, t) => sizeChart(group, quantity, percentile, width, t) });
  figure.followsRows = true;
  const redraw = () => {
    one.textContent = group.one_size ? `All messages of ${groupText(group.name)} have one size, ${sizeText(group.one_size)}.` : "";
    one.hidden = !group.one_size;
    figure.draw();
  };
  figure.control(choice("Quantity", [["slowdown", "Slowdown"], ["fct", "FCT"]], quantity, (v) => { quantity = v; redraw(); }).node);
  if (panelCount > 1) {
    figure.control(choice("Percentile", percentiles.map((p) => [p, p]), percentile, (v) => { percentile = v; redraw(); }).node);
  }
  if (groups.length > 1) {
    figure.control(choice("Traffic", groups.map((g, i) => [i, groupText(g.name)]), 0, (v) => { group = groups[v]; redraw(); }).node);
  }
  figure.node.insertBefore(one, figure.canvas);
  one.hidden = !group.one_size;
  one.textContent = group.one_size ? `All messages have one size, ${sizeText(group.one_size)}.` : "";
  if (groups.some((g) => g.binned)) {
    thinnedRules.push("By message size: more than 12 sizes are counted in bins that begin at 1, 2 and 5 times each power of ten.");
  }
  if (groups.some((g) => g.rows.some((r) => r?.approximate))) {
    thinnedRules.push("Percentiles and distributions are rounded to 0.5 % above 1000 messages per run, or 20 000 per variant over all seeds.");
  }
}

// sizeChart has a panel for each percentile; or for each combination of levels, if there are
// several, and then one percentile.
function sizeChart(group, quantity, chosen, width, t) {
  const rows = shownRows().filter((i) => group.rows[i]?.sizes.length);
  const several = panelCount > 1;
  const values = [];
  for (const i of rows) {
    for (const size of group.rows[i].sizes) {
      percentiles.forEach((percentile, k) => {
        if (several && percentile !== chosen) return;
        const value = size[quantity][k];
        const range = size.from === size.to ? sizeText(size.from) : `${sizeText(size.from)} – ${sizeText(size.to)}`;
        values.push({
          variant: variantName(data.rows[i]), panel: panelName(data.rows[i]), place: data.rows[i].variant, percentile, bytes: size.mean, size: range, value, messages: size.messages, unfinished: size.unfinished,
          hollow: (k === 2 && size.messages < 100) || (k === 1 && size.messages < 20),
        });
      });
    }
  }
  const present = values.filter((v) => v.value !== null);
  const missing = values.some((v) => v.value === null);
  const largest = Math.max(...present.map((v) => v.value), 0);
  const scale = quantity === "fct" ? timeScale(largest) : { unit: "", divisor: 1 };
  for (const v of present) v.value /= scale.divisor;
  const title = quantity === "fct" ? `FCT (${scale.unit})` : slowdownTitle;
  const least = Math.min(...present.map((v) => v.value));
  const logY = present.length > 0 && largest / scale.divisor / least > 20;
  const scales = variantScales(t);
  const layout = several ? panelLayout(width, 300, 80) : { columns: 3, panel: Math.max(Math.floor((width - 146) / 3), 90) };
  const oneSize = group.one_size > 0;
  const legend = variantLegend(width);
  const x = oneSize
    ? { field: "variant", type: "nominal", sort: scales.color.domain, title: null, axis: { labels: false, ticks: false } }
    : { field: "bytes", type: "quantitative", title: "message size", scale: { type: "log", nice: false },
      axis: { grid: false, labelExpr: byteLabels, values: powersBetween(values.map((v) => v.bytes)), labelOverlap: "greedy" } };
  const y = { field: "value", type: "quantitative", title, scale: { type: logY ? "log" : "linear", zero: false, nice: true, ...(present.length ? {} : { domain: [0, 1] }) }, axis: { tickCount: 5, ...axisNumbers(logY) } };
  const color = { field: "variant", type: "nominal", scale: scales.color, sort: null, legend };
  const tooltip = ["variant", ...(several ? ["panel"] : []), "percentile", "size", "value", "messages", "unfinished"].map((field) => ({ field, title: field === "value" ? title : field }));
  const there = [{ filter: "isValid(datum.value)" }];
  const layer = [
    { transform: there, mark: { type: "point", size: 46, strokeWidth: 1.6, opacity: 1, tooltip: true }, encoding: {
      y, shape: { field: "variant", type: "nominal", scale: scales.shape, sort: null, legend },
      fill: { condition: { test: "datum.hollow", value: t.bg }, field: "variant", type: "nominal", scale: scales.color, legend: null },
      tooltip } },
    // What did not finish stands where it is worst.
    { transform: [{ filter: "!isValid(datum.value)" }], mark: { type: "text", text: "✕", fontSize: 11, fontWeight: "bold", dy: { expr: "datum.place * 11" }, tooltip: true }, encoding: { y: { value: 6 }, tooltip } },
  ];
  if (!oneSize) {
    layer.unshift({ mark: { type: "line", invalid: "break-paths-filter-domains" }, encoding: { y, strokeDash: { field: "variant", type: "nominal", scale: scales.dash, sort: null, legend } } });
  }
  const spec = { width: layout.panel, height: several ? 170 : 230, encoding: { x, color }, layer };
  return {
    spec: several ? panelled(values, spec, layout)
      : { data: { values }, facet: { field: "percentile", type: "nominal", sort: percentiles, title: null }, columns: width < 560 ? 1 : 3, spacing: 22, spec: { ...spec, width: width < 560 ? width - 70 : layout.panel } },
    label: `Line chart of ${title} by message size: ${several ? `${chosen} of ${data.variants.length} variants in ${panelCount} panels` : `median, 95th and 99th percentile of ${rows.length} variants`}.`,
    table: {
      columns: ["variant", "size from (B)", "size to (B)", "messages", "unfinished", ...percentiles.map((p) => `${quantity === "fct" ? "FCT (µs)" : slowdownTitle} ${p}`)],
      rows: rows.flatMap((i) => group.rows[i].sizes.map((s) => [data.rows[i].name, s.from, s.to, s.messages, s.unfinished, ...s[quantity].map((v) => v ?? "unfinished")])),
    },
    notes: [
      ...(present.some((v) => v.hollow) ? [{ text: "Hollow points: fewer messages than the percentile needs. They show the largest value." }] : []),
      ...(missing ? [{ warn: true, text: "✕: unfinished. More than 1 % of the messages of this size did not finish, or a run got stuck." }] : []),
    ],
  };
}

// byteLabels writes the labels of an axis of bytes.
const byteLabels = "datum.value >= 1e9 ? format(datum.value / 1e9, '~g') + ' GB' : datum.value >= 1e6 ? format(datum.value / 1e6, '~g') + ' MB' : datum.value >= 1e3 ? format(datum.value / 1e3, '~g') + ' kB' : format(datum.value, '~g') + ' B'";

// powersBetween returns the powers of ten about the values.
function powersBetween(values) {
  const good = values.filter((v) => v > 0);
  if (!good.length) return [];
  const powers = [];
  for (let p = Math.floor(Math.log10(Math.min(...good))); p <= Math.ceil(Math.log10(Math.max(...good))); p++) powers.push(10 ** p);
  return powers;
}

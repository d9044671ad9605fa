// Completion times and slowdowns by message size: a panel for each percentile.

const percentiles = ["median", "95th percentile", "99th percentile"];

// shownRows are the variants that charts of distributions show: all, if they are few.
const mostShown = 8;
let shownRows = data.rows.map((_, i) => i).slice(0, mostShown);

// rowPicker lets readers choose which variants are shown.
function rowPicker(parent, redraw) {
  if (data.rows.length <= 2) return;
  const said = () => `Variants shown: ${shownRows.length} of ${data.rows.length}`;
  const summary = el("summary", {}, said());
  const boxes = data.rows.map((row, i) => {
    const box = el("input", { type: "checkbox", value: String(i), checked: shownRows.includes(i) });
    box.addEventListener("change", () => {
      shownRows = boxes.filter((b) => b.checked).map((b) => Number(b.value));
      summary.textContent = said();
      redraw();
    });
    return box;
  });
  parent.append(el("details", { class: "picker" }, summary,
    el("fieldset", { class: "pick" }, el("legend", {}, "Variants shown by message size and in distributions"),
      el("div", { class: "many" }, ...boxes.map((b, i) => el("label", {}, b, data.rows[i].name))))));
}

function sizesSection() {
  const section = document.getElementById("sizes");
  const groups = data.groups.filter((g) => g.rows.some((r) => r && r.sizes.length));
  if (!groups.length) {
    absent(section, "No run has measured messages.");
    return;
  }
  let group = groups[0];
  let quantity = "slowdown";
  rowPicker(section, () => { for (const f of figures) if (f.followsRows) f.draw(); });
  const one = el("p", { class: "under one-size" });
  const figure = vegaFigure({ id: "by-size", title: "FCT and slowdown by message size", parent: section, build: (width, t) => sizeChart(group, quantity, width, t) });
  figure.followsRows = true;
  const redraw = () => {
    one.textContent = group.one_size ? `All messages of ${groupText(group.name)} have one size, ${sizeText(group.one_size)}.` : "";
    one.hidden = !group.one_size;
    figure.draw();
  };
  figure.control(choice("Quantity", [["slowdown", "Slowdown"], ["fct", "FCT"]], quantity, (v) => { quantity = v; redraw(); }).node);
  if (groups.length > 1) {
    figure.control(choice("Traffic", groups.map((g, i) => [i, groupText(g.name)]), 0, (v) => { group = groups[v]; redraw(); }).node);
  }
  figure.node.insertBefore(one, figure.canvas);
  one.hidden = !group.one_size;
  one.textContent = group.one_size ? `All messages have one size, ${sizeText(group.one_size)}.` : "";
  if (groups.some((g) => g.binned)) {
    thinnedRules.push("By message size: where there are more than 12 sizes, messages are counted in bins that begin at 1, 2 and 5 times each power of ten.");
  }
  if (groups.some((g) => g.rows.some((r) => r?.approximate))) {
    thinnedRules.push("Percentiles and distributions of a variant with more than 1000 messages in a run, or 20 000 in all its seeds, are rounded to 0.5 %.");
  }
}

function sizeChart(group, quantity, width, t) {
  const rows = shownRows.filter((i) => group.rows[i]?.sizes.length);
  const values = [];
  for (const i of rows) {
    for (const size of group.rows[i].sizes) {
      percentiles.forEach((percentile, k) => {
        const value = size[quantity][k];
        const range = size.from === size.to ? sizeText(size.from) : `${sizeText(size.from)} – ${sizeText(size.to)}`;
        values.push({
          variant: data.rows[i].name, percentile, bytes: size.mean, size: range, value, messages: size.messages, unfinished: size.unfinished,
          hollow: many(size.unfinished, size.messages) || (k === 2 && size.messages < 100) || (k === 1 && size.messages < 20),
        });
      });
    }
  }
  const present = values.filter((v) => v.value !== null);
  const largest = Math.max(...present.map((v) => v.value), 0);
  const scale = quantity === "fct" ? timeScale(largest) : { unit: "", divisor: 1 };
  for (const v of values) if (v.value !== null) v.value /= scale.divisor;
  const title = quantity === "fct" ? `FCT (${scale.unit})` : slowdownTitle;
  const logY = present.length > 0 && largest / scale.divisor / Math.min(...present.map((v) => v.value)) > 20;
  const scales = variantScales(rows, t);
  const panel = Math.max(Math.floor((width - 146) / 3), 120);
  const oneSize = group.one_size > 0;
  const legend = legendOf(rows.map((i) => data.rows[i].name), width - 60);
  const x = oneSize
    ? { field: "variant", type: "nominal", sort: null, title: null, axis: { labels: false, ticks: false } }
    : { field: "bytes", type: "quantitative", title: "message size", scale: { type: "log", nice: false },
      axis: { grid: false, labelExpr: byteLabels, values: powersBetween(values.map((v) => v.bytes)), labelOverlap: "greedy" } };
  const y = { field: "value", type: "quantitative", title, scale: { type: logY ? "log" : "linear", zero: false, nice: true }, axis: { tickCount: 5, ...axisNumbers(logY) } };
  const color = { field: "variant", type: "nominal", scale: scales.color, sort: null, legend };
  const tooltip = ["variant", "percentile", "size", "value", "messages", "unfinished"].map((field) => ({ field, title: field === "value" ? title : field }));
  const layer = [
    { mark: { type: "point", size: 46, strokeWidth: 1.6, opacity: 1, tooltip: true }, encoding: {
      shape: { field: "variant", type: "nominal", scale: scales.shape, sort: null, legend },
      fill: { condition: { test: "datum.hollow", value: t.bg }, field: "variant", type: "nominal", scale: scales.color, legend: null },
      tooltip } },
  ];
  if (!oneSize) {
    layer.unshift({ mark: { type: "line" }, encoding: { strokeDash: { field: "variant", type: "nominal", scale: scales.dash, sort: null, legend } } });
  }
  return {
    spec: {
      data: { values },
      facet: { column: { field: "percentile", type: "nominal", sort: percentiles, title: null } },
      spec: { width: panel, height: 230, encoding: { x, y, color }, layer },
      spacing: 22,
    },
    label: `Line chart of ${title} by message size: median, 95th and 99th percentile of ${rows.length} variants.`,
    table: {
      columns: ["variant", "size from (B)", "size to (B)", "messages", "unfinished", ...percentiles.map((p) => `${quantity === "fct" ? "FCT (µs)" : slowdownTitle} ${p}`)],
      rows: rows.flatMap((i) => group.rows[i].sizes.map((s) => [data.rows[i].name, s.from, s.to, s.messages, s.unfinished, ...s[quantity]])),
    },
    notes: [
      ...(values.some((v) => v.hollow) ? [{ text: "Hollow points: messages of that size did not finish, or are too few for the percentile, which is then their largest value." }] : []),
      ...unfinishedNotes(rows, group.name),
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

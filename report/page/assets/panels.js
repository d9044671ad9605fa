// What is compared with what: a colour is a variant, a panel a combination of the other axes'
// levels. Nothing is compared across panels.

const panelCount = data.panels.length;
// rowTitle names a row, with what qualifies its numbers.
const rowTitle = (i) => data.rows[i].name + (data.rows[i].marks ? ` (${data.rows[i].marks})` : "");

const variantName = (row) => data.variants[row.variant] || "all";
const panelName = (row) => data.panels[row.panel] || "all";

// shownVariants are those that charts of distributions show.
let shownVariants = data.variants.map((_, i) => i);

// shownRows are their rows.
function shownRows() { return data.rows.map((_, i) => i).filter((i) => shownVariants.includes(data.rows[i].variant)); }

// variantPicker lets readers choose which variants are shown.
function variantPicker(parent, redraw) {
  if (data.variants.length <= 2) return;
  const said = () => `Variants shown: ${shownVariants.length} of ${data.variants.length}`;
  const summary = el("summary", {}, said());
  const boxes = data.variants.map((name, i) => {
    const box = el("input", { type: "checkbox", value: String(i), checked: true });
    box.addEventListener("change", () => {
      shownVariants = boxes.filter((b) => b.checked).map((b) => Number(b.value));
      summary.textContent = said();
      redraw();
    });
    return box;
  });
  parent.append(el("details", { class: "picker" }, summary,
    el("fieldset", { class: "pick" }, el("legend", {}, "Variants shown by message size and in distributions"),
      el("div", { class: "many" }, ...boxes.map((b, i) => el("label", {}, b, data.variants[i]))))));
}

// evenColumns is in how many columns n panels stand, at most so many and four, with rows as even
// as they can be.
function evenColumns(n, most) {
  const columns = Math.max(Math.min(n, most, 4), 1);
  return Math.ceil(n / Math.ceil(n / columns));
}

// panelLayout is in how many columns panels of at least such a width stand, and how wide the
// data of one is. beside is what stands beside them.
function panelLayout(width, least, beside = 70) {
  const columns = evenColumns(panelCount, Math.floor(width / least));
  return { columns, panel: Math.max(Math.floor((width - beside - 26 * (columns - 1)) / columns), 120) };
}

// panelled repeats a specification for each panel, if there are several.
function panelled(values, spec, { columns, panel }) {
  if (panelCount < 2) return { data: { values }, ...spec };
  return {
    data: { values },
    facet: { field: "panel", type: "nominal", sort: data.panels, title: null, header: { labelLimit: panel + 20 } },
    columns, spacing: 24, spec,
  };
}

// variantScales are the scales of the colours, dashes and shapes of variants by name.
function variantScales(t) {
  const domain = data.variants.map((name) => name || "all");
  const styles = domain.map((_, i) => styleOf(i, t));
  return {
    color: { domain, range: styles.map((s) => s.color) },
    dash: { domain, range: styles.map((s) => (s.dash.length ? s.dash : [1, 0])) },
    shape: { domain, range: styles.map((s) => s.shape) },
  };
}

// variantLegend is the legend of variants; none where there is one.
function variantLegend(width, symbol) { return data.variants.length > 1 ? legendOf(data.variants, width - 60, symbol) : null; }

// groupOf is the group of traffic that a metric is of.
function groupOf(metric) { return metric.name.includes(".") ? metric.name.slice(0, metric.name.lastIndexOf(".")) : ""; }

// insteadOf is what stands in the place of a row's value of a metric that does not count.
function insteadOf(row, at) {
  const metric = data.metrics[at];
  const [, mean] = row.estimates[at] ?? [0, null];
  if (mean !== null) return "";
  const group = groupOf(metric);
  if (row.instead?.[group]) return row.instead[group];
  return metric.untilLast && (row.unfinished[group]?.[1] ?? 0) > 0 ? "unfinished" : "";
}

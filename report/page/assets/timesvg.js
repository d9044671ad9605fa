// Timelines as SVG: the same panels as on the screen, for downloads and for paper. A panel is
//   {title, x: [µs], lines: [{name, values, color, dash, width}], from, to, low, high},
// low and high being the ends of its y axis; marks are {at, what}.

const panelHeight = 132;
const panelLeft = 58;

// timelineSVG draws columns of panels below a legend, and returns the element.
function timelineSVG({ columns, legend, marks, scale, width, t }) {
  const gap = 26;
  const columnWidth = (width - gap * (columns.length - 1)) / columns.length;
  const rows = Math.max(...columns.map((c) => c.panels.length));
  const legendRows = layLegend(legend, width);
  const top = 8 + legendRows.height;
  const height = top + 20 + rows * (panelHeight + 30) + 24;
  const root = svg("svg", { xmlns: svgNamespace, width, height, viewBox: `0 0 ${width} ${height}`, "font-family": fontFamily, "font-size": 11, fill: t.ink });
  root.append(...legendRows.nodes(t));
  columns.forEach((column, i) => {
    const left = i * (columnWidth + gap);
    root.append(svg("text", { x: left + panelLeft, y: top + 14, "font-weight": 600, "font-size": 12 }, column.title));
    column.panels.forEach((panel, j) => {
      const last = j === column.panels.length - 1;
      root.append(drawPanel(panel, { left: left + panelLeft, top: top + 40 + j * (panelHeight + 30), width: columnWidth - panelLeft - 4, scale, marks: marks[i], t, last }));
    });
  });
  return root;
}

function layLegend(legend, width) {
  let x = 0;
  let y = 10;
  const placed = legend.map((entry) => {
    const w = entry.name.length * 6.2 + 46;
    if (x > 0 && x + w > width) { x = 0; y += 17; }
    const at = { ...entry, x, y };
    x += w;
    return at;
  });
  return {
    height: legend.length ? y + 10 : 0,
    nodes: (t) => placed.flatMap((e) => [
      svg("line", { x1: e.x, x2: e.x + 24, y1: e.y, y2: e.y, stroke: e.color, "stroke-width": e.width ?? 2, "stroke-dasharray": e.dash?.length ? e.dash.join(" ") : null }),
      svg("text", { x: e.x + 30, y: e.y + 4, fill: t.ink }, e.name),
    ]),
  };
}

function drawPanel(panel, { left, top, width, scale, marks, t, last }) {
  const g = svg("g", {});
  const span = panel.to - panel.from || 1;
  const high = panel.high > panel.low ? panel.high : panel.low + 1;
  const x = (v) => left + ((v - panel.from) / span) * width;
  const y = (v) => top + panelHeight - ((v - panel.low) / (high - panel.low)) * panelHeight;
  g.append(svg("text", { x: left, y: top - 8, fill: t.muted }, panel.title));
  for (const tick of niceTicks(panel.low, high, 4)) {
    g.append(svg("line", { x1: left, x2: left + width, y1: y(tick), y2: y(tick), stroke: t.grid }));
    g.append(svg("text", { x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, tick.toLocaleString("en")));
  }
  for (const tick of niceTicks(panel.from / scale.divisor, panel.to / scale.divisor, Math.max(width / 70, 2))) {
    const at = x(tick * scale.divisor);
    g.append(svg("line", { x1: at, x2: at, y1: top + panelHeight, y2: top + panelHeight + 4, stroke: t.muted }));
    if (last) g.append(svg("text", { x: at, y: top + panelHeight + 16, "text-anchor": "middle" }, tick.toLocaleString("en")));
  }
  if (last) g.append(svg("text", { x: left + width / 2, y: top + panelHeight + 32, "text-anchor": "middle", fill: t.muted }, `time (${scale.unit})`));
  for (const mark of marks) {
    if (mark.at < panel.from || mark.at > panel.to) continue;
    g.append(svg("line", { x1: x(mark.at), x2: x(mark.at), y1: top, y2: top + panelHeight, stroke: t.ink, "stroke-dasharray": "3 3" }, svg("title", {}, mark.what)));
  }
  for (const line of panel.lines) {
    g.append(svg("path", { d: pathOf(panel.x, line.values, x, y), fill: "none", stroke: line.color, "stroke-width": line.width, "stroke-linejoin": "round", "stroke-dasharray": line.dash.length ? line.dash.join(" ") : null },
      svg("title", {}, line.name)));
  }
  g.append(svg("line", { x1: left, x2: left + width, y1: top + panelHeight, y2: top + panelHeight, stroke: t.muted }));
  return g;
}

// pathOf is a line through the values, with gaps where there is none.
function pathOf(xs, values, x, y) {
  let path = "";
  let drawing = false;
  for (let i = 0; i < values.length; i++) {
    if (values[i] === null || values[i] === undefined) { drawing = false; continue; }
    path += `${drawing ? "L" : "M"}${x(xs[i]).toFixed(1)} ${y(values[i]).toFixed(1)}`;
    drawing = true;
  }
  return path;
}

// A map of the fabric: every link twice, once for each direction, in the colour and the
// width of what it did in a span of time.

const quantities = {
  load: { title: "Load", unit: "%", text: "transmitted bytes divided by what the link could carry at that time, with the rates that faults leave" },
  queue: { title: "Largest queue", unit: "kB", text: "largest queue at the port that feeds the link" },
  drops: { title: "Drops", unit: "frames", text: "frames dropped at the port that feeds the link" },
};

function mapSection() {
  const section = document.getElementById("map");
  const runs = data.maps.runs;
  if (!runs.length) {
    absent(section, "No run has ports to draw.");
    return;
  }
  const state = { run: 0, quantity: "load", whole: true, frame: 0 };
  const figure = new Figure({
    id: "fabric-map", title: "Links of the fabric", parent: section,
    draw: (f, width) => drawMap(state, f, width),
    asSVG: (f) => new XMLSerializer().serializeToString(f.canvas.querySelector("svg")),
  });
  figure.canvas.classList.add("fabric");
  if (runs.length > 1) {
    figure.control(choice("Variant", runs.map((r, i) => [i, data.rows[r.row].name]), 0, (v) => {
      state.run = Number(v);
      mapTimes(state);
      figure.draw();
    }).node);
  }
  figure.control(choice("Colour by", Object.entries(quantities).map(([k, q]) => [k, q.title.toLowerCase()]), state.quantity, (v) => { state.quantity = v; figure.draw(); }).node);
  state.box = el("input", { type: "checkbox", id: "map-whole", checked: state.whole });
  state.box.addEventListener("change", () => { state.whole = state.box.checked; mapTimes(state); figure.draw(); });
  figure.control(el("label", { for: "map-whole" }, state.box, "whole run"));
  state.slider = el("input", { type: "range", id: "map-slider", min: "0", value: "0", step: "1" });
  state.output = el("output", { for: "map-slider" });
  state.sliderBox = el("div", { class: "slider" }, el("label", { for: "map-slider" }, "Time"), state.slider, state.output);
  state.slider.addEventListener("input", () => { state.frame = Number(state.slider.value); state.whole = state.box.checked = false; mapTimes(state); figure.draw(); });
  figure.controls.after(state.sliderBox);
  mapTimes(state);
  explainMaps(runs);
}

// mapTimes sets the slider to the snapshots of the chosen run.
function mapTimes(state) {
  const run = data.maps.runs[state.run];
  const n = run.frames.length;
  state.sliderBox.hidden = n === 0;
  state.box.disabled = n === 0;
  if (n === 0) state.whole = true;
  state.frame = Math.min(state.frame, Math.max(n - 1, 0));
  state.slider.max = String(Math.max(n - 1, 0));
  state.slider.value = String(state.frame);
  const text = state.whole ? "whole run" : `${timeText(run.frames[state.frame].at)} – ${timeText(run.frames[state.frame].at + run.span)}`;
  state.output.textContent = text;
  state.slider.setAttribute("aria-valuetext", text);
}

function drawMap(state, figure, width) {
  const t = theme();
  const run = data.maps.runs[state.run];
  const layout = data.maps.layouts[run.layout];
  const values = (state.whole ? run.whole : run.frames[state.frame])[state.quantity];
  // One scale for all times and variants, so that colours can be compared.
  const top = topOf(state);
  const when = state.whole ? "over the whole run" : state.output.textContent;
  const q = quantities[state.quantity];
  figure.canvas.replaceChildren(mapSVG(layout, values, top, q, when, rowTitle(run.row), Math.max(width, 560), t));
  const order = layout.links.map((_, i) => i).sort((a, b) => (values[b] ?? -1) - (values[a] ?? -1));
  const busiest = order.slice(0, 5).filter((i) => values[i] > 0).map((i) => [layout.links[i].name, `${number(values[i])} ${q.unit}`]);
  const title = `${q.title} (${q.unit})`;
  return {
    label: `Map of the fabric of ${data.rows[run.row].name} ${when}: ${layout.hosts} hosts, ${layout.switches} switches. ${busiest.length ? `Most ${q.title.toLowerCase()}: ${describe(busiest)}` : `No ${q.title.toLowerCase()}.`}`,
    table: {
      columns: ["link", "ports", `rate (${data.rate_unit})`, title],
      rows: order.map((i) => [layout.links[i].name, layout.links[i].ports, layout.links[i].rate, values[i]]),
    },
    notes: [
      { text: `${q.title}: ${q.text}, ${when}. ${busiest.length ? `Most: ${busiest.slice(0, 3).map(([n, v]) => `${n} ${v}`).join(", ")}.` : "None anywhere."}` },
      ...(layout.nodes.some((n) => n.members > 1) ? [{ text: `${layout.hosts} hosts, ${layout.switches} switches and ${layout.ports} directed links are drawn as ${layout.nodes.length} nodes and ${layout.links.length} links. For links drawn as one, load is the mean, queue the largest, drops the sum.` }] : []),
      ...unfinishedNotes([run.row]),
    ],
  };
}

// topOf is the end of the scale of a quantity: 100 % for loads, and else the largest value.
function topOf(state) {
  if (state.quantity === "load") return 100;
  let top = 0;
  for (const run of data.maps.runs) {
    for (const frame of state.whole ? [run.whole] : run.frames) for (const v of frame[state.quantity]) top = Math.max(top, v ?? 0);
  }
  return top;
}

function mapSVG(layout, values, top, q, when, variant, width, t) {
  const circle = layout.layout === "circle";
  const tiers = new Set(layout.nodes.map((n) => n.y)).size;
  const inner = circle ? { w: Math.min(width - 20, 760), h: Math.min(width - 20, 760) } : { w: width - 120, h: Math.max(110 * (tiers - 1), 110) };
  const pad = { left: circle ? (width - inner.w) / 2 : 100, top: 62, bottom: 44 };
  const height = pad.top + inner.h + pad.bottom;
  const root = svg("svg", { xmlns: svgNamespace, viewBox: `0 0 ${width} ${height}`, width, height, "font-family": fontFamily, "font-size": 11, fill: t.ink, "aria-hidden": "true" });
  root.append(svg("text", { x: 4, y: 14, "font-weight": 600, "font-size": 12 }, `${variant}: ${q.title.toLowerCase()} ${when}`));
  root.append(mapLegend(top, q, width, t));
  const at = (n) => [pad.left + n.x * inner.w, pad.top + n.y * inner.h];
  const most = Math.max(1, ...layout.links.map((l) => l.ports));
  const thin = Math.min(Math.max(420 / layout.links.length, 0.3), 1);
  // Busy links are drawn last, on top.
  const order = layout.links.map((_, i) => i).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const center = [pad.left + inner.w / 2, pad.top + inner.h / 2];
  for (const i of order) {
    const link = layout.links[i];
    const [a, b] = [layout.nodes[link.from], layout.nodes[link.to]];
    const share = top > 0 ? Math.min((values[i] ?? 0) / top, 1) : 0;
    const path = linkPath(at(a), at(b), circle && !a.host && !b.host ? center : null);
    const line = svg("path", {
      d: path, fill: "none", stroke: values[i] === null ? t.rule : rampColor(t.ramp, share), "stroke-linecap": "round",
      "stroke-width": ((0.9 + 2.6 * share) * thin + (most > 1 ? (1.2 * link.ports) / most : 0)).toFixed(2),
    });
    const tip = () => ({ link: link.name, [q.title.toLowerCase()]: `${number(values[i])} ${q.unit}`, rate: `${number(link.rate)} ${data.rate_unit}`, ...(link.ports > 1 ? { "drawn as one": `${link.ports} ports` } : {}) });
    line.addEventListener("pointermove", (e) => showTip(null, e, null, tip()));
    line.addEventListener("pointerleave", () => showTip(null, null, null, null));
    root.append(line);
  }
  drawNodes(root, layout, at, inner, circle, t);
  return root;
}

// linkPath is a line a little to the right of the straight one between two nodes, so that
// both directions show; on a circle it bends towards the middle.
function linkPath([x1, y1], [x2, y2], center) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [(-(y2 - y1) / length) * 2.1, ((x2 - x1) / length) * 2.1];
  const p = (x, y) => `${(x + dx).toFixed(1)} ${(y + dy).toFixed(1)}`;
  if (!center) return `M${p(x1, y1)}L${p(x2, y2)}`;
  const [mx, my] = [(x1 + x2) / 2, (y1 + y2) / 2];
  return `M${p(x1, y1)}Q${p(mx + (center[0] - mx) * 0.45, my + (center[1] - my) * 0.45)} ${p(x2, y2)}`;
}

function drawNodes(root, layout, at, inner, circle, t) {
  const rows = Map.groupBy ? Map.groupBy(layout.nodes, (n) => n.y) : groupByY(layout.nodes);
  for (const n of layout.nodes) {
    const [x, y] = at(n);
    const slot = circle ? 18 : inner.w / rows.get(n.y).length;
    const r = Math.max(Math.min(slot / 3, n.host ? 4 : 6.5), 2);
    const shape = n.host
      ? svg("rect", { x: x - r, y: y - r, width: 2 * r, height: 2 * r, rx: 1, fill: t.bg, stroke: t.ink })
      : svg("circle", { cx: x, cy: y, r, fill: t.ink, stroke: t.bg });
    const tip = { node: n.name, ...(n.members > 1 ? { "drawn as one": `${n.members} ${n.host ? "hosts" : "switches"}` } : {}) };
    shape.addEventListener("pointermove", (e) => showTip(null, e, null, tip));
    shape.addEventListener("pointerleave", () => showTip(null, null, null, null));
    root.append(shape);
  }
  if (circle) { labelCircle(root, layout, at, t); return; }
  for (const [, nodes] of rows) labelRow(root, nodes, at, inner, t);
}

function groupByY(nodes) {
  const rows = new Map();
  for (const n of nodes) rows.set(n.y, [...(rows.get(n.y) ?? []), n]);
  return rows;
}

// labelRow names the nodes of a tier, if there is room, and else the tier.
function labelRow(root, nodes, at, inner, t) {
  const sorted = [...nodes].sort((a, b) => a.x - b.x);
  const slot = inner.w / nodes.length;
  const text = (n) => (n.members > 1 ? `${n.members} ${n.host ? "hosts" : "switches"}` : n.name);
  const longest = Math.max(...sorted.map((n) => text(n).length)) * 6.2;
  const y = at(sorted[0])[1];
  const below = sorted[0].host || sorted[0].y === 1;
  const kind = sorted[0].host ? "hosts" : `tier ${sorted[0].tier}`;
  root.append(svg("text", { x: 4, y: y + 4, fill: t.muted }, kind));
  if (longest < slot) {
    for (const n of sorted) root.append(svg("text", { x: at(n)[0], y: y + (below ? 20 : -11), "text-anchor": "middle", stroke: t.bg, "stroke-width": 3, "paint-order": "stroke" }, text(n)));
    return;
  }
  const [first, last] = [sorted[0], sorted[sorted.length - 1]];
  const ends = [[first, "start", -6], [last, "end", 6]];
  for (const [n, anchor, dx] of ends) root.append(svg("text", { x: at(n)[0] + dx, y: y + (below ? 20 : -11), "text-anchor": anchor, stroke: t.bg, "stroke-width": 3, "paint-order": "stroke" }, text(n).slice(0, 40)));
}

// labelCircle names switches of small rings.
function labelCircle(root, layout, at, t) {
  const switches = layout.nodes.filter((n) => !n.host);
  if (switches.length > 40) return;
  for (const n of switches) {
    const [x, y] = at(n);
    const right = n.x >= 0.5;
    root.append(svg("text", { x: x + (right ? -10 : 10), y: y + 4, "text-anchor": right ? "end" : "start", stroke: t.bg, "stroke-width": 3, "paint-order": "stroke" }, n.name));
  }
}

function mapLegend(top, q, width, t) {
  const w = 170;
  const x = width - w - 60;
  const g = svg("g", {});
  const steps = 34;
  for (let i = 0; i < steps; i++) g.append(svg("rect", { x: x + (i * w) / steps, y: 6, width: w / steps + 0.5, height: 9, fill: rampColor(t.ramp, i / (steps - 1)) }));
  g.append(svg("text", { x: x - 6, y: 15, "text-anchor": "end" }, "0"));
  g.append(svg("text", { x: x + w + 6, y: 15 }, `${number(Number(top.toPrecision(3)))} ${q.unit}`));
  return g;
}

function explainMaps(runs) {
  const joined = Math.max(...runs.map((r) => r.joined));
  if (joined > 1) thinnedRules.push(`Map: up to ${joined} snapshots are merged into one. Bytes and drops add up; the largest queue counts.`);
  if (data.maps.layouts.some((l) => l.nodes.some((n) => n.members > 1))) thinnedRules.push("Map: more than 64 hosts are drawn as one node below each switch; neighbouring switches of a tier with more than 48 are drawn as one.");
  thinnedRules.push("Maps show the first seed of each variant, with three significant digits.");
}

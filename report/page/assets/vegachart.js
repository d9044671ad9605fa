// Charts by Vega-Lite. A chart is a function of the width and the theme that returns a
// plain specification; it is compiled and drawn as SVG, without a network and at once, so
// that it can be drawn anew for paper.

// vegaFigure makes a figure. build(width, theme) returns what Figure's draw returns, and
// the specification.
function vegaFigure({ id, title, parent, build }) {
  let view = null;
  const figure = new Figure({
    id, title, parent,
    draw(f, width) {
      const t = theme();
      const built = build(width, t);
      built.spec = {
        $schema: "https://vega.github.io/schema/vega-lite/v6.json",
        ...built.spec,
        config: vegaConfig(t),
      };
      view?.finalize();
      // Vega describes the element that it draws into; the figure has said it better.
      const place = el("div", { "aria-hidden": "true" });
      f.canvas.replaceChildren(place);
      view = new vega.View(vega.parse(vegaLite.compile(built.spec, { logger: quietLogger }).spec), {
        renderer: "svg", container: place, hover: true, tooltip: showTip, logger: quietLogger,
      });
      view.run();
      for (const node of f.canvas.querySelectorAll("[role],[aria-label],[aria-roledescription],[tabindex]")) {
        for (const name of ["role", "aria-label", "aria-roledescription", "tabindex"]) node.removeAttribute(name);
      }
      return built;
    },
    asSVG: () => view.toSVG(),
    asSpec: (f) => f.drawn.spec,
  });
  return figure;
}

// quietLogger passes on errors. Warnings are about automatic choices.
const quietLogger = {
  level() { return this; },
  error(...args) { console.error(...args); return this; },
  warn() { return this; }, info() { return this; }, debug() { return this; },
};

// showTip shows the values of a mark beside the pointer, as text.
function showTip(_handler, event, _item, value) {
  const tip = document.getElementById("tip");
  if (value === null || value === undefined || value === "") {
    tip.hidden = true;
    return;
  }
  if (typeof value === "object") {
    tip.replaceChildren(el("table", {}, el("tbody", {}, ...Object.entries(value).map(([k, v]) =>
      el("tr", {}, el("th", { scope: "row" }, k), el("td", {}, typeof v === "number" ? number(v) : String(v)))))));
  } else {
    tip.textContent = String(value);
  }
  placeTip(tip, event);
}

function placeTip(tip, event) {
  tip.hidden = false;
  const { offsetWidth: w, offsetHeight: h } = tip;
  tip.style.left = `${Math.min(event.clientX + 14, innerWidth - w - 8)}px`;
  tip.style.top = `${event.clientY + h + 22 > innerHeight ? event.clientY - h - 12 : event.clientY + 16}px`;
}

// Colours, dashes and shapes. Variants and ports differ in all three, so that they can be
// told without colour.

const styleCount = 8;
const dashes = [[], [6, 2], [2, 1.5], [7, 2, 1.5, 2], [4, 2], [9, 3], [1.5, 1.5], [4, 1.5, 1, 1.5, 1, 1.5]];
const shapes = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left"];

// Colours of quantities, from little to much; the order of lightness is turned in the
// dark, so that much always stands out (Cividis, by Nuñez, Anderton and Renslow, 2018,
// without its ends).
const ramps = {
  light: ["#dfe3ea", "#f2dd75", "#d8b24a", "#a8935f", "#76777a", "#3d5a80", "#132f63"],
  dark: ["#2b323b", "#334a74", "#5c6678", "#86867c", "#b3a35d", "#e2c84a", "#fff080"],
};

// theme reads the colours in force from the style sheet.
function theme() {
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue(name).trim();
  const dark = style.colorScheme.trim() === "dark";
  return {
    dark,
    ink: get("--ink"), muted: get("--muted"), rule: get("--rule"), grid: get("--grid"), bg: get("--bg"), panel: get("--panel"),
    colors: Array.from({ length: styleCount }, (_, i) => get(`--c${i}`)),
    warn: get("--warn-ink"), warnBg: get("--warn"), best: get("--best"),
    ramp: dark ? ramps.dark : ramps.light,
  };
}

// styleOf is how the i-th variant or port is drawn; from the ninth on, colours come again
// with other dashes and shapes.
function styleOf(i, t) {
  const other = (i + Math.floor(i / styleCount)) % styleCount;
  return { color: t.colors[i % styleCount], dash: dashes[other], shape: shapes[other] };
}

// rampColor returns the colour of a share from 0 to 1.
function rampColor(ramp, share) {
  const at = Math.min(Math.max(share, 0), 1) * (ramp.length - 1);
  const i = Math.min(Math.floor(at), ramp.length - 2);
  const mix = (offset) => {
    const a = parseInt(ramp[i].slice(offset, offset + 2), 16);
    const b = parseInt(ramp[i + 1].slice(offset, offset + 2), 16);
    return Math.round(a + (b - a) * (at - i)).toString(16).padStart(2, "0");
  };
  return `#${mix(1)}${mix(3)}${mix(5)}`;
}

// axisNumbers writes the labels of axes: 600, 1200, 15k.
// Logarithmic axes leave labels out where there is no room, which an expression would undo.
function axisNumbers(log) {
  return log
    ? { format: "~s", labelOverlap: "greedy" }
    : { labelExpr: "abs(datum.value) >= 10000 ? format(datum.value, '~s') : format(datum.value, '~g')" };
}

const fontFamily = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif';

// vegaConfig is the theme of Vega-Lite charts. It goes into every specification, so that
// a copied one looks as it does here.
function vegaConfig(t) {
  return {
    background: "transparent",
    font: fontFamily,
    padding: 4,
    view: { stroke: null },
    axis: {
      labelColor: t.ink, titleColor: t.muted, domainColor: t.muted, tickColor: t.muted, gridColor: t.grid,
      labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal", titlePadding: 8, labelLimit: 220, tickSize: 4, labelOverlap: true,
    },
    legend: {
      labelColor: t.ink, titleColor: t.muted, labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal", labelLimit: 220,
      symbolStrokeWidth: 2, symbolSize: 90, orient: "top", direction: "horizontal", columnPadding: 16,
    },
    header: { labelColor: t.ink, titleColor: t.muted, labelFontSize: 12, labelFontWeight: 600, titleFontSize: 12, titleFontWeight: "normal", labelLimit: 260 },
    title: { color: t.ink, fontSize: 13 },
    line: { strokeWidth: 1.8 },
    text: { color: t.ink, fontSize: 12 },
    rule: { color: t.ink },
  };
}

// legendOf is the legend of variants: as many columns as their names leave room for.
function legendOf(names, width, symbol) {
  const longest = Math.min(Math.max(0, ...names.map((n) => n.length)) * 6.6, 220) + 44;
  return { title: null, columns: Math.max(Math.floor(width / longest), 1), ...(symbol ? { symbolType: symbol } : {}) };
}

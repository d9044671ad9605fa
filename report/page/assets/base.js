// What every part of the page uses: the data, elements, numbers, downloads.

const data = JSON.parse(document.getElementById("data").textContent);

// el makes an element. Texts become text nodes, never markup: names come from scenarios.
function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter((c) => c !== null && c !== undefined));
  return node;
}

const svgNamespace = "http://www.w3.org/2000/svg";

// svg makes an SVG element in the same way.
function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(svgNamespace, tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

let ids = 0;
function newId(prefix) { return `${prefix}-${++ids}`; }

// number writes a number with four significant digits and no fraction beyond them.
function number(v) {
  if (v === null || v === undefined || Number.isNaN(v)) return "–";
  if (Number.isInteger(v)) return String(v);
  const digits = 3 - Math.floor(Math.log10(Math.abs(v)));
  return v.toFixed(Math.min(Math.max(digits, 0), 6));
}

// interval writes a mean with its interval.
function withInterval(mean, low, high, unit = "") {
  const text = number(mean) + (unit ? ` ${unit}` : "");
  return low === null || low === undefined ? text : `${text} (${number(low)} – ${number(high)})`;
}

// timeScale chooses the unit of an axis of times in µs, so that its labels are short.
function timeScale(largest) {
  if (largest >= 1e8) return { unit: "s", divisor: 1e6 };
  if (largest >= 1e5) return { unit: "ms", divisor: 1e3 };
  return { unit: "µs", divisor: 1 };
}

function timeText(us) {
  const scale = timeScale(Math.abs(us));
  return `${number(us / scale.divisor)} ${scale.unit}`;
}

// sizeText writes bytes in the units in which they are round.
function sizeText(bytes) {
  for (const [unit, n] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]]) {
    if (bytes >= n && bytes % n === 0) return `${bytes / n} ${unit}`;
  }
  for (const [unit, n] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]]) {
    if (bytes >= n) return `${number(bytes / n)} ${unit}`;
  }
  return `${number(bytes)} B`;
}

// niceTicks returns at most so many ticks at multiples of 1, 2, 2.5 or 5 times a power of ten.
function niceTicks(from, to, most) {
  if (!(to > from)) return [from];
  const raw = (to - from) / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= raw * (1 - 1e-9));
  const ticks = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + 1e-9 * step; i++) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

// csv writes a table with a heading. A text that a spreadsheet would take for a formula gets an
// apostrophe before it, as in all CSV of weft.
function csv(table) {
  const quoted = (v) => {
    let text = v === null || v === undefined ? "" : String(v);
    if (/^'*[=+\-@\t\r]/.test(text) && !(text.trim() === text && Number.isFinite(Number(text)))) text = `'${text}`;
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [table.columns, ...table.rows].map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
}

// save hands the reader a file.
function save(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// fileName makes a name that every file system takes.
function fileName(...parts) {
  return parts.join("-").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "") || "weft";
}

// say tells readers who do not see the screen what happened.
function say(text) { document.getElementById("said").textContent = text; }

// copy puts a text on the clipboard. Pages from files may not use the clipboard
// interface; then a selection does it.
async function copy(text, button) {
  let done = false;
  try {
    await navigator.clipboard.writeText(text);
    done = true;
  } catch {
    const area = el("textarea", { "aria-hidden": "true", style: "position:fixed;opacity:0" });
    area.value = text;
    document.body.append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
    button.focus();
  }
  const before = button.textContent;
  button.textContent = done ? "Copied" : "Not copied";
  say(button.textContent);
  setTimeout(() => { button.textContent = before; }, 1500);
}

// choice is a labelled select. Options are [value, text].
function choice(label, options, value, changed) {
  const select = el("select", { id: newId("choice") });
  for (const [v, text] of options) select.append(el("option", { value: v }, text));
  select.value = value;
  select.addEventListener("change", () => changed(select.value));
  return { node: el("label", { for: select.id }, label, select), select };
}

// thinnedRules are what the last section says about thinning.
const thinnedRules = [];

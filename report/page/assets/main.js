// Putting the page together, and drawing it anew when colours, sizes or the paper change.

function setTheme(value) {
  if (value === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
}

// remember keeps the choice where pages may keep something.
function remember(value) {
  try {
    if (value === undefined) return localStorage.getItem("weft-theme");
    localStorage.setItem("weft-theme", value);
  } catch { /* Some browsers keep nothing for files. */ }
  return null;
}

function drawAll(width = 0) { for (const f of figures) f.draw(width); }

function themeSwitch() {
  const radios = [...document.querySelectorAll("#theme input")];
  const kept = radios.find((r) => r.value === remember());
  if (kept) {
    kept.checked = true;
    setTheme(kept.value);
  }
  for (const r of radios) {
    r.addEventListener("change", () => {
      remember(r.value);
      setTheme(r.value);
      drawAll();
    });
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawAll());
}

// paperWidth is what fits on A4 and Letter with their margins, in CSS pixels.
const paperWidth = 680;

function printing() {
  let before;
  let opened = [];
  addEventListener("beforeprint", () => {
    before = document.documentElement.dataset.theme;
    setTheme("light");
    opened = [...document.querySelectorAll("details[data-print]:not([open])")];
    for (const d of opened) d.open = true;
    for (const f of figures) f.draw(f.node.closest(".pair") ? paperWidth / 2 - 10 : paperWidth);
  });
  addEventListener("afterprint", () => {
    setTheme(before ?? "auto");
    for (const d of opened) d.open = false;
    drawAll();
  });
}

function resizing() {
  let width = innerWidth;
  let due = 0;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    clearTimeout(due);
    due = setTimeout(() => { width = innerWidth; drawAll(); }, 120);
  });
}

function listThinning() {
  const list = document.getElementById("thinned");
  const rules = [...data.left_out, ...thinnedRules];
  if (!rules.length) rules.push("Nothing was thinned.");
  for (const r of rules) list.append(el("li", {}, r));
}

themeSwitch();
sortTables();
copyButtons();
for (const part of [studySection, barsSection, sizesSection, cdfSection, timelinesSection, mapSection]) part();
drawAll();
listThinning();
printing();
resizing();
document.documentElement.dataset.ready = "yes";

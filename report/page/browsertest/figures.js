// Checks each figure of a page and returns what is wrong with them.
(async () => {
  const problems = [];
  const figures = [...document.querySelectorAll("figure.chart")];
  if (!figures.length) problems.push("there is no figure");

  // Files are caught instead of saved, and so is what is copied.
  const files = [];
  const create = URL.createObjectURL;
  URL.createObjectURL = (blob) => { files.push(blob); return create.call(URL, blob); };
  HTMLAnchorElement.prototype.click = function () {};
  let copied = "";
  Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { copied = text; } }, configurable: true });
  const settle = () => new Promise((done) => setTimeout(done, 0));

  for (const f of figures) {
    const bad = (what) => problems.push(`${f.id}: ${what}`);
    if (f.dataset.drawn !== "yes") bad("is not drawn");
    const canvas = f.querySelector(".canvas");
    if (canvas.getAttribute("role") !== "img" || (canvas.getAttribute("aria-label") ?? "").length < 20) bad("has no description");
    if (!f.querySelector("figcaption h3")?.textContent) bad("has no title");

    const box = canvas.getBoundingClientRect();
    if (box.width < 200 || box.height < 40) bad(`is ${box.width} by ${box.height}`);
    const drawing = canvas.querySelector(":scope > svg, :scope svg");
    const bitmaps = [...canvas.querySelectorAll("canvas")];
    if (bitmaps.length) {
      for (const c of bitmaps) {
        const pixels = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
        let drawn = 0;
        for (let i = 3; i < pixels.length; i += 4) if (pixels[i] > 0) drawn++;
        if (drawn < 200) bad("has an empty panel");
      }
    } else if (!drawing) bad("has no drawing");
    else {
      const marks = [...drawing.querySelectorAll("path, rect, circle, line")].filter((m) => {
        const r = m.getBoundingClientRect();
        return r.width > 0 || r.height > 0;
      });
      if (marks.length < 5) bad(`has ${marks.length} marks`);
      if (drawing.innerHTML.includes("NaN")) bad("has NaN in its drawing");
      if (drawing.getBoundingClientRect().right > document.documentElement.clientWidth + 1) bad("is wider than the window");
    }

    // The table of its data.
    const details = f.querySelector("details.data");
    details.open = true;
    await settle();
    const rows = details.querySelectorAll("tbody tr").length;
    if (rows < 1) bad("has an empty table");

    // Its downloads.
    const press = async (kind) => {
      const button = f.querySelector(`button[data-kind="${kind}"]`);
      if (!button) { bad(`cannot be had as ${kind}`); return null; }
      files.length = 0;
      button.click();
      await settle();
      await settle();
      return files.length ? files[0].text() : null;
    };
    const csv = await press("csv");
    if (!csv || csv.split("\r\n").length < 3) bad("has an empty CSV");
    const svg = await press("svg");
    const parsed = new DOMParser().parseFromString(svg ?? "", "image/svg+xml");
    if (parsed.querySelector("parsererror") || parsed.querySelectorAll("path, rect").length < 4) bad("has an SVG that cannot be read");
    if (svg && (svg.includes("NaN") || svg.includes("var("))) bad("has an SVG that does not stand alone");
    if (f.querySelector('button[data-kind="spec"]')) {
      await press("spec");
      const spec = JSON.parse(copied);
      if (!spec.$schema?.includes("vega-lite") || !spec.data?.values?.length) bad("has a specification without data");
    } else if (bitmaps.length === 0 && f.id !== "fabric-map") bad("has no specification to copy");
    details.open = false;
  }
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth + 1) problems.push("the page is wider than the window");
  return problems;
})()

// Tables that sort by their columns, and things that copy.

function sortTables() {
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      head.querySelector("button").addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const body = table.tBodies[0];
        body.append(...[...body.rows].sort((a, b) => compareCells(a.cells[column], b.cells[column], up)));
        say(`Sorted by ${head.textContent.trim()}, ${up ? "ascending" : "descending"}`);
      });
    });
  }
}

// compareCells compares numbers as numbers; what has none comes last either way.
function compareCells(a, b, up) {
  const key = (c) => (c.dataset.sort === undefined ? c.textContent.trim() : c.dataset.sort);
  const [x, y] = [key(a), key(b)];
  if (x === "" || y === "") return (x === "") - (y === "");
  const [m, n] = [parseFloat(x), parseFloat(y)];
  const order = a.dataset.sort === undefined || Number.isNaN(m) || Number.isNaN(n) ? x.localeCompare(y, "en", { numeric: true }) : m - n;
  return up ? order : -order;
}

function copyButtons() {
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.addEventListener("click", () => copy(document.getElementById(button.dataset.copy).textContent, button));
  }
}

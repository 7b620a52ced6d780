"use strict";
// Tables sort by the column whose heading is pressed; undefined values stay at the end.
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const heading = button.parentElement;
    const body = heading.closest("table").tBodies[0];
    const rises = heading.getAttribute("aria-sort") === "descending";
    for (const other of heading.parentElement.children) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", rises ? "ascending" : "descending");
    const value = (row) => {
      const cell = row.cells[heading.cellIndex];
      if (cell.classList.contains("number")) return cell.dataset.value === undefined ? null : Number(cell.dataset.value);
      return cell.textContent;
    };
    const order = (one, other) => {
      const [a, b] = [value(one), value(other)];
      if (a === null || b === null) return (a === null) - (b === null);
      const sign = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
      return rises ? sign : -sign;
    };
    body.append(...[...body.rows].sort(order));
  });
}
// What is folded is printed as well.
window.addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details")) part.open = true;
});

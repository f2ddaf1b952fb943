// Paints the hours of a week: a rectangle of boxes by dragging a mouse from one corner to the other, and whole days and hours by
// their headings. Without it, each box is checked by itself.

for (const week of document.querySelectorAll("[data-week]")) {
  const boxes = [...week.querySelectorAll("input")];
  // The box that a drag began at, and what was checked before; null while there is none.
  let first = null;
  let before = [];

  const place = (box) => box.value.split("-").map(Number);
  const between = (n, a, b) => n >= Math.min(a, b) && n <= Math.max(a, b);
  const paint = (last) => {
    const [from, to] = [place(first), place(last)];
    const painted = !before[boxes.indexOf(first)];
    boxes.forEach((box, at) => {
      const isInside = place(box).every((n, axis) => between(n, from[axis], to[axis]));
      box.checked = isInside ? painted : before[at];
    });
  };
  week.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch" && event.button === 0 && boxes.includes(event.target)) {
      before = boxes.map((box) => box.checked);
      first = event.target;
      paint(first);
    }
  });
  week.addEventListener("pointerover", (event) => {
    if (first && boxes.includes(event.target)) paint(event.target);
  });
  // The click that ends it would change the first box back.
  week.addEventListener("click", (event) => {
    if (first && boxes.includes(event.target)) event.preventDefault();
  });
  addEventListener("pointerup", () => setTimeout(() => (first = null)));

  const heading = (cell, those) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = cell.textContent;
    button.addEventListener("click", () => {
      const all = those.every((box) => box.checked);
      for (const box of those) box.checked = !all;
    });
    cell.replaceChildren(button);
  };
  const [head, ...rows] = week.rows;
  const inRow = (row) => [...row.querySelectorAll("input")];
  [...head.cells].slice(1).forEach((cell, day) => heading(cell, rows.map((row) => inRow(row)[day])));
  for (const row of rows) heading(row.cells[0], inRow(row));
}

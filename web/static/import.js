// Puts a file into the form, chosen or dropped: as text, or as an address of its bytes if it is none.
// Without it, the text itself is pasted.

const form = document.querySelector("[data-import]");
const file = form?.querySelector("input[type=file]");

async function take([chosen]) {
  if (!chosen) return;
  const table = document.querySelector("#table");
  const text = await chosen.text();
  // A byte that is no text is U+FFFD.
  if (!/[\0\uFFFD]/.test(text)) {
    table.value = text;
    return;
  }
  const reader = new FileReader();
  reader.onload = () => (table.value = reader.result);
  reader.readAsDataURL(chosen);
}

if (file) {
  file.closest("[data-file]").hidden = false;
  file.addEventListener("change", () => take(file.files));
  form.addEventListener("dragover", (event) => event.preventDefault());
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    take(event.dataTransfer.files);
  });
}

for (const busy of document.querySelectorAll("[data-busy]")) {
  busy.closest("form").addEventListener("submit", () => (busy.hidden = false));
}

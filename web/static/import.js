// Puts a file into the form, chosen or dropped: as text, or as an address of its bytes if it is none.
// Without it, the text itself is pasted.

const form = document.querySelector("[data-import]");
const file = form?.querySelector("input[type=file]");

async function take(chosen) {
  const bytes = new Uint8Array(await chosen.arrayBuffer());
  const table = document.querySelector("#table");
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) {
      table.value = text;
      return;
    }
  } catch {
    // It is no text.
  }
  const reader = new FileReader();
  reader.addEventListener("load", () => {
    table.value = reader.result;
  });
  reader.readAsDataURL(new Blob([bytes]));
}

if (file) {
  file.closest("[data-file]").hidden = false;
  file.addEventListener("change", () => {
    if (file.files.length) take(file.files[0]);
  });
  form.addEventListener("dragover", (event) => event.preventDefault());
  form.addEventListener("drop", (event) => {
    const [dropped] = event.dataTransfer.files;
    if (!dropped) return;
    event.preventDefault();
    take(dropped);
  });
}

for (const busy of document.querySelectorAll("[data-busy]")) {
  busy.closest("form").addEventListener("submit", () => {
    busy.hidden = false;
  });
}

// Puts a file into the form, chosen or dropped: as text, or as an address of its bytes if it is none.

const form = document.querySelector("[data-import]");
const file = form?.querySelector("input[type=file]");

async function take([chosen]) {
  if (!chosen) return;
  const text = await chosen.text();
  // A byte that is no text is U+FFFD.
  if (!/[\0\uFFFD]/.test(text)) {
    form.table.value = text;
    return;
  }
  const reader = new FileReader();
  reader.onload = () => (form.table.value = reader.result);
  reader.readAsDataURL(chosen);
}

if (file) {
  file.closest("[data-file]").hidden = false;
  file.onchange = () => take(file.files);
  form.ondragover = (event) => event.preventDefault();
  form.ondrop = (event) => {
    event.preventDefault();
    take(event.dataTransfer.files);
  };
}

const busy = document.querySelector("[data-state]");
busy?.closest("form").addEventListener("submit", () => {
  busy.parentNode.hidden = false;
  setInterval(async () => {
    const { importing } = await (await fetch(busy.dataset.state)).json();
    if (importing) busy.value = importing;
  }, 500);
});

// Puts the text of a file into the form. Without it, the text itself is pasted.

const file = document.querySelector("[data-import] input[type=file]");

if (file) {
  file.closest("[data-file]").hidden = false;
  file.addEventListener("change", async () => {
    if (file.files.length) document.querySelector("#table").value = await file.files[0].text();
  });
}

// Sends a backup to a service whose store is not open.
const form = document.getElementById("upload");
if (form) {
  form.hidden = false;
  form.querySelector("input").addEventListener("change", async ({ target }) => {
    const headers = { "X-Repair-Token": form.dataset.token };
    const answer = await fetch("repair/upload", { method: "POST", headers, body: target.files[0] });
    if (answer.ok) location.reload();
    else form.querySelector("p").textContent = await answer.text();
  });
}

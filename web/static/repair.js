// Sends a backup to the service whose store is not open. Without scripts, a path names the backup.
const form = document.getElementById("upload");
if (form) {
  const [field, state] = [form.querySelector("input"), form.querySelector("[role=status]")];
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  field.addEventListener("change", () => {
    const file = field.files[0];
    if (!file) return;
    const request = new XMLHttpRequest();
    const failed = (why) => { state.textContent = `${state.dataset.failed} ${why}`; };
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      state.textContent = `${Math.floor((100 * loaded) / Math.max(total, 1))} %`;
    });
    request.addEventListener("error", () => failed(""));
    request.addEventListener("load", () => {
      if (request.status === 204) location.reload();
      else failed(request.responseText);
    });
    request.open("POST", "repair/upload");
    request.setRequestHeader("X-Repair-Token", form.dataset.token);
    request.send(file);
  });
}

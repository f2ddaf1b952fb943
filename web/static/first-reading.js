// Polls until the first reading has arrived.
const line = document.querySelector("[data-state]");
if (line) {
  line.textContent = line.dataset.waiting;
  poll();
}

async function poll() {
  try {
    const answer = await fetch(line.dataset.state, { redirect: "error" });
    const { readings } = await answer.json();
    if (readings > 0) {
      line.classList.add("received");
      line.textContent = readings === 1 ? line.dataset.first : `${readings.toLocaleString(document.documentElement.lang)} ${line.dataset.stored}`;
      return;
    }
  } catch {
    // It may be restarting.
  }
  setTimeout(poll, 2000);
}

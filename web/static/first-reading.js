// Asks until the first reading of a sensor has come, and says so.
const line = document.querySelector("[data-state]");
if (line) {
  line.textContent = "Waiting for the first reading …";
  ask();
}

async function ask() {
  try {
    const answer = await fetch(line.dataset.state, { redirect: "error" });
    const { readings } = await answer.json();
    if (readings > 0) {
      line.classList.add("received");
      line.textContent = readings === 1 ? "Received: the first reading is stored." : `Received: ${readings} readings are stored.`;
      return;
    }
  } catch {
    // The service may be restarting; it is asked again.
  }
  setTimeout(ask, 2000);
}

// Registers the worker that shows a page of our own while the server can't be reached. Browsers have workers only with TLS
// and on the machine itself; all else works without one.
const RETRY_MS = 15_000;
// The language is a part of the address: who chooses another one gets the page anew.
const worker = new URL(`offline-worker.js?language=${document.documentElement.lang}`, import.meta.url);
navigator.serviceWorker?.register(worker, { scope: document.baseURI }).catch(() => {});

// The worker's page stands at the address that was asked for. A tablet on a wall has nobody who tries again.
const page = new URL("offline", document.baseURI);
const again = document.querySelector("[data-offline] a");
if (again && location.pathname !== page.pathname) {
  again.href = location.href;
  const look = () => fetch(page, { method: "HEAD" }).then(() => location.reload(), () => {});
  setInterval(look, RETRY_MS);
}

// Makes charts interactive. The server draws each view at an address of its own; it replaces the one before without a page load.
// Where the address can name any range (data-free), the chart zooms and moves, and follows the time.

const SVG = "http://www.w3.org/2000/svg";
const THIN = "\u202f";
const MINUTE_MS = 60_000;

const section = () => document.querySelector("[data-chart]");
const view = () => location.pathname + location.search;
const isDashboard = () => location.pathname === new URL(document.baseURI).pathname;

let turn = 0;
let shown = view();

/** Loads a view in place; if that fails, as any page. */
async function go(address, { push = true, quiet = false } = {}) {
  const mine = ++turn;
  section().setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(address);
    if (!answer.ok || answer.redirected) throw new Error(answer.statusText);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (mine !== turn) return;
    put(page, quiet);
    if (push) history.pushState(null, "", address);
    shown = view();
  } catch (error) {
    if (mine !== turn) return;
    section().removeAttribute("aria-busy");
    if (!quiet) location.assign(address);
  }
}

function put(page, quiet) {
  const [before, next] = [section(), page.querySelector("[data-chart]")];
  if (!next) throw new Error("the page has no chart");
  const focused = before.contains(document.activeElement) ? document.activeElement : null;
  const way = focused?.dataset.way;
  const wasOnPlot = focused?.classList.contains("plot");
  before.replaceWith(next);
  // Other parts of the page change with time, too.
  for (const stale of document.querySelectorAll("[data-fresh]")) {
    const fresh = page.querySelector(`[data-fresh="${CSS.escape(stale.dataset.fresh)}"]`);
    // What somebody fills in stays as time goes on.
    if (fresh && !(quiet && stale.querySelector("details[open]"))) stale.replaceWith(fresh);
  }
  document.title = page.title;
  attach();
  const plot = [...next.querySelectorAll(".plot")].find((it) => it.offsetParent);
  if (way) (next.querySelector(`a[data-way="${way}"]`) ?? plot)?.focus({ preventScroll: true });
  else if (wasOnPlot) plot?.focus({ preventScroll: true });
}

/** The address of the same view for another range, in milliseconds since 1970. */
function between(from, to) {
  const query = new URLSearchParams(location.search);
  for (const name of ["range", "at", "by"]) query.delete(name);
  query.set("from", new Date(Math.floor(from)).toISOString());
  query.set("to", new Date(Math.ceil(to)).toISOString());
  return `${location.pathname}?${query}${isDashboard() ? "#chart" : ""}`;
}

function zoom(card, from, to) {
  if (!("free" in card.dataset)) return;
  const middle = (from + to) / 2;
  const half = Math.max(to - from, MINUTE_MS) / 2;
  go(between(middle - half, middle + half));
}

function pointsOf(svg) {
  if (!svg.dataset.points) return [];
  const { t0, dt, v, min, max, len } = JSON.parse(svg.dataset.points);
  let time = t0;
  return v.map((value, nth) => {
    time += dt[nth];
    return { from: time, to: time + (len?.[nth] ?? 0), value, min: min?.[nth], max: max?.[nth] };
  });
}

function power(watts, locale) {
  const isBig = Math.abs(watts) >= 999.5;
  const shown = isBig ? watts / 1000 : watts;
  const digits = !isBig ? 0 : Math.abs(shown) < 9.995 ? 2 : Math.abs(shown) < 99.95 ? 1 : 0;
  const form = { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false };
  const text = shown.toLocaleString(locale, form);
  return `${text.replace(/^-0$/, "0").replace("-", "\u2212")}${THIN}${isBig ? "kW" : "W"}`;
}

function clockOf(zone, locale) {
  const form = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  try {
    return new Intl.DateTimeFormat(locale, { ...form, timeZone: zone });
  } catch {
    return new Intl.DateTimeFormat(locale, { ...form, timeZone: "UTC", timeZoneName: "short" });
  }
}

function words(point, clock, { locale, between }) {
  if (point.words) return point.words;
  const ends = point.min === point.max ? "" : ` (${power(point.min, locale)} ${between} ${power(point.max, locale)})`;
  return `${clock.format(point.from)}: ${power(point.value, locale)}${ends}`;
}

function shape(svg, name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  svg.append(element);
  return element;
}

class Plot {
  constructor(element, svg) {
    this.element = element;
    this.svg = svg;
    this.points = pointsOf(svg);
    this.card = element.closest("[data-read]");
    const { from, to, locale, help } = this.card.dataset;
    this.clock = clockOf(svg.dataset.zone, locale);
    [this.from, this.to] = [Number(from), Number(to)];
    this.held = new Map();
    this.nth = null;
    Object.assign(element, { tabIndex: 0 });
    element.setAttribute("role", "group");
    element.setAttribute("aria-label", help);
    element.addEventListener("keydown", (event) => this.key(event));
    // Without readings the keys still lead to other ranges.
    if (this.points.length) this.read();
  }

  read() {
    const { element, svg } = this;
    const numbers = (text) => text.split(" ").map(Number);
    [this.left, this.top, this.width, this.height] = numbers(svg.dataset.plot);
    [this.low, this.high] = numbers(svg.dataset.values);
    // The browser would show a <title> as a tooltip, on top of the cursor.
    const takeTitle = (shape) => {
      const title = shape.querySelector("title");
      title.remove();
      return title.textContent;
    };
    svg.setAttribute("aria-label", takeTitle(svg));
    svg.querySelectorAll(".chart-bar, .chart-bar-give, .chart-price, .flow-bar").forEach((bar, nth) => {
      Object.assign(this.points[nth], { words: takeTitle(bar), opens: bar.parentNode.href?.baseVal });
      // A tap must not leave the page at once, nor each bar be a stop of the keyboard: see `tap` and `key`.
      bar.parentNode.removeAttribute("href");
    });
    svg.querySelectorAll(".chart-estimated").forEach(takeTitle);
    this.gaps = [...svg.querySelectorAll(".chart-gap")].map((gap) => {
      const [left, width] = [gap.x.baseVal.value, gap.width.baseVal.value];
      return { left, right: left + width, words: takeTitle(gap) };
    });
    const [y1, y2] = [this.top, this.top + this.height];
    this.picked = shape(svg, "rect", { class: "chart-picked", y: y1, height: this.height, width: 0 });
    this.cursor = shape(svg, "line", { class: "chart-cursor", y1, y2 });
    this.dot = shape(svg, "circle", { class: "chart-dot", r: 4 });
    this.hide();
    element.addEventListener("blur", () => this.hide());
    svg.addEventListener("pointermove", (event) => this.move(event));
    // A finger leaves when it is lifted; what it read stays.
    svg.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && this.hide());
    svg.addEventListener("pointerdown", (event) => this.press(event));
    svg.addEventListener("pointerup", (event) => this.release(event));
    svg.addEventListener("pointercancel", () => this.letGo());
  }

  x(time) {
    return this.left + Math.min(Math.max((time - this.from) / (this.to - this.from), 0), 1) * this.width;
  }

  time(x) {
    return this.from + ((x - this.left) / this.width) * (this.to - this.from);
  }

  at(event) {
    const box = this.element.getBoundingClientRect();
    return ((event.clientX - box.left) / box.width) * this.svg.viewBox.baseVal.width;
  }

  show(nth) {
    if (!this.points.length) return;
    this.nth = Math.min(Math.max(nth, 0), this.points.length - 1);
    const point = this.points[this.nth];
    const x = this.x((point.from + point.to) / 2);
    const share = (this.high - point.value) / (this.high - this.low);
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
    this.dot.setAttribute("cx", x);
    this.dot.setAttribute("cy", this.top + Math.min(Math.max(share, 0), 1) * this.height);
    for (const mark of [this.cursor, this.dot]) mark.removeAttribute("display");
    this.announce(words(point, this.clock, this.card.dataset));
  }

  hide() {
    if (!this.points.length) return;
    [this.nth, this.tapped] = [null, null];
    for (const mark of [this.cursor, this.dot]) mark.setAttribute("display", "none");
    this.announce("");
  }

  announce(text) {
    this.card.querySelector("[data-read-out]").textContent = text;
  }

  move(event) {
    const x = this.at(event);
    const held = this.held.get(event.pointerId);
    if (held) {
      held.x = x;
      if (this.pan()) return;
      if ("free" in this.card.dataset) {
        this.picked.setAttribute("x", Math.max(Math.min(x, held.start), this.left));
        this.picked.setAttribute("width", Math.abs(x - held.start));
      }
    }
    const gap = this.gaps.find(({ left, right }) => left < x && x < right);
    if (gap) {
      this.hide();
      this.announce(gap.words);
      return;
    }
    const time = this.time(x);
    const off = (point) => Math.max(point.from - time, time - point.to, 0);
    let best = 0;
    for (let nth = 1; nth < this.points.length; nth += 1) {
      if (off(this.points[nth]) < off(this.points[best])) best = nth;
    }
    this.show(best);
  }

  press(event) {
    if (event.button !== 0) return;
    const x = this.at(event);
    this.held.set(event.pointerId, { start: x, x, time: this.time(x) });
    this.pans = event.pointerType === "touch" || event.shiftKey;
    this.svg.setPointerCapture(event.pointerId);
  }

  /** Moves the picture with a finger or the mouse, or stretches it between two fingers: each stays on its time. */
  pan() {
    const [one, two] = this.held.values();
    if (!("free" in this.card.dataset) || !(two || (this.pans && Math.abs(one.x - one.start) >= 8))) return false;
    const span = two ? ((two.time - one.time) / (two.x - one.x)) * this.width : this.to - this.from;
    const from = one.time - ((one.x - this.left) / this.width) * span;
    if (span > 0 && Number.isFinite(span)) this.aim(from, from + span);
    return true;
  }

  /** Shows where the picture will go. */
  aim(from, to) {
    this.aimed = [from, to];
    const { style } = this.svg;
    const px = this.svg.parentNode.clientWidth / this.svg.viewBox.baseVal.width;
    style.transformOrigin = `${this.left * px}px 0`;
    style.transform = `translateX(${((this.from - from) / (to - from)) * this.width * px}px) scaleX(${(this.to - this.from) / (to - from)})`;
  }

  release(event) {
    const held = this.held.get(event.pointerId);
    const { aimed } = this;
    this.letGo();
    if (!held) return;
    const x = this.at(event);
    const moved = x - held.start;
    if (aimed) zoom(this.card, ...aimed);
    else if (Math.abs(moved) < 8) this.tap(event);
    else if (this.pans) this.step(moved > 0 ? "before" : "after");
    else zoom(this.card, ...[held.time, this.time(x)].sort((a, b) => a - b));
  }

  step(way) {
    this.card.querySelector(`a[data-way="${way}"]`)?.click();
  }

  /** The mouse has read a value before it is pressed. A finger reads with its first tap, and opens with its second one. */
  tap(event) {
    const before = this.tapped;
    this.move(event);
    if (event.pointerType === "mouse" || before === this.nth) this.open();
    this.tapped = this.nth;
  }

  open() {
    const opens = this.points[this.nth]?.opens;
    if (!opens) return;
    const { href, pathname } = new URL(opens, document.baseURI);
    if (pathname === location.pathname) go(href);
    else location.assign(href);
  }

  letGo() {
    this.held.clear();
    this.aimed = undefined;
    this.svg.style.transform = "";
    this.picked.setAttribute("width", 0);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [span, last] = [this.to - this.from, this.points.length - 1];
    const here = this.points[this.nth ?? last];
    const middle = here ? (here.from + here.to) / 2 : (this.from + this.to) / 2;
    const action = {
      ArrowLeft: () => (event.shiftKey ? this.step("before") : this.show((this.nth ?? last + 1) - 1)),
      ArrowRight: () => (event.shiftKey ? this.step("after") : this.show((this.nth ?? -1) + 1)),
      Home: () => this.show(0),
      End: () => this.show(last),
      PageUp: () => this.step("before"),
      PageDown: () => this.step("after"),
      "+": () => zoom(this.card, middle - span / 4, middle + span / 4),
      "-": () => zoom(this.card, this.from - span / 2, this.to + span / 2),
      Enter: () => this.open(),
      Escape: () => this.hide(),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}

function attach() {
  for (const search of document.querySelectorAll("[data-search]")) search.parentNode.hidden = false;
  // One that is read already keeps its place.
  for (const element of document.querySelectorAll("[data-read] .plot:not([tabindex])")) {
    new Plot(element, element.querySelector("svg"));
  }
}

if (section()) {
  attach();
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-chart] a[data-way]");
    const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) && event.button === 0;
    if (!link || !isPlain) return;
    event.preventDefault();
    go(link.href);
  });
  document.addEventListener("submit", (event) => {
    const form = event.target.closest("[data-chart] form");
    if (!form) return;
    event.preventDefault();
    const address = new URL(form.action);
    address.search = new URLSearchParams(new FormData(form));
    go(address.href);
  });
  document.addEventListener("input", ({ target }) => {
    if (!("search" in target.dataset)) return;
    for (const row of target.form.querySelectorAll("li")) row.hidden = !row.textContent.toLowerCase().includes(target.value.trim().toLowerCase());
  });
  addEventListener("popstate", () => {
    if (view() !== shown) go(location.href, { push: false });
  });
  // Loads the newest readings, unless somebody is reading a value: the picture must not change under the cursor.
  setInterval(() => {
    const isFree = !document.hidden && section().matches("[data-free]:not(:hover, :focus-within, [aria-busy])");
    if (isFree) go(location.href, { push: false, quiet: true });
  }, MINUTE_MS);
}

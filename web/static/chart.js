// Makes charts interactive: single values by pointer, finger or keyboard, bars that open, and zoom by dragging. Each view has its
// own address; the server draws its picture, which replaces the previous one without a page load. Where the address can name any
// range (data-free), keys and dragging zoom, and the picture follows the time.

const SVG = "http://www.w3.org/2000/svg";
const THIN = "\u202f";
const SHORTEST_MS = 60_000;
const REFRESH_MS = 60_000;

const section = () => document.querySelector("[data-chart]");
const view = () => location.pathname + location.search;
const isDashboard = () => location.pathname === new URL(document.baseURI).pathname;

// ---- navigation ----

let turn = 0;
let shown = view();

/** Loads the view at an address in place. Falls back to normal navigation if that fails. */
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
  // Other parts of the page change with time, too: the energy of the periods, the name of the sensor.
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

function zoom(from, to) {
  if (!("free" in section().dataset)) return;
  const middle = (from + to) / 2;
  const half = Math.max(to - from, SHORTEST_MS) / 2;
  return go(between(middle - half, middle + half));
}

function step(way) {
  section().querySelector(`a[data-way="${way}"]`)?.click();
}

// ---- single values ----

/** The points of a picture: start, end, and value. */
function pointsOf(svg) {
  if (!svg.dataset.points) return [];
  const { t0, dt, v, min, max, len } = JSON.parse(svg.dataset.points);
  let time = t0;
  return v.map((value, nth) => {
    time += dt[nth];
    return { from: time, to: time + (len?.[nth] ?? 0), value, min: min?.[nth], max: max?.[nth] };
  });
}

function power(watts) {
  const isBig = Math.abs(watts) >= 999.5;
  const shown = isBig ? watts / 1000 : watts;
  const digits = !isBig ? 0 : Math.abs(shown) < 9.995 ? 2 : Math.abs(shown) < 99.95 ? 1 : 0;
  const form = { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false };
  const text = shown.toLocaleString(section().dataset.locale, form);
  return `${text.replace(/^-0$/, "0").replace("-", "\u2212")}${THIN}${isBig ? "kW" : "W"}`;
}

function clockOf(zone) {
  const form = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  const { locale } = section().dataset;
  try {
    return new Intl.DateTimeFormat(locale, { ...form, timeZone: zone });
  } catch {
    return new Intl.DateTimeFormat(locale, { ...form, timeZone: "UTC", timeZoneName: "short" });
  }
}

function words(point, clock) {
  if (point.words) return point.words;
  const ends = point.min === undefined || point.min === point.max
    ? "" : ` (${power(point.min)} ${section().dataset.between} ${power(point.max)})`;
  return `${clock.format(point.from)}: ${power(point.value)}${ends}`;
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
    this.clock = clockOf(svg.dataset.zone);
    const { from, to } = section().dataset;
    [this.from, this.to] = [Number(from), Number(to)];
    this.nth = null;
    Object.assign(element, { tabIndex: 0 });
    element.setAttribute("role", "group");
    element.setAttribute("aria-label", section().dataset.help);
    element.addEventListener("keydown", (event) => this.key(event));
    // Without readings the keys still lead to other ranges.
    if (this.points.length) this.read();
  }

  /** Sets up reading single values and picking ranges. */
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
    svg.querySelectorAll(".chart-bar, .chart-bar-give, .flow-bar").forEach((bar, nth) => {
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
    svg.addEventListener("pointercancel", () => this.cancelDrag());
  }

  x(time) {
    return this.left + Math.min(Math.max((time - this.from) / (this.to - this.from), 0), 1) * this.width;
  }

  time(x) {
    return this.from + Math.min(Math.max((x - this.left) / this.width, 0), 1) * (this.to - this.from);
  }

  /** The x coordinate of the pointer in the picture. */
  at(event) {
    const box = this.svg.getBoundingClientRect();
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
    this.announce(words(point, this.clock));
  }

  hide() {
    if (!this.points.length) return;
    [this.nth, this.tapped] = [null, null];
    for (const mark of [this.cursor, this.dot]) mark.setAttribute("display", "none");
    this.announce("");
  }

  announce(text) {
    const out = section()?.querySelector("[data-read-out]");
    if (out) out.textContent = text;
  }

  move(event) {
    const x = this.at(event);
    if (this.pressed !== undefined && "free" in section().dataset) {
      this.picked.setAttribute("x", Math.max(Math.min(x, this.pressed), this.left));
      this.picked.setAttribute("width", Math.abs(x - this.pressed));
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
    this.pressed = this.at(event);
    this.svg.setPointerCapture(event.pointerId);
  }

  release(event) {
    const pressed = this.pressed;
    this.cancelDrag();
    const x = this.at(event);
    if (pressed === undefined) return;
    if (Math.abs(x - pressed) < 8) {
      this.tap(event);
      return;
    }
    const [from, to] = [this.time(pressed), this.time(x)].sort((a, b) => a - b);
    zoom(from, to);
  }

  /** The mouse has read a value before it is pressed. A finger reads with its first tap, and opens with its second one. */
  tap(event) {
    const before = this.tapped;
    this.move(event);
    if (event.pointerType === "mouse" || before === this.nth) this.open();
    this.tapped = this.nth;
  }

  /** Opens the bar that is being read: a month's days, a day's power. */
  open() {
    const opens = this.points[this.nth]?.opens;
    if (!opens) return;
    const { href, pathname } = new URL(opens, document.baseURI);
    if (pathname === location.pathname) go(href);
    else location.assign(href);
  }

  cancelDrag() {
    this.pressed = undefined;
    this.picked.setAttribute("width", 0);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [span, last] = [this.to - this.from, this.points.length - 1];
    const here = this.points[this.nth ?? last];
    const middle = here ? (here.from + here.to) / 2 : (this.from + this.to) / 2;
    const action = {
      ArrowLeft: () => (event.shiftKey ? step("before") : this.show((this.nth ?? last + 1) - 1)),
      ArrowRight: () => (event.shiftKey ? step("after") : this.show((this.nth ?? -1) + 1)),
      Home: () => this.show(0),
      End: () => this.show(last),
      PageUp: () => step("before"),
      PageDown: () => step("after"),
      "+": () => zoom(middle - span / 4, middle + span / 4),
      "-": () => zoom(this.from - span / 2, this.to + span / 2),
      Enter: () => this.open(),
      Escape: () => this.hide(),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}

function attach() {
  for (const element of section().querySelectorAll(".plot")) {
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
  addEventListener("popstate", () => {
    if (view() !== shown) go(location.href, { push: false });
  });
  // Loads the newest readings, unless somebody is reading a value: the picture must not change under the cursor.
  setInterval(() => {
    const isFree = !document.hidden && section().matches("[data-free]:not(:hover, :focus-within, [aria-busy])");
    if (isFree) go(location.href, { push: false, quiet: true });
  }, REFRESH_MS);
}

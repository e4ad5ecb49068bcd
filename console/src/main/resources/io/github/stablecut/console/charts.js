// Numbers as people read them, and lines over the last minutes, as SVG.

const WIDTH = 600;
const HEIGHT = 170;
const LEFT = 58;
const RIGHT = 8;
const TOP = 12;
const BOTTOM = 22;
const SECONDS = 120;

export function svg(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  element.append(...children);
  return element;
}

export function count(number) {
  return number.toLocaleString('en', {maximumFractionDigits: number < 100 ? 1 : 0});
}

/** A part of a larger unit: three digits at most. */
function scaled(number, units, step) {
  let unit = 0;
  while (number >= step && unit < units.length - 1) {
    number /= step;
    unit++;
  }
  return `${number.toLocaleString('en', {maximumSignificantDigits: 3})} ${units[unit]}`;
}

export function bytes(number) {
  return scaled(number, ['B', 'KiB', 'MiB', 'GiB', 'TiB'], 1024);
}

/** Microseconds. */
export function duration(micros) {
  return scaled(micros, ['µs', 'ms', 's'], 1000);
}

/** Milliseconds of an age. */
export function age(millis) {
  for (const [unit, size] of [['d', 864e5], ['h', 36e5], ['min', 6e4], ['s', 1e3]]) {
    if (millis >= size) {
      return `${(millis / size).toLocaleString('en', {maximumSignificantDigits: millis < 10 * size ? 2 : 3})} ${unit}`;
    }
  }
  return `${Math.round(millis)} ms`;
}

const TWO = number => String(number).padStart(2, '0');

/** The time of day, with the day if it is another one. */
export function clock(millis, now = Date.now()) {
  const time = new Date(millis);
  const day = new Date(now).toDateString() === time.toDateString() ? '' :
    `${time.getFullYear()}-${TWO(time.getMonth() + 1)}-${TWO(time.getDate())} `;
  return `${day}${TWO(time.getHours())}:${TWO(time.getMinutes())}:${TWO(time.getSeconds())}`;
}

/** The least of 1, 2, 5, 10, 20 … that is not below a number. */
function rounded(most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  return [1, 2, 5, 10].map(step => step * power).find(step => step >= most);
}

/** Lines of numbers over the last two minutes. */
export class LineChart {
  /** `lines` are [name, frame => number] pairs, the most important one first. */
  constructor(parent, title, unit, lines, format) {
    this.lines = lines;
    this.format = format;
    this.picture = svg('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': title});
    const heading = document.createElement('h2');
    heading.textContent = title;
    const small = document.createElement('small');
    small.textContent = unit;
    heading.append(small);
    this.legend = document.createElement('p');
    this.legend.className = 'legend';
    parent.append(heading, this.legend, this.picture);
  }

  show(frames) {
    const last = frames[frames.length - 1];
    const top = rounded(1.02 * Math.max(1, ...frames.flatMap(frame => this.lines.map(([, value]) => value(frame)))));
    const x = frame => WIDTH - RIGHT - (WIDTH - LEFT - RIGHT) * (last.time - frame.time) / (SECONDS * 1000);
    const y = value => HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / top;
    const shown = frames.filter(frame => last.time - frame.time <= SECONDS * 1000);
    const grid = [0, 0.5, 1].flatMap(part => [
      svg('line', {class: 'grid', x1: LEFT, x2: WIDTH - RIGHT, y1: y(part * top), y2: y(part * top)}),
      svg('text', {x: LEFT - 8, y: y(part * top) + 4, 'text-anchor': 'end'}, this.format(part * top)),
    ]);
    const points = value => shown.map(frame => `${x(frame).toFixed(1)},${y(value(frame)).toFixed(1)}`).join(' ');
    const area = shown.length < 2 ? [] : [svg('polygon', {class: 'area',
      points: `${x(shown[0]).toFixed(1)},${y(0)} ${points(this.lines[0][1])} ${x(last).toFixed(1)},${y(0)}`})];
    const drawn = this.lines.map(([, value], i) => svg('polyline', {class: `line line-${i}`, points: points(value)}));
    this.picture.replaceChildren(...grid, ...area, ...drawn.reverse(),
      svg('text', {x: LEFT, y: HEIGHT - 5}, '2 minutes ago'),
      svg('text', {x: WIDTH - RIGHT, y: HEIGHT - 5, 'text-anchor': 'end'}, 'now'));
    this.legend.replaceChildren(...this.lines.map(([name, value], i) => {
      const entry = document.createElement('span');
      entry.className = `line-${i}`;
      entry.textContent = `${name} ${this.format(value(last))}`;
      return entry;
    }));
  }
}

/** A small line without numbers. */
export function sparkline() {
  const line = svg('polyline', {class: 'line line-0'});
  const picture = svg('svg', {viewBox: '0 0 100 24', preserveAspectRatio: 'none', class: 'spark', 'aria-hidden': 'true'}, line);
  return {
    picture,
    show(values) {
      const most = Math.max(...values, 1e-9);
      const step = 100 / Math.max(1, values.length - 1);
      line.setAttribute('points', values.map((value, i) => `${(i * step).toFixed(1)},${(22 - 20 * value / most).toFixed(1)}`).join(' '));
    },
  };
}

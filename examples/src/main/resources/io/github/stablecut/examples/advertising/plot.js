// A plot of lines over the last ticks, as SVG.

const WIDTH = 1000;
const HEIGHT = 220;
const LEFT = 70;
const BOTTOM = 26;
const TOP = 12;
const MOST = 120;

function svg(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  element.append(...children);
  return element;
}

/** The least of 1, 2, 5, 10, 20 … that is not below a number. */
function rounded(most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1e-3)));
  return [1, 2, 5, 10].map(step => step * power).find(step => step >= most);
}

export class Plot {
  /** `lines` are [name, tick => number] pairs. */
  constructor(parent, title, unit, lines) {
    this.lines = lines;
    this.unit = unit;
    this.picture = svg('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': title});
    const heading = document.createElement('h2');
    heading.textContent = title;
    this.legend = document.createElement('p');
    this.legend.className = 'legend';
    parent.append(heading, this.legend, this.picture);
  }

  show(ticks) {
    if (ticks.length === 0) {
      return;
    }
    const last = ticks[ticks.length - 1];
    const top = rounded(Math.max(...ticks.flatMap(tick => this.lines.map(([, value]) => value(tick)))) * 1.05);
    const x = tick => LEFT + (WIDTH - LEFT - 10) * (MOST - 1 - (last.number - tick.number)) / (MOST - 1);
    const y = value => HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / top;
    const step = (WIDTH - LEFT - 10) / (MOST - 1);
    const shades = ticks.filter(tick => tick.readPerSecond > 0).map(tick =>
      svg('rect', {class: 'shade', x: x(tick) - step / 2, y: TOP, width: step + 0.5, height: HEIGHT - BOTTOM - TOP}));
    const grid = [0, 0.5, 1].flatMap(part => [
      svg('line', {class: 'grid', x1: LEFT, x2: WIDTH - 10, y1: y(part * top), y2: y(part * top)}),
      svg('text', {x: LEFT - 8, y: y(part * top) + 4, 'text-anchor': 'end'}, `${(part * top).toLocaleString('en')}`),
    ]);
    const drawn = this.lines.map(([, value], i) => svg('polyline',
      {class: `line line-${i}`, points: ticks.map(tick => `${x(tick).toFixed(1)},${y(value(tick)).toFixed(1)}`).join(' ')}));
    const now = svg('text', {x: WIDTH - 10, y: HEIGHT - 6, 'text-anchor': 'end'}, 'now');
    const ago = svg('text', {x: LEFT, y: HEIGHT - 6}, '2 minutes ago');
    this.picture.replaceChildren(...shades, ...grid, ...drawn, now, ago);
    this.legend.replaceChildren(...this.lines.map(([name, value], i) => {
      const entry = document.createElement('span');
      entry.className = `line-${i}`;
      entry.textContent = `${name} ${value(last).toLocaleString('en', {maximumFractionDigits: value(last) < 100 ? 1 : 0})} ${this.unit}`;
      return entry;
    }));
  }
}

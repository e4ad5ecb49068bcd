// Truncation: the times of a store, by age.

import {el} from '../shared/kit.js';
import {age, clock, svg} from './charts.js';

const WIDTH = 1200;
const LEFT = 190;
const RIGHT = 40;
const ROW = 34;
const TOP = 16;
const NEWEST = 1;
const TICKS = [[1, 'now'], [1e1, '10 ms'], [1e2, '0.1 s'], [1e3, '1 s'], [1e4, '10 s'], [6e4, '1 min'],
  [6e5, '10 min'], [36e5, '1 h'], [864e5, '1 day'], [30 * 864e5, '30 days'], [365 * 864e5, '1 year'], [3650 * 864e5, '']];

const ROWS = [
  ['lowWatermark', 'Low watermark', 'older moments are forgotten', 'the past that can be read'],
  ['checkpointTime', 'Checkpoint', 'the files of checkpoints have all before', 'read from the journal after a restart'],
  ['minDependency', 'Min dependency', 'the oldest moment that somebody reads', 'may not be forgotten yet'],
  ['causalSafePoint', 'Causal safe point', 'the newest commit that is durable, with all before it', ''],
  ['maxCommitted', 'Max committed', 'the newest commit, durable or on its way', ''],
];

export class Timeline {
  constructor(parent) {
    const heading = el('h2', {}, 'Truncation', el('small', {}, 'what is kept, what is forgotten: each time of the store by its age'));
    const height = TOP + ROWS.length * ROW + 28;
    this.picture = svg('svg', {viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': 'The times of the store'});
    this.axis = svg('g', {});
    this.rows = ROWS.map(([, name, words, bar], i) => {
      const y = TOP + i * ROW + ROW / 2;
      const row = {
        bar: svg('rect', {class: `bar bar-${i}`, x: LEFT, y: y - 11, height: 22, width: 0, rx: 5}),
        mark: svg('circle', {class: `mark mark-${i}`, cx: 0, cy: y, r: 6}),
        age: svg('text', {class: 'age', y: y + 4}),
      };
      row.bar.append(svg('title', {}, bar || words));
      this.picture.append(
        svg('text', {class: 'name', x: LEFT - 14, y: y + 4, 'text-anchor': 'end'}, svg('title', {}, words), name),
        row.bar, row.mark, row.age);
      return row;
    });
    this.picture.prepend(this.axis);
    this.words = el('p', {className: 'words'});
    parent.append(heading, this.picture, this.words);
  }

  show(frame) {
    const ages = ROWS.map(([name]) => frame.times[name] === 0 ? undefined : Math.max(NEWEST, frame.time - frame.times[name]));
    const oldest = Math.max(1e4, ...ages.filter(Boolean)) * 2;
    const x = millis => LEFT + (WIDTH - LEFT - RIGHT) * (1 - Math.log(Math.min(oldest, millis)) / Math.log(oldest));
    const bottom = TOP + ROWS.length * ROW;
    this.axis.replaceChildren(...TICKS.filter(([millis]) => millis < oldest).flatMap(([millis, name]) => [
      svg('line', {class: 'grid', x1: x(millis), x2: x(millis), y1: TOP, y2: bottom}),
      svg('text', {x: x(millis), y: bottom + 18, 'text-anchor': 'middle'}, name),
    ]));
    this.rows.forEach((row, i) => {
      const from = ages[i] === undefined ? LEFT : x(ages[i]);
      row.bar.setAttribute('x', from);
      row.bar.setAttribute('width', WIDTH - RIGHT - from);
      row.mark.setAttribute('cx', from);
      row.age.textContent = ages[i] === undefined ? 'the beginning' : age(ages[i]);
      const isRight = from > WIDTH - RIGHT - 110;
      row.age.setAttribute('x', isRight ? from - 14 : from + 14);
      row.age.setAttribute('text-anchor', isRight ? 'end' : 'start');
    });
    const low = frame.times.lowWatermark;
    this.words.textContent = (low === 0
      ? 'The store can be read back to its beginning.'
      : `The store can be read back to ${clock(low, frame.time)}.`)
      + ` The journal has ${frame.journal.segments} ${frame.journal.segments === 1 ? 'segment' : 'segments'}; ${frame.journal.firstSegment > 1 ? frame.journal.firstSegment - 1 : 'none'} before them ${frame.journal.firstSegment === 2 ? 'was' : 'were'} dropped.`;
  }
}

// The partitions, the checkpoints, and the transactions that retain the past.

import {el, keyed} from '../shared/kit.js';
import {age, bytes, clock, count, svg} from './charts.js';

const COLOURS = 8;
const SIZE = 240;
const OUTER = 112;
const INNER = 74;
const NUMBERED = 48;

/** A point of a circle; a turn is 1, and begins at the top. */
function point(turn, radius) {
  const angle = 2 * Math.PI * (turn - 0.25);
  return `${(SIZE / 2 + radius * Math.cos(angle)).toFixed(2)} ${(SIZE / 2 + radius * Math.sin(angle)).toFixed(2)}`;
}

function arc(from, to, attributes) {
  const end = Math.min(to, from + 0.9999);
  const large = end - from > 0.5 ? 1 : 0;
  return svg('path', {d: `M${point(from, OUTER)}A${OUTER} ${OUTER} 0 ${large} 1 ${point(end, OUTER)}`
    + `L${point(end, INNER)}A${INNER} ${INNER} 0 ${large} 0 ${point(from, INNER)}Z`, ...attributes});
}

const WORDS = {HERE: 'this node', REACHABLE: 'reachable', LEAVING: 'is leaving', AWAY: 'does not answer'};

export class Ring {
  constructor(parent) {
    this.picture = svg('svg', {viewBox: `0 0 ${SIZE} ${SIZE}`, role: 'img', 'aria-label': 'The ring of partitions'});
    this.list = el('ul', {className: 'nodes'});
    this.moves = el('div', {className: 'moves'});
    parent.append(el('h2', {}, 'Ring'), el('div', {className: 'ring'}, this.picture, el('div', {}, this.list, this.moves)));
  }

  show({partitions, nodes}) {
    const names = [...new Set([...nodes.map(node => node.name), ...partitions.map(one => one.node)])].filter(Boolean).sort();
    const colour = name => name === '' ? 0 : names.indexOf(name) % COLOURS;
    const gap = partitions.length > 1 ? Math.min(0.006, 0.12 / partitions.length) : 0;
    const arcs = partitions.flatMap((one, i) => {
      const from = i / partitions.length;
      const to = (i + 1) / partitions.length - gap;
      const title = svg('title', {}, `partition ${one.number}${one.node ? ` on ${one.node}` : ''}${one.serving ? '' : ': does not answer'}`);
      const shape = arc(from, to, {class: `part ${one.serving ? '' : 'away'}`, 'data-colour': colour(one.node)});
      shape.append(title);
      const middle = point((from + to) / 2, (OUTER + INNER) / 2).split(' ');
      const label = partitions.length > NUMBERED || partitions.length === 1 ? [] :
        [svg('text', {x: middle[0], y: Number(middle[1]) + 4, 'text-anchor': 'middle', class: one.serving ? 'inside' : 'inside away'}, String(one.number))];
      return [shape, ...label];
    });
    const away = partitions.filter(one => !one.serving).length;
    this.picture.replaceChildren(...arcs,
      svg('text', {x: SIZE / 2, y: SIZE / 2 + 2, 'text-anchor': 'middle', class: 'big'}, String(partitions.length)),
      svg('text', {x: SIZE / 2, y: SIZE / 2 + 22, 'text-anchor': 'middle', class: away > 0 ? 'bad' : ''},
        away > 0 ? `${away} away` : partitions.length === 1 ? 'partition' : 'partitions'));
    const shown = names.length === 0 ? [{name: 'this process', state: 'HERE', all: partitions}] : names.map(name => ({
      name,
      state: nodes.find(node => node.name === name)?.state ?? 'AWAY',
      all: partitions.filter(one => one.node === name),
    }));
    keyed(this.list, shown, node => node.name, () => el('li'), (item, node) => {
      item.className = node.state.toLowerCase();
      item.replaceChildren(
        el('i', {'data-colour': names.length === 0 ? 0 : colour(node.name)}),
        el('b', {}, node.name),
        el('span', {}, `${node.all.length} ${node.all.length === 1 ? 'partition' : 'partitions'}`),
        el('small', {}, names.length === 0 ? 'embedded' : WORDS[node.state]));
    });
    this.moves.replaceChildren(...partitions.filter(one => one.movingTo).map(one => el('p', {},
      `Partition ${one.number} moves to ${one.movingTo}`,
      el('progress', {max: 100, value: one.movedPercent}))));
  }
}

export class Checkpoints {
  constructor(parent) {
    this.words = el('p', {className: 'words'});
    this.runs = el('div', {className: 'runs', role: 'img', 'aria-label': 'Runs of checkpoints'});
    this.merge = el('div', {className: 'moves'});
    this.facts = el('dl', {className: 'facts'});
    parent.append(el('h2', {}, 'Checkpoints', el('small', {}, 'runs, oldest first, by the number of their entries')), this.runs, this.words, this.merge, this.facts);
  }

  show({checkpoints, memory, journal, times, time}) {
    const most = Math.max(1, ...checkpoints.entries);
    keyed(this.runs, checkpoints.entries.map((entries, i) => ({i, entries})), run => run.i, () => el('i'), (bar, run) => {
      bar.style.height = `${Math.max(4, 100 * Math.sqrt(run.entries / most))}%`;
      bar.title = `${count(run.entries)} entries`;
    });
    this.words.textContent = checkpoints.runs === 0
      ? 'There is no checkpoint yet: all is in the journal.'
      : `${count(checkpoints.runs)} ${checkpoints.runs === 1 ? 'run' : 'runs'} of ${bytes(checkpoints.bytes)}; the newest checkpoint is ${age(time - times.checkpointTime)} old.`;
    this.merge.replaceChildren(...(checkpoints.mergingBytes > 0 ? [el('p', {},
      `A merge has written ${bytes(checkpoints.mergedBytes)} of at most ${bytes(checkpoints.mergingBytes)}`,
      el('progress', {max: checkpoints.mergingBytes, value: checkpoints.mergedBytes}))] : []));
    const facts = [
      ['Records since the start', count(journal.records)],
      ['Syncs', count(journal.syncs)],
      ['Largest group', count(journal.largestGroup)],
      ['Objects in memory', count(memory.objects)],
      ['Cached', `${count(memory.cached)}, ${bytes(memory.cachedBytes)}`],
      ['Heap', `${bytes(memory.heapBytes)} of ${bytes(memory.maxHeapBytes)}`],
    ];
    this.facts.replaceChildren(...facts.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
  }
}

export class OpenTransactions {
  constructor(parent) {
    this.rows = el('tbody');
    this.words = el('p', {className: 'words'});
    this.doubt = el('p', {className: 'words'});
    this.table = el('table', {}, el('thead', {}, el('tr', {}, ...['Open for', 'Reads the moment', 'Thread', ''].map(name => el('th', {}, name)))), this.rows);
    parent.append(el('h2', {}, 'Open transactions', el('small', {}, 'the oldest ones: they keep the past from being forgotten')), this.table, this.words, this.doubt);
  }

  show({oldest, open, inDoubt, time}) {
    this.table.hidden = oldest.length === 0;
    this.words.textContent = oldest.length === 0 ? 'None is open.' : open > oldest.length ? `${count(open)} are open in all.` : '';
    this.rows.replaceChildren(...oldest.map(one => el('tr', {className: one.ageMillis > 10_000 ? 'slow' : ''},
      el('td', {}, age(one.ageMillis)), el('td', {}, one.snapshot === 0 ? 'the beginning' : clock(one.snapshot, time)),
      el('td', {}, one.thread), el('td', {}, one.limited ? '' : 'pin or scan'))));
    this.doubt.className = inDoubt.length === 0 ? 'words' : 'words bad';
    this.doubt.textContent = inDoubt.length === 0 ? 'No transaction is in doubt.' :
      `In doubt: ${inDoubt.map(one => `${one.id} for ${age(one.ageMillis)}`).join(', ')}`;
  }
}

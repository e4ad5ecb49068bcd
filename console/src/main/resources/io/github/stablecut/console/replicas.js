// The cluster as a whole, the replicas of its partitions, and other data centres.

import {el, keyed} from '../shared/kit.js';
import {age, count} from './charts.js';

const WORDS = {
  LEADS: 'leads',
  UP_TO_DATE: 'up to date',
  BEHIND: 'behind',
  LEARNS: 'is catching up',
  SILENT: 'is silent',
  FULL: 'disk full',
  FAILED: 'has failed',
  VOTES: 'votes',
};
const WRONG = ['SILENT', 'FULL', 'FAILED'];

function tile(name, part, whole) {
  return el('div', {className: `tile card ${part < whole ? 'bad' : ''}`}, el('span', {}, name),
    el('strong', {}, `${count(part)} of ${count(whole)}`));
}

/** What an operator looks at first. */
export class Cluster {
  constructor(parent) {
    this.parent = parent;
    this.tiles = el('div', {className: 'tiles', id: 'cluster-tiles'});
    parent.append(el('h2', {}, 'The cluster', el('small', {}, 'as this node knows it')), this.tiles);
  }

  show({cluster}) {
    this.parent.hidden = !cluster;
    if (cluster) {
      this.tiles.replaceChildren(
        tile('partitions served', cluster.served, cluster.partitions),
        ...(cluster.replicas > 0 ? [tile('replicas up to date', cluster.upToDate, cluster.replicas)] : []),
        tile('nodes reached', cluster.reached, cluster.members));
    }
  }
}

/** A row for each partition: who leads it, and how far the others are. */
export class Replicas {
  constructor(parent) {
    this.parent = parent;
    this.rows = el('tbody');
    this.words = el('p', {className: 'words'});
    parent.append(el('h2', {}, 'Replicas', el('small', {}, 'how far each is behind its leader, in records')),
      el('div', {className: 'rows'}, el('table', {},
        el('thead', {}, el('tr', {}, ...['', 'Leader', 'Others'].map(name => el('th', {}, name)))), this.rows)),
      this.words);
  }

  show({replicas}) {
    this.parent.hidden = replicas.length === 0;
    keyed(this.rows, replicas, group => group.partition, () => el('tr'), (row, group) => {
      row.className = group.lacks.length > 0 ? 'lacks' : '';
      row.replaceChildren(
        el('th', {}, String(group.partition)),
        el('td', {}, group.leader || 'none'),
        el('td', {}, ...group.replicas.filter(one => one.state !== 'LEADS').map(replica),
          ...group.lacks.map(reason => el('small', {className: 'bad'}, reason))));
    });
    this.words.textContent = replicas.some(group => group.replicas.some(one => one.state === 'VOTES'))
      ? 'How far a replica is behind is known to the node that leads its partition: look at its console.' : '';
  }
}

function replica(one) {
  const words = one.state === 'BEHIND' ? `${count(one.behind)} behind`
    : one.state === 'LEARNS' ? `is catching up: ${count(one.behind)} to go` : WORDS[one.state];
  return el('span', {className: `replica ${WRONG.includes(one.state) ? 'wrong' : one.state.toLowerCase()}`},
    el('b', {}, one.name), ` ${words}`,
    ...(one.state === 'LEARNS' ? [el('progress', {max: Math.max(1, one.records), value: Math.max(0, one.records - one.behind)})] : []));
}

/** Lags of at most this many milliseconds are messages on their way. */
const CURRENT = 3_000;

/** A row for each other data centre: who is behind by how much, and what follows. */
export class DataCentres {
  constructor(parent) {
    this.parent = parent;
    this.rows = el('tbody');
    parent.append(el('h2', {}, 'Data centres', el('small', {}, 'what another one lacks is kept for it: journal files and old versions')),
      el('table', {}, el('thead', {}, el('tr', {}, ...['', 'Address', '', 'It lacks', 'This one lacks', 'It is detached'].map(name => el('th', {}, name)))), this.rows));
  }

  show({dataCentres, time}) {
    const shown = dataCentres.filter(one => one.state !== 'DETACHED');
    this.parent.hidden = shown.length === 0;
    keyed(this.rows, shown, one => one.number, () => el('tr'), (row, one) => {
      const isBehind = one.behindMillis > CURRENT;
      const used = isBehind && one.untilDetachedMillis >= 0 ? one.behindMillis / (one.behindMillis + one.untilDetachedMillis) : 0;
      row.className = !one.heard || used > 0.5 ? 'lacks' : '';
      const missing = time - one.received;
      row.replaceChildren(
        el('th', {}, String(one.number)), el('td', {}, one.address || 'unknown'),
        el('td', {}, one.heard ? 'is active' : one.problem || 'is silent'),
        el('td', {}, isBehind ? `the last ${age(one.behindMillis)}` : 'nothing'),
        el('td', {}, missing > CURRENT ? `the last ${age(missing)}` : 'nothing'),
        el('td', {}, isBehind && one.untilDetachedMillis >= 0 ? `in ${age(one.untilDetachedMillis)} ` : '',
          ...(isBehind ? [el('progress', {max: 1, value: used})] : [])));
    });
  }
}

// The console: the store at work, and its objects.

import {el, follow, segments} from '../shared/kit.js';
import {bytes, clock, count, duration, LineChart, sparkline} from './charts.js';
import {Checkpoints, OpenTransactions, Ring} from './ring.js';
import {Cluster, DataCentres, Replicas} from './replicas.js';
import {Timeline} from './timeline.js';
import {ObjectBrowser} from './browser.js';
import {TableBrowser} from './tables.js';

const MOST = 120;
const frames = [];

const at = id => document.getElementById(id);

const tabs = segments('View', [['overview', 'At work'], ['objects', 'Objects'], ['tables', 'Tables']], show);
at('tabs').append(tabs);

const throughput = new LineChart(at('throughput'), 'Throughput', 'per second', [
  ['commits', frame => frame.rates.commits],
  ['syncs', frame => frame.rates.syncs],
], count);
const latency = new LineChart(at('latency'), 'Commits', 'until they are durable', [
  ['99 % within', frame => frame.latencies.commit.p99],
  ['half within', frame => frame.latencies.commit.median],
], duration);
const timeline = new Timeline(at('truncation'));
const cluster = new Cluster(at('cluster'));
const replicas = new Replicas(at('replicas'));
const dataCentres = new DataCentres(at('data-centres'));
const ring = new Ring(at('ring'));
const checkpoints = new Checkpoints(at('checkpoints'));
const open = new OpenTransactions(at('open'));
const objects = new ObjectBrowser(at('objects'));
const tables = new TableBrowser(at('tables'));

const TILES = [
  ['commits per second', frame => frame.rates.commits, count],
  ['median commit', frame => frame.latencies.commit.median, duration],
  ['records per sync', frame => frame.rates.group, count],
  ['open snapshots', frame => frame.open, count],
  ['journal', frame => frame.journal.bytes, bytes],
  ['checkpoints', frame => frame.checkpoints.bytes, bytes],
  ['heap', frame => frame.memory.heapBytes, bytes],
];
const tiles = TILES.map(([name, value, format]) => {
  const number = el('strong', {}, '–');
  const line = sparkline();
  at('tiles').append(el('div', {className: 'tile card'}, el('span', {}, name), number, line.picture));
  return () => {
    number.textContent = format(value(frames[frames.length - 1]));
    line.show(frames.map(value));
  };
});

function show(tab) {
  tabs.show(tab);
  at('overview').hidden = tab !== 'overview';
  at('objects').hidden = tab !== 'objects';
  at('tables').hidden = tab !== 'tables';
  if (tab === 'tables') {
    tables.open();
  }
  if (tab === 'objects') {
    objects.open();
  } else {
    objects.rest();
  }
  if (location.hash.split('/')[1] !== tab) {
    history.replaceState(null, '', `#/${tab}`);
  }
}

function health(frame, trouble) {
  const wrong = trouble ? [trouble] : [...frame.failures, ...frame.warnings];
  at('health').className = wrong.length === 0 ? 'good' : frame && frame.failures.length === 0 ? 'warn' : 'bad';
  at('health').replaceChildren(...(wrong.length === 0 ? ['All is well'] : wrong.map(one => el('span', {}, one))));
}

follow('console/api/live', told => {
  frames.push(...told.frames);
  frames.splice(0, frames.length - MOST);
  const frame = frames[frames.length - 1];
  if (!frame) {
    health({failures: [], warnings: []}, told.trouble);
    return;
  }
  at('name').textContent = `${frame.name} · store ${frame.store} · opened ${frame.openings === 1 ? 'once' : `${count(frame.openings)} times`} · ${clock(frame.time)}`;
  health(frame, told.trouble);
  tiles.forEach(update => update());
  throughput.show(frames);
  latency.show(frames);
  timeline.show(frame);
  cluster.show(frame);
  replicas.show(frame);
  dataCentres.show(frame);
  at('scope').hidden = !frame.cluster;
  at('scope').textContent = frame.name.replace(/^n/, 'N');
  ring.show(frame);
  checkpoints.show(frame);
  open.show(frame);
  objects.times(frame.times.lowWatermark, frame.times.stable);
});

show(['objects', 'tables'].find(tab => location.hash.startsWith(`#/${tab}`)) ?? 'overview');

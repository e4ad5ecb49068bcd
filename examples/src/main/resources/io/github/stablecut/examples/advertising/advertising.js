// The page: two plots of the last two minutes, and the results of the analysis.

import {attempt, follow, send} from '/shared/kit.js';
import {Plot} from '/plot.js';

const button = document.getElementById('analyse');
const words = document.getElementById('words');
const analysis = document.getElementById('analysis');
const rate = new Plot(document.getElementById('rate'), 'Views recorded, durably', 'a second',
  [['recorded', tick => tick.perSecond]]);
const latency = new Plot(document.getElementById('latency'), 'From when a view was due until it was durable', 'ms',
  [['half of them', tick => tick.p50Millis], ['99 %', tick => tick.p99Millis]]);

function describe({isAnalysing, found}) {
  if (!isAnalysing && found.rounds === 0) {
    return 'The analysis rests. It reads the streams of all pages at one snapshot, again and again, while recording goes on.';
  }
  const counted = `${found.views.toLocaleString('en')} views at its snapshot, counted ${found.rounds.toLocaleString('en')} times, `
    + `${found.different === 0 ? 'always the same' : `${found.different} times different`}.`;
  return isAnalysing ? `The analysis reads (shaded): ${counted}` : `The analysis has ended: ${counted}`;
}

follow('/api/events', state => {
  words.textContent = `${state.wantedPerSecond.toLocaleString('en')} views come in a second. Each is an entry in the stream of its page.`;
  button.disabled = false;
  button.textContent = state.isAnalysing ? 'End the analysis' : 'Analyse';
  button.onclick = () => attempt(() => send('/api/analysis', {runs: state.isAnalysing ? 0 : 1}));
  rate.show(state.ticks);
  latency.show(state.ticks);
  analysis.textContent = describe(state);
});

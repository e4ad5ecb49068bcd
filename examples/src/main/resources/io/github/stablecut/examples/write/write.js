// The page: two desks side by side, the cable between them, and the replay of a trace.

import {attempt, el, segments, send} from '/shared/kit.js';
import {Editor} from '/editor.js';

const PLACES = ['Oslo', 'Lima'];
const NAMES = ['Fox', 'Owl', 'Hare', 'Wren', 'Lynx', 'Otter', 'Finch', 'Moth', 'Seal', 'Crane', 'Newt', 'Vole'];

const cable = segments('Cable', [['fast', 'Fast'], ['slow', 'Slow'], ['cut', 'Cut']],
  state => attempt(() => send('/api/cable', {state})));
const online = el('button', {type: 'button', className: 'switch', role: 'switch', onclick: () => attempt(() =>
  send('/api/cable', {state: online.getAttribute('aria-checked') === 'true' ? 'cut' : 'fast'}))}, 'Online');
const replay = el('button', {type: 'button', hidden: true});
const progress = el('progress', {hidden: true, max: 1, value: 0, 'aria-label': 'Replay'});
document.getElementById('controls').append(online, cable, replay, progress);

function show(event) {
  const state = event.cable.toLowerCase();
  cable.show(state);
  online.setAttribute('aria-checked', String(state !== 'cut'));
  online.firstChild.data = state === 'cut' ? 'Offline' : 'Online';
  document.body.dataset.cable = state;
  for (const {isRunning, done, all} of event.replay) {
    replay.hidden = false;
    progress.hidden = false;
    replay.textContent = isRunning ? 'Pause the replay' : done === 0 ? 'Replay the trace' : 'Go on with the replay';
    replay.disabled = done === all;
    replay.onclick = () => attempt(() => send('/api/replay', {runs: isRunning ? 0 : 1}));
    progress.max = all;
    progress.value = done;
  }
}

/** `?desk=1` shows one desk only, `?name=Ann` sets the author. */
const asked = new URLSearchParams(location.search);
const shown = PLACES.map((_, desk) => desk).filter(desk => !asked.has('desk') || Number(asked.get('desk')) === desk);
const first = Math.floor(Math.random() * NAMES.length);
const desks = document.getElementById('desks');
shown.forEach((desk, i) => {
  const name = asked.get('name') ?? NAMES[(first + i) % NAMES.length];
  desks.append(new Editor(desk, PLACES[desk], name, show).element);
});

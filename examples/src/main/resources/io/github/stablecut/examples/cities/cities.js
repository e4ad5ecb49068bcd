// The page of the cities: the state from the server, in a pane for each city.

import {el, follow, segments} from '/shared/kit.js';
import {CableStrip} from '/cables.js';
import {Pane} from '/pane.js';
import {play} from '/scene.js';

const WORDS = {
  causal: 'Transactional causal consistency: nobody sees a comment before the post that it answers. '
    + 'A comment that is faster waits for its post.',
  eventual: 'Eventual consistency: each cable carries comments by itself, and a city shows them as soon as they '
    + 'arrive, as where objects travel alone. One may be here before its post.',
};

const page = {state: undefined, mode: 'causal', panes: [], strip: undefined};

const words = el('p', {className: 'words'});
const modes = segments('Consistency', [['causal', ''], ['eventual', '']], mode => {
  page.mode = mode;
  show();
});
modes.id = 'modes';
document.getElementById('consistency').append(modes, words);

function orphansSeen(mode) {
  return page.state.cities.reduce((sum, city) => sum + city[mode].orphansSeen, 0);
}

function showModes() {
  for (const button of modes.children) {
    const seen = orphansSeen(button.value);
    const name = button.value === 'causal' ? 'Causal' : 'Eventual';
    button.replaceChildren(
      name, el('small', {className: seen ? 'bad' : ''}, `${seen} orphan${seen === 1 ? '' : 's'} seen`));
  }
  modes.show(page.mode);
  words.textContent = WORDS[page.mode];
}

function show() {
  const {state, mode} = page;
  showModes();
  page.strip.show(state.cables);
  state.cities.forEach((city, number) => page.panes[number].show(city, mode, state.cables));
}

function begin(state) {
  const names = state.cities.map(city => city.name);
  page.strip = new CableStrip(document.getElementById('cables'), names);
  page.panes = names.map((_, number) => new Pane(number, names));
  document.getElementById('panes').append(...page.panes.map(pane => pane.element));
}

follow('/api/events', state => {
  if (!page.state) {
    begin(state);
  }
  page.state = state;
  show();
});

const button = document.getElementById('play');
button.onclick = async () => {
  button.disabled = true;
  await play(page);
  button.disabled = false;
};

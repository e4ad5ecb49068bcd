// The cables between the cities: their states, and buttons that change them.

import {attempt, el, segments, send} from '/shared/kit.js';

const STATES = [['fast', 'Fast'], ['slow', 'Slow'], ['cut', 'Cut']];

/** Changes the cable between two cities. */
export function setCable(one, other, state) {
  return send('/api/cables', {one, other, state});
}

/** The state of the cable between two cities. */
export function cableOf(cables, one, other) {
  return cables.find(cable => cable.one === Math.min(one, other) && cable.other === Math.max(one, other));
}

export class CableStrip {
  constructor(parent, names) {
    this.names = names;
    this.parent = parent;
    this.cables = new Map();
    const nodes = names.map((name, number) =>
      el('span', {className: 'node', 'data-city': number}, name));
    parent.append(...nodes);
  }

  show(cables) {
    for (const cable of cables) {
      const key = `${cable.one}-${cable.other}`;
      if (!this.cables.has(key)) {
        this.cables.set(key, this.add(cable, key));
      }
      const {element, control} = this.cables.get(key);
      const state = cable.state.toLowerCase();
      element.dataset.state = state;
      control.show(state);
    }
  }

  add(cable, key) {
    const name = `${this.names[cable.one]} – ${this.names[cable.other]}`;
    const control = segments(`Cable ${name}`, STATES, state =>
      attempt(() => setCable(cable.one, cable.other, state)));
    const element = el('div', {className: 'cable', 'data-cable': key},
      el('span', {className: 'wire'}), el('span', {className: 'name'}, name), control);
    this.parent.append(element);
    return {element, control};
  }
}

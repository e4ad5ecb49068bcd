// Values of objects as elements. All text is set as text, never as HTML.

import {el} from '../shared/kit.js';
import {count} from './charts.js';

/** Bytes in one line: text, or hexadecimal digits. */
export function line(shown) {
  if (shown.kind === 'bytes') {
    return shown.length === 0 ? '∅' : `0x${shown.hex.slice(0, 48)}${shown.hex.length > 48 ? '…' : ''}`;
  }
  return shown.text ?? '';
}

function rest(shown, there) {
  return shown.count > there ? [el('p', {className: 'rest'}, `… ${count(shown.count - there)} more`)] : [];
}

function items(list, from) {
  return el('ol', {className: 'items', start: from}, ...list.map(one => el('li', {}, element(one))));
}

function hex(shown) {
  const pairs = shown.hex.match(/../g) ?? [];
  const lines = [];
  for (let i = 0; i < pairs.length; i += 16) {
    const part = pairs.slice(i, i + 16);
    const text = part.map(pair => parseInt(pair, 16)).map(code => code >= 32 && code < 127 ? String.fromCharCode(code) : '·').join('');
    lines.push(`${part.join(' ').padEnd(48)} ${text}`);
  }
  return el('div', {}, el('pre', {className: 'hex'}, lines.join('\n')), ...(shown.length > pairs.length
    ? [el('p', {className: 'rest'}, `the first ${count(pairs.length)} of ${count(shown.length)} bytes`)] : []));
}

/** The element of a value. */
export function element(shown) {
  switch (shown.kind) {
    case 'number':
      return el('span', {className: 'number'}, shown.text);
    case 'flag':
      return el('span', {className: `flag ${shown.on ? 'on' : ''}`}, shown.on ? 'enabled' : 'disabled');
    case 'text':
      return el('div', {}, el('div', {className: 'text'}, shown.text === '' ? '∅' : shown.text), ...(shown.length > shown.text.length
        ? [el('p', {className: 'rest'}, `the first ${count(shown.text.length)} of ${count(shown.length)} characters`)] : []));
    case 'bytes':
      return hex(shown);
    case 'none':
      return el('span', {className: 'none'}, 'no value');
    case 'list':
      return shown.count === 0 ? el('span', {className: 'none'}, 'empty') : el('div', {}, items(shown.items, 0), ...rest(shown, shown.items.length));
    case 'stream':
      return shown.count === 0 ? el('span', {className: 'none'}, 'no entries') :
        el('div', {}, el('p', {className: 'rest'}, `${count(shown.count)} entries, the last ones:`), items(shown.items, shown.first));
    case 'map':
      return shown.count === 0 ? el('span', {className: 'none'}, 'empty') : el('div', {}, el('table', {className: 'map'},
        ...shown.entries.map(entry => el('tr', {},
          el('th', {}, line(entry.key).slice(0, 200), ...(entry.type ? [el('small', {}, entry.type)] : [])),
          el('td', {}, element(entry.value))))), ...rest(shown, shown.entries.length));
    default:
      return el('div', {className: 'text'}, shown.text);
  }
}

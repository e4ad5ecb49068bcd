// The tables of the store: columns, indexes and rows.

import {ask, attempt, el, keyed} from '../shared/kit.js';
import {element} from './values.js';

const API = 'console/api/objects/';
const PAUSE = 200;

function query(parameters) {
  return new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '')).toString();
}

export class TableBrowser {
  constructor(parent) {
    this.list = el('ul', {className: 'choice', id: 'tables-list'});
    this.title = el('h2', {}, 'No table is chosen');
    this.words = el('p', {className: 'words'});
    this.index = el('select', {id: 'index', 'aria-label': 'Index', onchange: () => this.soon()});
    this.wanted = el('input', {type: 'text', id: 'wanted', placeholder: 'value', 'aria-label': 'Value', oninput: () => this.soon()});
    this.filter = el('p', {className: 'filter'}, 'Rows with', this.index, this.wanted);
    this.head = el('tr');
    this.body = el('tbody');
    this.again = el('button', {type: 'button', className: 'quiet', onclick: () => this.open()}, 'Read again');
    parent.append(el('div', {className: 'browser tables'},
      el('section', {className: 'card'}, el('h2', {}, 'Tables'), this.list),
      el('section', {className: 'card'}, this.title, this.words, this.filter,
        el('div', {className: 'rows'}, el('table', {id: 'rows'}, el('thead', {}, this.head), this.body)), this.again)));
  }

  async open() {
    await attempt(async () => {
      const {tables} = await ask(`${API}tables`);
      const key = one => `${one.namespace}.${one.table}`;
      this.table = tables.find(one => this.table && key(one) === key(this.table)) ?? tables[0];
      keyed(this.list, tables, key, () => el('li', {}, el('button', {type: 'button'})), (entry, one) => {
        const button = entry.firstElementChild;
        button.onclick = () => this.choose(one);
        button.setAttribute('aria-pressed', String(one === this.table));
        button.replaceChildren(el('span', {}, key(one)), el('small', {}, `${one.columns.length} columns`));
      });
      if (tables.length === 0) {
        this.list.replaceChildren(el('li', {className: 'rest'}, 'The store has no tables.'));
      }
      this.filters();
      await this.read();
    });
  }

  async choose(table) {
    this.table = table;
    this.wanted.value = '';
    await this.open();
  }

  /** Offers the columns that have an index. */
  filters() {
    const indexed = this.table?.columns.filter(column => column.indexed) ?? [];
    const chosen = this.index.value;
    this.filter.hidden = indexed.length === 0;
    this.index.replaceChildren(...indexed.map(column => el('option', {value: column.column, selected: column.column === chosen}, column.column)));
  }

  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => attempt(() => this.read()), PAUSE);
  }

  async read() {
    if (!this.table) {
      return;
    }
    const {namespace, table} = this.table;
    const isFiltered = !this.filter.hidden && this.wanted.value !== '';
    const {columns, rows, more} = await ask(`${API}rows?${query({namespace, table,
      column: isFiltered ? this.index.value : undefined, value: isFiltered ? this.wanted.value : undefined})}`);
    this.title.textContent = `${namespace}.${table}`;
    this.words.textContent = rows.length === 0 ? (isFiltered ? 'No row has this value.' : 'It has no rows.')
      : more ? `The first ${rows.length} rows; stablecut sql finds others.` : `${rows.length === 1 ? '1 row' : `${rows.length} rows`}.`;
    this.head.replaceChildren(...columns.map(column => el('th', {}, column.column,
      el('small', {}, [column.type, column.key, column.indexed ? 'indexed' : ''].filter(Boolean).join(', ')))));
    this.body.replaceChildren(...rows.map(row => el('tr', {}, ...row.map(value => el('td', {}, element(value))))));
  }
}

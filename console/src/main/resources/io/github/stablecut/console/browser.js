// The objects of the store, now or at any retained time.

import {ask, attempt, el, keyed} from '../shared/kit.js';
import {age, clock, count} from './charts.js';
import {element, line} from './values.js';

const API = 'console/api/objects/';
const PAUSE = 60;
const MOST_NEWS = 40;

/** A query string of the defined parameters; values may be empty. */
function query(parameters) {
  return new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== undefined)).toString();
}

export class ObjectBrowser {
  constructor(parent) {
    this.from = 0;
    this.to = 0;
    this.when = undefined;
    this.bucket = undefined;
    this.object = undefined;
    this.asked = 0;
    this.changes = [];

    this.slider = el('input', {type: 'range', min: 0, max: 1000, value: 1000, step: 'any', id: 'slider', 'aria-label': 'Moment', oninput: () => this.move()});
    this.marks = el('div', {className: 'marks', 'aria-hidden': 'true'});
    this.moment = el('output', {id: 'moment'}, 'now');
    this.now = el('button', {type: 'button', id: 'now', className: 'primary', onclick: () => this.goto(undefined)}, 'Now');
    this.earliest = el('span', {className: 'earliest'});
    const time = el('div', {className: 'card time'},
      el('div', {className: 'moment'}, el('span', {}, 'Shown:'), this.moment, this.now),
      el('div', {className: 'track'}, this.marks, this.slider),
      el('div', {className: 'ends'}, this.earliest, el('span', {}, 'now')));

    this.buckets = el('ul', {className: 'choice', id: 'buckets'});
    this.prefix = el('input', {type: 'text', id: 'prefix', placeholder: 'keys that begin with …', 'aria-label': 'Prefix of keys', oninput: () => this.soon(() => this.list())});
    this.keys = el('ul', {className: 'choice', id: 'keys'});
    this.more = el('button', {type: 'button', className: 'quiet', hidden: true, onclick: () => this.list(this.last)}, 'More');
    this.title = el('h2', {}, 'No object is chosen');
    this.facts = el('p', {className: 'words'});
    this.value = el('div', {className: 'value', id: 'value'});
    this.history = el('ol', {className: 'history', id: 'history'});
    this.historyWords = el('p', {className: 'words'});
    this.quiet = el('p', {className: 'words'}, 'Nothing has been committed to it since you opened it.');
    this.news = el('ul', {className: 'news', id: 'news'});
    parent.append(time, el('div', {className: 'browser'},
      el('section', {className: 'card'}, el('h2', {}, 'Buckets'), this.buckets),
      el('section', {className: 'card'}, el('h2', {}, 'Objects'), this.prefix, this.keys, this.more),
      el('section', {className: 'card object'}, this.title, this.facts, this.value, el('h3', {}, 'History'), this.history, this.historyWords)),
      el('section', {className: 'card'}, el('h2', {}, 'Changes', el('small', {}, 'of the bucket, as they are committed')), this.quiet, this.news));
  }

  /** The readable range: from the low watermark on. */
  times(low, stable) {
    this.from = low;
    this.to = Math.max(stable, Date.now());
    this.show();
  }

  async open() {
    if (!this.isOpen) {
      this.isOpen = true;
      const [, , bucket, key, type] = location.hash.split('/');
      if (bucket || key !== undefined) {
        this.bucket = {id: bucket};
      }
      if (key !== undefined && type) {
        this.object = {id: key, typeNumber: Number(type)};
      }
      await this.refresh();
      this.follow();
    }
  }

  rest() {
    this.isOpen = false;
    this.source?.close();
    this.source = undefined;
  }

  /** The earliest time of the slider: in an untruncated store, its first change. */
  get begin() {
    return this.from || this.changes[0]?.time - 1000 || this.to - 3_600_000;
  }

  move() {
    const part = Number(this.slider.value) / 1000;
    this.goto(part >= 1 ? undefined : Math.round(this.begin + part * (this.to - this.begin)));
  }

  goto(when) {
    this.when = when;
    this.show();
    this.soon(() => this.refresh());
  }

  /** Sends a request once no other one was made for a short time. */
  soon(action) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => attempt(action), PAUSE);
  }

  show() {
    const span = Math.max(1, this.to - this.begin);
    const part = this.when === undefined ? 1 : Math.min(1, Math.max(0, (this.when - this.begin) / span));
    if (document.activeElement !== this.slider || this.when === undefined) {
      this.slider.value = String(1000 * part);
    }
    this.slider.style.setProperty('--part', `${100 * part}%`);
    this.now.disabled = this.when === undefined;
    this.moment.textContent = this.when === undefined ? 'now' : `${clock(this.when, this.to)} · ${age(this.to - this.when)} ago`;
    this.earliest.textContent = this.from === 0 ? 'the beginning' : clock(this.from, this.to);
    keyed(this.marks, this.changes.slice(-100), change => change.token, () => el('i'), (mark, change) => {
      mark.style.left = `${100 * Math.min(1, Math.max(0, (change.time - this.begin) / span))}%`;
    });
  }

  get at() {
    return this.when === undefined ? undefined : String(this.when);
  }

  async refresh() {
    await attempt(async () => {
      const {buckets, more} = await ask(`${API}buckets?${query({at: this.at})}`);
      this.bucket = buckets.find(one => one.id === this.bucket?.id) ?? this.bucket ?? buckets[0];
      const shown = this.bucket && !buckets.some(one => one.id === this.bucket.id) && this.bucket.name ? [this.bucket, ...buckets] : buckets;
      this.choice(this.buckets, shown, this.bucket?.id, bucket => this.choose(bucket));
      if (more) {
        this.buckets.append(el('li', {className: 'rest', 'data-key': 'rest'}, 'and more'));
      }
      await this.list();
      await this.read();
    });
  }

  choice(parent, items, chosen, onChoose) {
    keyed(parent, items, item => `${item.id}/${item.typeNumber ?? ''}`, () => el('li', {}, el('button', {type: 'button'})), (entry, item) => {
      const button = entry.firstElementChild;
      button.onclick = () => onChoose(item);
      button.setAttribute('aria-pressed', String(item.id === chosen));
      button.replaceChildren(el('span', {}, line(item.name).slice(0, 120) || '∅'), ...(item.type ? [el('small', {}, item.type)] : []));
    });
    if (items.length === 0) {
      parent.replaceChildren(el('li', {className: 'rest'}, this.when === undefined ? 'There is nothing yet.' : 'There was nothing then.'));
    }
  }

  async choose(bucket) {
    this.bucket = bucket;
    this.object = undefined;
    this.prefix.value = '';
    this.changes = [];
    this.news.replaceChildren();
    this.quiet.hidden = false;
    await this.refresh();
    this.follow();
  }

  async list(after) {
    if (!this.bucket) {
      return;
    }
    const {objects, more} = await ask(`${API}list?${query({bucket: this.bucket.id, prefix: this.prefix.value || undefined, after, at: this.at})}`);
    this.listed = after !== undefined ? [...this.listed, ...objects] : objects;
    this.last = this.listed[this.listed.length - 1]?.id;
    this.more.hidden = !more;
    const same = this.object && this.listed.find(one => one.id === this.object.id && one.typeNumber === this.object.typeNumber);
    this.object = same ?? this.object ?? this.listed[0];
    this.choice(this.keys, this.listed, this.object?.id, object => this.pick(object));
  }

  async pick(object) {
    this.object = object;
    this.changes = [];
    await attempt(async () => {
      await this.list();
      await this.read();
    });
  }

  /** Loads the value at the selected time, and the history if it is not loaded. Drops older answers. */
  async read() {
    const number = ++this.asked;
    if (!this.object) {
      this.title.textContent = 'No object is chosen';
      this.value.replaceChildren();
      return;
    }
    const object = {bucket: this.bucket.id, key: this.object.id, type: this.object.typeNumber};
    history.replaceState(null, '', `#/objects/${object.bucket}/${object.key}/${object.type}`);
    const found = await ask(`${API}value?${query({...object, at: this.at})}`);
    if (number !== this.asked) {
      return;
    }
    this.title.textContent = this.object.name ? line(this.object.name).slice(0, 200) || '∅' : 'Object';
    this.facts.textContent = `${found.type} · partition ${found.partition}${found.time === 0 ? '' : ` · as it was at ${clock(found.time, this.to)}`}`;
    this.value.replaceChildren(element(found.value));
    if (this.changes.length === 0 || this.when === undefined) {
      await this.remember(object, number);
    }
  }

  async remember(object, number) {
    let told;
    try {
      told = await ask(`${API}history?${query(object)}`);
    } catch (failure) {
      told = {changes: [], whole: true, words: failure.message};
    }
    if (number !== this.asked) {
      return;
    }
    this.changes = told.changes;
    this.history.replaceChildren(...told.changes.slice(-100).reverse().map(change =>
      el('li', {}, el('button', {type: 'button', className: 'quiet', title: change.token, onclick: () => this.goto(change.time)}, clock(change.time, this.to)))));
    this.historyWords.textContent = told.words ?? (told.changes.length === 0 ? 'No changes in the retained past.' :
      `${count(told.changes.length)} ${told.changes.length === 1 ? 'transaction' : 'transactions'}${told.whole ? '' : ', and more'} in the retained past.`);
    this.show();
  }

  /** Watches the bucket. */
  follow() {
    this.source?.close();
    if (!this.bucket || !this.isOpen) {
      return;
    }
    const source = new EventSource(`${API}watch?${query({bucket: this.bucket.id})}`);
    this.source = source;
    source.onmessage = event => this.tell(JSON.parse(event.data).changes);
  }

  tell(changes) {
    this.quiet.hidden = true;
    for (const change of changes) {
      this.news.prepend(el('li', {}, el('time', {}, clock(change.time, this.to)),
        ...change.objects.slice(0, 6).map(object => el('button', {type: 'button', className: 'quiet', onclick: () => this.pick(object)}, line(object.name).slice(0, 60) || '∅')),
        ...(change.count > 6 ? [el('small', {}, `and ${count(change.count - 6)} more`)] : [])));
    }
    while (this.news.children.length > MOST_NEWS) {
      this.news.lastElementChild.remove();
    }
    if (this.when === undefined) {
      this.soon(() => this.refresh());
    }
  }
}

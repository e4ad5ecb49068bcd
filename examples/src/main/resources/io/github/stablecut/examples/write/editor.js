// A window at a desk: the text with all carets, and a slider through the past.

import {ask, attempt, el, follow, keyed, send} from '/shared/kit.js';
import {after, apply, between, isNothing, moved} from '/patch.js';

/** The number of UTF-16 units of some code points. */
function units(points, count) {
  let sum = 0;
  for (let i = 0; i < count; i++) {
    sum += points[i].length;
  }
  return sum;
}

/** The number of code points in some UTF-16 units. */
function points(text, count) {
  return [...text.slice(0, count)].length;
}

export class Editor {
  constructor(desk, place, name, onEvent) {
    this.desk = desk;
    this.name = name;
    this.window = undefined;
    this.version = 0;
    /** The text of the server's last version. */
    this.base = [];
    /** The edit in flight: the text with it, and the edit number that confirms it. */
    this.sent = undefined;
    this.carets = [];
    this.moments = 0;
    this.told = -1;
    /** The text written here while the past is shown. */
    this.mine = [];
    this.area = el('textarea', {spellcheck: false, 'aria-label': `Text in ${place}`});
    this.mirror = el('div', {className: 'mirror', 'aria-hidden': 'true'});
    this.slider = el('input', {type: 'range', min: 0, max: 0, value: 0, 'aria-label': `The past in ${place}`});
    this.when = el('span', {className: 'when', role: 'status'}, 'now');
    this.live = el('button', {type: 'button', className: 'quiet', hidden: true, onclick: () => this.showNow()}, 'Back to now');
    this.people = el('div', {className: 'people'});
    this.element = el('section', {className: 'desk card', 'data-city': desk, 'aria-label': place},
      el('header', {}, el('h2', {}, place), this.people),
      el('div', {className: 'sheet'}, this.mirror, this.area),
      el('footer', {}, this.slider, this.when, this.live));
    this.area.oninput = () => this.sync();
    this.area.onscroll = () => { this.mirror.scrollTop = this.area.scrollTop; };
    document.addEventListener('selectionchange', () => {
      if (document.activeElement === this.area) {
        this.tellCaret();
      }
    });
    this.slider.oninput = () => attempt(() => this.showPast());
    this.onEvent = onEvent;
    follow(`/api/events?desk=${desk}&name=${encodeURIComponent(name)}`, event => this.hear(event));
  }

  /** What is written here, sent or not; the reader of the past does not see it. */
  local() {
    return this.isLive() ? [...this.area.value] : this.mine;
  }

  hear(event) {
    const {text, moments} = event;
    this.carets = text.carets;
    if (text.window !== this.window) {
      // A new window: what was not said in the old one is said in this one.
      const whole = [...text.change.inserted];
      this.become(whole, this.base, text);
      this.window = text.window;
      this.sent = undefined;
    } else if (text.version !== this.version) {
      const change = {...text.change, inserted: [...text.change.inserted]};
      const isIn = this.sent !== undefined && text.edits >= this.sent.edits;
      const known = isIn ? this.sent.text : this.base;
      this.sent = isIn ? undefined : this.sent;
      this.become(apply(change, this.base), known, text);
    }
    this.edits = text.edits;
    this.moments = moments;
    if (this.isLive()) {
      this.slider.max = moments;
      this.slider.value = moments;
    }
    this.draw();
    this.sync();
    if (this.told >= 0) {
      // Edits of others have moved the caret.
      this.tellCaret();
    }
    this.onEvent(event);
  }

  /** The server has a version: what was written here since what it knows is written onto it. */
  become(next, known, {version}) {
    const pending = between(known, this.local());
    const others = between(known, next);
    const shown = isNothing(pending) ? next : apply(after(pending, others), next);
    this.base = next;
    this.version = version;
    if (!this.isLive()) {
      this.mine = shown;
      return;
    }
    const text = shown.join('');
    if (this.area.value !== text) {
      const change = between(this.local(), shown);
      const places = [this.area.selectionStart, this.area.selectionEnd]
        .map(unit => moved(points(this.area.value, unit), change))
        .map(place => units(shown, place));
      const {scrollTop} = this.area;
      this.area.value = text;
      this.area.setSelectionRange(...places);
      this.area.scrollTop = scrollTop;
    }
  }

  /** Sends the local edits, unless an edit is in flight. */
  async sync() {
    this.draw();
    if (this.sent !== undefined || !this.isLive() || this.window === undefined) {
      return;
    }
    const text = this.local();
    const patch = between(this.base, text);
    if (isNothing(patch)) {
      return;
    }
    const sent = {text, edits: this.edits + 1};
    this.sent = sent;
    try {
      await send('/api/edits', {
        window: this.window,
        version: this.version,
        position: patch.position,
        deleted: patch.deleted,
        inserted: patch.inserted.join(''),
        caret: this.caret(),
      });
      this.told = this.caret();
    } catch (failure) {
      if (this.sent === sent) {
        this.sent = undefined;
      }
      if (failure.status !== 409 && failure.status !== 404) {
        // It can't be said, so it is not shown as if it were.
        this.area.value = this.base.join('');
        await attempt(() => { throw failure; });
      } else {
        // The server sends a newer version soon, or already has.
        setTimeout(() => this.sync(), 700);
      }
    }
  }

  caret() {
    return points(this.area.value, this.area.selectionEnd);
  }

  /** Sends the caret's position if there is no edit to send. */
  tellCaret() {
    if (this.telling || this.sent !== undefined || this.window === undefined || !this.isLive()) {
      return;
    }
    this.telling = setTimeout(async () => {
      this.telling = undefined;
      const caret = this.caret();
      if (this.sent === undefined && caret !== this.told) {
        this.told = caret;
        await send('/api/carets', {window: this.window, caret}).catch(() => {});
      }
    }, 60);
  }

  others() {
    return this.carets.filter(caret => caret.window !== this.window);
  }

  /** The authors and their carets. */
  draw() {
    keyed(this.people, this.carets, caret => caret.window,
      caret => el('span', {className: 'person', 'data-city': caret.desk}, el('i', {className: 'dot'}), caret.name),
      (chip, caret) => chip.classList.toggle('me', caret.window === this.window));
    const text = [...this.area.value];
    const carets = this.isLive() ? this.others().sort((a, b) => a.position - b.position) : [];
    const parts = [];
    let from = 0;
    for (const caret of carets) {
      const at = Math.max(from, Math.min(caret.position, text.length));
      parts.push(text.slice(from, at).join(''),
        el('span', {className: 'caret', 'data-city': caret.desk}, el('b', {}, caret.name)));
      from = at;
    }
    parts.push(text.slice(from).join(''), '\n');
    this.mirror.replaceChildren(...parts);
    this.mirror.scrollTop = this.area.scrollTop;
  }

  isLive() {
    return this.live.hidden;
  }

  async showPast() {
    const moment = Number(this.slider.value);
    if (moment >= Number(this.slider.max)) {
      this.showNow();
      return;
    }
    if (this.isLive()) {
      this.mine = this.local();
      this.live.hidden = false;
      this.area.readOnly = true;
      this.element.classList.add('past');
    }
    const past = await ask(`/api/past?desk=${this.desk}&moment=${moment}`);
    if (!this.isLive() && moment === Number(this.slider.value)) {
      this.area.value = past.text;
      this.when.textContent = new Date(past.seenMillis).toLocaleTimeString();
      this.draw();
    }
  }

  showNow() {
    this.area.value = this.local().join('');
    this.live.hidden = true;
    this.area.readOnly = false;
    this.element.classList.remove('past');
    this.when.textContent = 'now';
    this.slider.max = this.moments;
    this.slider.value = this.moments;
    this.sync();
  }
}

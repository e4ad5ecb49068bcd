// A city's pane: its seats, its posts with comments and likes, and its links to the others.

import {attempt, el, keyed, send} from '/shared/kit.js';
import {cableOf, setCable} from '/cables.js';

const LONGEST = 280;

/** A form of one line; `onSubmit` receives the text. */
function lineForm(placeholder, button, onSubmit) {
  const input = el('input', {type: 'text', placeholder, maxLength: LONGEST, 'aria-label': placeholder});
  const form = el('form', {className: 'line'}, input, el('button', {type: 'submit'}, button));
  form.onsubmit = async event => {
    event.preventDefault();
    if (input.value.trim() && await attempt(() => onSubmit(input.value))) {
      input.value = '';
    }
  };
  return form;
}

export class Pane {
  constructor(number, names) {
    this.number = number;
    this.names = names;
    this.others = names.map((_, other) => other).filter(other => other !== number);
    this.links = el('div', {className: 'links'});
    this.online = el('button', {type: 'button', className: 'switch', role: 'switch', onclick: () => this.toggle()}, 'Online');
    this.orphans = el('p', {className: 'orphans', role: 'status'});
    this.seats = el('div', {className: 'squares', role: 'img'});
    this.left = el('p', {className: 'left'});
    this.sell = this.seatButton('Sell one', 'primary', () => send('/api/sales', {city: number}));
    this.gifts = this.others.map(to =>
      this.seatButton(`Give ${names[to]} one`, '', () => send('/api/gifts', {city: number, to})));
    this.feed = el('div', {className: 'feed', tabIndex: 0, 'aria-label': `Posts in ${names[number]}`});
    this.element = el('section', {className: 'pane card', 'data-city': number, 'aria-label': names[number]},
      el('header', {}, el('h2', {}, names[number]), this.online, this.links),
      el('div', {className: 'seats'}, this.seats, this.left,
        el('div', {className: 'buttons'}, this.sell, ...this.gifts)),
      lineForm(`Say something in ${names[number]}`, 'Post', text => send('/api/posts', {city: number, text})),
      this.orphans,
      this.feed);
  }

  seatButton(text, className, action) {
    return el('button', {type: 'button', className, onclick: () => attempt(action)}, text);
  }

  toggle() {
    const state = this.online.getAttribute('aria-checked') === 'true' ? 'cut' : 'fast';
    return attempt(() => Promise.all(this.others.map(other => setCable(this.number, other, state))));
  }

  show(city, mode, cables) {
    const isOnline = this.others.some(other => cableOf(cables, this.number, other).state !== 'CUT');
    this.online.setAttribute('aria-checked', String(isOnline));
    this.online.firstChild.data = isOnline ? 'Online' : 'Offline';
    this.element.classList.toggle('offline', !isOnline);
    this.showLinks(city.links);
    this.showSeats(city.seats);
    this.showFeed(city.posts, city[mode].comments);
  }

  showLinks(links) {
    keyed(this.links, links, link => link.city,
      link => el('span', {className: 'link', 'data-city': this.names.indexOf(link.city)},
        el('i', {className: 'dot'}), el('span')),
      (chip, link) => {
        const late = link.behindSeconds ? `${link.behindSeconds} s behind` : 'in step';
        chip.lastChild.textContent = `${link.city} ${link.isHeard || !link.behindSeconds ? late : `silent, ${late}`}`;
        chip.classList.toggle('late', link.behindSeconds > 0);
      });
  }

  showSeats({all, rights}) {
    const free = rights.flatMap((count, city) => Array(count).fill(city));
    const squares = [...free, ...Array(all - free.length).fill('sold')];
    keyed(this.seats, squares.map((owner, place) => ({owner, place})), seat => seat.place,
      () => el('i'), (square, seat) => { square.dataset.city = seat.owner; });
    const here = rights[this.number];
    this.left.replaceChildren(el('b', {}, String(free.length)), ` of ${all} seats left, `, el('b', {}, String(here)), ' to sell here');
    this.seats.setAttribute('aria-label', this.left.textContent);
    for (const button of [this.sell, ...this.gifts]) {
      button.disabled = here === 0;
    }
  }

  showFeed(posts, comments) {
    const orphans = comments.filter(comment => comment.isOrphan);
    this.orphans.hidden = orphans.length === 0;
    this.orphans.textContent = orphans.length === 1
      ? '1 comment without its post' : `${orphans.length} comments without their posts`;
    const items = [
      ...orphans.map(comment => ({id: `o${comment.id}`, orphan: comment})),
      ...posts.map(post => ({id: post.id, post, comments: comments.filter(comment => comment.post === post.id)})),
    ];
    keyed(this.feed, items, item => item.id,
      item => item.orphan ? this.orphan(item.orphan) : this.post(item.post),
      (element, item) => item.post && this.update(element, item));
  }

  author(name) {
    return el('b', {className: 'author', 'data-city': this.names.indexOf(name)}, name);
  }

  orphan(comment) {
    return el('article', {className: 'orphan'},
      el('p', {className: 'gap'}, 'The post is not here'),
      el('p', {className: 'comment'}, this.author(comment.city), ' ', comment.text));
  }

  post({id, city, text}) {
    const like = el('button', {type: 'button', className: 'quiet like',
      onclick: () => attempt(() => send('/api/likes', {city: this.number, post: id}))});
    const reply = lineForm('Write a comment', 'Send', async line => {
      const done = await send('/api/comments', {city: this.number, post: id, text: line});
      reply.hidden = true;
      return done;
    });
    reply.hidden = true;
    const open = el('button', {type: 'button', className: 'quiet', onclick: () => {
      reply.hidden = !reply.hidden;
      reply.firstChild.focus();
    }}, 'Comment');
    return el('article', {},
      el('p', {}, this.author(city), ' ', text),
      el('div', {className: 'comments'}),
      el('div', {className: 'actions'}, like, open),
      reply);
  }

  update(element, {post, comments}) {
    const like = element.querySelector('.like');
    like.textContent = `♥ ${post.likes}`;
    like.setAttribute('aria-label', `Like, ${post.likes} so far`);
    keyed(element.querySelector('.comments'), comments, comment => comment.id,
      comment => el('p', {className: 'comment'}, this.author(comment.city), ' ', comment.text), () => {});
  }
}

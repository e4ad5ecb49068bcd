// Shared by all pages: elements, requests, events.

/** An element with properties (or attributes, if the name has a dash or is "role") and children. */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes('-') || name === 'role' || name === 'for') {
      element.setAttribute(name, value);
    } else {
      element[name] = value;
    }
  }
  element.append(...children);
  return element;
}

/** Sends a JSON object and returns the answer. Shows and throws a refusal. */
export async function send(path, body) {
  const answer = await fetch(path, {
    method: 'POST',
    headers: {'Content-Type': 'application/json'},
    body: JSON.stringify(body),
  });
  return read(answer);
}

/** Requests JSON. */
export async function ask(path, options) {
  return read(await fetch(path, options));
}

async function read(answer) {
  const value = await answer.json();
  if (!answer.ok) {
    throw Object.assign(new Error(value.error), {status: answer.status});
  }
  return value;
}

/** Runs an action and shows its refusal, if any. */
export async function attempt(action) {
  try {
    return await action();
  } catch (failure) {
    toast(failure.message);
    return undefined;
  }
}

let shown;

/** Shows a message for some seconds. */
export function toast(message) {
  shown?.remove();
  const note = el('div', {className: 'toast', role: 'status'}, message);
  shown = note;
  document.body.append(note);
  setTimeout(() => note.remove(), 5000);
}

/** Subscribes to events; shows when the server does not answer, and resumes when it is back. */
export function follow(path, onEvent) {
  const lost = el('p', {className: 'lost', role: 'status', hidden: true}, 'The server does not answer. Trying again …');
  document.querySelector('header').append(lost);
  const source = new EventSource(path);
  source.onopen = () => { lost.hidden = true; };
  source.onerror = () => { lost.hidden = false; };
  source.onmessage = event => onEvent(JSON.parse(event.data));
  return source;
}

/** A group of buttons, one of which is pressed. `options` are [value, label] pairs; the result has `show(value)`. */
export function segments(label, options, onChoose) {
  const buttons = options.map(([value, text]) =>
    el('button', {type: 'button', value, onclick: () => onChoose(value)}, text));
  const group = el('div', {className: 'segments', role: 'group', 'aria-label': label}, ...buttons);
  group.show = value => buttons.forEach(
    button => button.setAttribute('aria-pressed', String(button.value === value)));
  return group;
}

/** Makes the children those of some items, and keeps the elements of items that are still there. */
export function keyed(parent, items, key, make, update) {
  const old = new Map([...parent.children].map(child => [child.dataset.key, child]));
  let next = parent.firstElementChild;
  for (const item of items) {
    const name = String(key(item));
    let child = old.get(name);
    old.delete(name);
    if (!child) {
      child = make(item);
      child.dataset.key = name;
    }
    update(child, item);
    if (child === next) {
      next = next.nextElementSibling;
    } else {
      parent.insertBefore(child, next);
    }
  }
  old.forEach(child => child.remove());
}

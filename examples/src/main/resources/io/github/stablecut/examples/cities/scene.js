// An automatic scene: a comment overtakes the post that it answers.

import {attempt, el, send} from '/shared/kit.js';
import {setCable} from '/cables.js';

const [OSLO, NAIROBI, LIMA] = [0, 1, 2];

const pause = millis => new Promise(resolve => { setTimeout(resolve, millis); });

/** Waits until a condition holds for the page; gives up after some time. */
async function until(page, condition) {
  for (let i = 0; i < 300 && !condition(page.state.cities); i++) {
    await pause(50);
  }
}

const hasPost = (city, id) => city.posts.some(post => post.id === id);

export async function play(page) {
  const caption = el('p', {className: 'caption', role: 'status'});
  document.body.append(caption);
  const say = text => { caption.textContent = text; };
  await attempt(async () => {
    say('The cable between Oslo and Lima gets slow: Lima falls seconds behind Oslo.');
    await Promise.all([
      setCable(OSLO, NAIROBI, 'fast'), setCable(NAIROBI, LIMA, 'fast'), setCable(OSLO, LIMA, 'slow')]);
    await until(page, cities => cities[LIMA].links[0].behindSeconds >= 3);
    await pause(1000);
    say('Somebody in Oslo posts.');
    const {id} = await send('/api/posts', {city: OSLO, text: 'I have lost my ring. Has anybody seen it?'});
    await until(page, cities => hasPost(cities[NAIROBI], id));
    await pause(900);
    say('Somebody in Nairobi has read it, and answers. The answer takes the fast cable to Lima.');
    const {id: comment} = await send('/api/comments', {city: NAIROBI, post: id, text: 'Found it, under seat 12!'});
    await until(page, cities => cities[LIMA].eventual.comments.some(found => found.id === comment));
    say(page.mode === 'eventual'
      ? 'Lima shows an answer to nothing: the comment is here, its post is not.'
      : 'The answer has arrived in Lima, but Lima shows nothing yet: its post is still on the way.');
    await until(page, cities => hasPost(cities[LIMA], id));
    await pause(600);
    say(page.mode === 'eventual'
      ? 'Now the post has come too. Choose "Causal" and play it again.'
      : 'Now the post has come, and Lima shows both. Choose "Eventual" and play it again.');
    await pause(3500);
    await setCable(OSLO, LIMA, 'fast');
  });
  caption.remove();
}

package io.github.stablecut.examples.demo;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The demo of the API. The narrator shows parts of this file, so they are written to be read. */
final class Story {
  // show keys
  final Codec<String> text = Codec.string();
  final CounterKey likes = Key.counter("post", "likes");
  final AddWinsSetKey<String> tags = Key.addWinsSet("post", "tags", text);
  final RegisterKey<String> title = Key.register("post", "title", text);
  // end

  private final Narrator narrator;

  Story(Narrator narrator) {
    this.narrator = narrator;
  }

  /** Runs the demo with a new store. */
  void tell(Path directory) throws InterruptedException {
    String token;
    narrator.chapter("Name objects, and open a store on a directory");
    narrator.show(Story.class, "keys");
    narrator.show(Story.class, "open");
    // show open
    try (Store store = Stablecut.open(directory)) {
      // end
      transaction(store);
      abort(store);
      snapshot(store);
      concurrent(store);
      token = timeTravel(store);
    }
    afterReopening(directory, token);
  }

  private void transaction(Store store) {
    narrator.chapter("A transaction reads its own writes, and commits all or nothing");
    narrator.show(Story.class, "transaction");
    // show transaction
    store.run(
        tx -> {
          tx.update(likes.increment(1), tags.add("crdt"));
          if (tx.read(likes) > 0) {
            tx.update(tags.add("liked"));
          }
        });
    // end
    narrator.result("on disk: " + state(store));
  }

  private void abort(Store store) {
    narrator.chapter("An aborted transaction leaves nothing");
    narrator.show(Story.class, "abort");
    // show abort
    try (Transaction tx = store.begin()) {
      tx.update(likes.increment(1_000), tags.add("spam"));
    } // closed without commit()
    // end
    narrator.result("still: " + state(store));
  }

  private void snapshot(Store store) throws InterruptedException {
    narrator.chapter("A snapshot does not move while others commit");
    narrator.show(Story.class, "snapshot");
    // show snapshot
    Snapshot snapshot = store.snapshot();
    likeFromFourThreads(store, 25); // store.update(likes.increment(1))
    long then = snapshot.read(likes);
    long now = store.read(likes);
    // end
    narrator.result("then = " + then + ", now = " + now + ": 100 commits later it reads the same");
  }

  private void likeFromFourThreads(Store store, int times) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 1; i <= 4; i++) {
      threads.add(
          new Thread(
              () -> {
                for (int n = 0; n < times; n++) {
                  store.update(likes.increment(1));
                }
              },
              "liker-" + i));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private void concurrent(Store store) {
    narrator.chapter("Concurrent updates never conflict: two increments both count");
    long before = store.read(likes);
    narrator.show(Story.class, "concurrent");
    // show concurrent
    try (Transaction ada = store.begin();
        Transaction bob = store.begin()) {
      ada.update(likes.increment(1)); // neither sees the other
      bob.update(likes.increment(1));
      ada.commit();
      bob.commit();
    }
    // end
    narrator.result("likes was " + before + " and is " + store.read(likes));
  }

  private String timeTravel(Store store) {
    narrator.chapter("Time travel: a commit's token leads back to it");
    narrator.show(Story.class, "travel");
    // show travel
    CausalToken draft = store.update(title.assign("Draft"));
    store.update(title.assign("Final"), tags.remove("liked"));
    String then = store.at(draft).read(title).orElseThrow();
    String now = store.read(title).orElseThrow();
    // end
    narrator.result("then = " + then + ", now = " + now);
    return draft.toText();
  }

  private void afterReopening(Path directory, String token) {
    narrator.say("A token is a short text. After reopening, " + token + ":");
    narrator.show(Story.class, "reopen");
    // show reopen
    try (Store store = Stablecut.open(directory)) {
      Snapshot then = store.at(CausalToken.parse(token));
      // end
      narrator.result("title = " + then.read(title).orElseThrow() + ", tags = " + then.read(tags));
    }
  }

  private String state(Store store) {
    return "likes = " + store.read(likes) + ", tags = " + store.read(tags);
  }
}

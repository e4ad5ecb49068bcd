package io.github.stablecut.examples.demo;

import io.github.stablecut.Store;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The objects of one writer, all of which every transaction updates: two counters that must always
 * be equal, and the set of the transactions' numbers. Immutable.
 *
 * @param writer the writer's number, from 0
 */
record WrittenObjects(int writer, CounterKey left, CounterKey right, AddWinsSetKey<String> done) {
  static WrittenObjects of(int writer) {
    String name = "writer " + writer;
    return new WrittenObjects(
        writer,
        Key.counter("left", name),
        Key.counter("right", name),
        Key.addWinsSet("done", name, Codec.string()));
  }

  /** The objects of several writers. */
  static List<WrittenObjects> ofAll(int writers) {
    return IntStream.range(0, writers).mapToObj(WrittenObjects::of).toList();
  }

  /** The number of the writer's transactions in the store. */
  long transactions(Store store) {
    return store.read(left);
  }

  /** The updates of transaction number n. */
  Update[] transaction(long n) {
    return new Update[] {left.increment(1), right.increment(1), done.add("" + n)};
  }
}

package io.github.stablecut.examples.write;

import io.github.stablecut.Change;
import io.github.stablecut.Store;
import io.github.stablecut.examples.datacentre.Follower;
import io.github.stablecut.examples.write.History.Moment;
import io.github.stablecut.web.Signal;
import java.time.Instant;

/** A data centre whose users edit the text. Thread-safe. */
final class Desk implements AutoCloseable {
  private final int number;
  private final String name;
  private final Store store;
  private final Signal signal;
  private final History history = new History();
  private final Follower follower;

  /**
   * The text at a time in the past.
   *
   * @param seenMillis when this version became visible here, in milliseconds since 1970
   */
  record Past(String text, long seenMillis) {}

  /**
   * Creates a desk.
   *
   * @param signal raised when anything changes here
   */
  Desk(int number, String name, Store store, Signal signal) {
    this.number = number;
    this.name = name;
    this.store = store;
    this.signal = signal;
    this.follower = Follower.start(store, Paper.BUCKET, this::changed);
  }

  private void changed(Change change) {
    if (change.objects().contains(Paper.TEXT)) {
      history.add(change.token(), Instant.now());
    }
    signal.raise();
  }

  int number() {
    return number;
  }

  String name() {
    return name;
  }

  Store store() {
    return store;
  }

  Signal signal() {
    return signal;
  }

  /** The number of retained versions of the text. */
  int moments() {
    return history.size();
  }

  /** A past version of the text. */
  Past past(int number) {
    Moment moment = history.get(number);
    String text = store.at(moment.token()).read(Paper.TEXT).toString();
    return new Past(text, moment.seen().toEpochMilli());
  }

  @Override
  public void close() {
    follower.close();
  }
}

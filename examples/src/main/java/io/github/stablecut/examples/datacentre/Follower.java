package io.github.stablecut.examples.datacentre;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Change;
import io.github.stablecut.Store;
import io.github.stablecut.Watch;
import io.github.stablecut.WatchOverflowException;
import io.github.stablecut.examples.BackgroundThread;
import io.github.stablecut.option.WatchOptions;
import java.util.function.Consumer;

/**
 * A thread that passes on every change of a bucket, of any data centre, once it is visible. It ends
 * with the store.
 */
public final class Follower implements AutoCloseable {
  private final Store store;
  private final String bucket;
  private final Consumer<? super Change> listener;
  private final BackgroundThread thread;

  private Follower(Store store, String bucket, Consumer<? super Change> listener) {
    this.store = store;
    this.bucket = bucket;
    this.listener = listener;
    this.thread = BackgroundThread.start("follower-" + store.dataCentres().own(), this::run);
  }

  /**
   * Starts following a bucket.
   *
   * @param listener called on the follower's thread
   */
  public static Follower start(Store store, String bucket, Consumer<? super Change> listener) {
    return new Follower(store, bucket, listener);
  }

  private void run() throws InterruptedException {
    WatchOptions begin = WatchOptions.fromNow();
    while (true) {
      try (Watch watch = store.watch(bucket, "", begin)) {
        begin = WatchOptions.after(follow(watch));
      }
    }
  }

  /** Follows the watch until it overflows, and returns the position to resume after. */
  private CausalToken follow(Watch watch) throws InterruptedException {
    try {
      while (true) {
        listener.accept(watch.next());
      }
    } catch (WatchOverflowException e) {
      return e.position();
    }
  }

  /** Ends the thread and waits for it. */
  @Override
  public void close() {
    thread.close();
  }
}

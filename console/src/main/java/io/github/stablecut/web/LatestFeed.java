package io.github.stablecut.web;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Sends the newest state whenever it has changed. A state that was replaced before the subscriber
 * was ready is skipped. Confined to the subscriber's thread.
 */
public final class LatestFeed implements Feed {
  /** Minimum time between two events; states in between are skipped. */
  private static final Duration PAUSE = Duration.ofMillis(30);

  /** The interval of polling the state without a signal. */
  private static final Duration TICK = Duration.ofMillis(500);

  private final Signal signal;
  private final Supplier<?> states;
  private Optional<Object> lastSent = Optional.empty();

  /**
   * Creates a feed that has sent nothing yet.
   *
   * @param signal raised when the state may have changed
   * @param states returns the current state; equal states are sent once
   */
  public LatestFeed(Signal signal, Supplier<?> states) {
    this.signal = signal;
    this.states = states;
  }

  @Override
  public Optional<Object> next(Duration longest) throws InterruptedException {
    long endNanos = System.nanoTime() + longest.toNanos();
    if (lastSent.isPresent()) {
      Thread.sleep(PAUSE.toMillis());
    }
    do {
      long changes = signal.changes();
      Object state = states.get();
      if (!lastSent.equals(Optional.of(state))) {
        lastSent = Optional.of(state);
        return lastSent;
      }
      signal.await(changes, TICK);
    } while (System.nanoTime() < endNanos);
    return Optional.empty();
  }

  @Override
  public void close() {}
}

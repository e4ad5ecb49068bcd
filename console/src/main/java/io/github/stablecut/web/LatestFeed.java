package io.github.stablecut.web;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Tells a subscriber the newest state whenever it is another one. A state that was replaced before
 * the subscriber was ready for it is skipped. Confined to the subscriber's thread.
 */
public final class LatestFeed implements Feed {
  /** States that follow each other faster than this are skipped too. */
  private static final Duration PAUSE = Duration.ofMillis(30);

  /** How often the state is looked at if nobody says that it has changed. */
  private static final Duration TICK = Duration.ofMillis(500);

  private final Signal signal;
  private final Supplier<?> states;
  private Optional<Object> told = Optional.empty();

  /**
   * A feed that has told nothing yet.
   *
   * @param signal says that the state may have changed
   * @param states the state as it is now; equal ones are told once
   */
  public LatestFeed(Signal signal, Supplier<?> states) {
    this.signal = signal;
    this.states = states;
  }

  @Override
  public Optional<Object> next(Duration longest) throws InterruptedException {
    long end = System.nanoTime() + longest.toNanos();
    if (told.isPresent()) {
      Thread.sleep(PAUSE.toMillis());
    }
    do {
      long changes = signal.changes();
      Object state = states.get();
      if (!told.equals(Optional.of(state))) {
        told = Optional.of(state);
        return told;
      }
      var unused = signal.await(changes, TICK);
    } while (System.nanoTime() < end);
    return Optional.empty();
  }

  @Override
  public void close() {}
}

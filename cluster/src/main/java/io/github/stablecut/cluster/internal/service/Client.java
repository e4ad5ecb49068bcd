package io.github.stablecut.cluster.internal.service;

import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A connection, as far as what it holds is concerned. Identity counts. Thread-safe. */
final class Client {
  private final Supplier<Origin> origin;
  private volatile boolean isGone;
  private volatile long goneNanos;

  /** The turn of its call to have a large answer made; null as long as none needed one. */
  private final AtomicReference<LargeAnswers.@Nullable Turn> turn = new AtomicReference<>();

  /**
   * @param origin where it comes from, which is known by its first request
   */
  Client(Supplier<Origin> origin) {
    this.origin = origin;
  }

  /** Where it comes from. */
  Origin origin() {
    return origin.get();
  }

  /** The connection is closed. */
  void gone(long nowNanos) {
    if (!isGone) {
      goneNanos = nowNanos;
      isGone = true;
    }
  }

  /** Whether the connection is closed. */
  boolean isGone() {
    return isGone;
  }

  /** Of some handles, the one whose connection has been closed for longest. */
  static <H> Optional<H> longestGone(Stream<H> handles, Function<H, Client> user, long nowNanos) {
    return handles.max(
        Comparator.comparingLong(
            handle -> {
              Client client = user.apply(handle);
              return client.isGone ? nowNanos - client.goneNanos : 0;
            }));
  }

  /** Whether the connection was closed at least so long ago. */
  boolean isGone(long nowNanos, long nanos) {
    return isGone && nowNanos - goneNanos >= nanos;
  }

  /** The turn of its call to have a large answer made, which ends by {@link #answered}. */
  LargeAnswers.Turn turn(LargeAnswers answers) {
    LargeAnswers.Turn known = turn.get();
    if (known == null) {
      known = answers.turn();
      turn.set(known);
    }
    return known;
  }

  /** Its call is answered, or will not be. */
  void answered() {
    LargeAnswers.Turn known = turn.get();
    if (known != null) {
      known.end();
    }
  }
}

package io.github.stablecut.cluster.internal.service.handle;

import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A connection as the owner of handles. Compared by identity. Thread-safe. */
public final class Client {
  private final Supplier<Origin> origin;
  private volatile boolean isGone;
  private volatile long goneNanos;

  /** The permit of its call for large answers; null until a call needs one. */
  private final AtomicReference<LargeAnswers.@Nullable Permit> largeAnswerPermit =
      new AtomicReference<>();

  /**
   * @param origin the client's address and user, available from its first request on
   */
  public Client(Supplier<Origin> origin) {
    this.origin = origin;
  }

  /** Returns the client's address and user. */
  public Origin origin() {
    return origin.get();
  }

  /** Records that the connection is closed. */
  public void gone(long nowNanos) {
    if (!isGone) {
      goneNanos = nowNanos;
      isGone = true;
    }
  }

  /** Returns whether the connection is closed. */
  boolean isGone() {
    return isGone;
  }

  /** Returns the handle whose connection has been closed for longest. */
  static <H> Optional<H> longestGone(Stream<H> handles, Function<H, Client> user, long nowNanos) {
    return handles.max(
        Comparator.comparingLong(
            handle -> {
              Client client = user.apply(handle);
              return client.isGone ? nowNanos - client.goneNanos : 0;
            }));
  }

  /** Returns whether the connection was closed at least some time ago. */
  boolean isGone(long nowNanos, long nanos) {
    return isGone && nowNanos - goneNanos >= nanos;
  }

  /** Returns the permit of its call for large answers, which {@link #answered} releases. */
  public LargeAnswers.Permit largeAnswerPermit(LargeAnswers answers) {
    LargeAnswers.Permit known = largeAnswerPermit.get();
    if (known == null) {
      known = answers.permit();
      largeAnswerPermit.set(known);
    }
    return known;
  }

  /** Records that its call is answered, or will not be. */
  public void answered() {
    LargeAnswers.Permit known = largeAnswerPermit.get();
    if (known != null) {
      known.release();
    }
  }
}

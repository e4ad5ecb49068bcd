package io.github.stablecut.micrometer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.StoreClosedException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A store's status, requested once for all metrics read within a quarter of a second. After the
 * store was closed it is the last status. A failure is cached for two seconds, and one thread at a
 * time sends the request, so all metrics together wait once for a silent server. Thread-safe.
 */
final class CachedStatus<T> implements Supplier<T> {
  private static final long ANSWER_NANOS = Duration.ofMillis(250).toNanos();
  private static final long FAILURE_NANOS = Duration.ofSeconds(2).toNanos();

  private final Supplier<T> store;
  private final LongSupplier nanoClock;

  @GuardedBy("this")
  private Optional<T> last = Optional.empty();

  @GuardedBy("this")
  private Optional<StablecutException> failure = Optional.empty();

  @GuardedBy("this")
  private long endNanos;

  CachedStatus(Supplier<T> store) {
    this(store, System::nanoTime);
  }

  CachedStatus(Supplier<T> store, LongSupplier nanoClock) {
    this.store = store;
    this.nanoClock = nanoClock;
    this.endNanos = nanoClock.getAsLong();
  }

  @Override
  public synchronized T get() {
    if (nanoClock.getAsLong() - endNanos >= 0) {
      ask();
    }
    if (failure.isPresent()) {
      throw failure.get();
    }
    return last.orElseThrow();
  }

  @GuardedBy("this")
  private void ask() {
    try {
      last = Optional.of(store.get());
      failure = Optional.empty();
      endNanos = nanoClock.getAsLong() + ANSWER_NANOS;
    } catch (StablecutException e) {
      boolean isEnd = e instanceof StoreClosedException && last.isPresent();
      failure = isEnd ? Optional.empty() : Optional.of(e);
      endNanos = nanoClock.getAsLong() + FAILURE_NANOS;
    }
  }
}

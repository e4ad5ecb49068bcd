package io.github.stablecut.micrometer;

import io.github.stablecut.Store;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.error.StoreClosedException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The figures of a store, asked for once for all metrics that are read within a quarter of a
 * second; after it was closed, the last ones. Thread-safe.
 */
final class RecentStatus implements Supplier<StoreStatus> {
  private static final long RECENT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private record Asked(StoreStatus status, long atNanos) {}

  private final Store store;
  private volatile Optional<Asked> last = Optional.empty();

  RecentStatus(Store store) {
    this.store = store;
  }

  @Override
  public StoreStatus get() {
    Optional<Asked> known = last;
    if (known.isPresent() && System.nanoTime() - known.get().atNanos < RECENT_NANOS) {
      return known.get().status;
    }
    try {
      StoreStatus status = store.status();
      last = Optional.of(new Asked(status, System.nanoTime()));
      return status;
    } catch (StoreClosedException e) {
      return known.orElseThrow(() -> e).status;
    }
  }
}

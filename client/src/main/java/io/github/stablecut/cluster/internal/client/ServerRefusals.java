package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.ReadTimeoutException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.TransactionTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Servers whose last refusal suggests that they are cut off from the partitions' owners, and which
 * have served no request since. Thread-safe.
 */
final class ServerRefusals {
  /**
   * The time for which other servers are preferred after a refusal; failover ends within this time.
   */
  static final Duration LATELY = Duration.ofSeconds(10);

  private final LongSupplier nanoTime;
  private final Map<ServerPool, Long> last = new ConcurrentHashMap<>();

  ServerRefusals(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Whether a refusal may come from a server that is cut off. */
  static boolean mayBeOfCutOff(StablecutException refusal) {
    return refusal instanceof PartitionUnavailableException
        || refusal instanceof ReadTimeoutException
        || refusal instanceof TransactionTimeoutException
        || refusal instanceof OutcomeUnknownException;
  }

  void refused(ServerPool server) {
    last.put(server, nanoTime.getAsLong());
  }

  /** Records that a server has read or written objects. */
  void served(ServerPool server) {
    if (!last.isEmpty()) {
      last.remove(server);
    }
  }

  boolean hasRefusedLately(ServerPool server) {
    Long atNanos = last.get(server);
    return atNanos != null && nanoTime.getAsLong() - atNanos < LATELY.toNanos();
  }

  /** The first server without a refusal, else the first without a recent one, else the first. */
  Optional<ServerPool> best(List<ServerPool> servers) {
    return Stream.<Predicate<ServerPool>>of(
            server -> !last.containsKey(server),
            server -> !hasRefusedLately(server),
            server -> true)
        .flatMap(isWanted -> servers.stream().filter(isWanted))
        .findFirst();
  }
}

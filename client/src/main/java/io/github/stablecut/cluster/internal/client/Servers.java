package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.error.OutcomeUnknownException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The servers of a store, which are nodes of one cluster, or one server. Calls go to one of them as
 * long as it answers, and then to the next. Thread-safe.
 */
final class Servers {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final List<ServerPool> pools;
  private final Duration timeout;
  private final AtomicInteger current = new AtomicInteger();

  /**
   * @param pools at least one
   * @param timeout how long a call that may be repeated is, while no server can be reached
   */
  Servers(List<ServerPool> pools, Duration timeout) {
    this.pools = List.copyOf(pools);
    this.timeout = timeout;
  }

  Duration timeout() {
    return timeout;
  }

  /** The server that answers at present. */
  ServerPool current() {
    return pools.get(current.get());
  }

  List<ServerPool> all() {
    return pools;
  }

  /** One that does not answer is not asked first any more. */
  void avoid(ServerPool silent) {
    int index = pools.indexOf(silent);
    boolean unused = current.compareAndSet(index, (index + 1) % pools.size());
  }

  /**
   * Makes a call at a server that answers. One that may be repeated is made at each of them, if it
   * has to be.
   *
   * @throws ServerUnavailableException if none answers
   * @throws OutcomeUnknownException if it commits and its answer was lost
   */
  Answer call(Call call) {
    return callAt(call).answer;
  }

  /** An answer, and who gave it. */
  record At<A>(ServerPool server, A answer) {}

  /** As {@link #call}. */
  At<Answer> callAt(Call call) {
    int attempts = pools.size() + (call.isRepeatable() ? 1 : 0);
    while (true) {
      attempts--;
      ServerPool server = current();
      CallConnection connection;
      try {
        connection = server.take();
      } catch (ServerUnavailableException e) {
        // Whoever can't be reached was not asked.
        avoid(server);
        if (attempts <= 0) {
          throw e;
        }
        continue;
      }
      try {
        return new At<>(server, server.call(connection, call));
      } catch (ServerUnavailableException e) {
        avoid(server);
        if (attempts <= 0 || !call.isRepeatable()) {
          throw e;
        }
      }
    }
  }

  /**
   * Makes a call that may be repeated again and again until a server answers, for as long as a
   * server may be silent.
   *
   * @throws OutcomeUnknownException if none has; it may have been executed
   */
  Answer callUntilAnswered(Call call) {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      try {
        return call(call);
      } catch (ServerUnavailableException e) {
        if (System.nanoTime() - deadline >= 0) {
          throw new OutcomeUnknownException(
              e.getMessage()
                  + "; nobody knows whether the request was executed: make it again with the same number, which executes it if it was not");
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  void checkOpen() {
    current().checkOpen();
  }

  void close() {
    pools.forEach(ServerPool::close);
  }
}

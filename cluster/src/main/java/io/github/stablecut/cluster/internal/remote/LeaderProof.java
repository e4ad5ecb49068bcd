package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Verifies which partitions have a leader: each leader asks a majority of its voters before it
 * answers. A node that led a partition is named as its leader until another one leads, even if it
 * stepped down long ago because it heard no majority. Thread-safe.
 *
 * @param patience a leader that has not answered within this time counts as missing
 */
record LeaderProof(PendingRequests requests, Duration patience) {
  /**
   * Asks the leaders of partitions and waits for them.
   *
   * @return the partitions whose leaders have not proved their leadership, ascending
   * @throws InterruptedException if the thread was interrupted meanwhile
   */
  List<Integer> missing(Collection<Integer> partitions) throws InterruptedException {
    Map<Integer, CompletableFuture<Reply>> reply = new TreeMap<>();
    for (int number : partitions) {
      reply.put(number, requests.ask(number, new Request.Present(), patience));
    }
    long deadlineNanos = System.nanoTime() + patience.toNanos();
    List<Integer> missing = new ArrayList<>();
    for (Map.Entry<Integer, CompletableFuture<Reply>> one : reply.entrySet()) {
      if (!isProved(one.getValue(), deadlineNanos - System.nanoTime())) {
        missing.add(one.getKey());
      }
    }
    return missing;
  }

  private static boolean isProved(CompletableFuture<Reply> reply, long nanos)
      throws InterruptedException {
    try {
      return reply.get(Math.max(0, nanos), TimeUnit.NANOSECONDS) instanceof Reply.Vector;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }
}

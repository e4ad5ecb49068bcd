package io.github.stablecut.internal.materializer;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.Bytes;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReadCoalescerTest {
  private static final int READERS = 8;
  private static final Bytes ID = Bytes.utf8("id");

  private final ReadCoalescer single = new ReadCoalescer();
  private final ConcurrentHashMap<Bytes, Object> kept = new ConcurrentHashMap<>();
  private final AtomicInteger reads = new AtomicInteger();

  /** Like the materializer: caches its result, and checks the cache before reading. */
  private Object read(CountDownLatch othersWait) {
    return single.read(
        ID,
        () -> {
          Object found = kept.get(ID);
          if (found != null) {
            return found;
          }
          reads.incrementAndGet();
          awaited(othersWait);
          Object made = new Object();
          kept.put(ID, made);
          return made;
        });
  }

  private static void awaited(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void concurrentReadsOfOneObjectReadOnce() {
    CountDownLatch othersWait = new CountDownLatch(1);
    ExecutorService threads = Executors.newFixedThreadPool(READERS);
    try {
      List<CompletableFuture<Object>> readers =
          IntStream.range(0, READERS)
              .mapToObj(i -> CompletableFuture.supplyAsync(() -> read(othersWait), threads))
              .toList();
      while (single.waiting(ID) < READERS - 1) {
        Thread.onSpinWait();
      }
      othersWait.countDown();

      assertThat(readers.stream().map(CompletableFuture::join).distinct()).hasSize(1);
      assertThat(reads).hasValue(1);
    } finally {
      threads.shutdownNow();
    }
  }
}

package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.journal.testing.LossySegments;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Reads while segments are dropped. */
final class DroppedSegmentsTest {
  private static final int SEGMENTS = 6;
  private static final int FIRST_NEEDED = 5;

  private final CountDownLatch oneIsGone = new CountDownLatch(1);
  private final CountDownLatch hasBegun = new CountDownLatch(1);
  private final CountDownLatch restIsGone = new CountDownLatch(1);

  /** A store that waits for the reader after deleting the first of several segments. */
  private SegmentStore deletingSlowly(SegmentStore store) {
    return (SegmentStore)
        Proxy.newProxyInstance(
            SegmentStore.class.getClassLoader(),
            new Class<?>[] {SegmentStore.class},
            (proxy, method, arguments) -> {
              Object result;
              try {
                result = method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
              if (method.getName().equals("delete")) {
                oneIsGone.countDown();
                hasBegun.await();
              }
              return result;
            });
  }

  @Test
  void aScanThatBeginsDuringADropReadsTheRetainedSegments() throws Exception {
    LossySegments disk = new LossySegments();
    for (int segment = 1; segment < SEGMENTS; segment++) {
      // Each open begins a segment.
      try (OpenJournal journal = new OpenJournal(disk)) {
        journal.commit("record " + segment);
      }
    }
    try (OpenJournal journal = new OpenJournal(deletingSlowly(disk))) {
      List<String> read = new ArrayList<>();
      CompletableFuture<Void> reading =
          CompletableFuture.runAsync(
              () -> {
                await(oneIsGone);
                try (JournalView view = journal.journal.view()) {
                  view.scan(
                      0,
                      stored -> {
                        hasBegun.countDown();
                        await(restIsGone);
                        read.add(OpenJournal.text(stored));
                      });
                } finally {
                  hasBegun.countDown();
                }
              });

      journal.journal.dropSegmentsBefore(FIRST_NEEDED);
      restIsGone.countDown();
      reading.get();

      assertThat(read).containsExactly("record " + FIRST_NEEDED);
    }
  }

  /** A store that fails to delete once. */
  private static SegmentStore failingToDelete(SegmentStore store) {
    AtomicBoolean hasFailed = new AtomicBoolean();
    return (SegmentStore)
        Proxy.newProxyInstance(
            SegmentStore.class.getClassLoader(),
            new Class<?>[] {SegmentStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("delete") && hasFailed.compareAndSet(false, true)) {
                throw new IOException("injected");
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void aFailedDeletionIsRetriedWithTheNextDrop() throws IOException {
    LossySegments disk = new LossySegments();
    for (int segment = 1; segment < SEGMENTS; segment++) {
      try (OpenJournal journal = new OpenJournal(disk)) {
        journal.commit("record " + segment);
      }
    }
    try (OpenJournal journal = new OpenJournal(failingToDelete(disk))) {
      assertThatThrownBy(() -> journal.journal.dropSegmentsBefore(FIRST_NEEDED))
          .isInstanceOf(JournalFailedException.class);
      assertThat(journal.journal.firstRecord()).isEqualTo(FIRST_NEEDED);

      journal.journal.dropSegmentsBefore(FIRST_NEEDED);

      assertThat(disk.segments()).startsWith(FIRST_NEEDED);
      assertThat(journal.journal.hasFailed()).isFalse();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}

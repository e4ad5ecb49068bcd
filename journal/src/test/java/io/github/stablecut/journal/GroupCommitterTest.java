package io.github.stablecut.journal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.journal.testing.LossySegments;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

/** Tests the flushing thread with real appending threads. */
final class GroupCommitterTest {
  /** Records all outcomes, from any thread. */
  private static final class Recorder implements GroupListener {
    final BlockingQueue<PendingRecord> committed = new LinkedBlockingQueue<>();
    final BlockingQueue<PendingRecord> failed = new LinkedBlockingQueue<>();
    final List<String> threads = Collections.synchronizedList(new ArrayList<>());

    @Override
    public void durable(List<PendingRecord> group) {
      threads.add(Thread.currentThread().getName());
      committed.addAll(group);
    }

    @Override
    public void failed(List<PendingRecord> group, JournalFailedException failure) {
      failed.addAll(group);
    }
  }

  private final LossySegments disk = new LossySegments();
  private final Recorder recorder = new Recorder();

  private Journal open(JournalOptions options) {
    return Journal.open(disk, options, recorder, stored -> {});
  }

  private static GroupCommitter start(Journal journal) {
    return GroupCommitter.start(journal, new SyncPolicy.Batch());
  }

  private static PendingRecord record(int number) {
    byte[] body = String.valueOf(number).getBytes(UTF_8);
    return new PendingRecord((byte) 1, body, body.length);
  }

  @Test
  void commitsRecordsOfManyThreadsInLogOrder() throws Exception {
    int perThread = 2_000;
    try (GroupCommitter committer = start(open(OpenJournal.OPTIONS))) {
      Journal journal = committer.journal();
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        Thread thread =
            new Thread(
                () -> {
                  for (int i = 0; i < perThread; i++) {
                    journal.append(record(i));
                  }
                });
        threads.add(thread);
        thread.start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }

    List<PendingRecord> committed = new ArrayList<>(recorder.committed);
    assertThat(committed).hasSize(4 * perThread);
    assertThat(committed).extracting(PendingRecord::sequence).isSorted().doesNotHaveDuplicates();
    assertThat(recorder.threads).contains("journal-sync-test");
    OpenJournal reopened = new OpenJournal(disk.afterKill());
    assertThat(reopened.recoveredBodies())
        .isEqualTo(committed.stream().map(r -> new String(r.body(), UTF_8)).toList());
  }

  /** Simulates a listener that runs out of memory. */
  @Test
  void aFailureThatCanNotBeAnnouncedAtFirstIsAnnouncedLater() throws Exception {
    CountDownLatch thrown = new CountDownLatch(3);
    GroupListener listener =
        new GroupListener() {
          @Override
          public void durable(List<PendingRecord> group) {
            throw new OutOfMemoryError("none to make the group visible");
          }

          @Override
          public void failed(List<PendingRecord> group, JournalFailedException failure) {
            if (thrown.getCount() > 0) {
              thrown.countDown();
              throw new OutOfMemoryError("none to tell it");
            }
            recorder.failed(group, failure);
          }
        };
    PendingRecord pending = record(1);
    try (GroupCommitter committer =
        start(Journal.open(disk, OpenJournal.OPTIONS, listener, stored -> {}))) {
      committer.journal().append(pending);
      assertThat(recorder.failed.take()).isSameAs(pending);
    }
    assertThat(thrown.getCount()).isZero();
  }

  @Test
  void wakesForEachSingleRecord() throws Exception {
    try (GroupCommitter committer = start(open(OpenJournal.OPTIONS))) {
      Journal journal = committer.journal();
      for (int i = 0; i < 200; i++) {
        PendingRecord pending = record(i);
        journal.append(pending);
        assertThat(recorder.committed.take()).isSameAs(pending);
      }
    }
  }

  @Test
  void commitsQueuedRecordsBeforeItCloses() {
    Journal journal = open(OpenJournal.OPTIONS);
    GroupCommitter committer = GroupCommitter.start(journal, new SyncPolicy.Batch());
    for (int i = 0; i < 100; i++) {
      journal.append(record(i));
    }

    committer.close();
    committer.close();

    assertThat(recorder.committed).hasSize(100);
    assertThatThrownBy(() -> journal.append(record(1))).isInstanceOf(JournalClosedException.class);
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .doesNotContain("journal-sync-test");
  }

  @Test
  void reportsTheFailureForRecordsAppendedAfterIt() throws Exception {
    try (GroupCommitter committer = start(open(OpenJournal.OPTIONS))) {
      Journal journal = committer.journal();
      disk.failOnce(2);
      PendingRecord first = record(1);
      journal.append(first);
      assertThat(recorder.failed.take()).isSameAs(first);

      PendingRecord second = record(2);
      journal.append(second);

      assertThat(recorder.failed.take()).isSameAs(second);
    }
    assertThat(recorder.committed).isEmpty();
  }

  @Test
  void aListenerThatThrowsFailsTheJournal() throws Exception {
    CountDownLatch failed = new CountDownLatch(1);
    GroupListener broken =
        new GroupListener() {
          @Override
          public void durable(List<PendingRecord> group) {
            throw new IllegalStateException("a bug");
          }

          @Override
          public void failed(List<PendingRecord> group, JournalFailedException failure) {
            failed.countDown();
          }
        };
    try (GroupCommitter committer =
        start(Journal.open(disk, OpenJournal.OPTIONS, broken, stored -> {}))) {
      Journal journal = committer.journal();
      journal.append(record(1));
      journal.awaitCapacity();
      journal.append(record(2));
      journal.append(record(3));
      failed.await();

      assertThatThrownBy(() -> journal.ensureWritable(1))
          .isInstanceOf(JournalFailedException.class)
          .hasMessageContaining("a bug");
    }
  }

  @Test
  void keepsAnnouncingAfterAListenerThrewForAFailure() throws Exception {
    BlockingQueue<PendingRecord> notified = new LinkedBlockingQueue<>();
    GroupListener broken =
        new GroupListener() {
          @Override
          public void durable(List<PendingRecord> group) {}

          @Override
          public void failed(List<PendingRecord> group, JournalFailedException failure) {
            notified.addAll(group);
            throw new IllegalStateException("a bug");
          }
        };
    try (GroupCommitter committer =
        start(Journal.open(disk, OpenJournal.OPTIONS, broken, stored -> {}))) {
      disk.failOnce(1);
      PendingRecord first = record(1);
      committer.journal().append(first);
      assertThat(notified.take()).isSameAs(first);
      PendingRecord second = record(2);
      committer.journal().append(second);

      PendingRecord next = notified.take();
      while (next == first) {
        next = notified.take();
      }
      assertThat(next).isSameAs(second);
    }
  }

  @Test
  void blocksCallersWhileTheQueueIsFull() throws Exception {
    Journal journal = open(OpenJournal.OPTIONS.withQueueBytes(10));
    journal.append(new PendingRecord((byte) 1, new byte[11], 11));
    CountDownLatch passed = new CountDownLatch(1);
    Thread waiting =
        new Thread(
            () -> {
              try {
                journal.awaitCapacity();
                passed.countDown();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    waiting.start();
    while (waiting.getState() != Thread.State.WAITING && waiting.isAlive()) {
      Thread.onSpinWait();
    }
    assertThat(passed.getCount()).isEqualTo(1);

    journal.flushGroup();

    passed.await();
    journal.awaitCapacity();
    journal.close();
  }

  @Test
  void releasesBlockedCallersWhenItFails() throws Exception {
    Journal journal = open(OpenJournal.OPTIONS.withQueueBytes(10));
    journal.append(new PendingRecord((byte) 1, new byte[11], 11));
    journal.fail(new IOException("gone"));

    journal.awaitCapacity();

    assertThatThrownBy(() -> journal.ensureWritable(1)).isInstanceOf(JournalFailedException.class);
  }
}

package io.github.stablecut.journal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.journal.segment.ForwardingSegments;
import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.journal.testing.LossySegments;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Callers that flush groups themselves while the journal's thread sleeps. */
final class CallerFlushTest {
  private static final String THREAD = "journal-sync-test";
  private static final JournalOptions OPTIONS = OpenJournal.OPTIONS;

  /** A record that notes its outcome and the announcing thread. */
  private static final class WaitingRecord extends PendingRecord {
    final LinkedBlockingQueue<String> outcome = new LinkedBlockingQueue<>();

    WaitingRecord(String text) {
      super((byte) 1, text.getBytes(UTF_8), text.getBytes(UTF_8).length);
    }

    void complete(String what) {
      outcome.add(what + " by " + Thread.currentThread().getName());
    }
  }

  private static final class Announcer implements GroupListener {
    Consumer<List<PendingRecord>> onDurable = group -> {};

    @Override
    public void durable(List<PendingRecord> group) {
      onDurable.accept(group);
      group.forEach(record -> ((WaitingRecord) record).complete("durable"));
    }

    @Override
    public void failed(List<PendingRecord> group, JournalFailedException failure) {
      group.forEach(record -> ((WaitingRecord) record).complete("failed"));
    }
  }

  /** A disk whose sync blocks until the test releases it. */
  private static final class SlowDisk extends ForwardingSegments {
    final CountDownLatch syncBegun = new CountDownLatch(1);
    final CountDownLatch release = new CountDownLatch(1);
    private volatile boolean isSlow;

    SlowDisk(SegmentStore segments) {
      super(segments);
    }

    @Override
    public void force(int segment) throws IOException {
      if (isSlow) {
        isSlow = false;
        syncBegun.countDown();
        awaitUninterruptibly(release);
      }
      super.force(segment);
    }
  }

  @TempDir private Path directory;

  private final LossySegments disk = new LossySegments();
  private final SlowDisk slow = new SlowDisk(disk);
  private final Announcer announcer = new Announcer();
  private GroupCommitter committer = open(slow, OPTIONS, new SyncPolicy.Batch());

  private GroupCommitter open(SegmentStore store, JournalOptions options, SyncPolicy policy) {
    return GroupCommitter.start(Journal.open(store, options, announcer, stored -> {}), policy);
  }

  private void reopen(SegmentStore store, JournalOptions options, SyncPolicy policy) {
    committer.close();
    committer = open(store, options, policy);
  }

  @AfterEach
  void close() {
    // Clear the interrupt flag that a failed test may have left.
    Thread.interrupted();
    committer.close();
  }

  /** The name of the test's thread. */
  private static String here() {
    return Thread.currentThread().getName();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    boolean isInterrupted = false;
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void awaitSleep() {
    while (!committer.journal().queue().turn().isFree()) {
      Thread.onSpinWait();
    }
  }

  /** Appends a record with a promise to help that is not yet fulfilled. */
  private WaitingRecord append(String text) {
    WaitingRecord record = new WaitingRecord(text);
    record.promiseHelp();
    committer.journal().append(record);
    return record;
  }

  @CanIgnoreReturnValue
  private WaitingRecord commit(String text) {
    WaitingRecord record = append(text);
    committer.help();
    return record;
  }

  private String recovered() {
    OpenJournal reopened = new OpenJournal(disk.afterKill());
    return String.join(",", reopened.recoveredBodies());
  }

  @Test
  void aLoneCallerFlushesItselfWhileTheThreadSleeps() throws Exception {
    for (int i = 0; i < 200; i++) {
      awaitSleep();
      int forces = disk.forces();

      WaitingRecord record = commit("record " + i);

      assertThat(record.outcome.poll()).isEqualTo("durable by " + here());
      assertThat(disk.forces()).isEqualTo(forces + 1);
    }
  }

  @Test
  void closingEndsAThreadThatHasWaitedForALockSinceItWasWoken() throws Exception {
    reopen(disk, OPTIONS, new SyncPolicy.Periodic(Duration.ofHours(1)));
    Thread closing = new Thread(committer::close, "closing");
    announcer.onDurable =
        group -> {
          closing.start();
          while (closing.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
          }
          // As a lock that is contended: takes the permit by which the close has woken the thread.
          LockSupport.park();
        };

    committer.journal().append(new WaitingRecord("of a waiting caller"));
    closing.join(10_000);

    assertThat(closing.isAlive()).isFalse();
  }

  @Test
  void aCallerAlsoFlushesTheRecordsOfOthers() throws Exception {
    awaitSleep();
    WaitingRecord first = append("without help");

    commit("with help");

    assertThat(first.outcome.poll()).isEqualTo("durable by " + here());
    assertThat(recovered()).isEqualTo("without help,with help");
  }

  @Test
  void aRecordWithoutAPromiseWakesTheThreadEvenAfterOneWithAPromise() throws Exception {
    awaitSleep();
    WaitingRecord first = append("of a killed caller");
    WaitingRecord second = new WaitingRecord("of a waiting caller");

    committer.journal().append(second);

    assertThat(second.outcome.take()).isEqualTo("durable by " + THREAD);
    assertThat(first.outcome.take()).isEqualTo("durable by " + THREAD);
  }

  @Test
  void recordsArrivingDuringACallersFlushAreFlushedByTheThread() throws Exception {
    awaitSleep();
    slow.isSlow = true;
    Thread caller = new Thread(() -> commit("first"), "caller");
    caller.start();
    slow.syncBegun.await();
    WaitingRecord helped = commit("second");
    WaitingRecord plain = new WaitingRecord("third");
    committer.journal().append(plain);
    assertThat(helped.outcome).isEmpty();

    slow.release.countDown();

    assertThat(helped.outcome.take()).isEqualTo("durable by " + THREAD);
    assertThat(plain.outcome.take()).isEqualTo("durable by " + THREAD);
    caller.join();
    assertThat(recovered()).isEqualTo("first,second,third");
  }

  @Test
  void nothingIsLostWhenManyCallersHelpAndOthersDoNot() throws Exception {
    int perThread = 3_000;
    List<Thread> threads = new ArrayList<>();
    List<String> unexpected = new ArrayList<>();
    for (int t = 0; t < 6; t++) {
      boolean helps = t % 3 > 0;
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < perThread; i++) {
                  WaitingRecord record = new WaitingRecord("x");
                  if (helps) {
                    record.promiseHelp();
                  }
                  committer.journal().append(record);
                  if (helps) {
                    committer.help();
                  }
                  String outcome = take(record);
                  if (!outcome.startsWith("durable")) {
                    synchronized (unexpected) {
                      unexpected.add(outcome);
                    }
                  }
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(unexpected).isEmpty();
    assertThat(committer.journal().status().records()).isEqualTo(6L * perThread);
  }

  private static String take(WaitingRecord record) {
    try {
      return record.outcome.take();
    } catch (InterruptedException e) {
      return "interrupted";
    }
  }

  /** An interrupt closes a file channel if its thread is using it, or starts to. */
  @Test
  void anInterruptOfACallerEndsNothingAndItsFlagStaysSet() throws Exception {
    JournalOptions small = OPTIONS.withSegmentBytes(1 << 20);
    reopen(JournalDirectory.open(directory, small), small, new SyncPolicy.Batch());
    Thread caller = Thread.currentThread();
    CountDownLatch enough = new CountDownLatch(1);
    Thread interrupter =
        new Thread(
            () -> {
              while (enough.getCount() > 0) {
                caller.interrupt();
                Thread.onSpinWait();
              }
            });
    interrupter.start();
    int helped = 0;
    try {
      for (int i = 0; i < 500; i++) {
        WaitingRecord record = commit("x".repeat(6_000));
        String outcome = record.outcome.poll();
        while (outcome == null) {
          outcome = record.outcome.poll();
        }
        assertThat(outcome).startsWith("durable");
        helped += outcome.endsWith(here()) ? 1 : 0;
      }
    } finally {
      enough.countDown();
      while (interrupter.isAlive()) {
        Thread.onSpinWait();
      }
    }
    assertThat(Thread.interrupted()).isTrue();

    assertThat(helped).isPositive();
    assertThat(committer.journal().status().segments()).hasSizeGreaterThan(2);
    caller.interrupt();
    commit("with the flag set");
    assertThat(Thread.interrupted()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aFailedWriteOrSyncOfACallerFailsTheJournalAndIsNotRepeated(int call) throws Exception {
    awaitSleep();
    disk.failOnce(call);

    WaitingRecord record = commit("lost");

    assertThat(record.outcome.poll()).isEqualTo("failed by " + here());
    int forces = disk.forces();
    assertThat(commit("later").outcome.take()).startsWith("failed");
    assertThat(disk.forces()).isEqualTo(forces);
    assertThatThrownBy(() -> committer.journal().ensureWritable(1))
        .isInstanceOf(JournalFailedException.class)
        .hasMessageContaining("injected fault in " + (call == 1 ? "append" : "force"));
  }

  @Test
  void anErrorDuringACallersFlushIsAnnouncedAndNotThrown() throws Exception {
    awaitSleep();
    announcer.onDurable =
        group -> {
          throw new OutOfMemoryError("none to make the group visible");
        };

    WaitingRecord record = commit("lost");

    assertThat(record.outcome.take()).startsWith("failed");
    assertThat(committer.journal().failure()).get().asString().contains("none to make");
  }

  /** Simulates a listener that runs out of memory. */
  @Test
  void theThreadAnnouncesGroupsThatACallerDidNot() throws Exception {
    committer.close();
    List<String> attempts = new ArrayList<>();
    GroupListener listener =
        new GroupListener() {
          @Override
          public void durable(List<PendingRecord> group) {
            throw new OutOfMemoryError("none to make the group visible");
          }

          @Override
          public void failed(List<PendingRecord> group, JournalFailedException failure) {
            attempts.add(Thread.currentThread().getName());
            if (attempts.size() < 3) {
              throw new OutOfMemoryError("none to complete it");
            }
            announcer.failed(group, failure);
          }
        };
    committer =
        GroupCommitter.start(
            Journal.open(disk, OPTIONS, listener, stored -> {}), new SyncPolicy.Batch());
    awaitSleep();

    WaitingRecord record = commit("lost");

    assertThat(record.outcome.take()).isEqualTo("failed by " + THREAD);
    assertThat(attempts).containsExactly(here(), THREAD, THREAD);
  }

  @Test
  void aFlushThatExtendsTheSegmentIsLeftToTheThread() throws Exception {
    JournalOptions small = OPTIONS.withSegmentBytes(4096);
    reopen(disk, small, new SyncPolicy.Batch());
    awaitSleep();
    assertThat(commit("x".repeat(3_900)).outcome.take()).isEqualTo("durable by " + here());
    awaitSleep();
    assertThat(commit("y".repeat(300)).outcome.take()).isEqualTo("durable by " + THREAD);
    awaitSleep();
    committer.journal().roll();
    assertThat(commit("rolled").outcome.take()).isEqualTo("durable by " + THREAD);
    awaitSleep();
    assertThat(commit("z".repeat(2 << 20)).outcome.take()).isEqualTo("durable by " + THREAD);
    assertThat(recovered()).hasSize(3_900 + 300 + 6 + (2 << 20) + 3);
  }

  @Test
  void onlyTheBatchPolicyLetsCallersFlush() throws Exception {
    for (SyncPolicy policy :
        List.of(
            new SyncPolicy.Group(Duration.ofNanos(1)),
            new SyncPolicy.Periodic(Duration.ofMillis(1)))) {
      reopen(disk, OPTIONS, policy);
      for (int i = 0; i < 10; i++) {
        awaitSleep();
        assertThat(commit("record").outcome.take()).isEqualTo("durable by " + THREAD);
      }
    }
  }

  @Test
  void closingWaitsForAFlushingCaller() throws Exception {
    awaitSleep();
    slow.isSlow = true;
    WaitingRecord[] record = new WaitingRecord[1];
    Thread caller = new Thread(() -> record[0] = commit("first"), "caller");
    caller.start();
    slow.syncBegun.await();
    Thread closing = new Thread(committer::close, "closing");
    closing.start();
    while (closing.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    assertThat(disk.segments()).isNotEmpty();

    slow.release.countDown();

    caller.join();
    closing.join();
    assertThat(record[0].outcome.poll()).isEqualTo("durable by caller");
    assertThatThrownBy(() -> append("late")).isInstanceOf(JournalClosedException.class);
    committer.help();
  }

  @Test
  void aListenerThatClosesTheJournalDoesNotWaitForItself() throws Exception {
    awaitSleep();
    announcer.onDurable = group -> committer.close();

    WaitingRecord record = commit("last");

    assertThat(record.outcome.poll()).isEqualTo("durable by " + here());
    assertThatThrownBy(() -> append("late")).isInstanceOf(JournalClosedException.class);
  }

  /** Tries the deepest stacks at which a call still works, one after the other. */
  @Test
  void aCallerWithAFullStackHarmsOnlyItself() throws Exception {
    for (int i = 0; i < 100; i++) {
      commit("compiled in part " + i);
    }
    List<WaitingRecord> records = new ArrayList<>();
    Thread deep = new Thread(null, () -> descend(records), "deep", 512 << 10);
    deep.start();
    deep.join();

    assertThat(records).hasSize(400);
    for (WaitingRecord record : records) {
      assertThat(record.outcome.take()).startsWith("durable");
    }
    assertThat(committer.journal().hasFailed()).isFalse();
    assertThat(recovered()).contains("deep");
  }

  /** Like a conditional write whose condition does not hold: it gave no promise. */
  @Test
  void aCallerWithAFullStackAndNoPromiseFailsNoRecord() throws Exception {
    for (int i = 0; i < 100; i++) {
      commit("compiled in part " + i);
    }
    List<WaitingRecord> records = new ArrayList<>();
    Thread deep = new Thread(null, () -> helpFromBelow(records), "deep", 512 << 10);
    deep.start();
    deep.join();

    assertThat(committer.journal().hasFailed()).isFalse();
    for (WaitingRecord record : records) {
      assertThat(record.outcome.take()).startsWith("durable");
    }
  }

  @SuppressWarnings("InfiniteRecursion") // until the stack is full
  private void helpFromBelow(List<WaitingRecord> records) {
    try {
      helpFromBelow(records);
    } catch (StackOverflowError e) {
      // The caller may have enough stack left.
    }
    if (records.size() < 400) {
      awaitSleep();
      records.add(append("of another"));
      committer.help();
    }
  }

  /** Recurses to the end of the stack, and helps from there and from each frame above. */
  @SuppressWarnings("InfiniteRecursion") // until the stack is full
  private void descend(List<WaitingRecord> records) {
    try {
      descend(records);
    } catch (StackOverflowError e) {
      // The caller may have enough stack left.
    }
    if (records.size() < 400) {
      WaitingRecord record = new WaitingRecord("deep");
      awaitSleep();
      record.promiseHelp();
      records.add(record);
      committer.journal().append(record);
      committer.help();
    }
  }
}

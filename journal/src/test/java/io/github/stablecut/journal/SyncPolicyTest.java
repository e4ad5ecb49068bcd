package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.journal.testing.LossySegments;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** When each policy syncs and announces, with a clock that only the test moves. */
final class SyncPolicyTest {
  private final LossySegments disk = new LossySegments();
  private final OpenJournal journal = new OpenJournal(disk);
  private long now;

  private GroupCommitter committer(SyncPolicy policy) {
    return new GroupCommitter(journal.journal, policy, () -> now);
  }

  @Test
  void batchSyncsImmediately() {
    GroupCommitter committer = committer(new SyncPolicy.Batch());
    assertThat(committer.step()).isEqualTo(GroupCommitter.UNTIL_WOKEN);
    journal.append("one");

    assertThat(committer.step()).isZero();

    assertThat(journal.groupSizes).containsExactly(1);
    assertThat(disk.forces()).isEqualTo(1);
  }

  @Test
  void batchSyncsQueuedRecordsTogether() {
    GroupCommitter committer = committer(new SyncPolicy.Batch());
    journal.append("one");
    journal.append("two");

    assertThat(committer.step()).isZero();

    assertThat(journal.groupSizes).containsExactly(2);
    assertThat(disk.forces()).isEqualTo(1);
  }

  @Test
  void groupSyncsImmediatelyWhenTheWindowHasPassed() {
    GroupCommitter committer = committer(new SyncPolicy.Group(Duration.ofNanos(100)));
    journal.append("one");

    assertThat(committer.step()).isZero();

    assertThat(journal.groupSizes).containsExactly(1);
  }

  @Test
  void groupHoldsRecordsUntilTheWindowHasPassedSinceThePreviousSync() {
    GroupCommitter committer = committer(new SyncPolicy.Group(Duration.ofNanos(100)));
    journal.append("one");
    assertThat(committer.step()).isZero();
    now = 30;
    journal.append("two");
    assertThat(committer.step()).isEqualTo(70);
    now = 99;
    journal.append("three");
    assertThat(committer.step()).isEqualTo(1);
    assertThat(journal.groupSizes).containsExactly(1);

    now = 100;
    assertThat(committer.step()).isZero();

    assertThat(journal.groupSizes).containsExactly(1, 2);
    assertThat(disk.forces()).isEqualTo(2);
  }

  @Test
  void periodicAnnouncesBeforeItSyncs() {
    GroupCommitter committer = committer(new SyncPolicy.Periodic(Duration.ofNanos(100)));
    journal.append("one");

    assertThat(committer.step()).isEqualTo(100);

    assertThat(journal.groupSizes).containsExactly(1);
    assertThat(disk.forces()).isZero();
  }

  @Test
  void periodicSyncsWhenTheOldestRecordHasWaitedForTheInterval() {
    GroupCommitter committer = committer(new SyncPolicy.Periodic(Duration.ofNanos(100)));
    journal.append("one");
    assertThat(committer.step()).isEqualTo(100);
    now = 60;
    journal.append("two");
    assertThat(committer.step()).isEqualTo(40);
    assertThat(disk.forces()).isZero();

    now = 100;
    assertThat(committer.step()).isEqualTo(GroupCommitter.UNTIL_WOKEN);

    assertThat(disk.forces()).isEqualTo(1);
    assertThat(journal.groupSizes).containsExactly(1, 1);
  }

  @Test
  void periodicAnnouncesNothingWhileASyncIsOverdue() {
    GroupCommitter committer = committer(new SyncPolicy.Periodic(Duration.ofNanos(100)));
    journal.append("one");
    assertThat(committer.step()).isEqualTo(100);
    now = 1000;
    journal.append("two");
    disk.failOnce(1);

    assertThat(committer.step()).isEqualTo(GroupCommitter.UNTIL_WOKEN);

    assertThat(disk.forces()).isEqualTo(1);
    assertThat(journal.committed).hasSize(1);
    assertThat(journal.failed).hasSize(1);
  }

  @Test
  void periodicHasNothingToDoWhenEverythingIsSynced() {
    GroupCommitter committer = committer(new SyncPolicy.Periodic(Duration.ofNanos(100)));
    journal.append("one");
    assertThat(committer.step()).isEqualTo(100);
    now = 100;
    assertThat(committer.step()).isEqualTo(GroupCommitter.UNTIL_WOKEN);
    now = 5000;

    assertThat(committer.step()).isEqualTo(GroupCommitter.UNTIL_WOKEN);

    assertThat(disk.forces()).isEqualTo(1);
  }

  @Test
  void anIdlePeriodDoesNotCountAgainstTheNextRecord() {
    GroupCommitter committer = committer(new SyncPolicy.Periodic(Duration.ofNanos(100)));
    now = 5000;
    journal.append("one");

    assertThat(committer.step()).isEqualTo(100);

    assertThat(disk.forces()).isZero();
  }

  private int unsynced;

  /** The committer of a journal that is synced together with others every 100 ns. */
  private GroupCommitter joint() {
    return new GroupCommitter(
        journal.journal, new SyncPolicy.Joint(Duration.ofNanos(100)), () -> now, () -> unsynced++);
  }

  @Test
  void jointAnnouncesBeforeItSyncsAndRequestsASyncOnce() {
    GroupCommitter committer = joint();
    for (String body : List.of("one", "two")) {
      journal.append(body);

      assertThat(committer.step()).isEqualTo(GroupCommitter.UNTIL_WOKEN);
    }

    assertThat(journal.groupSizes).containsExactly(1, 1);
    assertThat(disk.forces()).isZero();
    assertThat(unsynced).isEqualTo(1);
    assertThat(committer.isUnsynced()).isTrue();
  }

  @Test
  void jointSyncsOnRequest() {
    GroupCommitter committer = joint();
    journal.append("one");
    CompletableFuture<Void> requested = committer.sync();
    assertThat(requested).isNotDone();

    assertThat(committer.step()).isEqualTo(GroupCommitter.UNTIL_WOKEN);

    assertThat(requested).isCompleted();
    assertThat(disk.forces()).isEqualTo(1);
    assertThat(committer.isUnsynced()).isTrue();
    committer.synced(2, now);
    assertThat(committer.isUnsynced()).isFalse();
  }

  @Test
  void jointHoldsBackRecordsWhileASyncIsOverdue() {
    GroupCommitter committer = joint();
    journal.append("one");
    committer.step();
    now = 150;
    journal.append("two");
    committer.step();
    assertThat(journal.committed).hasSize(2);
    now = 151;
    journal.append("three");

    committer.step();
    assertThat(journal.committed).hasSize(2);

    committer.synced(2, 120);
    committer.step();
    assertThat(journal.committed).hasSize(3);
    now = 270;
    journal.append("four");
    committer.step();
    assertThat(journal.committed).hasSize(4);
    now = 271;
    journal.append("five");
    committer.step();
    assertThat(journal.committed).hasSize(4);
  }

  @Test
  void theOverdueSyncWritesWaitingRecords() {
    GroupCommitter committer = joint();
    journal.append("one");
    committer.step();
    now = 1_000;
    journal.append("two");
    CompletableFuture<Void> requested = committer.sync();

    committer.step();

    assertThat(requested).isCompleted();
    assertThat(journal.committed).hasSize(2);
  }

  @Test
  void aSyncOfAFailedJournalFails() {
    GroupCommitter committer = joint();
    journal.append("one");
    disk.failOnce(1);
    CompletableFuture<Void> requested = committer.sync();

    committer.step();

    assertThat(requested).isCompletedExceptionally();
    assertThat(committer.isUnsynced()).isFalse();
  }

  @Test
  void aSyncCompletesOnASleepingThreadAndAfterTheThreadEnded() throws Exception {
    GroupCommitter committer = GroupCommitter.start(journal.journal, new SyncPolicy.Batch());
    for (int i = 0; i < 1_000; i++) {
      assertThat(committer.sync()).succeedsWithin(Duration.ofSeconds(20));
    }
    committer.close();

    assertThat(committer.sync()).succeedsWithin(Duration.ofSeconds(20));
  }
}

package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.journal.testing.LossySegments;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** When each policy syncs and when it tells, with a clock that only the test moves. */
final class SyncPolicyTest {
  private final LossySegments disk = new LossySegments();
  private final OpenJournal journal = new OpenJournal(disk);
  private long now;

  private GroupCommitter committer(SyncPolicy policy) {
    return new GroupCommitter(journal.journal, policy, () -> now);
  }

  @Test
  void batchSyncsAtOnce() {
    GroupCommitter committer = committer(new SyncPolicy.Batch());
    assertThat(committer.step()).isEqualTo(GroupCommitter.UNTIL_WOKEN);
    journal.append("one");

    assertThat(committer.step()).isZero();

    assertThat(journal.groupSizes).containsExactly(1);
    assertThat(disk.forces()).isEqualTo(1);
  }

  @Test
  void batchSyncsTogetherWhatIsThere() {
    GroupCommitter committer = committer(new SyncPolicy.Batch());
    journal.append("one");
    journal.append("two");

    assertThat(committer.step()).isZero();

    assertThat(journal.groupSizes).containsExactly(2);
    assertThat(disk.forces()).isEqualTo(1);
  }

  @Test
  void groupSyncsAtOnceWhenTheWindowHasPassed() {
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
  void periodicTellsBeforeItSyncs() {
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
  void periodicTellsNobodyWhileASyncIsOverdue() {
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

  /** Of a journal that is synced together with others, every 100 ns. */
  private GroupCommitter joint() {
    return new GroupCommitter(
        journal.journal, new SyncPolicy.Joint(Duration.ofNanos(100)), () -> now, () -> unsynced++);
  }

  @Test
  void jointTellsBeforeItSyncsAndAsksForASyncOnce() {
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
  void jointSyncsWhenItIsAskedTo() {
    GroupCommitter committer = joint();
    journal.append("one");
    CompletableFuture<Void> asked = committer.sync();
    assertThat(asked).isNotDone();

    assertThat(committer.step()).isEqualTo(GroupCommitter.UNTIL_WOKEN);

    assertThat(asked).isCompleted();
    assertThat(disk.forces()).isEqualTo(1);
    assertThat(committer.isUnsynced()).isTrue();
    committer.synced(2, now);
    assertThat(committer.isUnsynced()).isFalse();
  }

  @Test
  void jointHoldsRecordsBackWhileASyncIsOverdue() {
    GroupCommitter committer = joint();
    journal.append("one");
    var unused = committer.step();
    now = 150;
    journal.append("two");
    unused = committer.step();
    assertThat(journal.committed).hasSize(2);
    now = 151;
    journal.append("three");

    unused = committer.step();
    assertThat(journal.committed).hasSize(2);

    committer.synced(2, 120);
    unused = committer.step();
    assertThat(journal.committed).hasSize(3);
    now = 270;
    journal.append("four");
    unused = committer.step();
    assertThat(journal.committed).hasSize(4);
    now = 271;
    journal.append("five");
    unused = committer.step();
    assertThat(journal.committed).hasSize(4);
  }

  @Test
  void whatIsHeldBackIsWrittenByTheOverdueSync() {
    GroupCommitter committer = joint();
    journal.append("one");
    var unused = committer.step();
    now = 1_000;
    journal.append("two");
    CompletableFuture<Void> asked = committer.sync();

    unused = committer.step();

    assertThat(asked).isCompleted();
    assertThat(journal.committed).hasSize(2);
  }

  @Test
  void aSyncOfAFailedJournalFails() {
    GroupCommitter committer = joint();
    journal.append("one");
    disk.failOnce(1);
    CompletableFuture<Void> asked = committer.sync();

    var unused = committer.step();

    assertThat(asked).isCompletedExceptionally();
    assertThat(committer.isUnsynced()).isFalse();
  }

  @Test
  void aSyncIsAnsweredByAThreadThatSleepsAndByOneThatHasEnded() throws Exception {
    GroupCommitter committer = GroupCommitter.start(journal.journal, new SyncPolicy.Batch());
    for (int i = 0; i < 1_000; i++) {
      assertThat(committer.sync()).succeedsWithin(Duration.ofSeconds(20));
    }
    committer.close();

    assertThat(committer.sync()).succeedsWithin(Duration.ofSeconds(20));
  }
}

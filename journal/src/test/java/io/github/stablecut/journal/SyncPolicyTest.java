package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.journal.testing.LossySegments;
import java.time.Duration;
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
}

package io.github.stablecut.journal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.journal.testing.LossySegments;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups are sent to other replicas, and are durable once these have them. */
final class LogReplicasTest {
  @TempDir private Path directory;

  private final LossySegments disk = new LossySegments();
  private final OpenJournal open = new OpenJournal(disk);
  private final List<String> events = new ArrayList<>();
  private boolean isMajorityGone;

  private final LogReplicas replicas =
      new LogReplicas() {
        @Override
        public void send(long first, List<PendingRecord> group) {
          events.add(
              "sent %d+%d, %d forces, %s"
                  .formatted(
                      first,
                      group.size(),
                      disk.forces(),
                      new String(group.get(0).copyOfBody(), UTF_8)));
        }

        @Override
        public void await(long next) {
          events.add(
              "awaits %d, %d forces, %d told, next %d"
                  .formatted(
                      next, disk.forces(), open.committed.size(), open.journal.nextRecord()));
          if (isMajorityGone) {
            throw new IllegalStateException("no majority");
          }
        }

        @Override
        public CompletionStage<Boolean> confirm() {
          return CompletableFuture.completedFuture(!isMajorityGone);
        }

        @Override
        public long oldestNeeded() {
          return 2;
        }

        @Override
        public boolean mayLackRoom() {

          return false;
        }

        @Override
        public void checkRoom() {}

        @Override
        public int largestRecord() {
          return Integer.MAX_VALUE;
        }
      };

  @Test
  void aGroupIsSentBeforeItIsSyncedAndAnnouncedOnceOthersHaveIt() {
    int forces = disk.forces();
    open.journal.setReplicas(replicas);
    open.append("one");
    open.append("two");

    open.journal.flushGroup();

    assertThat(events)
        .containsExactly(
            "sent 1+2, %d forces, one".formatted(forces),
            "awaits 3, %d forces, 0 told, next 1".formatted(forces + 1));
    assertThat(open.committed).hasSize(2);
    assertThat(open.journal.nextRecord()).isEqualTo(3);
  }

  @Test
  void aGroupThatOthersDoNotGetIsNotDurable() {
    open.journal.setReplicas(replicas);
    open.commit("one");
    isMajorityGone = true;

    open.commit("two");

    assertThat(open.failed).hasSize(1);
    assertThat(open.journal.nextRecord()).isEqualTo(2);
    assertThat(open.journal.failure().orElseThrow()).contains("no majority");
  }

  @Test
  void theOldestNeededRecordComesFromTheReplicas() {
    assertThat(open.journal.oldestNeededByReplicas()).isEqualTo(Long.MAX_VALUE);
    assertThat(open.journal.replicas().confirm()).isCompletedWithValue(true);

    open.journal.setReplicas(replicas);
    PendingRecord one = open.commit("one", "two").get(0);
    assertThat(open.journal.oldestNeededByReplicas()).isEqualTo(one.position());
    assertThat(open.journal.replicas()).isSameAs(replicas);
  }

  @Test
  void aCutBeforeOrAfterTheLogIsRefused() {
    open.commit("one", "two");

    assertThatThrownBy(() -> open.journal.cut(3, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> open.journal.cut(0, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThat(open.journal.nextRecord()).isEqualTo(3);
  }

  @Test
  void epochsSurviveInFiles() throws IOException {
    try (OpenJournal journal = ofFiles()) {
      journal.journal.beginEpoch(4);
      journal.commit("one", "two", "three");
      journal.journal.beginEpoch(6);
      journal.commit("four");
      journal.journal.cut(3, 5);
      journal.commit("other");
    }
    try (OpenJournal journal = ofFiles()) {
      assertThat(journal.recoveredBodies()).containsExactly("one", "two", "other");
      assertThat(journal.journal.epochs().starts())
          .containsExactly(new LogEpochs.Start(4, 1), new LogEpochs.Start(5, 3));
    }
  }

  /** The new header is durable before any segment is deleted. */
  @Test
  void aCutIsCompleteOrAbsentAfterACrash() throws IOException {
    open.journal.beginEpoch(1);
    open.commit("one");
    open.journal.roll();
    open.commit("two");
    LossySegments before = disk.afterPowerCut((segment, page) -> false);
    byte[] cutOff = disk.contents(disk.segments().get(2));
    open.journal.cut(1, 2);

    assertThat(new OpenJournal(before).recoveredBodies()).containsExactly("one", "two");
    LossySegments undeleted = disk.afterPowerCut((segment, page) -> false);
    undeleted.replace(before.segments().get(2), cutOff);
    OpenJournal after = new OpenJournal(undeleted);
    assertThat(after.recoveredBodies()).isEmpty();
    assertThat(after.journal.epochs().last()).isEqualTo(2);
    assertThat(undeleted.segments()).doesNotContain(before.segments().get(2));
  }

  private OpenJournal ofFiles() throws IOException {
    return new OpenJournal(JournalDirectory.open(directory, OpenJournal.OPTIONS));
  }

  @Test
  void anEpochIsThatOfTheLastHeaderAtOrBeforeARecord() {
    LogEpochs epochs = new LogEpochs(List.of(new LogEpochs.Start(2, 5), new LogEpochs.Start(4, 8)));

    assertThat(epochs.at(0)).isEqualTo(0);
    assertThat(epochs.at(4)).isEqualTo(LogEpochs.UNKNOWN);
    assertThat(epochs.at(7)).isEqualTo(2);
    assertThat(epochs.at(8)).isEqualTo(4);
    assertThat(epochs.endOfEpochAt(6, 20)).isEqualTo(8);
    assertThat(epochs.endOfEpochAt(8, 20)).isEqualTo(20);
    assertThatThrownBy(() -> new LogEpochs(List.of())).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aLogThatBeginsAfterACheckpointContinuesWithTheNextNumber() throws IOException {
    JournalOptions options = JournalOptions.named("created").withReserveBytes(0);
    Path created = directory.resolve("created");
    Journal.begin(JournalDirectory.open(created, options), options, 51, 17);

    for (int opening = 0; opening < 2; opening++) {
      try (Journal journal =
          Journal.open(
              JournalDirectory.open(created, options), options, GroupListener.NOBODY, one -> {})) {
        assertThat(journal.nextRecord()).isEqualTo(51 + opening);
        assertThat(journal.firstRecord()).isEqualTo(51);
        assertThat(journal.epochs().at(50)).isEqualTo(LogEpochs.UNKNOWN);
        assertThat(journal.epochs().at(51)).isEqualTo(17);
        assertThat(journal.epochs().last()).isEqualTo(17);
        journal.append(new PendingRecord((byte) 1, new byte[8], 8));
        journal.flushGroup();
      }
    }
  }
}

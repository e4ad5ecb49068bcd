package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.stablecut.error.ReopenException;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.journal.testing.LossySegments;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Protocol, scenarios 16 and 17: a sync fails; the disk is full. */
final class FailureTest {
  private final LossySegments disk = new LossySegments();
  private final OpenJournal journal = new OpenJournal(disk);

  @Test
  void aFailedSyncIsNotRepeatedAndNothingIsCommittedAfterIt() {
    journal.commit("before");
    journal.append("one");
    journal.append("two");
    disk.failOnce(2);
    journal.journal.flushGroup();
    int forces = disk.forces();
    journal.append("three");
    journal.journal.flushGroup();
    journal.journal.sync();
    journal.journal.flushGroup();

    assertThat(journal.committed).hasSize(1);
    assertThat(journal.failed).hasSize(3);
    assertThat(disk.forces()).isEqualTo(forces);
    journal.close();
    assertThat(disk.forces()).isEqualTo(forces);
  }

  @Test
  void aFailedAppendFailsTheGroupAndAllLaterOnes() {
    journal.append("one");
    disk.failOnce(1);
    journal.journal.flushGroup();
    journal.append("two");
    journal.journal.flushGroup();

    assertThat(journal.committed).isEmpty();
    assertThat(journal.failed).hasSize(2);
    assertThat(disk.forces()).isZero();
  }

  @Test
  void writesToAFailedJournalReportTheCauseAndToReopen() {
    journal.append("one");
    disk.failOnce(2);
    journal.journal.flushGroup();

    assertThatThrownBy(() -> journal.journal.ensureWritable(1))
        .isInstanceOf(JournalFailedException.class)
        .isInstanceOf(ReopenException.class)
        .hasMessageContaining("injected fault in force")
        .hasMessageContaining("reopen")
        .isInstanceOfSatisfying(
            JournalFailedException.class, later -> assertThat(later.isUnwritten()).isTrue());
    assertThat(journal.journal.status().problem())
        .hasValueSatisfying(why -> assertThat(why).contains("injected fault in force"));
  }

  @Test
  void aFailureIsLoggedOnceWithItsCause() {
    Logger logger = (Logger) LoggerFactory.getLogger(Journal.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    try {
      for (String body : List.of("one", "two")) {
        journal.append(body);
        disk.failOnce(2);
        journal.journal.flushGroup();
      }
    } finally {
      logger.detachAppender(log);
    }

    assertThat(log.list).hasSize(1);
    assertThat(log.list.get(0).getFormattedMessage())
        .contains("has stopped committing: injected fault in force");
    assertThat(log.list.get(0).getLevel()).isEqualTo(Level.ERROR);
  }

  @Test
  void readsStillWorkAfterAFailure() {
    PendingRecord before = journal.commit("before").get(0);
    journal.append("one");
    disk.failOnce(2);
    journal.journal.flushGroup();

    assertThat(OpenJournal.text(journal.journal.read(before.position()))).isEqualTo("before");
  }

  @Test
  void eachRecordOfAFailedGroupIsFoundCompletelyOrNotAtAll() {
    journal.commit("before");
    journal.append("one");
    journal.append("x".repeat(10_000));
    journal.append("three");
    disk.failOnce(2);
    journal.journal.flushGroup();
    List<String> all = List.of("before", "one", "x".repeat(10_000), "three");

    for (int lost = 0; lost < 4; lost++) {
      int page = lost;
      LossySegments left = disk.afterPowerCut((segment, p) -> p != page);
      try (OpenJournal reopened = new OpenJournal(left)) {
        List<String> bodies = reopened.recoveredBodies();
        assertThat(bodies).isEqualTo(all.subList(0, bodies.size())).isNotEmpty();
      }
    }
  }

  /** A recovered record must not be announced if the next power failure could lose it. */
  @Test
  void anOpeningSyncsRecordsThatAFailedSyncLeftInTheCache() {
    List<String> all = List.of("before", "one", "x".repeat(10_000));
    journal.commit(all.get(0));
    journal.append(all.get(1));
    journal.append(all.get(2));
    disk.failOnce(2);
    journal.journal.flushGroup();
    LossySegments cached = disk.afterKill();
    try (OpenJournal reopened = new OpenJournal(cached)) {
      assertThat(reopened.recoveredBodies()).isEqualTo(all);

      try (OpenJournal later = new OpenJournal(cached.afterPowerCut((segment, page) -> false))) {
        assertThat(later.recoveredBodies()).isEqualTo(all);
      }
    }
  }

  /** Fails two syncs, as if the disk worked only for a while in between. */
  @Test
  void aFailedSyncDuringAnOpenLosesNothingCommitted() {
    journal.commit("before");
    journal.append("one");
    disk.failOnce(2);
    journal.journal.flushGroup();
    LossySegments cached = disk.afterKill();
    cached.failOnce(1);
    assertThatThrownBy(() -> new OpenJournal(cached)).hasMessageContaining("injected fault");

    LossySegments again = cached.afterKill();
    try (OpenJournal reopened = new OpenJournal(again)) {
      assertThat(reopened.recoveredBodies()).containsExactly("before", "one");
      reopened.commit("two");

      try (OpenJournal later = new OpenJournal(again.afterPowerCut((segment, page) -> false))) {
        assertThat(later.recoveredBodies()).containsExactly("before", "one", "two");
      }
    }
  }

  @Test
  void aFailureWhileASegmentIsCreatedLosesNothingCommitted() {
    JournalOptions options = OpenJournal.OPTIONS.withSegmentBytes(4096);
    for (int call = 1; call < 8; call++) {
      LossySegments small = new LossySegments();
      OpenJournal writer = new OpenJournal(small, options);
      writer.commit("x".repeat(3900));
      small.failOnce(call);
      writer.commit("y".repeat(300), "z".repeat(300));

      LossySegments left = small.afterPowerCut((segment, p) -> false);
      try (OpenJournal reopened = new OpenJournal(left, options)) {
        assertThat(reopened.recoveredBodies())
            .startsWith(
                writer.committed.stream()
                    .map(r -> new String(r.body(), java.nio.charset.StandardCharsets.UTF_8))
                    .toArray(String[]::new));
      }
    }
  }

  @Test
  void aFullDiskRefusesBeforeQueueingAndRecoversWithoutAReopen() {
    LossySegments small = new LossySegments(100_000);
    OpenJournal writer = new OpenJournal(small, OpenJournal.OPTIONS.withReserveBytes(50_000));
    writer.journal.ensureWritable(10_000);
    writer.commit("x".repeat(49_000));

    assertThatThrownBy(() -> writer.journal.ensureWritable(10_000))
        .isInstanceOf(DiskFullException.class)
        .isInstanceOf(RetryException.class)
        .hasMessageContaining("50,000");
    assertThat(writer.failed).isEmpty();

    small.setCapacity(200_000);
    writer.journal.ensureWritable(10_000);
    writer.commit("room again");
    assertThat(writer.committed).hasSize(2);
  }

  @Test
  void anOpenThatCannotWriteReportsIt() {
    LossySegments broken = new LossySegments();
    broken.failOnce(1);

    assertThatThrownBy(() -> new OpenJournal(broken))
        .isInstanceOf(JournalFailedException.class)
        .hasMessageContaining("can't be opened")
        .hasMessageContaining("injected fault in create");
  }
}

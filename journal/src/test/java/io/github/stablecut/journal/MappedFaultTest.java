package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.journal.segment.StoredRecord;
import io.github.stablecut.journal.testing.LossySegments;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * A failed read counts as a failure of the disk: an error of a system call, and a fault in a
 * memory-mapped file as the JVM reports it.
 */
final class MappedFaultTest {
  private static final String FAULT =
      "a fault occurred in an unsafe memory access operation in compiled Java code";

  private final LossySegments disk = new LossySegments();
  private String faultyMethod = "";

  /** The disk, with one method that touches a missing page. */
  private SegmentStore store() {
    return (SegmentStore)
        Proxy.newProxyInstance(
            SegmentStore.class.getClassLoader(),
            new Class<?>[] {SegmentStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals(faultyMethod)) {
                throw faultyMethod.equals("sequentialView")
                    ? new UncheckedIOException(new IOException("Input/output error"))
                    : new InternalError(FAULT);
              }
              try {
                return method.invoke(disk, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static void assertClear(Runnable call, String consequence) {
    assertThatThrownBy(call::run)
        .isInstanceOf(JournalFailedException.class)
        .hasMessageContainingAll(consequence, "the disk is full or has failed");
  }

  @Test
  void whileTheJournalIsOpened() {
    faultyMethod = "create";
    assertClear(() -> new OpenJournal(store()).close(), "can't be opened");
  }

  @Test
  void whileRecordsAreRecovered() {
    OpenJournal journal = new OpenJournal(store());
    journal.commit("one");
    journal.close();
    faultyMethod = "sequentialView";

    assertThatThrownBy(() -> new OpenJournal(store()).close())
        .isInstanceOf(JournalFailedException.class)
        .hasMessageContaining(
            "can't be opened: " + disk.nameOf(1) + " can't be read: Input/output error");
  }

  @Test
  void whileARecordIsWritten() {
    OpenJournal journal = new OpenJournal(store());
    faultyMethod = "append";
    PendingRecord record = journal.append("one");

    journal.journal.flushGroup();

    assertThat(journal.failed).containsExactly(record);
    assertClear(() -> journal.journal.ensureWritable(1), "has stopped committing");
  }

  @Test
  void whileARecordIsRead() {
    OpenJournal journal = new OpenJournal(store());
    long position = journal.commit("one").get(0).position();
    faultyMethod = "view";

    Consumer<StoredRecord> nobody = stored -> {};
    assertThatThrownBy(() -> journal.journal.read(position))
        .isInstanceOf(JournalFailedException.class)
        .hasMessageContainingAll("can't be read", "the disk is full or has failed");
    assertClear(() -> journal.journal.scan(0, nobody), "can't be read");
    assertClear(() -> journal.journal.scanWhile(0, stored -> true), "can't be read");
  }

  @Test
  void whileTheJournalIsClosed() {
    OpenJournal journal = new OpenJournal(store());
    faultyMethod = "close";

    assertClear(journal::close, "wasn't closed cleanly");
  }
}

package io.github.stablecut.journal;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.journal.internal.ReadOnlySegments;
import io.github.stablecut.journal.segment.RecordFormat;
import io.github.stablecut.journal.segment.RecoveredLog;
import io.github.stablecut.journal.segment.StoredRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads a journal that no process has open. It changes nothing, not even what an open would repair,
 * and loads no class of Chronicle. The caller keeps other processes from opening the journal.
 * Confined to one thread.
 */
public final class ClosedJournal {
  /** The newest format that this program reads, and the one that it writes. */
  public static final int FORMAT = RecordFormat.VERSION;

  private final ReadOnlySegments store;
  private final JournalOptions options;

  private ClosedJournal(ReadOnlySegments store, long end) {
    this.store = store;
    this.options = JournalOptions.named("the journal").withEnd(end);
  }

  /**
   * The journal in a directory.
   *
   * @throws java.nio.file.NoSuchFileException if there is no such directory
   */
  public static ClosedJournal in(Path directory) throws IOException {
    return in(directory, JournalOptions.WHOLE);
  }

  /**
   * The journal in a directory, up to the record at which an open would cut it off.
   *
   * @param end as {@link JournalOptions#end}
   * @throws java.nio.file.NoSuchFileException if there is no such directory
   */
  public static ClosedJournal in(Path directory, long end) throws IOException {
    return new ClosedJournal(ReadOnlySegments.of(directory), end);
  }

  /**
   * A file of the journal. Immutable.
   *
   * @param number the segment
   * @param file its path
   * @param bytes its length, which exceeds its size on the disk if the file is sparse
   */
  public record SegmentFile(int number, Path file, long bytes) {}

  /**
   * A summary of a whole log. Immutable.
   *
   * @param epoch how many times the journal was opened
   * @param configurationEpoch the epoch of the partition's configuration at the end of the log; 0
   *     without replicas
   * @param lastRecord the number of the last record; 0 if none was ever written
   */
  public record Summary(long epoch, long configurationEpoch, long lastRecord) {}

  /** The files, ascending by number. */
  public List<SegmentFile> files() {
    return store.segments().stream()
        .map(
            segment ->
                new SegmentFile(segment, store.fileOf(segment), store.allocatedBytes(segment)))
        .toList();
  }

  /**
   * Reads the whole log and checks every checksum, the order of the frames, and the order of the
   * segments.
   *
   * @param visitor gets every complete record, in order
   * @throws JournalVersionException if a newer version of this program wrote the log
   */
  @CanIgnoreReturnValue
  public Summary read(Consumer<StoredRecord> visitor, JournalReadListener findings)
      throws IOException {
    RecoveredLog log = Recovery.audit(store, options, visitor, findings);
    return new Summary(log.epoch(), log.configurationEpoch(), log.nextRecord() - 1);
  }
}

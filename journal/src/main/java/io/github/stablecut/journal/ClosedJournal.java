package io.github.stablecut.journal;

import io.github.stablecut.journal.internal.ReadOnlySegments;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * A journal that nobody has open, for reading: nothing is changed, not even what an open repairs.
 * Needs no flags of the JVM. The caller keeps those out who would open it. Confined to one thread.
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
   * The journal in a directory, up to where an open would cut it off.
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
   * @param bytes its length, which is more than what it takes on the disk if it has holes
   */
  public record SegmentFile(int number, Path file, long bytes) {}

  /**
   * What was found. Immutable.
   *
   * @param epoch how often the journal was opened; 0 for never
   * @param configurationEpoch the epoch of the partition's layout at its end; 0 without copies
   * @param lastRecord the number of the last record; 0 if there has never been one
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
   * Reads all of the log: every checksum, the order of the frames, the order of the segments.
   *
   * @param visitor gets every complete record, in order
   * @throws JournalVersionException if a newer version of this program wrote the log
   */
  public Summary read(Consumer<StoredRecord> visitor, JournalReadListener findings)
      throws IOException {
    RecoveredLog log = Recovery.audit(store, options, visitor, findings);
    return new Summary(log.epoch(), log.configurationEpoch(), log.nextRecord() - 1);
  }
}

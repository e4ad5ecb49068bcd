package io.github.stablecut.tools;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.checkpoint.CheckpointOptions;
import io.github.stablecut.checkpoint.CheckpointStore;
import io.github.stablecut.checkpoint.DiskDirectory;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.internal.recovery.ClosedStore;
import io.github.stablecut.journal.ClosedJournal;
import io.github.stablecut.journal.JournalReadListener;
import io.github.stablecut.journal.segment.Position;
import io.github.stablecut.journal.segment.StoredRecord;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Reads the files of one partition of a closed store. Confined to one thread. */
final class ClosedPartition {
  private static final String ADVICE = ": restore the directory from a backup";

  private final Path journalDirectory;
  private final Path checkpointDirectory;
  private final ClosedJournal journal;
  private final List<ClosedJournal.SegmentFile> segments;
  private final Map<Integer, Path> paths = new HashMap<>();

  private ClosedPartition(ClosedStore store, int partition) throws IOException {
    this.journalDirectory = store.journal(partition);
    this.checkpointDirectory = store.checkpoints(partition);
    this.journal = ClosedJournal.in(journalDirectory, store.end(partition));
    this.segments = journal.files();
    segments.forEach(segment -> paths.put(segment.number(), segment.file()));
  }

  /**
   * Opens the files of a partition.
   *
   * @throws CorruptStoreException if there is no journal
   */
  static ClosedPartition of(ClosedStore store, int partition) {
    Path journal = store.journal(partition);
    try {
      ClosedPartition files = new ClosedPartition(store, partition);
      if (files.segments.isEmpty()) {
        throw new CorruptStoreException(journal + " contains no journal" + ADVICE);
      }
      return files;
    } catch (NoSuchFileException e) {
      throw new CorruptStoreException(journal + " is missing" + ADVICE, e);
    } catch (IOException e) {
      throw unreadable(journal, e);
    }
  }

  List<ClosedJournal.SegmentFile> segments() {
    return segments;
  }

  /**
   * Reads the whole journal.
   *
   * @param stage the stage reported with the progress
   */
  @CanIgnoreReturnValue
  ClosedJournal.Summary readJournal(
      Consumer<StoredRecord> visitor,
      JournalReadListener findings,
      ToolProgress progress,
      String stage) {
    Map<Integer, Long> precedingBytes = new HashMap<>();
    long bytes = 0;
    for (ClosedJournal.SegmentFile segment : segments) {
      precedingBytes.put(segment.number(), bytes);
      bytes += segment.bytes();
    }
    long total = bytes;
    try {
      return journal.read(
          stored -> {
            int segment = Position.segment(stored.position());
            long done =
                precedingBytes.getOrDefault(segment, 0L) + Position.offset(stored.position());
            progress.update(stage, Math.min(done, total), total);
            visitor.accept(stored);
          },
          findings);
    } catch (IOException e) {
      throw unreadable(journalDirectory, e);
    }
  }

  /**
   * Opens the checkpoints; the caller closes them.
   *
   * @throws io.github.stablecut.error.DamageException if no manifest is usable
   */
  CheckpointStore openCheckpoints() {
    try {
      return CheckpointStore.open(
          DiskDirectory.existing(checkpointDirectory),
          CheckpointOptions.DEFAULTS,
          segments.get(0).number());
    } catch (NoSuchFileException e) {
      throw new CorruptStoreException(checkpointDirectory + " is missing" + ADVICE, e);
    } catch (IOException e) {
      throw unreadable(checkpointDirectory, e);
    }
  }

  /** The path of a checkpoint file. */
  Path checkpointFile(String name) {
    return checkpointDirectory.resolve(name);
  }

  /** Formats a position in the journal for messages: file and offset. */
  String nameOf(long position) {
    int segment = Position.segment(position);
    return "segment %d (%s), offset %d"
        .formatted(segment, paths.get(segment), Integer.toUnsignedLong(Position.offset(position)));
  }

  private static StoreIoException unreadable(Path what, IOException cause) {
    return new StoreIoException(
        "%s can't be read: %s; fix the cause, and try again".formatted(what, IoReason.of(cause)),
        cause);
  }
}

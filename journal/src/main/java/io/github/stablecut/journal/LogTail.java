package io.github.stablecut.journal;

import io.github.stablecut.journal.segment.Position;
import io.github.stablecut.journal.segment.RecordNumbers;
import io.github.stablecut.journal.segment.SegmentInfo;
import io.github.stablecut.journal.segment.SegmentInfos;
import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.journal.segment.StoredRecord;
import java.io.IOException;
import java.util.Collection;

/**
 * The end of the open log of a partition with replicas: begins epochs there, and cuts off records
 * that the other replicas don't have. Confined to the flushing thread.
 */
final class LogTail {
  private final String name;
  private final SegmentStore store;
  private final SegmentInfos segments;
  private final RecordNumbers numbers;
  private final GroupWriter writer;
  private final GroupFlusher flusher;

  LogTail(
      String name,
      SegmentStore store,
      SegmentInfos segments,
      RecordNumbers numbers,
      GroupWriter writer,
      GroupFlusher flusher) {
    this.name = name;
    this.store = store;
    this.segments = segments;
    this.numbers = numbers;
    this.writer = writer;
    this.flusher = flusher;
  }

  /** Like {@link Journal#beginEpoch}. */
  void beginEpoch(long epoch) {
    flusher.ensureNotFailed();
    try {
      writer.beginEpoch(epoch);
      flusher.resetEnd();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Like {@link Journal#cut}, given the first record to cut off. */
  void cut(long number, StoredRecord first, long epoch) {
    flusher.ensureNotFailed();
    int lastKept = Position.segment(first.position());
    try {
      writer.force();
      Collection<SegmentInfo> cutOff = segments.after(lastKept);
      cutOff.forEach(info -> segments.remove(info.number()));
      numbers.cut(number);
      writer.goBack(lastKept, first.sequence(), number, epoch);
      flusher.resetEnd();
      for (SegmentInfo info : cutOff) {
        store.delete(info.number());
      }
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private JournalFailedException failed(IOException cause) {
    flusher.fail(cause);
    return JournalFailedException.because(name, "has stopped committing", cause);
  }
}

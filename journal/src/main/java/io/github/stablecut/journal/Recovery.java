package io.github.stablecut.journal;

import io.github.stablecut.error.IoReason;
import io.github.stablecut.journal.segment.CorruptJournalException;
import io.github.stablecut.journal.segment.Position;
import io.github.stablecut.journal.segment.RecordAssembler;
import io.github.stablecut.journal.segment.RecordFormat;
import io.github.stablecut.journal.segment.RecordFormat.SegmentHeader;
import io.github.stablecut.journal.segment.RecordNumbers;
import io.github.stablecut.journal.segment.RecoveredLog;
import io.github.stablecut.journal.segment.SegmentBytes;
import io.github.stablecut.journal.segment.SegmentCursor;
import io.github.stablecut.journal.segment.SegmentInfo;
import io.github.stablecut.journal.segment.SegmentStore;
import io.github.stablecut.journal.segment.SegmentView;
import io.github.stablecut.journal.segment.StoredRecord;
import io.github.stablecut.journal.segment.TornTail;
import io.github.stablecut.journal.segment.UnsyncedTail;
import io.github.stablecut.log.Log;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;

/**
 * Reads the log, finds its end, distinguishes a torn tail from damage (see {@link RecordFormat}),
 * and passes every complete record to the visitor in order. An open stops at the first damage; an
 * audit reports each one and continues after it. Confined to one thread.
 */
final class Recovery {
  private static final Logger LOG = Log.of(Recovery.class);
  private static final String SYNCED_TOGETHER =
      "everything before that was synced together with the other partitions";
  private static final String DOUBTFUL =
      "are ignored: an interrupted write looks different, so the disk may have damaged the last"
          + " acknowledged transactions; check the disk, and the last transactions";
  private static final String ADVICE =
      ": nothing was changed; restore this segment from a copy, or the directory from a backup";

  private final SegmentStore store;
  private final JournalOptions options;
  private final Consumer<StoredRecord> visitor;
  private final JournalReadListener findings;
  private final RecordNumbers numbers;
  private final RecordAssembler assembler = new RecordAssembler();

  /** Whether damage hides how many records this segment has. */
  private boolean isCountLost;

  /** The sequence up to which the log is known to have been synced. */
  private long synced;

  /** The last segment scanned. {@link #bytesBehind} counts its bytes after the end of the log. */
  private int lastScanned;

  private int bytesBehind;

  private final UnsyncedTail tail = new UnsyncedTail();

  private Recovery(
      SegmentStore store,
      JournalOptions options,
      Consumer<StoredRecord> visitor,
      RecordNumbers numbers,
      JournalReadListener findings) {
    this.store = store;
    this.options = options;
    this.visitor = visitor;
    this.numbers = numbers;
    this.findings = findings;
  }

  /**
   * Handles the findings of an open: fails at damage, and logs a torn tail.
   *
   * @param listener notified if dropped bytes may have been acknowledged
   */
  private record FailFast(GroupListener listener) implements JournalReadListener {
    @Override
    public void damaged(CorruptJournalException damage) {
      throw damage;
    }

    @Override
    public void torn(String message, boolean mayBeDamage) {
      LOG.warn(message);
      if (mayBeDamage) {
        listener.tailDropped();
      }
    }
  }

  /**
   * Reads the log and makes the records read durable.
   *
   * @param numbers receives the positions of records
   * @param listener notified, before anything is changed, if the end of the log was dropped
   * @throws CorruptJournalException if something acknowledged is damaged or missing
   * @throws JournalVersionException if a newer version wrote it
   */
  static RecoveredLog run(
      SegmentStore store,
      JournalOptions options,
      Consumer<StoredRecord> visitor,
      RecordNumbers numbers,
      GroupListener listener)
      throws IOException {
    Recovery recovery = new Recovery(store, options, visitor, numbers, new FailFast(listener));
    RecoveredLog log = recovery.read();
    recovery.deleteAllBut(log.segments());
    if (!log.segments().isEmpty()) {
      recovery.sync(log.segments().get(log.segments().size() - 1).number());
    }
    return log;
  }

  /** Syncs the newest segment only: the earlier ones were synced before it was created. */
  private void sync(int newest) throws IOException {
    if (tail.isIn(newest)) {
      store.rewrite(newest, tail.from(), tail.to());
    }
    store.force(newest);
  }

  /**
   * Reads the log without changing it, and continues after damage.
   *
   * @throws JournalVersionException if a newer version wrote it
   */
  static RecoveredLog audit(
      SegmentStore store,
      JournalOptions options,
      Consumer<StoredRecord> visitor,
      JournalReadListener findings)
      throws IOException {
    return new Recovery(store, options, visitor, new RecordNumbers(), findings).read();
  }

  private RecoveredLog read() throws IOException {
    List<Integer> present = store.segments();
    int newest = present.isEmpty() ? 0 : present.get(present.size() - 1);
    List<SegmentInfo> chain =
        chain(present.stream().filter(segment -> segment >= options.firstSegment()).toList());
    long nextSequence = 1;
    if (!chain.isEmpty() && chain.get(0).header().previous() != 0) {
      // A record may have begun in a segment that was dropped.
      assembler.skipContinued();
    }
    for (int i = 0; i < chain.size() && (i == 0 || !isAtEnd()); i++) {
      boolean isLast = i == chain.size() - 1;
      long seal = isLast ? Long.MAX_VALUE : chain.get(i + 1).firstSequence();
      count(chain, i);
      nextSequence = scan(chain.get(i), seal);
    }
    if (options.end() != JournalOptions.WHOLE) {
      cutOff(chain);
    }
    long nextRecord = chain.isEmpty() ? 1 : assembler.nextNumber();
    if (assembler.isOpen()) {
      nextRecord = assembler.number();
      nextSequence = assembler.sequence();
      int lastComplete = Position.segment(assembler.position());
      chain.removeIf(info -> info.number() > lastComplete);
    }
    if (chain.isEmpty()) {
      return new RecoveredLog(chain, newest, 0, 0, nextSequence, nextRecord);
    }
    SegmentHeader last = chain.get(chain.size() - 1).header();
    return new RecoveredLog(
        chain, newest, last.epoch(), last.configurationEpoch(), nextSequence, nextRecord);
  }

  /** Whether all records before the configured end are read, and none after it. */
  private boolean isAtEnd() {
    return !assembler.isOpen() && assembler.nextNumber() >= options.end();
  }

  /** Removes the segments after the configured end from the chain. */
  private void cutOff(List<SegmentInfo> chain) throws IOException {
    boolean isShort = chain.isEmpty() ? options.end() > 1 : assembler.nextNumber() != options.end();
    if (isShort && !isCountLost) {
      damaged(
          "%s: record %d would come next, but the log has to end before record %d: %s"
              .formatted(
                  options.name(),
                  chain.isEmpty() ? 1 : assembler.nextNumber(),
                  options.end(),
                  SYNCED_TOGETHER));
    }
    long bytes = bytesBehind;
    for (SegmentInfo info : chain.stream().filter(info -> info.number() > lastScanned).toList()) {
      bytes += bytesBehindHeader(info);
      chain.remove(info);
    }
    if (bytes > 0) {
      findings.torn(
          "%s: the log is cut off before record %d, in %s: the %,d bytes after it were not synced together with the other partitions when the machine stopped"
              .formatted(options.name(), options.end(), store.nameOf(lastScanned), bytes),
          false);
    }
  }

  private int bytesBehindHeader(SegmentInfo info) throws IOException {
    try (SegmentView view = store.sequentialView(info.number())) {
      SegmentBytes bytes = view.bytes();
      int from = RecordFormat.frameBytes(RecordFormat.length(bytes, info.start()));
      return Math.max(0, dataEnd(bytes, info.start() + from) - info.start() - from);
    } catch (UncheckedIOException e) {
      throw unreadable(info.number(), e);
    }
  }

  /** Sets the number of a segment's first record from its header. */
  private void count(List<SegmentInfo> chain, int i) {
    SegmentInfo info = chain.get(i);
    long first = info.header().firstRecord();
    boolean isUnknown = first == SegmentHeader.UNKNOWN;
    if (i == 0 || (isCountLost && !isUnknown)) {
      assembler.countFrom(isUnknown ? info.firstSequence() : first);
      isCountLost = false;
    } else if (!isUnknown && first != assembler.nextNumber()) {
      if (chain.get(i - 1).header().firstRecord() != SegmentHeader.UNKNOWN) {
        damaged(
            "%s begins with record %d by its header, but the one before it ends with record %d"
                .formatted(store.nameOf(info.number()), first, assembler.nextNumber() - 1));
      }
      assembler.countFrom(first);
    }
  }

  /**
   * Deletes segments that are no longer needed, were being created, or follow the end of the log.
   */
  private void deleteAllBut(List<SegmentInfo> chain) throws IOException {
    Set<Integer> kept = chain.stream().map(SegmentInfo::number).collect(Collectors.toSet());
    List<Integer> present = new ArrayList<>(store.segments());
    // The newest first: if this crashes, each remaining segment continues the one before it.
    Collections.reverse(present);
    for (int segment : present) {
      if (!kept.contains(segment)) {
        LOG.info("{}: deleting segment {}, which isn't part of the log", options.name(), segment);
        store.delete(segment);
      }
    }
  }

  /** The segments with a header, each the successor of the one before it. */
  private List<SegmentInfo> chain(List<Integer> present) throws IOException {
    List<SegmentInfo> chain = new ArrayList<>();
    List<Integer> withoutHeader = new ArrayList<>();
    for (int segment : present) {
      Optional<SegmentInfo> info = readHeader(segment);
      if (info.isEmpty()) {
        withoutHeader.add(segment);
        continue;
      }
      for (int empty : withoutHeader) {
        damaged(store.nameOf(empty) + " has no valid frame, but newer segments exist");
      }
      withoutHeader.clear();
      checkSuccessor(chain, info.get());
      chain.add(info.get());
    }
    SegmentStore.Extent extent = extent();
    synced = options.end() == JournalOptions.WHOLE ? extent.synced() : 0;
    tail.markSynced(synced);
    int newest = extent.newest();
    if (newest > (chain.isEmpty() ? 0 : chain.get(chain.size() - 1).number())) {
      damaged(
          store.nameOf(newest)
              + (present.contains(newest) ? " has no valid frame" : " is missing")
              + ", but was the newest segment of the log");
    }
    if (options.firstSegment() > 0
        && (chain.isEmpty() || chain.get(0).number() != options.firstSegment())) {
      damaged(
          store.nameOf(options.firstSegment())
              + " is missing, but its records are not in a checkpoint yet");
    }
    return chain;
  }

  private SegmentStore.Extent extent() throws IOException {
    try {
      return store.extent();
    } catch (CorruptJournalException e) {
      findings.damaged(e);
      return SegmentStore.Extent.UNKNOWN;
    }
  }

  private Optional<SegmentInfo> readHeader(int segment) throws IOException {
    try {
      store.check(segment);
    } catch (CorruptJournalException e) {
      findings.damaged(e);
    }
    try (SegmentView view = store.sequentialView(segment)) {
      return readHeader(segment, view.bytes());
    } catch (UncheckedIOException e) {
      throw unreadable(segment, e);
    }
  }

  private IOException unreadable(int segment, UncheckedIOException e) {
    return new IOException(
        store.nameOf(segment)
            + " can't be read: "
            + IoReason.of(Objects.requireNonNull(e.getCause())),
        e);
  }

  private Optional<SegmentInfo> readHeader(int segment, SegmentBytes bytes) {
    SegmentCursor cursor = new SegmentCursor(segment, bytes, 0, dataEnd(bytes, 0), 1);
    if (!cursor.skip()) {
      return Optional.empty();
    }
    int at = cursor.at();
    int version = RecordFormat.version(bytes, at);
    if (version > RecordFormat.VERSION) {
      throw new JournalVersionException(
          store.nameOf(segment)
              + " has format version "
              + version
              + ", this program reads up to "
              + RecordFormat.VERSION
              + ": use a newer program");
    }
    if (RecordFormat.kind(bytes, at) != RecordFormat.HEADER) {
      damaged(
          store.nameOf(segment)
              + ": the header before offset "
              + at
              + " is damaged or missing; found there: a frame of sequence "
              + RecordFormat.sequence(bytes, at));
      return Optional.empty();
    }
    SegmentHeader header = SegmentHeader.read(bytes, at);
    if (header.segment() != segment) {
      damaged(store.nameOf(segment) + " is segment " + header.segment() + " by its header");
      return Optional.empty();
    }
    return Optional.of(new SegmentInfo(header, at, RecordFormat.sequence(bytes, at)));
  }

  private void checkSuccessor(List<SegmentInfo> chain, SegmentInfo info) {
    int previous = info.header().previous();
    if (chain.isEmpty()) {
      return;
    }
    boolean isCut =
        info.header().configurationEpoch() != 0
            && chain.stream().anyMatch(one -> one.number() == previous);
    if (isCut) {
      chain.removeIf(one -> one.number() > previous);
    }
    SegmentInfo before = chain.get(chain.size() - 1);
    if (previous != before.number()
        || info.firstSequence() <= before.firstSequence()
        || info.header().epoch() < before.header().epoch()) {
      damaged(
          store.nameOf(info.number())
              + " continues "
              + store.nameOf(previous)
              + ", but the segment before it is "
              + store.nameOf(before.number()));
    }
  }

  /**
   * Passes the records of one segment to the visitor.
   *
   * @return the sequence after its last frame
   */
  private long scan(SegmentInfo info, long seal) throws IOException {
    try (SegmentView view = store.sequentialView(info.number())) {
      return scan(info, view.bytes(), seal);
    } catch (UncheckedIOException e) {
      throw unreadable(info.number(), e);
    }
  }

  private long scan(SegmentInfo info, SegmentBytes bytes, long seal) {
    SegmentCursor cursor =
        new SegmentCursor(info.number(), bytes, info.start(), info.firstSequence());
    lastScanned = info.number();
    while (cursor.expected() < seal) {
      if (isAtEnd() && cursor.expected() > info.firstSequence()) {
        bytesBehind = dataEnd(bytes, cursor.end()) - cursor.end();
        break;
      }
      if (!cursor.advance() && !tryResumeAfterGap(cursor, seal)) {
        break;
      }
      tail.add(cursor);
      if (RecordFormat.kind(bytes, cursor.at()) >= 0) {
        accept(cursor);
      }
    }
    return cursor.expected();
  }

  private void accept(SegmentCursor cursor) {
    Optional<StoredRecord> stored;
    try {
      stored = assembler.accept(cursor);
    } catch (CorruptJournalException e) {
      findings.damaged(e);
      skipRecord();
      return;
    }
    if (stored.isPresent()) {
      numbers.add(assembler.number(), stored.get().position());
      visitor.accept(stored.get());
    }
  }

  /** Skips a record with missing frames. */
  private void skipRecord() {
    assembler.clear();
    assembler.skipContinued();
    isCountLost = true;
  }

  /**
   * Handles a missing next frame: ends the scan at the end of the log; reports damage otherwise,
   * and moves to the next valid frame.
   *
   * @return whether the cursor is at a frame
   */
  private boolean tryResumeAfterGap(SegmentCursor cursor, long seal) {
    if (seal == Long.MAX_VALUE) {
      if (checkTail(cursor)) {
        return false;
      }
    } else {
      findings.damaged(corrupt(cursor, "the next segment continues at " + seal));
    }
    skipRecord();
    return cursor.skip() && cursor.expected() <= seal;
  }

  /**
   * Returns whether the log ends after the last valid frame; reports damage if it doesn't, or a
   * torn tail.
   */
  private boolean checkTail(SegmentCursor end) {
    if (end.expected() <= synced) {
      findings.damaged(
          corrupt(end, "everything up to " + synced + " was synced at a checkpoint or the close"));
      return false;
    }
    if (options.end() != JournalOptions.WHOLE && !isAtEnd()) {
      findings.damaged(corrupt(end, SYNCED_TOGETHER + ", up to record " + (options.end() - 1)));
      return false;
    }
    int dataEnd = dataEnd(end.bytes(), end.end());
    if (dataEnd == end.end() && !assembler.isOpen()) {
      return true;
    }
    SegmentCursor rest =
        new SegmentCursor(end.segment(), end.bytes(), end.end(), dataEnd, end.expected());
    int dropped = 0;
    while (rest.skip()) {
      dropped++;
      long durableUpTo = RecordFormat.durableUpTo(rest.bytes(), rest.at());
      if (durableUpTo >= end.expected()) {
        findings.damaged(
            corrupt(
                end, "the frame at offset " + rest.at() + " confirms syncs up to " + durableUpTo));
        return false;
      }
    }
    // With a joint end of all partitions, everything after it is dropped on purpose.
    boolean mayBeDamage =
        options.end() == JournalOptions.WHOLE
            && dataEnd > end.end()
            && !TornTail.isInterrupted(end, dataEnd);
    findings.torn(
        "%s: the log ends at sequence %d in %s, offset %d: found %s there; the %d bytes after it, with %d complete frames, %s"
            .formatted(
                options.name(),
                assembler.isOpen() ? assembler.sequence() : end.expected(),
                store.nameOf(end.segment()),
                end.end(),
                end.found(end.suspect()),
                dataEnd - end.end(),
                dropped,
                mayBeDamage
                    ? DOUBTFUL
                    : "are a torn tail, which was never acknowledged, and are ignored"),
        mayBeDamage);
    return true;
  }

  private void damaged(String what) {
    findings.damaged(new CorruptJournalException(what + ADVICE));
  }

  private CorruptJournalException corrupt(SegmentCursor cursor, String proof) {
    int at = cursor.suspect();
    return new CorruptJournalException(
        "%s, offset %d: expected the frame of sequence %d, found %s; it was acknowledged (%s)%s"
            .formatted(
                store.nameOf(cursor.segment()),
                at,
                cursor.expected(),
                cursor.found(at),
                proof,
                ADVICE));
  }

  /** The offset after the last non-zero byte: no frame starts there or later. */
  private static int dataEnd(SegmentBytes bytes, int from) {
    int end = bytes.length();
    while (end - Long.BYTES >= from && bytes.getLong(end - Long.BYTES) == 0) {
      end -= Long.BYTES;
    }
    while (end > from && bytes.get(end - 1) == 0) {
      end--;
    }
    return end;
  }
}

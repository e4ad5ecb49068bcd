package io.github.stablecut.tools;

import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.internal.materializer.Folding;
import io.github.stablecut.internal.record.ClockRecord;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.internal.recovery.ClosedStore;
import io.github.stablecut.journal.Position;
import io.github.stablecut.journal.StoredRecord;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Shows the records of a closed store's journal, and changes nothing. Confined to one thread. */
public final class JournalDump {
  private final ClosedFiles files;
  private final Filter filter;
  private final Consumer<JournalEntry> visitor;
  private final Findings findings = new Findings();

  private JournalDump(ClosedFiles files, Filter filter, Consumer<JournalEntry> visitor) {
    this.files = files;
    this.filter = filter;
    this.visitor = visitor;
  }

  /**
   * Which records to show. Immutable.
   *
   * @param object transactions on this object, and of those the effects on it; empty for all
   * @param from not before this time, in whole milliseconds
   * @param to not after this time, in whole milliseconds
   */
  public record Filter(Optional<ObjectName> object, Optional<Instant> from, Optional<Instant> to) {
    /** Every record. */
    public static final Filter ALL =
        new Filter(Optional.empty(), Optional.empty(), Optional.empty());

    private boolean hasTime(long timestamp) {
      Instant time = Instant.ofEpochMilli(Timestamp.epochMillis(timestamp));
      return from.filter(time::isBefore).isEmpty() && to.filter(time::isAfter).isEmpty();
    }
  }

  /**
   * Shows the journal of the store in a directory.
   *
   * @param visitor gets the records in order, those behind damage too
   * @return what is damaged, each with file and position; none as a rule
   * @throws io.github.stablecut.NotAStoreException if there is no store
   * @throws io.github.stablecut.StoreInUseException if somebody has it open
   */
  public static List<String> run(Path directory, Filter filter, Consumer<JournalEntry> visitor) {
    try (ClosedStore store = ClosedStore.open(directory)) {
      JournalDump dump = new JournalDump(ClosedFiles.of(store), filter, visitor);
      var unused = dump.files.readJournal(dump::show, dump.findings, ToolProgress.NONE, "");
      return List.copyOf(dump.findings.damages());
    }
  }

  private void show(StoredRecord stored) {
    try {
      if (stored.kind() == RecordKind.CLOCK && filter.object().isEmpty()) {
        long ceiling = ClockRecord.read(stored.body(), stored.position());
        visit(stored, JournalEntry.Kind.CLOCK, ceiling, VectorClock.ZERO, List.of());
      } else if (stored.kind() == RecordKind.TRANSACTION) {
        showTransaction(stored);
      }
    } catch (FormatException e) {
      findings.add(files.nameOf(stored.position()) + ": " + e.getMessage());
    }
  }

  private void showTransaction(StoredRecord stored) {
    List<JournalEntry.Effect> effects = new ArrayList<>();
    Commit commit =
        TransactionRecord.read(
            stored.body(),
            stored.position(),
            (of, ordinal, id, effect) -> {
              if (filter.hasTime(of.time())) {
                add(id, effect, effects);
              }
            });
    if (filter.object().isEmpty() || !effects.isEmpty()) {
      visit(stored, JournalEntry.Kind.TRANSACTION, commit.time(), commit.snapshot(), effects);
    }
  }

  private void add(Bytes id, ByteBuffer encoded, List<JournalEntry.Effect> effects) {
    ObjectName object = ObjectName.of(id);
    if (filter.object().filter(wanted -> !wanted.equals(object)).isEmpty()) {
      CrdtType<?, ?, ?, ?> type = CrdtCodec.typeOf(encoded);
      byte[] bytes = new byte[encoded.remaining()];
      encoded.get(bytes);
      String effect = Folding.decodeEffect(type, bytes).toString();
      effects.add(new JournalEntry.Effect(object, type.name(), bytes.length, effect));
    }
  }

  private void visit(
      StoredRecord stored,
      JournalEntry.Kind kind,
      long time,
      VectorClock snapshot,
      List<JournalEntry.Effect> effects) {
    if (filter.hasTime(time)) {
      int segment = Position.segment(stored.position());
      long offset = Integer.toUnsignedLong(Position.offset(stored.position()));
      visitor.accept(
          new JournalEntry(segment, offset, stored.sequence(), kind, time, snapshot, effects));
    }
  }
}

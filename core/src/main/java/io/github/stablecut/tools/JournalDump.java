package io.github.stablecut.tools;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.record.CheckpointRecord;
import io.github.stablecut.internal.record.ClockRecord;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.EndRecord;
import io.github.stablecut.internal.record.ReachedRecord;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.SessionsRecord;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.internal.recovery.ClosedStore;
import io.github.stablecut.journal.segment.Position;
import io.github.stablecut.journal.segment.StoredRecord;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Passes the records of a store's journals to a visitor, and changes nothing. Confined to one
 * thread.
 */
public final class JournalDump {
  private final int partition;
  private final ClosedPartition files;
  private final Filter filter;
  private final Consumer<JournalEntry> visitor;
  private final VerificationFindings findings;

  private JournalDump(
      int partition,
      ClosedPartition files,
      Filter filter,
      Consumer<JournalEntry> visitor,
      VerificationFindings findings) {
    this.partition = partition;
    this.files = files;
    this.filter = filter;
    this.visitor = visitor;
    this.findings = findings;
  }

  /**
   * Selects records. Records that are not decoded ({@link JournalEntry.Other}) have no known time
   * and no known objects: only {@link #ALL} selects them. Immutable.
   *
   * @param object selects transactions on this object, and of these only the effects on it; empty
   *     for all
   * @param from the earliest time, in whole milliseconds
   * @param to the latest time, in whole milliseconds
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
   * Findings about the journals.
   *
   * @param damages damage, each with file and position; the first {@link
   *     VerificationReport#MAX_LISTED}; normally none
   * @param notes findings that are not damage, such as the traces of a crash
   */
  public record Result(List<String> damages, List<String> notes) {
    /** Copies the lists. */
    public Result {
      damages = List.copyOf(damages);
      notes = List.copyOf(notes);
    }
  }

  /**
   * Reads the journals of the closed store in a directory, one partition after the other.
   *
   * @param visitor receives the records in order, including those after damage
   * @throws io.github.stablecut.error.NotAStoreException if there is no store
   * @throws io.github.stablecut.error.StoreInUseException if a process has it open
   * @throws io.github.stablecut.error.DamageException if there is no journal
   */
  @CanIgnoreReturnValue
  public static Result run(Path directory, Filter filter, Consumer<JournalEntry> visitor) {
    return run(directory, filter, new VerificationFindings(), visitor);
  }

  /**
   * Like {@link #run}, for a store that this process has open, up to its current last record. It
   * reads hard links to the store's files, which it creates in the store's directory and deletes
   * afterwards. Only one call at a time.
   *
   * @throws io.github.stablecut.error.StoreIoException if the links cannot be created
   */
  @CanIgnoreReturnValue
  public static Result ofOpen(Path directory, Filter filter, Consumer<JournalEntry> visitor) {
    return OpenImage.read(
        directory, image -> run(image, filter, VerificationFindings.whileWritten(), visitor));
  }

  private static Result run(
      Path directory,
      Filter filter,
      VerificationFindings findings,
      Consumer<JournalEntry> visitor) {
    try (ClosedStore store = ClosedStore.open(directory)) {
      for (int p : store.partitions()) {
        ClosedPartition files = ClosedPartition.of(store, p);
        JournalDump dump = new JournalDump(p, files, filter, visitor, findings);
        files.readJournal(dump::show, findings, ToolProgress.NONE, "");
      }
      return new Result(findings.damages(), findings.notes());
    }
  }

  private void show(StoredRecord stored) {
    try {
      switch (stored.kind()) {
        case RecordKind.TRANSACTION -> showTransaction(stored);
        case RecordKind.CLOCK -> {
          long ceiling = ClockRecord.read(stored.body(), stored.position());
          if (filter.object().isEmpty() && filter.hasTime(ceiling)) {
            visit(stored, new JournalEntry.ClockCeiling(ceiling));
          }
        }
        case RecordKind.PREPARED -> showPrepared(stored);
        case RecordKind.END -> {
          String id = EndRecord.read(stored.body(), stored.position()).toString();
          if (filter.equals(Filter.ALL)) {
            visit(stored, new JournalEntry.End(id));
          }
        }
        case RecordKind.SESSIONS -> showSessions(stored);
        case RecordKind.REACHED -> {
          ReachedRecord record = ReachedRecord.read(stored.body(), stored.position());
          if (filter.equals(Filter.ALL)) {
            visit(stored, new JournalEntry.Reached(record.reached(), record.promised()));
          }
        }
        case RecordKind.CHECKPOINT -> {
          CheckpointRecord record = CheckpointRecord.read(stored.body(), stored.position());
          if (filter.equals(Filter.ALL)) {
            visit(stored, new JournalEntry.CheckpointAnnouncement(record.at()));
          }
        }
        default -> {
          if (filter.equals(Filter.ALL)) {
            visit(stored, new JournalEntry.Other(stored.kind(), stored.body().length));
          }
        }
      }
    } catch (FormatException e) {
      findings.add(files.nameOf(stored.position()) + ": " + e.getMessage());
    }
  }

  private void showTransaction(StoredRecord stored) {
    SelectedEffects selected = effects(stored);
    if (isSelected(selected)) {
      visit(
          stored,
          new JournalEntry.Transaction(
              selected.commit.origin().dataCentre(),
              selected.commit.time(),
              selected.commit.snapshot(),
              selected.facts.id().map(TransactionId::toString),
              selected.facts.participants(),
              selected.effects));
    }
  }

  private void showPrepared(StoredRecord stored) {
    SelectedEffects selected = effects(stored);
    String id =
        selected
            .facts
            .id()
            .map(TransactionId::toString)
            .orElseThrow(() -> new FormatException("a prepared record has no id"));
    if (isSelected(selected)) {
      visit(
          stored,
          new JournalEntry.Prepared(
              id, selected.commit.time(), selected.commit.snapshot(), selected.effects));
    }
  }

  /** A record of a transaction, with those of its effects that the filter selects. */
  private record SelectedEffects(
      Commit commit, TransactionMetadata facts, List<JournalEntry.Effect> effects) {}

  private SelectedEffects effects(StoredRecord stored) {
    List<JournalEntry.Effect> effects = new ArrayList<>();
    TransactionMetadata[] facts = {TransactionMetadata.none()};
    Commit commit =
        TransactionRecord.read(
            stored.body(),
            stored.position(),
            (of, ordinal, id, effect) -> {
              if (filter.hasTime(of.time())) {
                add(id, effect, effects);
              }
            },
            found -> facts[0] = found);
    return new SelectedEffects(commit, facts[0], effects);
  }

  private boolean isSelected(SelectedEffects selected) {
    return filter.hasTime(selected.commit.time())
        && (filter.object().isEmpty() || !selected.effects.isEmpty());
  }

  private void showSessions(StoredRecord stored) {
    List<JournalEntry.Request> requests =
        SessionsRecord.read(stored.body(), stored.position()).stream()
            .filter(entry -> filter.hasTime(entry.time()))
            .map(JournalDump::request)
            .toList();
    if (filter.object().isEmpty() && !requests.isEmpty()) {
      visit(stored, new JournalEntry.Sessions(requests));
    }
  }

  private static JournalEntry.Request request(SessionsRecord.Entry entry) {
    return new JournalEntry.Request(
        entry.request().session().toString(), entry.request().number(), entry.time());
  }

  private void add(Bytes id, ByteBuffer encoded, List<JournalEntry.Effect> effects) {
    ObjectName object = ObjectName.of(id);
    if (filter.object().filter(wanted -> !wanted.equals(object)).isEmpty()) {
      CrdtType<?, ?, ?, ?> type = CrdtCodec.typeOf(encoded);
      byte[] bytes = new byte[encoded.remaining()];
      encoded.get(bytes);
      String effect = CallTypes.decodeEffect(type, bytes).toString();
      effects.add(new JournalEntry.Effect(object, type.name(), bytes.length, effect));
    }
  }

  private void visit(StoredRecord stored, JournalEntry.Content content) {
    int segment = Position.segment(stored.position());
    long offset = Integer.toUnsignedLong(Position.offset(stored.position()));
    visitor.accept(new JournalEntry(partition, segment, offset, stored.sequence(), content));
  }
}

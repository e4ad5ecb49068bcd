package io.github.stablecut.internal.materializer;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.RecordKind;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.journal.Journal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Answers every read by scanning the whole journal and folding the visible effects in the order of
 * commit times. Its simplicity makes it the test oracle of the other sources. It is also the
 * report's store without index and cache (section 4.3.5).
 */
public final class JournalReplay implements VersionSource {
  private record VisibleEffect(Commit commit, CrdtType<?, ?, ?, ?> type, Object effect) {}

  private static final Comparator<VisibleEffect> COMMIT_ORDER =
      Comparator.comparingLong((VisibleEffect found) -> found.commit.time())
          .thenComparingInt(found -> found.commit.origin().dataCentre());

  private final Journal journal;

  /**
   * @param journal a complete journal, without missing records
   */
  public JournalReplay(Journal journal) {
    this.journal = journal;
  }

  @Override
  public Optional<Version> versionAt(Bytes id, VectorClock snapshot) {
    List<VisibleEffect> visible = new ArrayList<>();
    journal.scan(
        0,
        stored -> {
          if (stored.kind() == RecordKind.TRANSACTION) {
            TransactionRecord.read(
                stored.body(),
                stored.position(),
                (commit, ordinal, of, effect) -> {
                  if (of.equals(id) && commit.isVisibleAt(snapshot)) {
                    visible.add(found(commit, effect));
                  }
                });
          }
        });
    if (visible.isEmpty()) {
      return Optional.empty();
    }
    visible.sort(COMMIT_ORDER);
    TypedFold fold = new TypedFold(Version.initial(visible.get(0).type));
    for (VisibleEffect found : visible) {
      fold.apply(found.type, found.effect, found.commit.origin());
    }
    VectorClock since = visible.get(visible.size() - 1).commit.vector();
    return Optional.of(fold.version(since, snapshot, 0));
  }

  private static VisibleEffect found(Commit commit, ByteBuffer encoded) {
    CrdtType<?, ?, ?, ?> type = CrdtCodec.typeOf(encoded);
    byte[] effect = new byte[encoded.remaining()];
    encoded.get(effect);
    return new VisibleEffect(commit, type, CallTypes.decodeEffect(type, effect));
  }
}

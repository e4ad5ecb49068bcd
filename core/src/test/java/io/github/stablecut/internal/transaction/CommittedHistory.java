package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.Dot;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.record.Commit;
import io.github.stablecut.internal.record.TransactionRecord;
import io.github.stablecut.key.Key;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The commits of several data centres: the oracle of what a snapshot has to show. Confined to one
 * thread.
 */
final class CommittedHistory {
  /** A part of a transaction on a partition. */
  private record Part(Commit commit, Bytes body) {}

  /**
   * A transaction.
   *
   * @param effects by the written objects, in ascending order
   */
  record Written(Commit commit, Map<Bytes, List<Bytes>> effects) {
    Set<Bytes> ids() {
      return effects.keySet();
    }
  }

  private final List<Part> parts = new ArrayList<>();
  private final Map<Dot, Written> transactions = new HashMap<>();

  /** Adds a record of a stream. */
  void add(byte[] record) {
    Map<Bytes, List<Bytes>> effects = new HashMap<>();
    Commit commit =
        TransactionRecord.read(
            record,
            0,
            (of, ordinal, id, effect) -> {
              byte[] encoded = new byte[effect.remaining()];
              effect.duplicate().get(encoded);
              effects.computeIfAbsent(id, key -> new ArrayList<>()).add(Bytes.wrap(encoded));
            });
    effects.values().forEach(Collections::sort);
    parts.add(new Part(commit, Bytes.wrap(record)));
    Dot dot = new Dot(commit.origin().dataCentre(), commit.time(), 0);
    transactions
        .computeIfAbsent(dot, key -> new Written(commit, new HashMap<>()))
        .effects
        .putAll(effects);
  }

  /** The number of parts. */
  long size() {
    return parts.size();
  }

  /** The number of parts that a snapshot sees. */
  long seen(VectorClock snapshot) {
    return parts.stream().filter(part -> part.commit.isVisibleAt(snapshot)).count();
  }

  /** The transactions by data centre and commit time. */
  Map<Dot, Written> transactions() {
    return transactions;
  }

  /** A vector that sees everything. */
  VectorClock everything() {
    return parts.stream()
        .map(part -> part.commit.vector())
        .reduce(VectorClock.ZERO, VectorClock::join);
  }

  /** A vector that sees what another one sees, and is not above it. */
  VectorClock everything(VectorClock at) {
    return parts.stream()
        .map(part -> part.commit)
        .filter(commit -> commit.isVisibleAt(at))
        .map(Commit::vector)
        .reduce(VectorClock.ZERO, VectorClock::join);
  }

  /** Whether a snapshot sees an object, as the type of a key or as another one. */
  boolean isCreated(Key<?> key, VectorClock snapshot, boolean asType) {
    boolean[] isCreated = {false};
    for (Part part : parts) {
      TransactionRecord.read(
          part.body.toArray(),
          0,
          (commit, ordinal, id, effect) ->
              isCreated[0] |=
                  commit.isVisibleAt(snapshot)
                      && id.equals(key.id())
                      && asType == (CrdtCodec.typeOf(effect).typeId() == key.type().typeId()));
    }
    return isCreated[0];
  }

  /** The value that a snapshot has to show of an object as the type of a key. */
  <V> V valueAt(Key<V> key, VectorClock snapshot) {
    List<Part> visible =
        parts.stream()
            .filter(part -> part.commit.isVisibleAt(snapshot))
            .sorted(
                Comparator.<Part>comparingLong(part -> part.commit.time())
                    .thenComparingInt(part -> part.commit.origin().dataCentre()))
            .toList();
    Object[] state = {key.type().initial()};
    for (Part part : visible) {
      TransactionRecord.read(
          part.body.toArray(),
          0,
          (commit, ordinal, id, effect) -> {
            if (id.equals(key.id()) && CrdtCodec.typeOf(effect).typeId() == key.type().typeId()) {
              byte[] bytes = new byte[effect.remaining()];
              effect.get(bytes);
              state[0] =
                  CallTypes.apply(
                      key.type(),
                      state[0],
                      CallTypes.decodeEffect(key.type(), bytes),
                      commit.origin());
            }
          });
    }
    return key.view(state[0], snapshot);
  }
}

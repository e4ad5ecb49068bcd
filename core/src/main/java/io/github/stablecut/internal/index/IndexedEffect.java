package io.github.stablecut.internal.index;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.internal.record.Commit;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One effect on one object, with its transaction and position; also the list of only this effect.
 * Thread-safe.
 */
public final class IndexedEffect extends EffectList {
  /**
   * Effects of more bytes are kept encoded: decoded, they can take ten times as much of the heap,
   * and decoding costs little compared with folding.
   */
  private static final int MAX_DECODED_BYTES = 5;

  /** The maximum size of a decoded effect's objects, in bytes. */
  private static final int DECODED_BYTES = 112;

  /** The overhead of an array and the reference to it, in bytes. */
  private static final int ARRAY_BYTES = 32;

  private final Commit commit;
  private final CrdtType<?, ?, ?, ?> type;
  private final int ordinal;
  private final int bytes;

  /** The effect, or its encoded bytes, while it is kept in memory. */
  private volatile @Nullable Object kept;

  private IndexedEffect(
      Commit commit, CrdtType<?, ?, ?, ?> type, int ordinal, @Nullable Object kept, int bytes) {
    this.commit = commit;
    this.type = type;
    this.ordinal = ordinal;
    this.kept = kept;
    this.bytes = bytes;
  }

  /**
   * Creates an effect that is in memory.
   *
   * @param type the type that the effect changes
   * @param ordinal its index among the transaction's effects
   * @param encoded the same effect; must not be modified
   */
  public static IndexedEffect inMemory(
      Commit commit, CrdtType<?, ?, ?, ?> type, int ordinal, Object effect, byte[] encoded) {
    return new IndexedEffect(
        commit, type, ordinal, isKeptEncoded(encoded.length) ? encoded : effect, encoded.length);
  }

  /**
   * Creates an effect that is in the journal only.
   *
   * @param type the type that the effect changes
   * @param ordinal its index among the transaction's effects
   * @param bytes the size of the encoded effect
   */
  public static IndexedEffect inJournal(
      Commit commit, CrdtType<?, ?, ?, ?> type, int ordinal, int bytes) {
    return new IndexedEffect(commit, type, ordinal, null, bytes);
  }

  /** The transaction. */
  public Commit commit() {
    return commit;
  }

  /** The type of the effect, which is one of the object's. */
  public CrdtType<?, ?, ?, ?> type() {
    return type;
  }

  /** The effect's index in the transaction's record. */
  public int ordinal() {
    return ordinal;
  }

  /** The size of the encoded effect. */
  public int bytes() {
    return bytes;
  }

  @Override
  EffectList with(IndexedEffect effect) {
    SingleOriginEffects alone = SingleOriginEffects.EMPTY.withOwn(this);
    return alone.with(effect);
  }

  @Override
  EffectList after(VectorClock vector) {
    return commit.isVisibleAt(vector) ? empty() : this;
  }

  @Override
  public int size() {
    return 1;
  }

  @Override
  public boolean isAllAtOrBefore(VectorClock vector) {
    return commit.isVisibleAt(vector);
  }

  @Override
  boolean isAwaited(VectorClock durable, VectorClock snapshot) {
    return isAwaited(durable) && commit.isVisibleAt(snapshot);
  }

  @Override
  boolean isAwaited(VectorClock durable) {
    return commit.position() == Commit.NOWHERE && !commit.isVisibleAt(durable);
  }

  @Override
  boolean isAnyDurable() {
    return commit.position() != Commit.NOWHERE;
  }

  @Override
  public VectorClock join() {
    return commit.vector();
  }

  @Override
  boolean isAllVisible(VectorClock snapshot, int dataCentre) {
    return dataCentre != commit.origin().dataCentre() || commit.isVisibleAt(snapshot);
  }

  @Override
  public List<IndexedEffect> between(VectorClock base, VectorClock snapshot) {
    return commit.isVisibleAt(snapshot) ? notIn(base) : List.of();
  }

  @Override
  int countAfter(VectorClock vector) {
    return commit.isVisibleAt(vector) ? 0 : 1;
  }

  @Override
  public List<IndexedEffect> notIn(VectorClock vector) {
    return commit.isVisibleAt(vector) ? List.of() : List.of(this);
  }

  @Override
  boolean isEach(Predicate<IndexedEffect> condition) {
    return condition.test(this);
  }

  private static boolean isKeptEncoded(int bytes) {
    return bytes > MAX_DECODED_BYTES;
  }

  /** An upper estimate of the bytes that the effect takes while it is kept in memory. */
  int keptBytes() {
    return isKeptEncoded(bytes) ? ARRAY_BYTES + bytes : DECODED_BYTES;
  }

  /** The effect; empty if it has to be read from the journal. */
  public Optional<Object> effect() {
    Object found = kept;
    return found instanceof byte[] encoded
        ? Optional.of(CrdtCodec.decodeEffect(type, encoded))
        : Optional.ofNullable(found);
  }

  /** Evicts the effect from memory: the journal has it. */
  public void evict() {
    kept = null;
  }
}

package io.github.stablecut.internal.index;

import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.internal.record.Commit;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One effect on one object: its transaction and its position. Thread-safe. */
public final class IndexedEffect {
  /**
   * An effect of more encoded bytes is kept encoded: decoded, it can take ten times as much of the
   * heap, and to decode it costs little beside folding it.
   */
  private static final int MOST_DECODED_BYTES = 5;

  /** What the objects of a decoded effect take at most. */
  private static final int DECODED_BYTES = 112;

  /** What an array takes beside its bytes, and the reference to it. */
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
   * An effect that is in memory.
   *
   * @param type what it is an effect of
   * @param ordinal its index among the transaction's effects
   * @param encoded the same effect; nobody may write to it any more
   */
  public static IndexedEffect inMemory(
      Commit commit, CrdtType<?, ?, ?, ?> type, int ordinal, Object effect, byte[] encoded) {
    return new IndexedEffect(
        commit, type, ordinal, isKeptEncoded(encoded.length) ? encoded : effect, encoded.length);
  }

  /**
   * An effect that is in the journal only.
   *
   * @param type what it is an effect of
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

  private static boolean isKeptEncoded(int bytes) {
    return bytes > MOST_DECODED_BYTES;
  }

  /** What the effect takes while it is kept in memory, about, and at most. */
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

package io.github.stablecut.internal.index;

import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.internal.record.Commit;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One effect on one object: its transaction and its position. Thread-safe. */
public final class IndexedEffect {
  private final Commit commit;
  private final CrdtType<?, ?, ?, ?> type;
  private final int ordinal;
  private final int bytes;

  /** The effect, while it is kept in memory. */
  private volatile @Nullable Object effect;

  /**
   * @param type what it is an effect of
   * @param ordinal its index among the transaction's effects
   * @param effect the effect itself, or null if it is in the journal only
   * @param bytes the size of the encoded effect
   */
  public IndexedEffect(
      Commit commit, CrdtType<?, ?, ?, ?> type, int ordinal, @Nullable Object effect, int bytes) {
    this.commit = commit;
    this.type = type;
    this.ordinal = ordinal;
    this.effect = effect;
    this.bytes = bytes;
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

  /** The effect; empty if it has to be read from the journal. */
  public Optional<Object> effect() {
    return Optional.ofNullable(effect);
  }

  /** Evicts the effect from memory: the journal has it. */
  public void evict() {
    effect = null;
  }
}

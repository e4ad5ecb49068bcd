package io.github.stablecut.internal.index;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.record.TransactionId;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An object's data in memory: its types, its effects, and its latest materialized versions. Readers
 * take no lock; {@link ObjectIndex} serializes the methods that change an entry.
 */
public final class ObjectEntry {
  private static final ObjectContent NOTHING = new ObjectContent(EffectList.empty(), null, 0);

  /** The raw bytes, which save one object per entry. */
  private final byte[] id;

  private final int hash;

  /** The next entry in the chain of {@link ObjectTable}, which writes it. */
  volatile @Nullable ObjectEntry next;

  /** The types of the effects and versions. */
  private volatile KnownTypes types = KnownTypes.NONE;

  private volatile ObjectContent content = NOTHING;

  /**
   * @param id the object
   */
  ObjectEntry(Bytes id) {
    this.id = id.unwrap();
    this.hash = id.seededHash();
  }

  /** The object. */
  public Bytes id() {
    return Bytes.wrap(id);
  }

  /**
   * Whether this is the entry of an object.
   *
   * @param seededHash the object's
   */
  boolean isOf(Bytes object, int seededHash) {
    return hash == seededHash && Arrays.equals(id, object.unwrap());
  }

  /** Compares the id with that of another object. */
  int compareId(Bytes other) {
    return Arrays.compareUnsigned(id, other.unwrap());
  }

  /**
   * The object's types as far as they are in memory. Its first effect determines the type, but
   * effects of other data centres may have other types. Empty if only intents are in memory: if
   * their transactions abort, the object may get any type.
   */
  public KnownTypes types() {
    return types;
  }

  /** Effects and versions. */
  public ObjectContent content() {
    return content;
  }

  /** The approximate memory of the kept versions. */
  public int keptBytes() {
    return (int) Math.min(content.keptBytes(), Integer.MAX_VALUE);
  }

  void add(IndexedEffect effect, boolean isListed) {
    setTypes(types.with(effect.type()));
    content = content.with(effect, isListed);
  }

  private void setTypes(KnownTypes known) {
    // Written only on change, because each write invalidates the readers' cache lines.
    if (types != known) {
      types = known;
    }
  }

  void announce(Intent intent) {
    content = content.with(intent);
  }

  /** Atomically replaces an intent by its effects. */
  void decide(TransactionId transaction, List<IndexedEffect> effects, boolean areListed) {
    ObjectContent decided = content.without(transaction);
    KnownTypes known = types;
    for (IndexedEffect effect : effects) {
      decided = decided.with(effect, areListed);
      known = known.with(effect.type());
    }
    setTypes(known);
    content = decided;
  }

  void offer(Version version) {
    setTypes(types.with(version));
    content = content.offer(version);
  }

  void drop(VectorClock vector) {
    content = content.after(vector);
    if (types.areSeveral()) {
      setTypes(content.types(types));
    }
  }

  void evict() {
    content = content.withVersions();
  }

  /**
   * Evicts the versions that read pages of a checkpoint and those that exceed a size.
   *
   * @return whether there were any
   */
  boolean tryEvictPaged(long maxBytes) {
    ObjectContent before = content;
    Version[] kept =
        Arrays.stream(before.versions())
            .filter(version -> !version.isInPages() && version.heldBytes() <= maxBytes)
            .toArray(Version[]::new);
    if (kept.length == before.versions().length) {
      return false;
    }
    content = before.withVersions(kept);
    return true;
  }

  boolean isEmpty() {
    return !content.hasEffects() && content.newest() == null && content.intents().isEmpty();
  }

  /** Entries of the same object are equal. */
  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof ObjectEntry that && hash == that.hash && Arrays.equals(id, that.id));
  }

  @Override
  public int hashCode() {
    return hash;
  }
}

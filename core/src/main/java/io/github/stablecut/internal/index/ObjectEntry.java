package io.github.stablecut.internal.index;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.internal.record.TransactionId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An object's data in memory: its types, its effects, and its latest materialized versions. Readers
 * take no lock; {@link ObjectIndex} serializes the methods that change an entry.
 */
public final class ObjectEntry {
  /**
   * The number of kept versions; several, so that readers at close snapshots do not evict each
   * other's bases.
   */
  private static final int KEPT_VERSIONS = 3;

  /**
   * The memory of a version beyond its state, in bytes: the object, the references to it, and an
   * id.
   */
  private static final int VERSION_BYTES = 160;

  /**
   * The approximate maximum that an effect copies of a state, in bytes: the nodes on the path to
   * its change.
   */
  private static final int COPIED_BYTES = 1 << 10;

  private static final Version[] NONE = new Version[0];

  private static final Content NOTHING = new Content(EffectList.empty(), null, 0);

  /** The raw bytes, which save one object per entry. */
  private final byte[] id;

  private final int hash;

  /** The next entry in the chain of {@link ObjectTable}, which writes it. */
  volatile @Nullable ObjectEntry next;

  /** The types of the effects and versions. */
  private volatile KnownTypes types = KnownTypes.NONE;

  private volatile Content content = NOTHING;

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
   * A consistent view of effects and versions. Immutable.
   *
   * <p>Invariant: an effect that a version lacks is among the effects, unless a checkpoint at or
   * before the version has it.
   */
  public static sealed class Content permits ExtendedContent {
    private final EffectList effects;

    /** The newest version; null if none is kept. */
    private final @Nullable Version newest;

    /**
     * The number of listed effects that the newest version lacks; saves a cache hit from examining
     * them.
     */
    private final int unfolded;

    Content(EffectList effects, @Nullable Version newest, int unfolded) {
      this.effects = effects;
      this.newest = newest;
      this.unfolded = unfolded;
    }

    private static Content of(
        EffectList effects,
        Version[] versions,
        @Nullable EffectSummary unlisted,
        List<Intent> intents) {
      return versions.length == 0
          ? of(effects, null, effects.size(), NONE, unlisted, intents)
          : of(
              effects,
              versions[0],
              effects.countAfter(versions[0].at()),
              Arrays.copyOfRange(versions, 1, versions.length),
              unlisted,
              intents);
    }

    private static Content of(
        EffectList effects,
        @Nullable Version newest,
        int unfolded,
        Version[] older,
        @Nullable EffectSummary unlisted,
        List<Intent> intents) {
      return older.length == 0 && unlisted == null && intents.isEmpty()
          ? new Content(effects, newest, unfolded)
          : new ExtendedContent(effects, newest, unfolded, older, unlisted, intents);
    }

    /** The versions other than the newest, newest first. */
    Version[] older() {
      return NONE;
    }

    /** The summary of unlisted effects; null if there are none. */
    @Nullable EffectSummary summary() {
      return null;
    }

    /** Whether a version complete at a vector includes all effects. */
    public boolean lacksNothing(VectorClock at) {
      return effects.isAllAtOrBefore(at) && isUnlistedAtOrBefore(at);
    }

    /**
     * Whether a snapshot sees all commits of one data centre on the object. Unlisted effects may be
     * from any data centre.
     */
    public boolean lacksNothingOf(LocalDataCentre local, VectorClock snapshot) {
      return effects.isAllVisible(snapshot, local.number()) && isUnlistedAtOrBefore(snapshot);
    }

    private boolean isUnlistedAtOrBefore(VectorClock at) {
      EffectSummary unlisted = summary();
      return unlisted == null || unlisted.last().isAtOrBefore(at);
    }

    /** The least vector at which all effects are visible, listed or not. */
    public VectorClock last() {
      EffectSummary unlisted = summary();
      return unlisted == null ? effects.join() : effects.join().join(unlisted.last());
    }

    /** The effects, including those not durable yet, which are above every snapshot. */
    public EffectList effects() {
      return effects;
    }

    /** The summary of unlisted effects; empty if there are none. */
    public Optional<EffectSummary> unlisted() {
      return Optional.ofNullable(summary());
    }

    /** The intents of undecided transactions. */
    public List<Intent> intents() {
      return List.of();
    }

    /**
     * Whether a reader must wait because its snapshot may see a transaction that is undecided or
     * not durable.
     *
     * @param local the data centre that issued the intents' times
     * @param durable a vector at or below which all effects are durable
     */
    public boolean isAwaited(LocalDataCentre local, VectorClock durable, VectorClock snapshot) {
      for (Intent intent : intents()) {
        if (intent.time() <= local.timeIn(snapshot)) {
          return true;
        }
      }
      return effects.isAwaited(durable, snapshot) || isUnlistedAwaited(durable);
    }

    /**
     * Whether anything on the object is undecided or not durable.
     *
     * @param durable a vector at or below which all effects are durable
     */
    public boolean isUnsettled(VectorClock durable) {
      return !intents().isEmpty() || effects.isAwaited(durable) || isUnlistedAwaited(durable);
    }

    private boolean isUnlistedAwaited(VectorClock durable) {
      EffectSummary unlisted = summary();
      return unlisted != null && !unlisted.areDurable(durable);
    }

    /**
     * Whether a crash could still undo the object's type, because no effect is durable yet.
     *
     * @param durable a vector at or below which all effects are durable
     */
    public boolean isNewborn(VectorClock durable) {
      return hasEffects()
          && newest == null
          && !effects.isAnyDurable()
          && (summary() == null || isUnlistedAwaited(durable));
    }

    /**
     * Whether all effects on the object have one type, except those of other data centres that a
     * snapshot does not see.
     *
     * @param floor the vector through which effects were dropped from memory
     */
    public boolean isHidden(
        LocalDataCentre local, VectorClock snapshot, VectorClock floor, CrdtType<?, ?, ?, ?> type) {
      return summary() == null
          && floor.isAtOrBefore(snapshot)
          && effects.isEach(
              effect ->
                  effect.type().typeId() == type.typeId()
                      || (effect.commit().origin().dataCentre() != local.number()
                          && !effect.commit().isVisibleAt(snapshot)));
    }

    /** Whether there are effects, listed or not. */
    public boolean hasEffects() {
      return summary() != null || !effects.isEmpty();
    }

    /** The approximate number of listed effects that the newest version lacks. */
    public int unfolded() {
      return unfolded;
    }

    /**
     * Returns the version that a snapshot sees, if it is kept and includes all effects; otherwise
     * null.
     */
    public @Nullable Version complete(VectorClock snapshot) {
      Version version = newest;
      return version != null
              && unfolded == 0
              && intents().isEmpty()
              && version.canServe(snapshot)
              && isUnlistedAtOrBefore(version.at())
          ? version
          : null;
    }

    /** Returns the types of the data in memory; all known types if effects are not listed. */
    private KnownTypes types(KnownTypes known) {
      if (summary() != null) {
        return known;
      }
      KnownTypes[] types = {KnownTypes.NONE};
      for (IndexedEffect effect : effects.notIn(VectorClock.ZERO)) {
        types[0] = types[0].with(effect.type());
      }
      for (Version version : versions()) {
        types[0] = types[0].with(version);
      }
      return types[0];
    }

    /** The newest kept version; null if there is none. */
    public @Nullable Version newest() {
      return newest;
    }

    /** Whether undecided transactions write the object. */
    public boolean hasIntents() {
      return !intents().isEmpty();
    }

    /** The newest kept version that includes only what a snapshot sees. */
    public Optional<Version> base(VectorClock snapshot) {
      if (newest != null && newest.canServe(snapshot)) {
        return Optional.of(newest);
      }
      for (Version version : older()) {
        if (version.canServe(snapshot)) {
          return Optional.of(version);
        }
      }
      return Optional.empty();
    }

    /** All kept versions, newest first. */
    private Version[] versions() {
      if (newest == null) {
        return NONE;
      }
      Version[] all = new Version[1 + older().length];
      all[0] = newest;
      System.arraycopy(older(), 0, all, 1, older().length);
      return all;
    }

    private Content offer(Version version) {
      if (newest == null) {
        return withVersions(version);
      }
      if (!isNewer(version, newest)) {
        return this;
      }
      Version[] kept = new Version[Math.min(KEPT_VERSIONS, 2 + older().length)];
      System.arraycopy(versions(), 0, kept, 1, kept.length - 1);
      kept[0] = version;
      return withVersions(kept);
    }

    /** Returns the same content with other versions, newest first. */
    private Content withVersions(Version... versions) {
      return of(effects, versions, summary(), intents());
    }

    /**
     * Returns the content without the effects at or before a vector and without the versions that
     * would then be incomplete.
     */
    private Content after(VectorClock vector) {
      EffectSummary unlisted = summary();
      List<Version> kept = new ArrayList<>(KEPT_VERSIONS);
      for (Version version : versions()) {
        if (vector.isAtOrBefore(version.at())) {
          kept.add(version);
        } else if (unlisted == null && isCompleteAlso(version, vector)) {
          kept.add(version.completeAt(vector));
        }
      }
      return of(
          effects.after(vector),
          kept.toArray(NONE),
          isUnlistedAtOrBefore(vector) ? null : unlisted,
          intents());
    }

    /** Whether a version is also complete at the join of its vector and another one. */
    private boolean isCompleteAlso(Version version, VectorClock vector) {
      return effects.between(version.at(), version.at().join(vector)).isEmpty();
    }

    private Content with(IndexedEffect effect, boolean isListed) {
      EffectSummary known = summary();
      if (isListed) {
        return of(effects.with(effect), newest, unfolded + 1, older(), known, intents());
      }
      EffectSummary unlisted = known == null ? EffectSummary.of(effect) : known.with(effect);
      return of(effects, newest, unfolded, older(), unlisted, intents());
    }

    private Content with(Intent intent) {
      List<Intent> more = new ArrayList<>(intents());
      more.add(intent);
      return withIntents(more);
    }

    private Content without(TransactionId transaction) {
      List<Intent> fewer = new ArrayList<>(intents());
      fewer.removeIf(intent -> intent.transaction().equals(transaction));
      return withIntents(fewer);
    }

    private Content withIntents(List<Intent> intents) {
      return of(effects, newest, unfolded, older(), summary(), List.copyOf(intents));
    }

    /**
     * Returns the memory of the versions. A version shares with the previous one what the effects
     * in between have not changed.
     */
    private long keptBytes() {
      Version[] versions = versions();
      long bytes = 0;
      for (int i = 0; i < versions.length; i++) {
        boolean isOldest = i == versions.length - 1;
        bytes +=
            VERSION_BYTES
                + (isOldest ? versions[i].heldBytes() : addedBytes(versions[i], versions[i + 1]));
      }
      return bytes;
    }

    private long addedBytes(Version version, Version before) {
      long held = version.heldBytes();
      if (summary() != null) {
        return held;
      }
      long added = Math.max(0, version.takes().copiedBytes() - before.takes().copiedBytes());
      for (IndexedEffect effect : effects.between(before.at(), version.at())) {
        added += COPIED_BYTES + effect.bytes();
      }
      return Math.min(held, added);
    }

    private static boolean isNewer(Version version, Version than) {
      return than.at().isAtOrBefore(version.at()) && !version.at().isAtOrBefore(than.at());
    }
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
  public Content content() {
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
    Content decided = content.without(transaction);
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
    Content before = content;
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
    return !content.hasEffects() && content.newest == null && content.intents().isEmpty();
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

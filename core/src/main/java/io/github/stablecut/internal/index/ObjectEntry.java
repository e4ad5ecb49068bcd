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
 * An object's data in memory: its types, its effects, and its latest materialised versions. Reading
 * takes no lock; {@link ObjectIndex} calls the methods that change an entry, one thread at a time.
 */
public final class ObjectEntry {
  /** Several versions, so that readers at close snapshots do not evict each other's bases. */
  private static final int KEPT_VERSIONS = 3;

  /**
   * The memory of a version beyond its state: the object, its references here and in the index, an
   * id.
   */
  private static final int VERSION_BYTES = 160;

  /** What an effect copies of a state at most, about: the nodes on the way to what it changes. */
  private static final int COPIED_BYTES = 1 << 10;

  private static final Version[] NONE = new Version[0];

  private static final Content NOTHING = new Content(EffectList.empty(), NONE, null, List.of(), 0);

  private final Bytes id;

  /** From effects and versions. */
  private volatile KnownTypes types = KnownTypes.NONE;

  private volatile Content content = NOTHING;

  /**
   * @param id the object
   */
  ObjectEntry(Bytes id) {
    this.id = id;
  }

  /** The object: who keeps the entry by it needs no other copy of it. */
  public Bytes id() {
    return id;
  }

  /**
   * A consistent view of effects and versions. Immutable.
   *
   * <p>Invariant: an effect that a version lacks is among the effects, unless a checkpoint at or
   * before the version has it.
   */
  public static final class Content {
    private final EffectList effects;

    /** The summary of unlisted effects; null if there are none. */
    private final @Nullable Unlisted unlisted;

    /** The intents of undecided transactions. */
    private final List<Intent> intents;

    /** The number of listed effects that the newest version lacks: a hit need not look at them. */
    private final int unfolded;

    /** Newest first. */
    private final Version[] versions;

    private Content(
        EffectList effects,
        Version[] versions,
        @Nullable Unlisted unlisted,
        List<Intent> intents,
        int unfolded) {
      this.effects = effects;
      this.versions = versions;
      this.unlisted = unlisted;
      this.intents = intents;
      this.unfolded = unfolded;
    }

    private Content(
        EffectList effects, Version[] versions, @Nullable Unlisted unlisted, List<Intent> intents) {
      this(
          effects,
          versions,
          unlisted,
          intents,
          versions.length == 0 ? effects.size() : effects.countAfter(versions[0].at()));
    }

    /** Whether a version complete at a vector includes all effects. */
    public boolean lacksNothing(VectorClock at) {
      return effects.isAllAtOrBefore(at) && (unlisted == null || unlisted.last().isAtOrBefore(at));
    }

    /**
     * Whether a snapshot sees all commits of one data centre on the object. Unlisted effects may be
     * from any data centre.
     */
    public boolean lacksNothingOf(LocalDataCentre local, VectorClock snapshot) {
      return effects.isAllVisible(snapshot, local.number())
          && (unlisted == null || unlisted.last().isAtOrBefore(snapshot));
    }

    /** The least vector at which all effects are visible, listed or not. */
    public VectorClock last() {
      return unlisted == null ? effects.join() : effects.join().join(unlisted.last());
    }

    /** The effects, including those not durable yet, which are above every snapshot. */
    public EffectList effects() {
      return effects;
    }

    /** The summary of unlisted effects; empty if there are none. */
    public Optional<Unlisted> unlisted() {
      return Optional.ofNullable(unlisted);
    }

    /** The intents of undecided transactions. */
    public List<Intent> intents() {
      return intents;
    }

    /**
     * Whether a reader has to wait: its snapshot may see a transaction that is undecided or not
     * durable.
     *
     * @param local the data centre whose times the intents have
     * @param durable a vector at or below which all effects are durable
     */
    public boolean isAwaited(LocalDataCentre local, VectorClock durable, VectorClock snapshot) {
      for (Intent intent : intents) {
        if (intent.time() <= local.timeIn(snapshot)) {
          return true;
        }
      }
      return effects.isAwaited(durable, snapshot)
          || (unlisted != null && !unlisted.areDurable(durable));
    }

    /**
     * Whether anything on the object is undecided or not durable.
     *
     * @param durable a vector at or below which all effects are durable
     */
    public boolean isUnsettled(VectorClock durable) {
      return !intents.isEmpty()
          || effects.isAwaited(durable)
          || (unlisted != null && !unlisted.areDurable(durable));
    }

    /**
     * Whether a crash could still undo the object's type, because no effect is durable yet.
     *
     * @param durable a vector at or below which all effects are durable
     */
    public boolean isNewborn(VectorClock durable) {
      return hasEffects()
          && versions.length == 0
          && !effects.isAnyDurable()
          && (unlisted == null || !unlisted.areDurable(durable));
    }

    /**
     * Whether nothing of the object is of another type than one, but for transactions of other data
     * centres that a snapshot does not see.
     *
     * @param floor the vector through which effects were dropped from memory
     */
    public boolean isHidden(
        LocalDataCentre local, VectorClock snapshot, VectorClock floor, CrdtType<?, ?, ?, ?> type) {
      return unlisted == null
          && floor.isAtOrBefore(snapshot)
          && effects.isEach(
              effect ->
                  effect.type().typeId() == type.typeId()
                      || (effect.commit().origin().dataCentre() != local.number()
                          && !effect.commit().isVisibleAt(snapshot)));
    }

    /** Whether there are effects, listed or not. */
    public boolean hasEffects() {
      return unlisted != null || !effects.isEmpty();
    }

    /** The approximate number of listed effects that the newest version lacks. */
    public int unfolded() {
      return unfolded;
    }

    /** The version that a snapshot sees, if it is kept and has all effects; otherwise null. */
    public @Nullable Version complete(VectorClock snapshot) {
      if (versions.length == 0 || unfolded > 0 || !intents.isEmpty()) {
        return null;
      }
      Version newest = versions[0];
      return newest.canServe(snapshot)
              && (unlisted == null || unlisted.last().isAtOrBefore(newest.at()))
          ? newest
          : null;
    }

    /** The types of what is in memory; all that were known if effects are not listed. */
    private KnownTypes types(KnownTypes known) {
      if (unlisted != null) {
        return known;
      }
      KnownTypes[] types = {KnownTypes.NONE};
      boolean unused =
          effects.isEach(
              effect -> {
                types[0] = types[0].with(effect.type());
                return true;
              });
      for (Version version : versions) {
        types[0] = types[0].with(version);
      }
      return types[0];
    }

    /** The newest kept version; null if there is none. */
    public @Nullable Version newest() {
      return versions.length == 0 ? null : versions[0];
    }

    /** Whether transactions that are not decided yet write the object. */
    public boolean hasIntents() {
      return !intents.isEmpty();
    }

    /** The newest kept version that includes only what a snapshot sees. */
    public Optional<Version> base(VectorClock snapshot) {
      for (Version version : versions) {
        if (version.canServe(snapshot)) {
          return Optional.of(version);
        }
      }
      return Optional.empty();
    }

    private Content offer(Version version) {
      if (versions.length > 0 && !isNewer(version, versions[0])) {
        return this;
      }
      Version[] changed = new Version[Math.min(KEPT_VERSIONS, versions.length + 1)];
      System.arraycopy(versions, 0, changed, 1, changed.length - 1);
      changed[0] = version;
      return new Content(effects, changed, unlisted, intents);
    }

    /**
     * Without the effects at or before a vector, and without the versions that would then be
     * incomplete.
     */
    private Content after(VectorClock vector) {
      List<Version> kept = new ArrayList<>(versions.length);
      for (Version version : versions) {
        if (vector.isAtOrBefore(version.at())) {
          kept.add(version);
        } else if (unlisted == null && isCompleteAlso(version, vector)) {
          kept.add(version.completeAt(vector));
        }
      }
      boolean isRestUnlisted = unlisted != null && !unlisted.last().isAtOrBefore(vector);
      return new Content(
          effects.after(vector), kept.toArray(NONE), isRestUnlisted ? unlisted : null, intents);
    }

    /** Whether a version is also complete at the join of its vector and another one. */
    private boolean isCompleteAlso(Version version, VectorClock vector) {
      return effects.between(version.at(), version.at().join(vector)).isEmpty();
    }

    private Content with(IndexedEffect effect, boolean isListed) {
      if (isListed) {
        return new Content(effects.with(effect), versions, unlisted, intents, unfolded + 1);
      }
      Unlisted known = unlisted;
      return new Content(
          effects,
          versions,
          known == null ? Unlisted.of(effect) : known.with(effect),
          intents,
          unfolded);
    }

    private Content with(Intent intent) {
      List<Intent> more = new ArrayList<>(intents);
      more.add(intent);
      return new Content(effects, versions, unlisted, List.copyOf(more));
    }

    private Content without(TransactionId transaction) {
      List<Intent> fewer = new ArrayList<>(intents);
      fewer.removeIf(intent -> intent.transaction().equals(transaction));
      return new Content(effects, versions, unlisted, List.copyOf(fewer));
    }

    /** A version shares with the one before it what the effects in between have left alone. */
    private long keptBytes() {
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
      if (unlisted != null) {
        return held;
      }
      long added = Math.max(0, version.copiedBytes() - before.copiedBytes());
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
   * The object's types as far as they are in memory. Its first effect fixes the type, but those of
   * other data centres may come with others. None if only intents of undecided transactions are in
   * memory: if those abort, the object may get any type.
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
    // Written rarely: each write invalidates the cache lines of readers.
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

  void forget() {
    content = new Content(content.effects, NONE, content.unlisted, content.intents);
  }

  /**
   * Evicts the versions that read pages of a checkpoint, and those that are large.
   *
   * @return whether there were any
   */
  boolean forgetInPages(long mostBytes) {
    Content before = content;
    Version[] kept =
        Arrays.stream(before.versions)
            .filter(version -> !version.isInPages() && version.heldBytes() <= mostBytes)
            .toArray(Version[]::new);
    if (kept.length == before.versions.length) {
      return false;
    }
    content = new Content(before.effects, kept, before.unlisted, before.intents);
    return true;
  }

  boolean isEmpty() {
    return !content.hasEffects() && content.versions.length == 0 && content.intents.isEmpty();
  }
}

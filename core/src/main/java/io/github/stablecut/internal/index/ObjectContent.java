package io.github.stablecut.internal.index;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.internal.record.TransactionId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A consistent view of an object's effects and versions in memory. Immutable.
 *
 * <p>Invariant: an effect that a version lacks is among the effects, unless a checkpoint at or
 * before the version has it.
 */
public sealed class ObjectContent permits ExtendedContent {
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

  private final EffectList effects;

  /** The newest version; null if none is kept. */
  private final @Nullable Version newest;

  /**
   * The number of listed effects that the newest version lacks; saves a cache hit from examining
   * them.
   */
  private final int unfolded;

  ObjectContent(EffectList effects, @Nullable Version newest, int unfolded) {
    this.effects = effects;
    this.newest = newest;
    this.unfolded = unfolded;
  }

  private static ObjectContent of(
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

  private static ObjectContent of(
      EffectList effects,
      @Nullable Version newest,
      int unfolded,
      Version[] older,
      @Nullable EffectSummary unlisted,
      List<Intent> intents) {
    return older.length == 0 && unlisted == null && intents.isEmpty()
        ? new ObjectContent(effects, newest, unfolded)
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
   * Whether a reader must wait because its snapshot may see a transaction that is undecided or not
   * durable.
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
  KnownTypes types(KnownTypes known) {
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
  Version[] versions() {
    if (newest == null) {
      return NONE;
    }
    Version[] all = new Version[1 + older().length];
    all[0] = newest;
    System.arraycopy(older(), 0, all, 1, older().length);
    return all;
  }

  ObjectContent offer(Version version) {
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
  ObjectContent withVersions(Version... versions) {
    return of(effects, versions, summary(), intents());
  }

  /**
   * Returns the content without the effects at or before a vector and without the versions that
   * would then be incomplete.
   */
  ObjectContent after(VectorClock vector) {
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

  ObjectContent with(IndexedEffect effect, boolean isListed) {
    EffectSummary known = summary();
    if (isListed) {
      return of(effects.with(effect), newest, unfolded + 1, older(), known, intents());
    }
    EffectSummary unlisted = known == null ? EffectSummary.of(effect) : known.with(effect);
    return of(effects, newest, unfolded, older(), unlisted, intents());
  }

  ObjectContent with(Intent intent) {
    List<Intent> more = new ArrayList<>(intents());
    more.add(intent);
    return withIntents(more);
  }

  ObjectContent without(TransactionId transaction) {
    List<Intent> fewer = new ArrayList<>(intents());
    fewer.removeIf(intent -> intent.transaction().equals(transaction));
    return withIntents(fewer);
  }

  private ObjectContent withIntents(List<Intent> intents) {
    return of(effects, newest, unfolded, older(), summary(), List.copyOf(intents));
  }

  /**
   * Returns the memory of the versions. A version shares with the previous one what the effects in
   * between have not changed.
   */
  long keptBytes() {
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

package io.github.stablecut.internal.index;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.internal.record.TransactionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is in memory of one object: its type, its effects, and the versions that were made last.
 * Reading takes no lock; what changes an entry is called by {@link ObjectIndex}, by one thread at a
 * time.
 */
public final class ObjectEntry {
  /**
   * Readers at snapshots of about the same age must not make each other start from the beginning.
   */
  private static final int KEPT_VERSIONS = 3;

  /** What a version takes beside its state: itself, its place here and in the index, an id. */
  private static final int VERSION_BYTES = 160;

  private static final Version[] NONE = new Version[0];

  /** What effects and versions have said; null while there are announcements only. */
  private volatile @Nullable CrdtType<?, ?, ?, ?> type;

  private volatile Content content = new Content(EffectList.EMPTY, NONE, null, List.of(), 0);

  /**
   * Effects and versions of one moment. Immutable.
   *
   * <p>Invariant: an effect that a version lacks is among the effects, unless a checkpoint at or
   * before the version has it.
   */
  public static final class Content {
    private final EffectList effects;

    /** What is known of effects that are not listed; null if there are none. */
    private final @Nullable Unlisted unlisted;

    /** Who may have written the object by a time, and is not decided here. */
    private final List<Intent> intents;

    /** The number of listed effects that the newest version lacks. */
    private final int unfolded;

    /** Newest first. */
    private final Version[] versions;

    /** The newest version if it has all effects, so that a hit need not look at them; or null. */
    private final @Nullable Version complete;

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
      this.complete =
          versions.length > 0 && intents.isEmpty() && lacksNothing(versions[0].at())
              ? versions[0]
              : null;
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

    /** Whether a version complete at a vector lacks no effect, now or ever. */
    public boolean lacksNothing(VectorClock at) {
      return effects.isAllAtOrBefore(at) && (unlisted == null || unlisted.last().isAtOrBefore(at));
    }

    /** The effects; those not durable yet are among them, above every snapshot. */
    public EffectList effects() {
      return effects;
    }

    /** What is known of effects that are not listed; empty if there are none. */
    public Optional<Unlisted> unlisted() {
      return Optional.ofNullable(unlisted);
    }

    /** Who may have written the object by a time, and is not decided here. */
    public List<Intent> intents() {
      return intents;
    }

    /**
     * Whether a reader has to wait: a transaction that its snapshot may see is not decided, or not
     * durable.
     *
     * @param durable a vector at or below which everything is
     */
    public boolean isAwaited(VectorClock durable, VectorClock snapshot) {
      for (Intent intent : intents) {
        if (intent.time() <= snapshot.max()) {
          return true;
        }
      }
      return effects.isAwaited(durable, snapshot)
          || (unlisted != null && !unlisted.last().isAtOrBefore(durable));
    }

    /**
     * Whether all that gives the object its type may still be lost: effects that the journal lacks
     * yet.
     *
     * @param durable a vector at or below which it lacks none
     */
    public boolean isNewborn(VectorClock durable) {
      return hasEffects()
          && versions.length == 0
          && !effects.isAnyDurable()
          && (unlisted == null || !unlisted.last().isAtOrBefore(durable));
    }

    /** Whether there are effects, listed or not. */
    public boolean hasEffects() {
      return unlisted != null || !effects.isEmpty();
    }

    /** The number of listed effects that the newest version lacks, about. */
    int unfolded() {
      return unfolded;
    }

    /**
     * The version that a snapshot sees, if it is kept and has all effects that there are; or null.
     */
    public @Nullable Version complete(VectorClock snapshot) {
      Version newest = complete;
      return newest != null && newest.canServe(snapshot) ? newest : null;
    }

    /** The newest kept version that has nothing in it that a snapshot does not see. */
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

    /** Without effects at or before a vector, and without versions that would then lack some. */
    private Content after(VectorClock vector) {
      List<Version> kept = new ArrayList<>(versions.length);
      for (Version version : versions) {
        if (vector.isAtOrBefore(version.at())) {
          kept.add(version);
        } else if (unlisted == null && effects.between(version.at(), vector).isEmpty()) {
          kept.add(version.completeAt(vector));
        }
      }
      boolean isRestUnlisted = unlisted != null && !unlisted.last().isAtOrBefore(vector);
      return new Content(
          effects.after(vector), kept.toArray(NONE), isRestUnlisted ? unlisted : null, intents);
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

    private CrdtType<?, ?, ?, ?> announcedType(TransactionId transaction) {
      return intents.stream()
          .filter(intent -> intent.transaction().equals(transaction))
          .findFirst()
          .orElseThrow(() -> new IllegalStateException(transaction + " was not announced"))
          .type();
    }

    private Content without(TransactionId transaction) {
      List<Intent> fewer = new ArrayList<>(intents);
      fewer.removeIf(intent -> intent.transaction().equals(transaction));
      return new Content(effects, versions, unlisted, List.copyOf(fewer));
    }

    private static boolean isNewer(Version version, Version than) {
      return than.at().isAtOrBefore(version.at()) && !version.at().isAtOrBefore(than.at());
    }
  }

  /**
   * The type that the object's first effect gave it; empty if nothing of it is in memory but
   * transactions that are not decided: if they are aborted, it may get any type.
   */
  public Optional<CrdtType<?, ?, ?, ?>> type() {
    return Optional.ofNullable(type);
  }

  /**
   * Whether the object is of a type, and may become no other if what is not decided is committed.
   */
  public boolean isOnly(CrdtType<?, ?, ?, ?> other) {
    return type == other && content.intents.isEmpty();
  }

  /** Effects and versions. */
  public Content content() {
    return content;
  }

  /** What the kept versions take, about. */
  public int keptBytes() {
    int bytes = 0;
    for (Version version : content.versions) {
      bytes += VERSION_BYTES + version.bytes();
    }
    return bytes;
  }

  void add(CrdtType<?, ?, ?, ?> itsType, IndexedEffect effect, boolean isListed) {
    // Hardly ever: readers on other processors have to be told of each write.
    if (type != itsType) {
      type = itsType;
    }
    content = content.with(effect, isListed);
  }

  void announce(Intent intent) {
    content = content.with(intent);
  }

  /** Replaces an intent by what came of it, in one step. */
  void decide(TransactionId transaction, List<IndexedEffect> effects, boolean areListed) {
    Content decided = content.without(transaction);
    for (IndexedEffect effect : effects) {
      decided = decided.with(effect, areListed);
    }
    if (!effects.isEmpty()) {
      type = content.announcedType(transaction);
    }
    content = decided;
  }

  void offer(Version version) {
    type = version.type();
    content = content.offer(version);
  }

  void drop(VectorClock vector) {
    content = content.after(vector);
  }

  void forget() {
    content = new Content(content.effects, NONE, content.unlisted, content.intents);
  }

  boolean isEmpty() {
    return !content.hasEffects() && content.versions.length == 0 && content.intents.isEmpty();
  }
}

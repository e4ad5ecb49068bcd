package io.github.stablecut.internal.index;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.CrdtType;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Optional;

/**
 * What is known of one object: its type, where its effects are, and the versions read last.
 * Thread-safe.
 */
public final class ObjectEntry {
  /**
   * Readers at snapshots of about the same age must not make each other start from the beginning.
   */
  private static final int KEPT_VERSIONS = 3;

  private static final Version[] NONE = new Version[0];
  private static final VarHandle VERSIONS = handle();

  private final CrdtType<?, ?, ?, ?> type;
  private volatile EffectList effects = EffectList.EMPTY;

  /** Newest first. */
  private volatile Version[] versions = NONE;

  ObjectEntry(CrdtType<?, ?, ?, ?> type) {
    this.type = type;
  }

  private static VarHandle handle() {
    try {
      return MethodHandles.lookup().findVarHandle(ObjectEntry.class, "versions", Version[].class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The type that the object's first effect gave it. */
  public CrdtType<?, ?, ?, ?> type() {
    return type;
  }

  /** The effects so far; those not durable yet are among them, above every snapshot. */
  public EffectList effects() {
    return effects;
  }

  /** Only under the commit lock. */
  void add(IndexedEffect effect) {
    effects = effects.with(effect);
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

  /** Keeps a version for later readers, unless one as new is kept already. */
  public void offer(Version version) {
    Version[] current = versions;
    while (current.length == 0 || isNewer(version, current[0])) {
      Version[] changed = new Version[Math.min(KEPT_VERSIONS, current.length + 1)];
      System.arraycopy(current, 0, changed, 1, changed.length - 1);
      changed[0] = version;
      if (VERSIONS.compareAndSet(this, current, changed)) {
        return;
      }
      current = versions;
    }
  }

  private static boolean isNewer(Version version, Version than) {
    return than.at().isAtOrBefore(version.at()) && !version.at().isAtOrBefore(than.at());
  }
}

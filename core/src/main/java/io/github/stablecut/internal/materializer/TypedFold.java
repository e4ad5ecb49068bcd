package io.github.stablecut.internal.materializer;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.SeveralTypes;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.index.VersionBytes;

/**
 * Folds effects, possibly of several types, onto a version. Effects of a type that the version
 * lacks start from that type's initial state. Confined to one thread.
 */
public final class TypedFold {
  private final Version base;
  private CrdtType<?, ?, ?, ?> type;
  private Object state;

  /** Starts from a version. */
  public TypedFold(Version base) {
    this.base = base;
    this.type = base.type();
    this.state = base.state();
  }

  /** Applies the next effect. */
  public void apply(CrdtType<?, ?, ?, ?> ofType, Object effect, EffectOrigin origin) {
    if (type == ofType || type.typeId() == ofType.typeId()) {
      state = CallTypes.apply(type, state, effect, origin);
      return;
    }
    SeveralTypes.States several =
        state instanceof SeveralTypes.States known ? known : SeveralTypes.States.of(type, state);
    state = SeveralTypes.TYPE.apply(several, new SeveralTypes.Effect(ofType, effect), origin);
    type = SeveralTypes.TYPE;
  }

  /** The current state: of one type, or {@link SeveralTypes.States}. */
  Object state() {
    return state;
  }

  /** The type of the current state. */
  CrdtType<?, ?, ?, ?> type() {
    return type;
  }

  /** Returns the version after the effects. */
  public Version version(VectorClock since, VectorClock at, int bytes) {
    VersionBytes takes = base.takes().with(bytes);
    return state instanceof SeveralTypes.States several
        ? Version.of(several, since, at, takes)
        : new Version(type, since, at, state, takes);
  }

  /** Returns a version without the parts that no transaction can refer to any longer. */
  public static Version prune(Version version, VectorClock frontier) {
    Object pruned = CallTypes.prune(version.type(), version.state(), frontier);
    return pruned instanceof SeveralTypes.States several
        ? Version.of(several, version.since(), version.at(), version.takes())
        : new Version(version.type(), version.since(), version.at(), pruned, version.takes());
  }
}

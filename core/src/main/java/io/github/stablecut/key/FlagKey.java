package io.github.stablecut.key;

import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.crdt.register.DisableWinsFlag;
import io.github.stablecut.crdt.register.EnableWinsFlag;
import java.util.Optional;

/** The key of a flag ({@link EnableWinsFlag} or {@link DisableWinsFlag}). Initially disabled. */
public final class FlagKey extends Key<Boolean> {
  /** The type of a flag, and its operations. */
  private record Kind(
      CrdtType<?, ?, ?, Boolean> type, Object enabling, Object disabling, Object reset) {}

  private static final Kind ENABLE_WINS =
      new Kind(
          EnableWinsFlag.TYPE,
          EnableWinsFlag.Operation.ENABLE,
          EnableWinsFlag.Operation.DISABLE,
          EnableWinsFlag.Operation.RESET);
  private static final Kind DISABLE_WINS =
      new Kind(
          DisableWinsFlag.TYPE,
          DisableWinsFlag.Operation.ENABLE,
          DisableWinsFlag.Operation.DISABLE,
          DisableWinsFlag.Operation.RESET);

  private final Kind kind;

  private FlagKey(ObjectPath path, Kind kind) {
    super(path, kind.type, value -> value);
    this.kind = kind;
  }

  static FlagKey enableWins(ObjectPath path) {
    return new FlagKey(path, ENABLE_WINS);
  }

  static FlagKey disableWins(ObjectPath path) {
    return new FlagKey(path, DISABLE_WINS);
  }

  /** Sets the flag. */
  public Update enable() {
    return updateBy(kind.enabling);
  }

  /** Clears the flag. */
  public Update disable() {
    return updateBy(kind.disabling);
  }

  /**
   * Resets the updates that the transaction sees. Unlike {@link #disable}, a reset never wins over
   * concurrent operations.
   */
  public Update reset() {
    return updateBy(kind.reset);
  }

  @Override
  Optional<ObjectQuery<?, Boolean>> valueQuery() {
    return Optional.of(ask(new Question.IsSet()));
  }

  @Override
  FlagKey at(ObjectPath other) {
    return new FlagKey(other, kind);
  }
}

package io.github.stablecut.cluster.internal.call;

/** Tells which calls commit. */
public final class Commits {
  private Commits() {}

  /**
   * Whether a call commits, and would commit again if it were repeated. If its answer is lost, the
   * outcome is unknown.
   */
  public static boolean isOne(Call call) {
    if (call instanceof Call.AfterPoint after) {
      return isOne(after.call());
    }
    return call instanceof Call.Write
        || call instanceof Call.WriteIf
        || call instanceof Call.Delete
        || (call instanceof Call.End end && end.ending() == Call.Ending.COMMIT);
  }
}

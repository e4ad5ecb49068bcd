package io.github.stablecut.cluster.internal.call;

/** Which calls commit. */
public final class Commits {
  private Commits() {}

  /**
   * Whether it commits, and once more if it is made again: nobody knows what came of it when its
   * answer is lost.
   */
  public static boolean isOne(Call call) {
    if (call instanceof Call.After after) {
      return isOne(after.call());
    }
    return call instanceof Call.Write
        || call instanceof Call.WriteIf
        || call instanceof Call.Delete
        || (call instanceof Call.End end && end.ending() == Call.Ending.COMMIT);
  }
}

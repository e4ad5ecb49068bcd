package io.github.stablecut.cluster.internal.remote;

/**
 * The moves of partitions to and from a node, which end when partitions get copies. Thread-safe.
 */
public interface Moves {
  /** None. */
  Moves NONE =
      new Moves() {
        @Override
        public boolean end() {
          return true;
        }

        @Override
        public void goOn() {}
      };

  /**
   * No more moves begin.
   *
   * @return false if one is under way
   */
  boolean end();

  /** Moves may begin again. */
  void goOn();
}

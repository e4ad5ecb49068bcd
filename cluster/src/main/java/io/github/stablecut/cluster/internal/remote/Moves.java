package io.github.stablecut.cluster.internal.remote;

/**
 * The moves of partitions to and from a node. They end when partitions become replicated.
 * Thread-safe.
 */
public interface Moves {
  /** No moves. */
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
   * Prevents new moves.
   *
   * @return false if a move is in progress
   */
  boolean end();

  /** Allows moves again. */
  void goOn();
}

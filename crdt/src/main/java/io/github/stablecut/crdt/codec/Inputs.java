package io.github.stablecut.crdt.codec;

import com.esotericsoftware.kryo.io.Input;
import org.jspecify.annotations.Nullable;

/**
 * Kryo's buffers to read from, one for each thread: one has an array for characters, which takes
 * more than most effects do. Thread-safe.
 */
final class Inputs {
  private static final byte[] NOTHING = {};

  /** The thread's buffer while it does not read from it. */
  private static final ThreadLocal<@Nullable Input> FREE = new ThreadLocal<>();

  private Inputs() {}

  /**
   * A buffer for some bytes, to be given back. Who reads something else meanwhile, in what is
   * called while it is read from, gets another one.
   */
  static Input take(byte[] bytes) {
    Input free = FREE.get();
    if (free == null) {
      return new Input(bytes);
    }
    FREE.set(null);
    free.setBuffer(bytes);
    return free;
  }

  /** Gives back what {@link #take} has answered; it is read from no more. */
  static void giveBack(Input taken) {
    taken.setBuffer(NOTHING);
    FREE.set(taken);
  }
}

package io.github.stablecut.crdt.codec;

import com.esotericsoftware.kryo.io.Input;
import org.jspecify.annotations.Nullable;

/**
 * Reuses Kryo's input buffers, one per thread: a buffer has an array for characters that is larger
 * than most effects. Thread-safe.
 */
final class Inputs {
  private static final byte[] NOTHING = {};

  /** The thread's buffer while not in use. */
  private static final ThreadLocal<@Nullable Input> FREE = new ThreadLocal<>();

  private Inputs() {}

  /**
   * A buffer over bytes; the caller must {@link #release} it. Nested calls on the same thread get a
   * new buffer.
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

  /** Releases a buffer from {@link #take}; the caller must not use it afterwards. */
  static void release(Input taken) {
    taken.setBuffer(NOTHING);
    FREE.set(taken);
  }
}

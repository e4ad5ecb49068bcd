package io.github.stablecut.option;

/**
 * How a store finds the effects on an object that no checkpoint has yet. Immutable.
 *
 * @param isOn whether memory holds where they are, and they themselves as far as {@link
 *     StoreOptions.Limits#effectBytes} goes; if not, a read that finds no complete version filters
 *     the journal, which takes as long as the journal is, and scans and checkpoints do so for each
 *     object that has changed since the last checkpoint: for measuring what an index is worth
 * @param foldAfter when so many effects on an object wait to be folded into a version, that is done
 *     in the background, so that the next reader need not; 0 leaves it to the reader; default 64
 */
public record IndexOptions(boolean isOn, int foldAfter) {
  private static final IndexOptions DEFAULTS = new IndexOptions(true, 64);

  /** Checks the range. */
  public IndexOptions {
    if (foldAfter < 0) {
      throw new IllegalArgumentException("foldAfter is at least 0, not " + foldAfter);
    }
  }

  /** The default. */
  public static IndexOptions defaults() {
    return DEFAULTS;
  }

  /** No index. */
  public static IndexOptions off() {
    return new IndexOptions(false, 0);
  }

  /** These options with effects folded in the background after another number, or never. */
  public IndexOptions withFoldAfter(int effects) {
    return new IndexOptions(isOn, effects);
  }
}

package io.github.stablecut.option;

/**
 * The options for finding the effects on an object that are not in a checkpoint yet. Immutable.
 *
 * @param isEnabled whether an index in memory has the positions of these effects, and the effects
 *     themselves within {@link StoreOptions.Limits#effectBytes}. Without it, a read that finds no
 *     complete version filters the whole journal; scans and checkpoints do so for each object that
 *     has changed since the last checkpoint. Turn it off only to measure what the index is worth
 * @param foldAfter the number of effects on an object after which a background thread folds them
 *     into a version, to save readers the work; 0 leaves it to readers; default 64
 */
public record IndexOptions(boolean isEnabled, int foldAfter) {
  private static final IndexOptions DEFAULTS = new IndexOptions(true, 64);

  /** Checks the range. */
  public IndexOptions {
    if (foldAfter < 0) {
      throw new IllegalArgumentException("foldAfter must be at least 0, not " + foldAfter);
    }
  }

  /** The default options. */
  public static IndexOptions defaults() {
    return DEFAULTS;
  }

  /** No index. */
  public static IndexOptions off() {
    return new IndexOptions(false, 0);
  }

  /** Sets the number of effects after which they are folded in the background; 0 for never. */
  public IndexOptions withFoldAfter(int effects) {
    return new IndexOptions(isEnabled, effects);
  }
}

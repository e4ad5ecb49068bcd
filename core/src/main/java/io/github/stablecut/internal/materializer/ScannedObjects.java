package io.github.stablecut.internal.materializer;

/**
 * An iterator over the objects of a range that also reports objects that the snapshot does not see.
 */
public interface ScannedObjects extends FoundObjects {
  /**
   * Returns whether objects whose effects are all later than the snapshot were skipped since the
   * last call.
   */
  boolean hasSkipped();
}

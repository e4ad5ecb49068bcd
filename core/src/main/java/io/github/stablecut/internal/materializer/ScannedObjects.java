package io.github.stablecut.internal.materializer;

/** Objects of a range, one by one, and whether others are there that the snapshot does not see. */
public interface ScannedObjects extends FoundObjects {
  /**
   * Whether objects to which something was done later than at the snapshot were passed over since
   * this was asked last.
   */
  boolean havePassedOver();
}

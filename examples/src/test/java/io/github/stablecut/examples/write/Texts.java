package io.github.stablecut.examples.write;

import io.github.stablecut.examples.trace.Trace.Patch;

/** Texts as strings, for comparison. */
final class Texts {
  private Texts() {}

  /** Applies a patch to a text. */
  static String with(String text, Patch patch) {
    int from = text.offsetByCodePoints(0, patch.position());
    return text.substring(0, from)
        + patch.inserted()
        + text.substring(text.offsetByCodePoints(from, patch.deleted()));
  }
}

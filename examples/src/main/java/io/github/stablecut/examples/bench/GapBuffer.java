package io.github.stablecut.examples.bench;

import java.util.Arrays;

/**
 * Characters in an array with a gap at the last edit, as in a plain editor: a lower bound of an
 * edit's cost, without versions, replicas or tombstones. Confined to one thread.
 */
final class GapBuffer {
  private char[] array = new char[1024];
  private int gapBegin;
  private int gapEnd = array.length;

  /** Replaces some characters. */
  void replace(int position, int deleted, String inserted) {
    moveTo(position);
    gapEnd += deleted;
    while (gapEnd - gapBegin < inserted.length()) {
      grow();
    }
    inserted.getChars(0, inserted.length(), array, gapBegin);
    gapBegin += inserted.length();
  }

  private void moveTo(int position) {
    int moved = position - gapBegin;
    if (moved > 0) {
      System.arraycopy(array, gapEnd, array, gapBegin, moved);
    } else {
      System.arraycopy(array, position, array, gapEnd + moved, -moved);
    }
    gapBegin += moved;
    gapEnd += moved;
  }

  private void grow() {
    int rest = array.length - gapEnd;
    char[] larger = Arrays.copyOf(array, 2 * array.length);
    System.arraycopy(array, gapEnd, larger, larger.length - rest, rest);
    gapEnd = larger.length - rest;
    array = larger;
  }

  @Override
  public String toString() {
    return new String(array, 0, gapBegin) + new String(array, gapEnd, array.length - gapEnd);
  }
}

package io.github.stablecut.tools;

import java.util.List;

/**
 * What a verification has found. Immutable.
 *
 * @param damages what is wrong, each with file and position; the first {@link #MAX_LISTED} of them
 * @param damageCount how many there are
 * @param notes what is no damage but worth knowing, such as what a crash has left
 * @param checked how much was looked at
 */
public record VerificationReport(
    List<String> damages, long damageCount, List<String> notes, Checked checked) {
  /** So many damages are listed at most. */
  public static final int MAX_LISTED = 1_000;

  /**
   * How much was looked at.
   *
   * @param segments files of the journal
   * @param records records in them
   * @param effects effects in those
   * @param checkpointFiles runs and history files
   * @param entries entries in the runs
   * @param compared objects of which checkpoints were compared with the journal
   */
  public record Checked(
      long segments,
      long records,
      long effects,
      long checkpointFiles,
      long entries,
      long compared) {}

  /** Copies. */
  public VerificationReport {
    damages = List.copyOf(damages);
    notes = List.copyOf(notes);
  }

  /** Whether nothing is wrong. */
  public boolean isWell() {
    return damageCount == 0;
  }
}

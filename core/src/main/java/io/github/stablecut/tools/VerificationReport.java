package io.github.stablecut.tools;

import java.util.List;

/**
 * The result of a verification. Immutable.
 *
 * @param damages damage, each with file and position; the first {@link #MAX_LISTED}
 * @param damageCount the number of damages
 * @param notes findings that are not damage, such as the traces of a crash
 * @param checked how much was checked
 */
public record VerificationReport(
    List<String> damages, long damageCount, List<String> notes, Coverage checked) {
  /** The maximum number of listed damages. */
  public static final int MAX_LISTED = 1_000;

  /**
   * The amount of checked data.
   *
   * @param segments the number of journal files
   * @param records the number of records in them
   * @param effects the number of effects in those
   * @param checkpointFiles the number of runs and history files
   * @param entries the number of entries in the runs
   * @param compared the number of objects whose checkpoints were compared with the journal
   */
  public record Coverage(
      long segments,
      long records,
      long effects,
      long checkpointFiles,
      long entries,
      long compared) {}

  /** Copies the lists. */
  public VerificationReport {
    damages = List.copyOf(damages);
    notes = List.copyOf(notes);
  }

  /** Whether no damage was found. */
  public boolean isIntact() {
    return damageCount == 0;
  }
}

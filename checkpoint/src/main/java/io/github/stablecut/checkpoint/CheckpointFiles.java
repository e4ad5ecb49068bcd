package io.github.stablecut.checkpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.OptionalLong;
import java.util.zip.CRC32C;

/**
 * The names of the files of a checkpoint store, and the switch from one manifest to the next.
 *
 * <pre>
 *   CURRENT          the current manifest: one line, such as MANIFEST-12 crc32c=1c2f9a07
 *   CURRENT.new      the next CURRENT, before its rename
 *   MANIFEST-12      the contents of the store since its 12th change ({@link Manifest})
 *   run-7            a run; the number is unrelated to its age
 *   run-7.tmp        a run that is not complete
 *   hist-8           positions of effects that left the heap; numbered together with the runs
 *   hist-8.tmp       the same, not complete
 *   run-7.sort       slots of an index, sorted in parts; exists while run-7 is written
 *   run-7.fences     fences that do not fit into memory; exists while run-7 is written
 * </pre>
 *
 * <p>Numbers are decimal, and a number that a file in the directory has is not reused. The checksum
 * in CURRENT covers the name before the space.
 *
 * <h2>A change, step by step</h2>
 *
 * <pre>
 *    1  create run-7.tmp, append, force           a crash leaves garbage
 *    2  rename run-7.tmp to run-7                 still garbage
 *    3  create MANIFEST-12, append, force         still garbage
 *    4  create CURRENT.new, append, force
 *    5  force the directory                       all names of steps 1 to 4 are durable
 *    6  rename CURRENT.new to CURRENT             the commit point
 *    7  force the directory                       the change is durable
 *    8  delete MANIFEST-10, and what neither MANIFEST-12 nor a reader needs
 * </pre>
 *
 * <h2>What a crash can leave</h2>
 *
 * <p>Up to step 6: the old CURRENT, and unreferenced files, which the next open deletes. Between 6
 * and 7: the old CURRENT or the new one; each names a manifest whose files all exist. After 7: the
 * new one, and files that step 8 had not yet deleted.
 *
 * <p>Damage is different: the checksum of a CURRENT, a manifest or a run was once right, and is
 * wrong now. Then the open takes the newest <em>usable</em> manifest. Its own checksum is right,
 * each file that it names exists with the stated size and checksum, and the journal still begins at
 * or before the segment that it needs. Such a manifest, though older, loses nothing, because the
 * journal contains what it lacks. In practice it is the previous one, as long as no journal segment
 * was dropped and no runs were merged since. If CURRENT is right, only manifests up to the one that
 * it names are candidates. If it is damaged, all are, because even an uncommitted manifest is
 * complete. A store without any manifest has manifest number 0, which needs the whole journal. If
 * no manifest is usable, the open fails and reports what is wrong with each.
 */
public final class CheckpointFiles {
  /** The file that names the current manifest. */
  public static final String CURRENT = "CURRENT";

  /** The next {@link #CURRENT}. */
  public static final String NEXT_CURRENT = CURRENT + ".new";

  private static final String MANIFEST = "MANIFEST-";
  private static final String RUN = "run-";
  private static final String HISTORY = "hist-";
  private static final String UNFINISHED = ".tmp";
  private static final String SORTING = ".sort";
  private static final String FENCES = ".fences";
  private static final String CHECKSUM = " crc32c=";
  private static final int MAX_DIGITS = 18;

  private CheckpointFiles() {}

  /** The name of a manifest. */
  public static String manifest(long number) {
    return MANIFEST + number;
  }

  /** The number of a manifest; empty if the file name is not a manifest's. */
  public static OptionalLong manifestNumber(String name) {
    return number(name, MANIFEST, "");
  }

  /** The name of a run. */
  public static String run(long number) {
    return RUN + number;
  }

  /** The name of a history file. */
  public static String history(long number) {
    return HISTORY + number;
  }

  /** The name of a run or a history file while it is not complete. */
  public static String unfinished(String name) {
    return name + UNFINISHED;
  }

  /** The name of the sorted parts of an index. */
  public static String sorting(String name) {
    return name + SORTING;
  }

  /** The name of the fences of a run that is being written. */
  public static String fences(String name) {
    return name + FENCES;
  }

  /** The number of a run or a history file, complete or not; empty for any other file name. */
  public static OptionalLong fileNumber(String name) {
    for (String kind : new String[] {RUN, HISTORY}) {
      for (String state : new String[] {"", UNFINISHED, SORTING, FENCES}) {
        OptionalLong number = number(name, kind, state);
        if (number.isPresent()) {
          return number;
        }
      }
    }
    return OptionalLong.empty();
  }

  /** Whether a file belongs to a checkpoint store, in use or not. */
  public static boolean isOurs(String name) {
    return name.equals(CURRENT)
        || name.equals(NEXT_CURRENT)
        || manifestNumber(name).isPresent()
        || fileNumber(name).isPresent();
  }

  private static OptionalLong number(String name, String prefix, String suffix) {
    if (!name.startsWith(prefix)
        || !name.endsWith(suffix)
        || name.length() < prefix.length() + suffix.length()) {
      return OptionalLong.empty();
    }
    String digits = name.substring(prefix.length(), name.length() - suffix.length());
    boolean isNumber = digits.matches("[1-9][0-9]*") && digits.length() <= MAX_DIGITS;
    return isNumber ? OptionalLong.of(Long.parseLong(digits)) : OptionalLong.empty();
  }

  /** The content of {@link #CURRENT}. */
  public static byte[] current(long manifestNumber) {
    String name = manifest(manifestNumber);
    return (name + CHECKSUM + checksum(name) + "\n").getBytes(US_ASCII);
  }

  /** The manifest that the content of {@link #CURRENT} names; empty if it is damaged. */
  public static OptionalLong manifestOf(byte[] current) {
    String text = new String(current, US_ASCII);
    int end = text.indexOf(CHECKSUM);
    if (end < 0
        || !text.equals(
            text.substring(0, end) + CHECKSUM + checksum(text.substring(0, end)) + "\n")) {
      return OptionalLong.empty();
    }
    return manifestNumber(text.substring(0, end));
  }

  private static String checksum(String text) {
    CRC32C crc = new CRC32C();
    crc.update(text.getBytes(US_ASCII));
    return "%08x".formatted(crc.getValue());
  }
}

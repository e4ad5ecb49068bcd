package io.github.stablecut.internal.backup;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.checkpoint.CheckpointFiles;
import io.github.stablecut.error.BackupRefusedException;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.UnsupportedFormatException;
import io.github.stablecut.file.Sha256;
import io.github.stablecut.internal.recovery.Membership;
import io.github.stablecut.internal.recovery.StoreDirectory;
import io.github.stablecut.internal.recovery.StoreIdentity;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The list of a backup's files: the content of its file {@code BACKUP}, readable lines of text. The
 * file is created last, so a directory without it is not a backup.
 *
 * <p>The initial data of a new data centre is a backup, too. That and the backup of a cluster, with
 * its past, have more kinds of files.
 *
 * <pre>
 *   BACKUP             this
 *   p0/CURRENT         the files of the partition's checkpoints, as {@link CheckpointFiles} has them:
 *   p0/MANIFEST-12     of the newest checkpoint alone, without histories and journal; of a cluster
 *                      of all that are kept
 *   p0/run-7
 *   p1/CURRENT         the same of the next partition, and so on
 *   p0/JOURNAL         records of the partition's journal ({@link JournalRecords}), for a new
 *                      data centre, and of a cluster
 *   DATACENTRES        the group of the new data centre ({@link Membership}); its number is that of
 *                      this file
 *
 *   stablecut backup
 *   format=1
 *   store=9f86d081884c7d65
 *   routing=9f86d081884c7d65
 *   made=2026-11-20T08:00:00.123Z
 *   dataCentre=2
 *   file=p0/run-7 bytes=73728 sha256=2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
 *   sha256=fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9
 * </pre>
 *
 * <p>The line {@code dataCentre} exists only if the number is not 0. The last line is the SHA-256
 * of all bytes before it. The first two lines and the last are the same in every format, so that
 * older programs can report what they found. Immutable.
 *
 * @param storeId the store that was backed up
 * @param routing decides which partition an object belongs to
 * @param dataCentre the data centre that the store is in
 * @param made the time of the backup, by the machine's clock
 * @param files the files, each once
 */
record BackupManifest(
    long storeId, long routing, LocalDataCentre dataCentre, Instant made, List<BackupFile> files) {
  static final String FILE = StoreDirectory.BACKUP;

  /** The records of a partition's journal that a new data centre or a restored cluster has. */
  static final String JOURNAL = "JOURNAL";

  /** The maximum length, above that of a list of the most files that compaction leaves. */
  static final int MAX_BYTES = 1 << 24;

  private static final String FIRST_LINE = "stablecut backup";
  private static final int FORMAT = 1;
  private static final String SUM = "sha256=";
  private static final Pattern HEAD =
      Pattern.compile(
          "store=([0-9a-f]{16})\nrouting=([0-9a-f]{16})\nmade=([0-9TZ.:-]{1,40})\n(?:dataCentre=([0-9]{1,4})\n)?");
  private static final Pattern LINE =
      Pattern.compile("file=p([0-9]{1,4})/(\\S{1,64}) bytes=([0-9]{1,18}) sha256=([0-9a-f]{64})\n");

  /**
   * A file of a backup. Immutable.
   *
   * @param partition its number
   * @param name the name in the partition's directory
   * @param sha256 64 hexadecimal digits
   */
  record BackupFile(int partition, String name, long bytes, String sha256) {
    /** Whether it has records of a partition's journal, and is not a file of its checkpoints. */
    boolean isJournal() {
      return name.equals(JOURNAL);
    }

    /** The path in the backup. */
    String path() {
      return directoryOf(partition) + "/" + name;
    }
  }

  /** A partition's directory in a backup. */
  static String directoryOf(int partition) {
    return "p" + partition;
  }

  /** The number of partitions: each has files, and the last has the greatest number. */
  int partitions() {
    return 1 + files.stream().mapToInt(BackupFile::partition).max().orElse(0);
  }

  BackupManifest {
    files = List.copyOf(files);
  }

  /** The identity of a store that is restored from this backup. */
  StoreIdentity restoredAs(long id) {
    return new StoreIdentity(id, partitions(), dataCentre, OptionalLong.of(storeId), routing);
  }

  /** The bytes of all files. */
  long bytes() {
    return files.stream().mapToLong(BackupFile::bytes).sum();
  }

  String toText() {
    StringBuilder text = new StringBuilder(FIRST_LINE).append('\n');
    text.append("format=").append(FORMAT).append('\n');
    text.append("store=%016x\nrouting=%016x\nmade=%s\n".formatted(storeId, routing, made));
    if (!dataCentre.equals(LocalDataCentre.FIRST)) {
      text.append("dataCentre=").append(dataCentre.number()).append('\n');
    }
    for (BackupFile file : files) {
      text.append("file=%s bytes=%d ".formatted(file.path(), file.bytes));
      text.append(SUM).append(file.sha256).append('\n');
    }
    return text + sumLine(text.toString());
  }

  private static String sumLine(String content) {
    byte[] sum = Sha256.begin().digest(content.getBytes(UTF_8));
    return SUM + HexFormat.of().formatHex(sum) + "\n";
  }

  /**
   * The manifest of a directory.
   *
   * @throws BackupRefusedException if there is none
   */
  static BackupManifest in(Path backup) throws IOException {
    Path file = backup.resolve(FILE);
    if (!Files.isRegularFile(file)) {
      throw new BackupRefusedException(
          "%s is not a complete backup, because it has no file %s: name the directory of a backup"
              .formatted(backup, FILE));
    }
    try (InputStream in = Files.newInputStream(file)) {
      byte[] content = in.readNBytes(MAX_BYTES + 1);
      if (content.length > MAX_BYTES) {
        throw new CorruptStoreException(
            "%s has more than %,d bytes: it is damaged; use another backup"
                .formatted(file, MAX_BYTES));
      }
      return parse(new String(content, UTF_8), file.toString());
    }
  }

  /**
   * Parses the content of a manifest's file.
   *
   * @param path the file's name for messages
   * @throws BackupRefusedException if it is not a manifest
   * @throws UnsupportedFormatException if a newer program wrote it
   * @throws CorruptStoreException if it is damaged
   */
  static BackupManifest parse(String text, String path) {
    if (!text.startsWith(FIRST_LINE + "\n")) {
      throw new BackupRefusedException(
          path + " does not begin with \"" + FIRST_LINE + "\": it does not belong to a backup");
    }
    int sumAt = text.lastIndexOf(SUM);
    if (!sumLine(text.substring(0, sumAt < 0 ? 0 : sumAt))
        .equals(text.substring(Math.max(0, sumAt)))) {
      throw damaged(path, "its SHA-256 is wrong");
    }
    int format = FIRST_LINE.length() + 1;
    Matcher version = Pattern.compile("format=([0-9]{1,9})\n").matcher(text);
    if (!version.find(format) || version.start() != format) {
      throw damaged(path, "it has no format");
    }
    if (Integer.parseInt(version.group(1)) != FORMAT) {
      throw new UnsupportedFormatException(
          "%s is of format %s, this program reads %d: use a newer version"
              .formatted(path, version.group(1), FORMAT));
    }
    return parseContent(text.substring(version.end(), sumAt), path);
  }

  private static BackupManifest parseContent(String content, String path) {
    Matcher head = HEAD.matcher(content);
    if (!head.lookingAt()) {
      throw damaged(path, "it does not name its store");
    }
    List<BackupFile> files = new ArrayList<>();
    Set<String> names = new HashSet<>();
    Matcher line = LINE.matcher(content);
    int at = head.end();
    while (line.find(at) && line.start() == at) {
      BackupFile file =
          new BackupFile(
              Integer.parseInt(line.group(1)),
              line.group(2),
              Long.parseLong(line.group(3)),
              line.group(4));
      if (!(CheckpointFiles.isOurs(file.name) || file.isJournal()) || !names.add(file.path())) {
        throw damaged(path, "a file " + file.path() + " can't be in a backup");
      }
      files.add(file);
      at = line.end();
    }
    if (at != content.length()) {
      throw damaged(path, "it is malformed after its first " + files.size() + " files");
    }
    try {
      long storeId = HexFormat.fromHexDigitsToLong(head.group(1));
      BackupManifest manifest =
          new BackupManifest(
              storeId,
              HexFormat.fromHexDigitsToLong(head.group(2)),
              dataCentre(head.group(4), path),
              Instant.parse(head.group(3)),
              files);
      for (int number = 0; number < manifest.partitions(); number++) {
        if (!names.contains(directoryOf(number) + "/" + CheckpointFiles.CURRENT)) {
          throw damaged(path, "it lacks the files of partition " + number);
        }
      }
      return manifest;
    } catch (DateTimeException e) {
      throw damaged(path, "it has no time");
    }
  }

  /**
   * @param number null if the line is missing
   */
  private static LocalDataCentre dataCentre(@Nullable String number, String path) {
    try {
      return number == null ? LocalDataCentre.FIRST : new LocalDataCentre(Integer.parseInt(number));
    } catch (IllegalArgumentException e) {
      throw damaged(path, "there is no data centre " + number);
    }
  }

  private static CorruptStoreException damaged(String path, String what) {
    return new CorruptStoreException(path + " is damaged: " + what + "; use another backup");
  }
}

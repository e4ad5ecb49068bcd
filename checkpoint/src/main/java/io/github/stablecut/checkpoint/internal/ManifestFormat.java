package io.github.stablecut.checkpoint.internal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.Manifest;
import io.github.stablecut.checkpoint.ManifestFile;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;

/**
 * The format of a manifest, version 1: readable lines of ASCII.
 *
 * <pre>
 *   stablecut manifest
 *   format=1
 *   number=12
 *   epoch=3
 *   hashSeed=9f86d081884c7d65
 *   lowWatermark=1046,0,1044
 *   firstSegment=4
 *   clockCeiling=2048000
 *   run=run-7 at=1046,0,1044 bytes=73728 crc32c=1c2f9a07
 *   run=run-9 at=2093,5,1044 bytes=16384 crc32c=f00ba400
 *   hist=hist-8 at=2093,5,1044 bytes=16384 crc32c=0badcafe
 *   attribute=sealed.3 the rest of the line
 *   crc32c=5ca1ab1e
 * </pre>
 *
 * <p>All lines except {@code run}, {@code hist} and {@code attribute} occur once, in this order.
 * Runs and history files are listed oldest first, attributes by name. A vector has its entries in
 * the order of the data centres, and 0 for a missing one. Numbers are decimal; seed and checksums
 * have all their hexadecimal digits. The last line is the CRC32C of all bytes before it. The first
 * two lines and the last are the same in every format, so that older programs can report what they
 * found.
 *
 * <p>The encoding is canonical: equal manifests have equal bytes, and other encodings are rejected.
 */
public final class ManifestFormat {
  /** The maximum length, above that of a manifest with the most runs that compaction leaves. */
  public static final int MAX_BYTES = 1 << 24;

  /** The newest format that this program reads, and the one that it writes. */
  public static final int VERSION = 1;

  private static final String FIRST_LINE = "stablecut manifest\n";
  private static final String FORMAT = "format=";
  private static final String CHECKSUM = "crc32c=";
  private static final int CHECKSUM_LINE_LENGTH = CHECKSUM.length() + 8 + 1;

  private ManifestFormat() {}

  /**
   * The bytes of a manifest.
   *
   * @throws IllegalArgumentException if they exceed {@link #MAX_BYTES}
   */
  public static byte[] encode(Manifest manifest) {
    StringBuilder out = new StringBuilder(FIRST_LINE);
    out.append(FORMAT).append(VERSION).append('\n');
    out.append("number=").append(manifest.number()).append('\n');
    out.append("epoch=").append(manifest.epoch()).append('\n');
    out.append("hashSeed=").append(HexFormat.of().toHexDigits(manifest.hashSeed())).append('\n');
    out.append("lowWatermark=").append(vector(manifest.lowWatermark())).append('\n');
    out.append("firstSegment=").append(manifest.firstSegment()).append('\n');
    out.append("clockCeiling=").append(manifest.clockCeiling()).append('\n');
    manifest.runs().forEach(run -> appendFile(out, "run", run));
    manifest.histories().forEach(history -> appendFile(out, "hist", history));
    manifest
        .attributes()
        .forEach(
            (name, value) ->
                out.append("attribute=").append(name).append(' ').append(value).append('\n'));
    String content = out.toString();
    byte[] bytes = (content + checksumLine(content)).getBytes(US_ASCII);
    if (bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "a manifest of %d bytes exceeds the limit of %d".formatted(bytes.length, MAX_BYTES));
    }
    return bytes;
  }

  private static void appendFile(StringBuilder out, String key, ManifestFile file) {
    out.append(key).append('=').append(file.name()).append(" at=").append(vector(file.at()));
    out.append(" bytes=").append(file.bytes());
    out.append(" crc32c=").append(HexFormat.of().toHexDigits(file.checksum())).append('\n');
  }

  private static String vector(VectorClock vector) {
    return LongStream.range(0, Math.max(1, vector.size()))
        .mapToObj(i -> Long.toString(vector.get((int) i)))
        .collect(Collectors.joining(","));
  }

  private static String checksumLine(String content) {
    CRC32C crc = new CRC32C();
    crc.update(content.getBytes(US_ASCII));
    return CHECKSUM + HexFormat.of().toHexDigits((int) crc.getValue()) + "\n";
  }

  /**
   * The manifest encoded in some bytes.
   *
   * @param path the file's name for messages
   * @throws io.github.stablecut.checkpoint.CorruptCheckpointException if they are not a manifest
   * @throws io.github.stablecut.checkpoint.CheckpointVersionException if a newer program wrote them
   */
  public static Manifest decode(byte[] bytes, String path) {
    String text = new String(bytes, US_ASCII);
    int end = text.length() - CHECKSUM_LINE_LENGTH;
    if (end < 0
        || !text.startsWith(FIRST_LINE)
        || !text.substring(end).equals(checksumLine(text.substring(0, end)))) {
      throw Damage.of(path, "the manifest's checksum is wrong");
    }
    try {
      PartReader lines = new PartReader(text.substring(FIRST_LINE.length(), end).split("\n", -1));
      long version = Long.parseLong(lines.take(FORMAT));
      if (version > VERSION) {
        throw Damage.newer(path, version, VERSION);
      }
      Manifest manifest = read(lines);
      if (version == VERSION && new String(encode(manifest), US_ASCII).equals(text)) {
        return manifest;
      }
      throw new IllegalArgumentException("it is not in canonical form");
    } catch (IllegalArgumentException e) {
      throw Damage.of(path, "the manifest is malformed: " + e.getMessage());
    }
  }

  private static Manifest read(PartReader lines) {
    long number = Long.parseLong(lines.take("number="));
    long epoch = Long.parseLong(lines.take("epoch="));
    long hashSeed = HexFormat.fromHexDigitsToLong(lines.take("hashSeed="));
    VectorClock lowWatermark = readVector(lines.take("lowWatermark="));
    int firstSegment = Integer.parseInt(lines.take("firstSegment="));
    long clockCeiling = Long.parseLong(lines.take("clockCeiling="));
    List<ManifestFile> runs = new ArrayList<>();
    while (lines.isNext("run=")) {
      runs.add(readFile(lines.take("run=")));
    }
    List<ManifestFile> histories = new ArrayList<>();
    while (lines.isNext("hist=")) {
      histories.add(readFile(lines.take("hist=")));
    }
    SortedMap<String, String> attributes = new TreeMap<>();
    while (lines.isNext("attribute=")) {
      String[] parts = lines.take("attribute=").split(" ", 2);
      attributes.put(parts[0], parts.length == 2 ? parts[1] : "");
    }
    return Manifest.builder(number, epoch, hashSeed)
        .lowWatermark(lowWatermark)
        .firstSegment(firstSegment)
        .clockCeiling(clockCeiling)
        .runs(runs)
        .histories(histories)
        .attributes(attributes)
        .build();
  }

  private static ManifestFile readFile(String line) {
    PartReader fields = new PartReader(line.split(" ", -1));
    return new ManifestFile(
        fields.take(""),
        readVector(fields.take("at=")),
        Long.parseLong(fields.take("bytes=")),
        HexFormat.fromHexDigits(fields.take(CHECKSUM)));
  }

  private static VectorClock readVector(String text) {
    String[] entries = text.split(",", VectorClock.MAX_DATA_CENTRES + 1);
    long[] values = new long[entries.length];
    for (int i = 0; i < entries.length; i++) {
      values[i] = Long.parseLong(entries[i]);
    }
    return VectorClock.ofEntries(values);
  }

  /** Reads the parts of a text from front to back. Confined to one thread. */
  private static final class PartReader {
    private final String[] parts;
    private int next;

    PartReader(String[] parts) {
      this.parts = parts;
    }

    boolean isNext(String prefix) {
      return next < parts.length && parts[next].startsWith(prefix);
    }

    String take(String prefix) {
      if (!isNext(prefix)) {
        throw new IllegalArgumentException("expected " + prefix);
      }
      return parts[next++].substring(prefix.length());
    }
  }
}

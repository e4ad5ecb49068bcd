package io.github.stablecut.internal.recovery;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.error.IoReason;
import io.github.stablecut.log.Log;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.slf4j.Logger;

/**
 * The last known addresses of the members of a node's cluster: the content of the text file {@link
 * NodeDirectory#MEMBERS}. A restarted node asks them, as well as the seeds, whether it may join.
 *
 * <pre>
 *   stablecut members
 *   format=1
 *   self=10.0.0.1:2551
 *   members=10.0.0.1:2551,10.0.0.2:2551
 *   crc32c=1c2f9a07
 * </pre>
 *
 * <p>The file is a hint. Without it, a node finds its cluster through the seeds. A file that is
 * unreadable, too large, damaged, or of a newer format is therefore ignored with a warning.
 *
 * @param self the address of the node itself; empty if nothing was recorded
 * @param members all addresses
 */
record KnownMembers(String self, Set<String> members) {
  /** No known members. */
  static final KnownMembers NONE = new KnownMembers("", Set.of());

  private static final Logger LOG = Log.of(KnownMembers.class);

  /** The format that this version writes, and the only one that it reads. */
  private static final int FORMAT = 1;

  private static final String START = "stablecut members\nformat=" + FORMAT + "\n";

  /** Enough for thousands of members. */
  static final int MAX_BYTES = 1 << 20;

  /** A host name, an IPv4 address, or an IPv6 address in brackets, and a port. */
  private static final Pattern ADDRESS =
      Pattern.compile("([A-Za-z0-9._-]{1,253}|\\[[0-9A-Za-z:.%_-]{2,60}]):[0-9]{1,5}");

  /** Copies the set. */
  KnownMembers {
    members = Set.copyOf(members);
  }

  String toText() {
    return CheckedText.seal(
        START + "self=" + self + "\nmembers=" + String.join(",", new TreeSet<>(members)) + "\n");
  }

  /** Reads the file; nothing if there is no file, or no valid one. */
  static KnownMembers read(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      return bytes.length > MAX_BYTES
          ? ignored(file, "has more than %,d bytes".formatted(MAX_BYTES))
          : parse(new String(bytes, UTF_8), file);
    } catch (NoSuchFileException e) {
      return NONE;
    } catch (IOException e) {
      return ignored(file, "can't be read: " + IoReason.of(e));
    }
  }

  private static KnownMembers parse(String text, Path file) {
    if (!CheckedText.isWhole(text)) {
      return ignored(file, "is damaged: its checksum is wrong");
    }
    Map<String, String> fields = CheckedText.fields(text);
    if (!text.startsWith(START)) {
      return ignored(
          file,
          "has format %s, this program reads %d"
              .formatted(fields.getOrDefault("format", "missing"), FORMAT));
    }
    Set<String> members =
        new TreeSet<>(Arrays.asList(fields.getOrDefault("members", "").split(",", -1)));
    KnownMembers read = new KnownMembers(fields.getOrDefault("self", ""), members);
    if (!read.toText().equals(text)
        || !isAddress(read.self)
        || !members.stream().allMatch(KnownMembers::isAddress)) {
      return ignored(file, "is malformed");
    }
    return read;
  }

  private static boolean isAddress(String text) {
    return ADDRESS.matcher(text).matches();
  }

  private static KnownMembers ignored(Path file, String why) {
    LOG.warn(
        "{} {}; it is ignored: the node contacts only its seeds to join its cluster", file, why);
    return NONE;
  }
}

package io.github.stablecut.internal.recovery;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.error.CorruptStoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.CRC32C;

/**
 * The data centres of a group: the content of the text file {@link StoreDirectory#DATA_CENTRES}.
 * The knowledge of two members merges without conflict, because each entry only advances.
 * Immutable.
 *
 * <pre>
 *   stablecut data centres
 *   format=1
 *   group=9f86d081884c7d65
 *   0=9f86d081884c7d65 member 1 frankfurt.example:7600
 *   1=0a1b2c3d4e5f6071 joining 0
 *   crc32c=1c2f9a07
 * </pre>
 *
 * <p>The line of a member has its number, its store, its state, the version of its address, and the
 * address. Numbers are never reused.
 *
 * @param group the store that founded the group
 * @param members by number; never empty
 */
public record Membership(long group, NavigableMap<Integer, Member> members) {
  private static final String FIRST_LINE = "stablecut data centres";
  private static final int FORMAT = 1;

  /** Copies the map, and checks the numbers. */
  public Membership {
    members = Collections.unmodifiableNavigableMap(new TreeMap<>(members));
    if (members.isEmpty()
        || members.firstKey() < 0
        || members.lastKey() >= VectorClock.MAX_DATA_CENTRES) {
      throw new IllegalArgumentException("not the numbers of data centres: " + members.keySet());
    }
  }

  /** The group founded by a store. */
  public static Membership founding(StoreIdentity identity) {
    return new Membership(
        identity.id(),
        new TreeMap<>(
            Map.of(
                identity.dataCentre().number(),
                new Member(identity.id(), Member.State.MEMBER, 0, ""))));
  }

  /**
   * A member.
   *
   * @throws IllegalArgumentException if there is none with this number
   */
  public Member member(int number) {
    Member member = members.get(number);
    if (member == null) {
      throw new IllegalArgumentException(
          "there is no data centre %d: there are %s".formatted(number, members.keySet()));
    }
    return member;
  }

  /** The numbers of the other participating members. */
  public Set<Integer> others(int own) {
    Set<Integer> others = new TreeSet<>();
    members.forEach(
        (number, member) -> {
          if (number != own && member.takesPart()) {
            others.add(number);
          }
        });
    return others;
  }

  /** Whether there was never another member. */
  public boolean isAlone() {
    return members.size() == 1;
  }

  /** The member that assigns numbers to others: the first one that participates. */
  public int allocator() {
    return members.entrySet().stream()
        .filter(entry -> entry.getValue().takesPart())
        .mapToInt(Map.Entry::getKey)
        .findFirst()
        .orElseThrow();
  }

  /** The next number, which no member ever had. */
  public int next() {
    return members.lastKey() + 1;
  }

  /** This membership with another entry for a number. */
  public Membership with(int number, Member member) {
    TreeMap<Integer, Member> changed = new TreeMap<>(members);
    changed.put(number, member);
    return new Membership(group, changed);
  }

  /**
   * Merges the knowledge of two members.
   *
   * @throws IllegalArgumentException if they can't belong to one group
   */
  public Membership with(Membership other) {
    if (group != other.group) {
      throw new IllegalArgumentException(
          "of another group, %016x instead of %016x".formatted(other.group, group));
    }
    TreeMap<Integer, Member> all = new TreeMap<>(members);
    other.members.forEach((number, member) -> all.merge(number, member, Member::with));
    return new Membership(group, all);
  }

  /** A checksum by which members compare their knowledge. */
  public int sum() {
    CRC32C sum = new CRC32C();
    sum.update(content().getBytes(UTF_8));
    return (int) sum.getValue();
  }

  private String content() {
    StringBuilder text = new StringBuilder(FIRST_LINE).append('\n');
    text.append("format=").append(FORMAT).append('\n');
    text.append("group=%016x\n".formatted(group));
    members.forEach(
        (number, member) ->
            text.append(
                "%d=%016x %s %d %s\n"
                    .formatted(
                        number,
                        member.storeId(),
                        member.state().word(),
                        member.addressVersion(),
                        member.address())));
    return text.toString();
  }

  /** The text of the file. */
  public String toText() {
    return CheckedText.seal(content());
  }

  /**
   * The membership of a text.
   *
   * @param file its name for messages
   * @throws CorruptStoreException if it is damaged
   */
  public static Membership parse(String text, String file) {
    if (!text.startsWith(FIRST_LINE + "\n")) {
      throw new CorruptStoreException(
          "%s does not begin with \"%s\": restore it from a backup".formatted(file, FIRST_LINE));
    }
    Map<String, String> fields = CheckedText.fields(text);
    CheckedText.checkFormat(fields, FORMAT, file);
    CheckedText.checkWhole(text, file);
    try {
      TreeMap<Integer, Member> members = new TreeMap<>();
      fields.forEach(
          (name, value) -> {
            if (!name.isEmpty() && Character.isDigit(name.charAt(0))) {
              members.put(Integer.parseInt(name), member(value));
            }
          });
      return new Membership(
          HexFormat.fromHexDigitsToLong(fields.getOrDefault("group", "")), members);
    } catch (IllegalArgumentException e) {
      throw new CorruptStoreException(file + " is malformed: restore it from a backup", e);
    }
  }

  /**
   * The membership in a directory, which belongs to a store, or holds the initial data of a new
   * data centre.
   *
   * @return empty if there is no such file
   * @throws CorruptStoreException if it is damaged
   */
  public static Optional<Membership> in(Path directory) throws IOException {
    Path file = directory.resolve(StoreDirectory.DATA_CENTRES);
    return Files.exists(file)
        ? Optional.of(parse(CheckedText.read(file), file.toString()))
        : Optional.empty();
  }

  private static Member member(String text) {
    String[] words = text.split(" ", -1);
    if (words.length != 4) {
      throw new IllegalArgumentException("not a data centre: " + text);
    }
    return new Member(
        HexFormat.fromHexDigitsToLong(words[0]),
        Member.State.of(words[1]),
        Integer.parseInt(words[2]),
        words[3]);
  }
}

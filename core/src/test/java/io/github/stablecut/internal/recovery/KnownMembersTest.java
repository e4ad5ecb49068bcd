package io.github.stablecut.internal.recovery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file of members' addresses round-trips, or is ignored. */
class KnownMembersTest {
  private static final KnownMembers MEMBERS =
      new KnownMembers(
          "127.0.0.1:1",
          Set.of("10.0.0.1:2551", "node-2.example.org:2551", "[fe80::1%eth0]:2551", "127.0.0.1:1"));

  @TempDir private Path directory;
  private Path file;

  @BeforeEach
  void name() {
    file = directory.resolve(NodeDirectory.MEMBERS);
  }

  private KnownMembers read(String text) throws IOException {
    Files.writeString(file, text);
    return KnownMembers.read(file);
  }

  @Test
  void roundTrips() throws IOException {
    assertThat(read(MEMBERS.toText())).isEqualTo(MEMBERS);
  }

  @Test
  void ignoresAMissingOrUnreadableFile() throws IOException {
    assertThat(KnownMembers.read(file)).isEqualTo(KnownMembers.NONE);
    Files.createDirectory(file);
    assertThat(KnownMembers.read(file)).isEqualTo(KnownMembers.NONE);
  }

  @Test
  void ignoresAnotherFormat() throws IOException {
    assertThat(read(CheckedText.seal("stablecut members\nformat=2\nself=a:1\nmembers=a:1\n")))
        .isEqualTo(KnownMembers.NONE);
    assertThat(read(CheckedText.seal("stablecut node\nformat=1\nself=a:1\nmembers=a:1\n")))
        .isEqualTo(KnownMembers.NONE);
  }

  @Test
  void ignoresInvalidAddressesWithAValidChecksum() throws IOException {
    for (String text :
        new String[] {"", "a", "a:", "a:1:2", "a/b:1", "a:1,", "a:1,a:1", "b:1,a:1", "@a:1"}) {
      assertThat(
              read(
                  CheckedText.seal(
                      "stablecut members\nformat=1\nself=a:1\nmembers=" + text + "\n")))
          .as(text)
          .isEqualTo(KnownMembers.NONE);
    }
    assertThat(read(CheckedText.seal("stablecut members\nformat=1\nself=a\nmembers=a:1\n")))
        .isEqualTo(KnownMembers.NONE);
    assertThat(read(CheckedText.seal("stablecut members\nformat=1\nmembers=a:1\n")))
        .isEqualTo(KnownMembers.NONE);
    assertThat(
            read(
                CheckedText.seal(
                    "stablecut members\nformat=1\nself=a:1\nmembers=a:1\nmembers=b:1\n")))
        .isEqualTo(KnownMembers.NONE);
    assertThat(read(new KnownMembers("a:1", Set.of("a:1")).toText() + "more"))
        .isEqualTo(KnownMembers.NONE);
  }

  @Test
  void ignoresAnOversizedFile() throws IOException {
    String one = new KnownMembers("a:1", Set.of("a:1")).toText();
    assertThat(read(one + "x".repeat(KnownMembers.MAX_BYTES))).isEqualTo(KnownMembers.NONE);
  }

  @Test
  void ignoresADamagedFile() throws IOException {
    Random random = new Random(7);
    String whole = MEMBERS.toText();
    for (int i = 0; i < 5_000; i++) {
      byte[] bytes = whole.getBytes(UTF_8);
      if (random.nextBoolean()) {
        bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 9));
      }
      for (int flips = random.nextInt(4); flips > 0 && bytes.length > 0; flips--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      Files.write(file, bytes);

      KnownMembers read = KnownMembers.read(file);

      boolean isSame = Arrays.equals(bytes, whole.getBytes(UTF_8));
      assertThat(read).isEqualTo(isSame ? MEMBERS : KnownMembers.NONE);
    }
  }
}

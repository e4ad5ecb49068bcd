package io.github.stablecut;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.DamageException;
import io.github.stablecut.error.NotAStoreException;
import io.github.stablecut.error.StoreInUseException;
import io.github.stablecut.error.UnsupportedFormatException;
import io.github.stablecut.journal.JournalDirectory;
import io.github.stablecut.journal.JvmFlags;
import io.github.stablecut.journal.segment.CorruptJournalException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The permitted contents of a directory, and refusals that name the facts and change nothing. */
final class DirectoryTest {
  private static final CounterKey COUNTER = Key.counter("b", "k");

  @TempDir private Path temporary;

  private Path data() {
    return temporary.resolve("data");
  }

  private void fill(int commits) {
    try (Store store = Stablecut.open(data())) {
      for (int i = 0; i < commits; i++) {
        store.update(COUNTER.increment());
      }
    }
  }

  private Map<String, String> contents() throws IOException {
    Map<String, String> contents = new TreeMap<>();
    try (Stream<Path> files = Files.walk(temporary)) {
      for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
        String name = temporary.relativize(file).toString();
        // Each attempt rewrites the lock and Chronicle's directory listing.
        if (!name.endsWith("LOCK") && !name.endsWith("metadata.cq4t")) {
          contents.put(name, new String(Files.readAllBytes(file), ISO_8859_1));
        }
      }
    }
    return contents;
  }

  private <T extends Throwable> void assertRefused(Class<T> type, String... parts)
      throws IOException {
    Map<String, String> before = contents();
    assertThatThrownBy(() -> Stablecut.open(data()))
        .isInstanceOf(type)
        .hasMessageContainingAll(parts);
    assertThat(contents()).isEqualTo(before);
  }

  /** Opens a store, reports it, and keeps it open until its input ends. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] args) throws IOException {
      try (Store store = Stablecut.open(Path.of(args[0]))) {
        System.out.println(store.status().epoch());
        while (System.in.read() >= 0) {
          // wait for the end
        }
      }
    }
  }

  @Test
  void refusesADirectoryInUseByAnotherProcessAndNamesTheProcess() throws Exception {
    Process child = ChildJvm.start(Holder.class, data().toString());
    List<String> ready = ChildJvm.lines(child, 1);

    assertThat(ready).containsExactly("1");
    assertThatThrownBy(() -> Stablecut.open(data()))
        .isInstanceOf(StoreInUseException.class)
        .hasMessageContaining("another process, pid " + child.pid());
    child.outputWriter().close();
    assertThat(child.waitFor()).isZero();
    fill(1);
  }

  @Test
  void aDirectoryInUseByThisProcessIsRefusedAndStaysUsable() {
    try (Store store = Stablecut.open(data())) {
      assertThatThrownBy(() -> Stablecut.open(data()))
          .isInstanceOf(StoreInUseException.class)
          .hasMessageContaining("this process, pid " + ProcessHandle.current().pid());
      store.update(COUNTER.increment());
      assertThat(store.read(COUNTER)).isEqualTo(1);
    }
  }

  @Test
  void refusesADirectoryWithForeignFiles() throws IOException {
    Files.createDirectories(data());
    Files.writeString(data().resolve("thesis.tex"), "years of work");

    assertRefused(NotAStoreException.class, "thesis.tex", "choose another directory");
  }

  @Test
  void refusesAFile() throws IOException {
    Files.writeString(data(), "text");

    assertRefused(NotAStoreException.class, "is a file");
  }

  @Test
  void refusesAnIdentityWithOtherContent() throws IOException {
    Files.createDirectories(data());
    Files.writeString(data().resolve("STABLECUT"), "something else\n");

    assertRefused(NotAStoreException.class, "stablecut store");
  }

  @Test
  void refusesANewerFormatAndNamesBoth() throws IOException {
    fill(1);
    Path identity = data().resolve("STABLECUT");
    Files.writeString(identity, Files.readString(identity).replace("format=1", "format=2"));

    assertRefused(UnsupportedFormatException.class, "format 2", "up to 1", "newer version");
  }

  @Test
  void detectsEveryChangedByteOfTheIdentity() throws IOException {
    fill(1);
    Path identity = data().resolve("STABLECUT");
    byte[] good = Files.readAllBytes(identity);
    for (int i = 0; i < good.length; i++) {
      byte[] bad = good.clone();
      bad[i] ^= 1;
      Files.write(identity, bad);

      assertThatThrownBy(() -> Stablecut.open(data()))
          .isInstanceOfAny(
              NotAStoreException.class,
              CorruptStoreException.class,
              UnsupportedFormatException.class);
    }
  }

  @Test
  void detectsEveryChangedBitOfTheOpeningsCounter() throws IOException {
    fill(1);
    for (String name : List.of("OPENED", "p0/PARTITION")) {
      Path file = data().resolve(name);
      byte[] good = Files.readAllBytes(file);
      for (int bit = 0; bit < good.length * Byte.SIZE; bit++) {
        byte[] bad = good.clone();
        bad[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
        Files.write(file, bad);

        assertThatThrownBy(() -> Stablecut.open(data())).isInstanceOf(DamageException.class);
      }
      Files.write(file, good);
    }
    fill(1);
  }

  @Test
  void refusesAStoreWithoutItsJournal() throws IOException {
    fill(3);
    Path journal = data().resolve("p0/journal");
    for (Path file : journalFiles()) {
      Files.delete(file);
    }

    assertRefused(CorruptStoreException.class, journal.toString(), "backup");
  }

  @Test
  void restartsAnInterruptedCreation() throws IOException {
    fill(1);
    Files.move(data().resolve("STABLECUT"), data().resolve("STABLECUT.new"));

    try (Store store = Stablecut.open(data())) {
      assertThat(store.read(COUNTER)).isZero();
      assertThat(store.status().epoch()).isEqualTo(1);
    }
    fill(1);
  }

  private List<Path> journalFiles() throws IOException {
    try (Stream<Path> files = Files.walk(data().resolve("p0/journal"))) {
      return files
          .filter(file -> JournalDirectory.segmentOf(file.getFileName().toString()) > 0)
          .sorted()
          .toList();
    }
  }

  @Test
  void refusesAFlippedBitInAcknowledgedDataAndNamesSegmentAndPosition() throws IOException {
    fill(50);
    Path segment = journalFiles().get(0);
    byte[] good = Files.readAllBytes(segment);
    String text = new String(good, ISO_8859_1);
    List<Integer> places = new ArrayList<>();
    for (int at = text.indexOf("b\0\1k"); at >= 0; at = text.indexOf("b\0\1k", at + 1)) {
      places.add(at);
    }
    assertThat(places).hasSize(50);
    for (int place : places) {
      byte[] bad = good.clone();
      bad[place] ^= 4;
      Path current = journalFiles().get(0);
      Files.write(current, bad);

      assertThatThrownBy(() -> Stablecut.open(data()))
          .isInstanceOf(CorruptJournalException.class)
          .isInstanceOf(DamageException.class)
          .hasMessageContaining(segment.getFileName().toString())
          .hasMessageContaining("offset");
    }
    Files.write(journalFiles().get(0), good);
    try (Store store = Stablecut.open(data())) {
      assertThat(store.read(COUNTER)).isEqualTo(50);
    }
  }

  /** Opens a store without any setup. */
  static final class Plain {
    private Plain() {}

    public static void main(String[] args) {
      try (Store store = Stablecut.open(Path.of(args[0]))) {
        store.update(COUNTER.increment());
      }
    }
  }

  @Test
  void printsNothingAndLeavesTheHomeDirectoryAlone() throws Exception {
    Path home = Files.createDirectory(temporary.resolve("home"));
    List<String> flags = new ArrayList<>(JvmFlags.all());
    flags.add("-Duser.home=" + home);
    ProcessBuilder builder = ChildJvm.builder(flags, Plain.class, data().toString());
    builder.environment().put("HOME", home.toString());
    builder.environment().remove("XDG_CACHE_HOME");
    Process child = builder.redirectErrorStream(true).start();

    String printed = new String(child.getInputStream().readAllBytes(), UTF_8);
    assertThat(child.waitFor()).isZero();
    assertThat(printed).isEmpty();
    assertThat(home).isEmptyDirectory();
  }

  /** The JDK creates sockets to detect the supported kinds; none is bound or connected. */
  @Test
  void usesNoNetwork() throws Exception {
    boolean canTrace = ChildJvm.canRun("strace", "-V");
    if (!canTrace) {
      System.err.println("SKIPPED: strace is missing, so no test watches for sockets");
    }
    assumeTrue(canTrace, "strace is missing");
    Path trace = temporary.resolve("trace");
    ProcessBuilder builder = ChildJvm.builder(JvmFlags.all(), Plain.class, data().toString());
    builder
        .command()
        .addAll(
            0,
            List.of(
                "strace",
                "-f",
                "-qq",
                "-e",
                "trace=connect,bind,listen,sendto,sendmsg,execve",
                "-o",
                trace.toString()));
    Process child = builder.redirectErrorStream(true).start();

    String printed = new String(child.getInputStream().readAllBytes(), UTF_8);
    assertThat(child.waitFor()).as(printed).isZero();
    assertThat(trace).content().contains("execve(").doesNotContain("AF_INET");
  }
}

package io.github.stablecut;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.journal.JvmFlags;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A program that opens a store in a JVM without any flag, on this JDK and on that of {@code
 * OTHER_JAVA_HOME}.
 */
final class WithoutFlagsTest {
  private static final CounterKey COUNTER = Key.counter("b", "counter");
  private static final AddWinsSetKey<String> SET = Key.addWinsSet("b", "set", Codec.string());
  private static final int ACKNOWLEDGED_BEFORE_KILL = 300;

  /** Libraries that a store has by default, and can do without. */
  private static final Pattern DISPENSABLE =
      Pattern.compile(
          ".*/(chronicle|affinity|compiler|posix|jna|jnr|jffi|asm|zero-allocation|compress)[^/]*\\.jar");

  @TempDir private Path temporary;

  private Path data() {
    return temporary.resolve("data");
  }

  /** Uses a store as the README does, closes it, restores a backup of it, and ends. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) {
      Path directory = Path.of(args[0]);
      CausalToken first;
      try (Store store = Stablecut.open(directory)) {
        first = store.update(COUNTER.increment(), SET.add("one"));
        store.run(tx -> tx.update(COUNTER.increment(tx.read(SET).size())));
        store.checkpoint();
        store.update(COUNTER.increment());
        store.backup(Path.of(args[1], "backup"));
      }
      Stablecut.restore(Path.of(args[1], "backup"), Path.of(args[1], "restored"));
      try (Store restored = Stablecut.open(Path.of(args[1], "restored"));
          Store store = Stablecut.openExisting(directory)) {
        System.out.println(
            List.of(store.at(first).read(COUNTER), store.read(COUNTER), restored.read(COUNTER)));
      }
    }
  }

  /** Prints the counter, and increments it until it is killed; prints each acknowledged value. */
  static final class Counting {
    private Counting() {}

    public static void main(String[] args) {
      StoreOptions defaults = StoreOptions.defaults();
      StoreOptions options =
          defaults.withLimits(defaults.limits().withSegmentBytes(1 << 20).withReserveBytes(0));
      try (Store store = Stablecut.open(Path.of(args[0]), options)) {
        for (long value = store.read(COUNTER); ; value++) {
          System.out.println(value);
          store.update(COUNTER.increment(), SET.add("x".repeat(2_000)));
          if (value % 200 == 0) {
            store.checkpoint();
          }
        }
      }
    }
  }

  private static Path ourJava() {
    return Path.of(System.getProperty("java.home"));
  }

  private static List<Path> javas() {
    Optional<Path> other = Optional.ofNullable(System.getenv("OTHER_JAVA_HOME")).map(Path::of);
    return Stream.concat(Stream.of(ourJava()), other.stream()).toList();
  }

  private static ProcessBuilder program(
      Path java, List<String> flags, String classPath, Class<?> main, Path... arguments) {
    List<String> command = new ArrayList<>(List.of(java.resolve("bin/java").toString()));
    command.addAll(flags);
    command.addAll(List.of("-cp", classPath, main.getName()));
    Stream.of(arguments).map(Path::toString).forEach(command::add);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().remove("JDK_JAVA_OPTIONS");
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    return builder;
  }

  private String run(Path java, List<String> flags, String classPath) throws Exception {
    Path run = Files.createTempDirectory(temporary, "run");
    Process child =
        program(java, flags, classPath, Program.class, run.resolve("data"), run)
            .redirectErrorStream(true)
            .start();
    String printed = new String(child.getInputStream().readAllBytes(), UTF_8);
    assertThat(child.waitFor()).as(printed).isZero();
    return printed.strip();
  }

  private static String classPath() {
    return System.getProperty("java.class.path");
  }

  @Test
  void aProgramNeedsNoFlagAndPrintsNothing() throws Exception {
    for (Path java : javas()) {
      assertThat(run(java, List.of(), classPath())).as("%s", java).isEqualTo("[1, 3, 3]");
    }
  }

  @Test
  void aProgramNeedsNoUnsafe() throws Exception {
    List<String> deny =
        List.of("-XX:+IgnoreUnrecognizedVMOptions", "--sun-misc-unsafe-memory-access=deny");
    for (Path java : javas()) {
      assertThat(run(java, deny, classPath())).as("%s", java).isEqualTo("[1, 3, 3]");
    }
  }

  @Test
  void aProgramNeedsNeitherChronicleNorJna() throws Exception {
    String few =
        Arrays.stream(classPath().split(File.pathSeparator, -1))
            .filter(entry -> !DISPENSABLE.matcher(entry).matches())
            .collect(Collectors.joining(File.pathSeparator));
    assertThat(few.length()).isLessThan(classPath().length());

    for (Path java : javas()) {
      assertThat(run(java, JvmFlags.all().subList(0, 3), few)).endsWith("[1, 3, 3]");
    }
  }

  /** In turn without flags and with them. */
  @Test
  void aKilledProgramContinuesWithTheOtherLayout() throws Exception {
    long acknowledged = 0;
    for (Path java : javas()) {
      for (int run = 0; run < 4; run++) {
        acknowledged = countUntilKilled(java, run % 2 == 0 ? List.of() : allFlags(), acknowledged);
      }
    }
    assertThat(files("/journal/sealed/")).anyMatch(name -> name.endsWith(".seg"));
    try (Store store = Stablecut.open(data())) {
      assertThat(store.read(COUNTER)).isBetween(acknowledged, acknowledged + 2);
    }
    assertThat(files("/journal/")).anyMatch(name -> name.endsWith(".cq4"));
  }

  private static List<String> allFlags() {
    List<String> flags = new ArrayList<>(List.of("-XX:+IgnoreUnrecognizedVMOptions"));
    flags.addAll(JvmFlags.all());
    flags.addAll(
        List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
    return flags;
  }

  /** Returns the last acknowledged value. */
  private long countUntilKilled(Path java, List<String> flags, long before) throws Exception {
    Process child =
        program(java, flags, classPath(), Counting.class, data())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    List<String> lines = ChildJvm.lines(child, ACKNOWLEDGED_BEFORE_KILL);
    // Kills by process id: {@code Process.destroy} would close the pipe and lose reported lines.
    assertThat(child.toHandle().destroyForcibly()).isTrue();
    lines.addAll(ChildJvm.lines(child, Integer.MAX_VALUE));
    assertThat(child.waitFor()).as("killed, not ended").isEqualTo(128 + 9);
    assertThat(Long.parseLong(lines.get(0))).isBetween(before, before + 2);
    // The signal may cut the last line short, and strike after a commit whose line is missing.
    return Long.parseLong(lines.get(lines.size() - 2));
  }

  private List<String> files(String part) throws IOException {
    try (Stream<Path> files = Files.walk(data())) {
      return files.map(Path::toString).filter(name -> name.contains(part)).toList();
    }
  }
}

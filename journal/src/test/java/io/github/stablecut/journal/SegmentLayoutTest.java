package io.github.stablecut.journal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which layout a JVM uses, by its flags; and that either reads what the other wrote. */
final class SegmentLayoutTest {
  @TempDir Path directory;

  /** Opens a journal, prints what it has and the loaded classes of Chronicle, and appends to it. */
  static final class Opening {
    private Opening() {}

    public static void main(String[] args) throws Exception {
      JournalOptions options = OpenJournal.OPTIONS;
      try (OpenJournal journal =
          new OpenJournal(JournalDirectory.open(Path.of(args[0]), options), options)) {
        journal.commit(args[1]);
        System.out.println(SegmentLayout.ofThisJvm() + " after " + journal.recoveredBodies());
      }
    }
  }

  private String opened(Path java, List<String> flags, String body) throws IOException {
    List<String> command = new ArrayList<>(List.of(java.resolve("bin/java").toString()));
    command.addAll(flags);
    command.addAll(List.of("-Xlog:class+load:file=" + classes(), "-Xmx128m"));
    command.addAll(ChildJvm.classPath());
    command.addAll(List.of(Opening.class.getName(), directory.resolve("journal").toString(), body));
    return ChildJvm.run(command);
  }

  private Path classes() {
    return directory.resolve("classes");
  }

  private static Path ourJava() {
    return Path.of(System.getProperty("java.home"));
  }

  private static Stream<Path> javas() {
    return Stream.concat(
        Stream.of(ourJava()),
        Optional.ofNullable(System.getenv("OTHER_JAVA_HOME")).map(Path::of).stream());
  }

  private static List<String> flagsOf(Path java) {
    return java.equals(ourJava())
        ? JvmFlags.all()
        : Stream.concat(
                Stream.of("-XX:+IgnoreUnrecognizedVMOptions", "--enable-native-access=ALL-UNNAMED"),
                Stream.concat(
                    Stream.of("--sun-misc-unsafe-memory-access=allow"), JvmFlags.all().stream()))
            .toList();
  }

  @Test
  void withoutFlagsTheFilesArePlainAndNoClassOfChronicleIsLoaded() throws IOException {
    for (Path java : javas().toList()) {
      String output = opened(java, List.of(), "body");

      assertThat(output).as("%s", java).startsWith("FILES after [").endsWith("exit code 0");
      assertThat(output.lines()).hasSize(2);
      assertThat(Files.readString(classes(), UTF_8))
          .contains("io.github.stablecut.journal.internal.FileSegments")
          .doesNotContain("net.openhft", "com.sun.jna");
    }
  }

  @Test
  void withoutFlagsNothingNeedsUnsafe() throws IOException {
    List<String> flags =
        List.of("-XX:+IgnoreUnrecognizedVMOptions", "--sun-misc-unsafe-memory-access=deny");
    for (Path java : javas().toList()) {
      String output = opened(java, flags, "body");

      assertThat(output).startsWith("FILES after [").endsWith("exit code 0");
      assertThat(output.lines()).hasSize(2);
    }
  }

  @Test
  void eitherLayoutReadsWhatTheOtherWrote() throws IOException {
    for (Path java : javas().toList()) {
      List<String> bodies = new ArrayList<>();
      for (int run = 0; run < 4; run++) {
        boolean hasFlags = run % 2 == 0;
        String output = opened(java, hasFlags ? flagsOf(java) : List.of(), java + " " + run);

        assertThat(output).contains((hasFlags ? "CHRONICLE" : "FILES") + " after ");
        bodies.forEach(body -> assertThat(output).contains(body));
        bodies.add(java + " " + run);
      }
    }
  }

  @Test
  void aPropertySelectsTheLayout() throws IOException {
    List<String> withFlags = new ArrayList<>(JvmFlags.all());
    withFlags.add("-Dstablecut.journal.layout=files");

    assertThat(opened(ourJava(), withFlags, "body")).startsWith("FILES after ");
  }

  @Test
  void chronicleCannotBeSelectedWithoutItsFlags() throws IOException {
    String output = opened(ourJava(), List.of("-Dstablecut.journal.layout=chronicle"), "body");

    assertThat(output).contains("MissingJvmFlagsException").contains(JvmFlags.all());
    assertThat(directory.resolve("journal")).doesNotExist();
  }

  @Test
  void anUnknownLayoutIsRefused() throws IOException {
    String output = opened(ourJava(), List.of("-Dstablecut.journal.layout=chronical"), "body");

    assertThat(output).contains("is \"chronical\": set it to chronicle or files");
  }
}

package io.github.stablecut.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script makes a class-data-sharing archive, and later starts use it. */
final class ClassArchiveTest {
  private static final Path INSTALLED = Path.of(System.getProperty("dist.archive"));

  /** The JVM's log text for a class that comes from the archive, and not from the JDK's. */
  private static final String FROM_ARCHIVE = "source: shared objects file (top)";

  @TempDir static Path directory;

  /** Made once for all tests, as it takes some seconds. */
  private static Path made = Path.of("");

  private final Path home = directory.resolve("home");

  @BeforeAll
  static void twoConcurrentStartsCreateOneArchive() throws Exception {
    ProcessBuilder tar = new ProcessBuilder("tar", "-xzf", "" + INSTALLED, "-C", "" + directory);
    assertThat(tar.inheritIO().start().waitFor()).isZero();
    Path home = Files.createDirectory(directory.resolve("home"));
    List<Process> starts =
        List.of(
            builder(home, Map.of()).inheritIO().start(),
            builder(home, Map.of()).inheritIO().start());
    for (Process start : starts) {
      assertThat(start.waitFor()).isZero();
    }
    while (archives(home.resolve(".cache")).isEmpty()) {
      assertThat(folders(home)).as("claims of what makes an archive").hasSize(1);
      Thread.sleep(50);
    }
    made = archives(home.resolve(".cache")).get(0);
  }

  private static List<Path> folders(Path home) throws IOException {
    return keys(home.resolve(".cache/stablecut"));
  }

  private static List<Path> archives(Path cache) throws IOException {
    try (Stream<Path> files = Files.find(cache, 3, (file, facts) -> isArchive(file))) {
      return files.toList();
    }
  }

  private static boolean isArchive(Path file) {
    return file.getFileName().toString().matches("classes-\\d+\\.jsa");
  }

  private static ProcessBuilder builder(Path home, Map<String, String> environment)
      throws IOException {
    try (Stream<Path> unpacked = Files.list(directory)) {
      Path program =
          unpacked
              .map(path -> path.resolve("bin/stablecut"))
              .filter(Files::exists)
              .findFirst()
              .orElseThrow();
      ProcessBuilder builder = new ProcessBuilder("" + program, "version");
      Map<String, String> all = builder.environment();
      all.keySet()
          .removeAll(List.of("XDG_CACHE_HOME", "STABLECUT_CLASS_CACHE", "JAVA_TOOL_OPTIONS"));
      all.put("JAVA_HOME", System.getProperty("java.home"));
      all.put("HOME", "" + home);
      all.putAll(environment);
      return builder;
    }
  }

  /**
   * Starts the program, which must succeed and print nothing on standard error.
   *
   * @return whether it used the archive
   */
  private boolean isUsed(Map<String, String> environment) throws Exception {
    Path log = Files.createTempFile(directory, "classes", "");
    Path err = Files.createTempFile(directory, "err", "");
    ProcessBuilder builder = builder(home, environment);
    builder.environment().put("JDK_JAVA_OPTIONS", "-Xlog:class+load:file=" + log);
    Process start = builder.redirectError(err.toFile()).start();
    try (var out = start.inputReader()) {
      assertThat(out.readLine()).startsWith("stablecut ");
      assertThat(out.readLine()).isNull();
    }
    assertThat(start.waitFor()).isZero();
    // The launcher reports that such variables exist.
    assertThat(Files.readString(err).lines())
        .filteredOn(line -> !line.contains("Picked up J"))
        .isEmpty();
    return Files.readString(log).contains(FROM_ARCHIVE);
  }

  @Test
  void laterStartsUseTheArchive() throws Exception {
    assertThat(isUsed(Map.of())).isTrue();
    assertThat(isUsed(Map.of("STABLECUT_CLASSPATH", "" + directory))).isTrue();
    try (Stream<Path> beside = Files.list(made.getParent())) {
      assertThat(beside.filter(file -> !file.equals(made)))
          .allSatisfy(left -> assertThat(left).isEmptyDirectory());
    }
  }

  @Test
  void usesAReadOnlyArchiveDirectory() throws Exception {
    String cache = "" + made.resolve("../..").normalize();

    assertThat(isUsed(Map.of("HOME", "/nowhere", "STABLECUT_CLASS_CACHE", cache))).isTrue();
    assertThat(isUsed(Map.of("STABLECUT_CLASS_CACHE", "/proc/nowhere"))).isFalse();
  }

  @Test
  void startsWithoutAnArchiveIfDisabledOrWithoutAHome() throws Exception {
    assertThat(isUsed(Map.of("STABLECUT_CLASS_CACHE", "off"))).isFalse();
    assertThat(isUsed(Map.of("HOME", "/nowhere"))).isFalse();
    assertThat(isUsed(Map.of("JAVA_TOOL_OPTIONS", ""))).isTrue();
  }

  @Test
  void doesNotUseATruncatedArchive() throws Exception {
    Path whole = Files.copy(made, directory.resolve("whole"));
    assertThat(made.toFile().setWritable(true)).isTrue();
    try (RandomAccessFile file = new RandomAccessFile(made.toFile(), "rw")) {
      file.setLength(1 << 20);

      assertThat(isUsed(Map.of())).isFalse();
    } finally {
      Files.move(whole, made, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** A JVM that maps it would crash or hang. */
  @Test
  void doesNotUseADamagedArchive() throws Exception {
    Path whole = Files.copy(made, directory.resolve("undamaged"));
    assertThat(made.toFile().setWritable(true)).isTrue();
    try (RandomAccessFile file = new RandomAccessFile(made.toFile(), "rw")) {
      file.seek(file.length() / 2);
      byte one = file.readByte();
      file.seek(file.length() / 2);
      file.write(one ^ 1);

      assertThat(isUsed(Map.of())).isFalse();
    } finally {
      Files.move(whole, made, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** Simulates a build that gives every file the same time. */
  @Test
  void detectsOtherLibrariesOfTheSameSizeAndTimeAndRecognizesTheSameOnes() throws Exception {
    Path place = directory.resolve("contents");
    Map<String, String> jdk = jdkThat("true", directory.resolve("jdk-of-contents"), "true");
    Path jar = library();
    FileTime time = Files.getLastModifiedTime(jar);
    byte[] content = Files.readAllBytes(jar);

    startAtOnce(1, place, jdk);
    try {
      byte[] other = content.clone();
      // In the directory at the end of the jar, where a checksum would be.
      other[other.length - 1_000] ^= 1;
      Files.write(jar, other);
      Files.setLastModifiedTime(jar, time);
      startAtOnce(1, place, jdk);

      assertThat(keys(place)).hasSize(2);
    } finally {
      Files.write(jar, content);
      Files.setLastModifiedTime(jar, time);
    }
    startAtOnce(1, place, jdk);

    assertThat(keys(place)).hasSize(2);
  }

  private static List<Path> keys(Path place) throws IOException {
    try (Stream<Path> folders = Files.list(place)) {
      return folders.filter(Files::isDirectory).toList();
    }
  }

  /**
   * A JDK that runs a command and fails in place of making an archive.
   *
   * @param program the program for all other uses
   */
  private static Map<String, String> jdkThat(String command, Path directory, String program)
      throws IOException {
    Files.createDirectories(directory.resolve("bin"));
    Files.createFile(Files.createDirectory(directory.resolve("lib")).resolve("modules"));
    Path java = directory.resolve("bin/java");
    Files.writeString(
        java,
        """
        #!/bin/bash
        case "$*" in *ArchiveClassesAtExit*) %s; exit 1 ;; esac
        exec %s "$@"
        """
            .formatted(command, program));
    assertThat(java.toFile().setExecutable(true)).isTrue();
    return Map.of("JAVA_HOME", "" + directory);
  }

  /**
   * A JDK that can't make archives. It counts as another JDK, as do other libraries and another
   * heap; each is tried once.
   */
  @Test
  void triesAFailingArchiveOnce() throws Exception {
    Path jdk = directory.resolve("jdk");
    Path tries = directory.resolve("tries");
    Map<String, String> other =
        jdkThat("echo >> " + tries, jdk, System.getProperty("java.home") + "/bin/java");

    assertThat(isUsed(other)).isFalse();
    awaitTries(tries, 1);
    assertThat(isUsed(other)).isFalse();
    assertThat(isUsed(Map.of("JAVA_HOME", "" + jdk, "JAVA_TOOL_OPTIONS", "-Xmx80m"))).isFalse();
    awaitTries(tries, 2);
    Path jar = library();
    FileTime before = Files.getLastModifiedTime(jar);
    Files.setLastModifiedTime(jar, FileTime.fromMillis(0));
    try {
      assertThat(isUsed(other)).isFalse();
      awaitTries(tries, 3);
    } finally {
      Files.setLastModifiedTime(jar, before);
    }
    assertThat(isUsed(other)).isFalse();

    assertThat(Files.readAllLines(tries)).hasSize(3);
  }

  @Test
  void retriesAfterADayThreeTimesByOneOfTheStarts() throws Exception {
    Path tries = directory.resolve("tries-of-days");
    Path place = directory.resolve("days");
    Map<String, String> jdk = jdkThat("echo >> " + tries, directory.resolve("jdk-of-days"), "true");

    for (int day = 1; day <= 5; day++) {
      startAtOnce(4, place, jdk);
      awaitTries(tries, Math.min(day, 3));
      try (Stream<Path> folders = Files.walk(place)) {
        for (Path folder : folders.filter(Files::isDirectory).toList()) {
          Files.setLastModifiedTime(folder, FileTime.from(Instant.now().minus(2, ChronoUnit.DAYS)));
        }
      }
    }

    assertThat(Files.readAllLines(tries)).hasSize(3);
  }

  @Test
  void theMakerInheritsNothingFromTheCaller() throws Exception {
    Path mayContinue = directory.resolve("go-on");
    String command =
        "echo > %1$s.begun; until [ -e %1$s ]; do sleep 0.05; done".formatted(mayContinue);
    Map<String, String> jdk = jdkThat(command, directory.resolve("jdk-that-waits"), "true");
    Path lock = directory.resolve("lock");

    try {
      ProcessBuilder start = builder(home, jdk);
      start.environment().put("STABLECUT_CLASS_CACHE", "" + directory.resolve("held"));
      start.command(
          "bash", "-c", "exec 9> " + lock + "; flock -n 9; " + start.command().get(0) + " version");
      assertThat(start.inheritIO().start().waitFor()).isZero();
      awaitTries(Path.of(mayContinue + ".begun"), 1);

      assertThat(new ProcessBuilder("flock", "-n", "" + lock, "true").start().waitFor()).isZero();
    } finally {
      Files.createFile(mayContinue);
    }
  }

  @Test
  void aCallerCanWaitForTheArchive() throws Exception {
    Path tries = directory.resolve("tries-waited");
    Map<String, String> jdk =
        jdkThat("sleep 0.3; echo >> " + tries, directory.resolve("jdk-waited"), "true");

    startAtOnce(1, directory.resolve("waited"), withWaiting(jdk));

    assertThat(tries).exists();
  }

  private static Map<String, String> withWaiting(Map<String, String> environment) {
    Map<String, String> all = new HashMap<>(environment);
    all.put("STABLECUT_CLASS_CACHE_WAIT", "1");
    return all;
  }

  private void startAtOnce(int count, Path place, Map<String, String> environment)
      throws Exception {
    List<Process> starts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ProcessBuilder builder = builder(home, environment);
      builder.environment().put("STABLECUT_CLASS_CACHE", "" + place);
      starts.add(builder.inheritIO().start());
    }
    for (Process start : starts) {
      assertThat(start.waitFor()).isZero();
    }
  }

  private static void awaitTries(Path tries, int count) throws Exception {
    while (!Files.exists(tries) || Files.readAllLines(tries).size() < count) {
      Thread.sleep(10);
    }
  }

  private static Path library() throws IOException {
    try (Stream<Path> files = Files.find(directory, 3, (file, facts) -> isLibrary(file))) {
      return files.findFirst().orElseThrow();
    }
  }

  private static boolean isLibrary(Path file) {
    return file.getFileName().toString().startsWith("caffeine");
  }
}

package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks the libraries on the class path of a program that uses {@code stablecut-client}. That
 * artifact's build refuses others; here a program runs with these only.
 */
final class ClientJarsTest {
  /** The libraries as listed in the client's pom.xml. */
  private static final Pattern LIBRARY =
      Pattern.compile(
          "(kryo|reflectasm|minlog|objenesis|slf4j-api|jspecify|error_prone_annotations)-[0-9.]+\\.jar");

  /** The modules that the server depends on, and this class. */
  private static final Pattern OWN =
      Pattern.compile(
          ".*(/(crdt|journal|checkpoint|core|client)/target/classes|stablecut-(crdt|journal|checkpoint|core|client)-[^/]*(?<!testing)\\.jar|/test-classes|/\\.fast/(main|test))");

  @TempDir private Path directory;

  private static List<Path> classPath() {
    List<Path> used = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      Path path = Path.of(entry);
      if (LIBRARY.matcher(path.getFileName().toString()).matches()
          || OWN.matcher(path.toString()).matches()) {
        used.add(path);
      }
    }
    return used;
  }

  private static long bytes(List<Path> jars) throws IOException {
    long bytes = 0;
    for (Path jar : jars) {
      if (Files.isRegularFile(jar)) {
        System.out.printf("%,12d  %s%n", Files.size(jar), jar.getFileName());
        bytes += Files.size(jar);
      }
    }
    return bytes;
  }

  @Test
  void aProgramUsesAServersStoreWithoutTheServersLibraries() throws Exception {
    List<Path> jars = classPath();
    assertThat(jars).hasSizeGreaterThan(7);
    assertThat(bytes(jars)).isLessThan(8 << 20);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    command.addAll(
        List.of(
            "-cp", String.join(File.pathSeparator, jars.stream().map(Path::toString).toList())));
    command.add(ClientMain.class.getName());
    try (Server server = Server.start(Settings.of(directory.resolve("server")))) {
      command.add("stablecut://127.0.0.1:" + server.address().getPort());
      command.add(directory.resolve("here").toString());

      Process client =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      List<String> lines = client.inputReader().lines().toList();

      assertThat(client.waitFor()).isZero();
      assertThat(lines).hasSize(2);
      assertThat(lines.get(0)).isEqualTo("used");
      assertThat(lines.get(1)).contains("stablecut-core");
    }
  }
}

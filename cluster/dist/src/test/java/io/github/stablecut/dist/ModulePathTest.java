package io.github.stablecut.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that is a module and has the needed libraries only, on the module path. */
final class ModulePathTest {
  /** The jars that docs/setup.md calls needed; the store runs without Chronicle Queue and JNA. */
  private static final List<String> NEEDED =
      List.of(
          "stablecut-crdt-",
          "stablecut-journal-",
          "stablecut-checkpoint-",
          "stablecut-core-",
          "caffeine-",
          "kryo-",
          "minlog-",
          "objenesis-",
          "reflectasm-",
          "slf4j-api-",
          "jspecify-",
          "error_prone_annotations-");

  @TempDir private Path directory;

  private Path libraries = Path.of("");

  @BeforeEach
  void unpackNeededLibraries() throws Exception {
    Path home = Files.createDirectory(directory.resolve("home"));
    Process tar =
        new ProcessBuilder(
                "tar",
                "-xzf",
                System.getProperty("dist.archive"),
                "-C",
                home.toString(),
                "--strip=1")
            .inheritIO()
            .start();
    assertThat(tar.waitFor()).isZero();
    libraries = Files.createDirectory(directory.resolve("needed"));
    try (Stream<Path> jars = Files.list(home.resolve("lib"))) {
      for (Path jar : jars.filter(ModulePathTest::isNeeded).toList()) {
        Files.copy(jar, libraries.resolve(jar.getFileName()));
      }
    }
  }

  private static boolean isNeeded(Path jar) {
    return NEEDED.stream().anyMatch(name -> jar.getFileName().toString().startsWith(name));
  }

  @Test
  void aModuleOpensAStore() throws Exception {
    Path source = Files.createDirectories(directory.resolve("source/likes"));
    Path classes = directory.resolve("classes");
    Path module =
        Files.writeString(
            source.resolveSibling("module-info.java"),
            """
            module likes {
              requires io.github.stablecut.core;
              requires com.github.benmanes.caffeine;
              requires org.slf4j;
            }
            """);
    Path program =
        Files.writeString(
            source.resolve("Likes.java"),
            """
            package likes;

            import io.github.stablecut.Stablecut;
            import io.github.stablecut.Store;
            import io.github.stablecut.key.CounterKey;
            import io.github.stablecut.key.Key;
            import java.nio.file.Path;

            final class Likes {
              public static void main(String[] args) {
                CounterKey likes = Key.counter("posts", "42/likes");
                try (Store store = Stablecut.open(Path.of(args[0]))) {
                  store.update(likes.increment(3));
                }
                try (Store store = Stablecut.open(Path.of(args[0]))) {
                  System.out.println(Likes.class.getModule() + ": " + store.read(likes));
                }
              }
            }
            """);

    int compiled =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "--module-path",
                libraries.toString(),
                "-d",
                classes.toString(),
                module.toString(),
                program.toString());
    assertThat(compiled).isZero();

    assertThat(run(classes)).isEqualTo("module likes: 3");
  }

  /** Runs the program, and returns its output. */
  private String run(Path classes) throws IOException, InterruptedException {
    Path errors = directory.resolve("errors");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--module-path",
                Stream.of(classes, libraries).map(Path::toString).collect(Collectors.joining(":")),
                "--module",
                "likes/likes.Likes",
                directory.resolve("data").toString())
            .redirectError(errors.toFile())
            .start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
    assertThat(process.waitFor()).as(() -> readErrors(errors)).isZero();
    return out;
  }

  private static String readErrors(Path errors) {
    try {
      return Files.readString(errors);
    } catch (IOException e) {
      return e.toString();
    }
  }
}

package io.github.stablecut.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.journal.JvmFlags;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the README says is so. */
final class ReadmeTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  @TempDir private Path directory;

  private static String read(String file) throws IOException {
    return Files.readString(ROOT.resolve(file), UTF_8);
  }

  @Test
  void showsCodeThatCompilesAndPrintsWhatIsSaid() throws Exception {
    Matcher code =
        Pattern.compile("(?s)```java\n(.*?)```\n\nIt prints `(.*?)`").matcher(read("README.md"));
    int examples = 0;
    while (code.find()) {
      Path home = Files.createDirectory(directory.resolve("example-" + ++examples));

      assertThat(run(home, code.group(1))).isEqualTo(code.group(2));
    }
    // The others need a server.
    String embedded = "```java\ntry (Store store = Stablecut.open(";
    assertThat(examples).isEqualTo(read("README.md").split(Pattern.quote(embedded), -1).length - 1);
  }

  private static String run(Path home, String code) throws Exception {
    Path source =
        Files.writeString(
            home.resolve("Example.java"),
            """
            import io.github.stablecut.*;
            import io.github.stablecut.crdt.codec.Codec;
            import java.nio.file.Path;
            import java.time.Duration;

            class Example {
              public static void main(String[] args) {
                %s
              }
            }
            """
                .formatted(code));
    Process process =
        ChildJvm.command(source.toString())
            .directory(home.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).isZero();
    return output.strip();
  }

  @Test
  void namesTheFlagsThatAreNeededAsTheScriptsDo() throws IOException {
    assertThat(read("README.md").lines()).containsAll(JvmFlags.all());
    assertThat(read("examples/launcher.bash").lines().map(String::strip))
        .containsAll(JvmFlags.all());
  }

  @Test
  void namesExceptionsThatExist() throws IOException {
    Matcher name = Pattern.compile("`(\\w+Exception)`").matcher(read("README.md"));
    List<String> named = name.results().map(result -> result.group(1)).distinct().toList();
    try (Stream<Path> files = Files.walk(ROOT)) {
      List<String> sources =
          files
              .filter(file -> file.toString().contains("/src/main/java/"))
              .map(file -> file.getFileName().toString())
              .toList();

      assertThat(named).isNotEmpty().allSatisfy(n -> assertThat(sources).contains(n + ".java"));
    }
  }

  @Test
  void leadsToFilesThatExist() throws IOException {
    for (String document : List.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md")) {
      Matcher link = Pattern.compile("\\]\\((?!http)([^)]+)\\)").matcher(read(document));
      while (link.find()) {
        assertThat(ROOT.resolve(link.group(1))).exists();
      }
    }
  }
}

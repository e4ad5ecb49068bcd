package io.github.stablecut.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.github.stablecut.StoreOptions;
import io.github.stablecut.error.ClosedException;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.journal.JvmFlags;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the README says is so. */
final class ReadmeTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** Packages whose exceptions users of a store do not meet. */
  private static final Pattern INNER = Pattern.compile("[.](internal|journal|examples)\\b");

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
  void showsWatchesAndHooksByCodeThatCompiles() throws IOException {
    Matcher code =
        Pattern.compile("(?s)```java\n(.*?)```").matcher(read("docs/watch-and-hooks.md"));
    int examples = 0;
    while (code.find()) {
      String name = "Example" + ++examples;
      Path source = Files.writeString(directory.resolve(name + ".java"), compiled(name, code));

      assertThat(compile(source)).as(code.group(1)).isEmpty();
    }
    assertThat(examples).isPositive();
  }

  /** With what the examples leave to their reader. */
  private static String compiled(String name, Matcher code) {
    return """
        import io.github.stablecut.*;
        import java.nio.file.Path;
        import java.time.Duration;
        import java.util.List;

        abstract class %s {
          Store store;
          CausalToken token;
          Path path;

          abstract void save(String token);
          abstract boolean isSpam(Update update);
          abstract void notifyReaders(List<Update> updates);

          void example() throws InterruptedException {
            %s
          }
        }
        """
        .formatted(name, code.group(1));
  }

  /** What the compiler has to say. */
  private static String compile(Path source) {
    StringWriter messages = new StringWriter();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    boolean isCompiled =
        compiler
            .getTask(
                messages,
                null,
                null,
                List.of(
                    "-proc:none",
                    "-cp",
                    System.getProperty("java.class.path"),
                    "-d",
                    "" + source.getParent()),
                null,
                compiler.getStandardFileManager(null, null, UTF_8).getJavaFileObjects(source))
            .call();
    return isCompiled ? "" : "it does not compile:\n" + messages;
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
  void namesEveryExceptionThatUsersMeetInTheRowOfItsGroup() throws IOException {
    Map<String, String> rows =
        read("README.md")
            .lines()
            .filter(line -> line.startsWith("| `") && line.contains("Exception` | "))
            .collect(Collectors.toMap(line -> line.split("`", 3)[1], line -> line));
    List<JavaClass> met =
        new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("io.github.stablecut")
                .stream()
                .filter(type -> type.isAssignableTo(StablecutException.class))
                // They meet StoreClosedException.
                .filter(type -> !type.isAssignableTo(ClosedException.class))
                .filter(type -> type.getModifiers().contains(JavaModifier.FINAL))
                .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(type -> !INNER.matcher(type.getPackageName()).find())
                .toList();

    assertThat(rows).hasSize(5);
    assertThat(met)
        .hasSizeGreaterThan(40)
        .filteredOn(type -> !type.isAssignableTo(OutcomeUnknownException.class))
        .allSatisfy(
            type ->
                assertThat(rows.get(type.getRawSuperclass().orElseThrow().getSimpleName()))
                    .contains("`" + type.getSimpleName() + "`"));
  }

  @Test
  void namesEveryOptionOfAStoreAndEveryLimit() throws IOException {
    String readme = read("README.md");
    for (Class<?> options : List.of(StoreOptions.class, StoreOptions.Limits.class)) {
      assertThat(options.getMethods())
          .extracting(Method::getName)
          .filteredOn(name -> name.startsWith("with"))
          .isNotEmpty()
          .allSatisfy(name -> assertThat(readme).containsPattern("[`.]" + name + "`"));
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

package io.github.stablecut.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.github.stablecut.error.ClosedException;
import io.github.stablecut.error.OutcomeUnknownException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.journal.JvmFlags;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The statements of the README and the documents are true. */
final class ReadmeTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** Packages whose exceptions users of a store do not encounter. */
  private static final Pattern INNER = Pattern.compile("[.](internal|journal|examples)\\b");

  /** Names of ScalarDB and of AntidoteDB's clients. */
  private static final Set<String> OTHERS =
      Set.of("RetriableExecutionException", "AntidoteException");

  private static final Set<String> JDKS =
      Set.of(
          "ConcurrentModificationException",
          "ExecutionException",
          "NullPointerException",
          "RuntimeException",
          "IllegalArgumentException",
          "IllegalStateException",
          "RejectedExecutionException",
          "SQLException");

  @TempDir private Path directory;

  private static String read(String file) throws IOException {
    return Files.readString(ROOT.resolve(file), UTF_8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"README.md", "docs/guide.md"})
  void showsCodeThatCompilesAndPrintsTheDocumentedOutput(String document) throws Exception {
    Matcher code =
        Pattern.compile("(?s)```java\n((?:(?!```).)*)```\n\nIt prints `(.*?)`")
            .matcher(read(document));
    int examples = 0;
    while (code.find()) {
      Path home = Files.createDirectory(directory.resolve("example-" + ++examples));

      assertThat(run(home, code.group(1))).isEqualTo(code.group(2));
    }
    // The other documents do not open a store.
    String embedded = "```java\ntry (Store store = Stablecut.open(";
    assertThat(examples)
        .isPositive()
        .isEqualTo(read(document).split(Pattern.quote(embedded), -1).length - 1);
  }

  private static String run(Path home, String code) throws Exception {
    Path source =
        Files.writeString(
            home.resolve("Example.java"),
            """
            import io.github.stablecut.*;
            import io.github.stablecut.error.*;
            import io.github.stablecut.key.*;
            import io.github.stablecut.option.*;
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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "docs/data-centres.md",
        "docs/guide.md",
        "docs/map.md",
        "docs/objects.md",
        "docs/testing.md",
        "docs/watch-and-hooks.md"
      })
  void showsCodeThatCompiles(String document) throws IOException {
    Matcher code = Pattern.compile("(?s)```java\n(.*?)```").matcher(read(document));
    int examples = 0;
    while (code.find()) {
      String name = "Example" + ++examples;
      Path source = Files.writeString(directory.resolve(name + ".java"), compiled(name, code));

      assertThat(compile(source)).as(code.group(1)).isEmpty();
    }
    assertThat(examples).isPositive();
  }

  /** Compiles an example, with the code that the document leaves to its reader. */
  private static String compiled(String name, Matcher code) {
    return """
        import io.github.stablecut.*;
        import static org.junit.jupiter.api.Assertions.*;

        import io.github.stablecut.error.*;
        import io.github.stablecut.junit.*;
        import io.github.stablecut.key.*;
        import io.github.stablecut.map.*;
        import io.github.stablecut.object.*;
        import io.github.stablecut.object.collection.*;
        import io.github.stablecut.object.annotation.*;
        import io.github.stablecut.option.*;
        import io.github.stablecut.replication.*;
        import io.github.stablecut.crdt.Bytes;
        import io.github.stablecut.crdt.codec.*;
        import io.github.stablecut.crdt.codec.json.*;
        import java.nio.file.Path;
        import java.time.Duration;
        import java.util.List;
        import java.util.Optional;
        import org.junit.jupiter.api.Test;
        import org.junit.jupiter.api.extension.RegisterExtension;

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

  /** The compiler's messages. */
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
  void namesTheSameJvmFlagsAsTheScripts() throws IOException {
    assertThat(read("docs/setup.md").lines()).containsAll(JvmFlags.all());
    assertThat(JvmFlags.all())
        .containsAll(read("README.md").lines().filter(line -> line.startsWith("--")).toList());
    assertThat(read("cluster/dist/src/main/bin/java.bash").lines().map(String::strip))
        .containsAll(JvmFlags.all());
  }

  @Test
  void namesExceptionsThatExist() throws IOException {
    List<String> named = new ArrayList<>();
    for (String document : documents()) {
      Pattern.compile("`(\\w+Exception)`")
          .matcher(read(document))
          .results()
          .map(result -> result.group(1))
          .filter(name -> !JDKS.contains(name) && !OTHERS.contains(name))
          .forEach(named::add);
    }
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
  void namesEveryPublicExceptionInTheSectionOfItsGroup() throws IOException {
    Map<String, String> sections =
        Pattern.compile("^## ", Pattern.MULTILINE)
            .splitAsStream(read("docs/errors.md"))
            .skip(1)
            .collect(Collectors.toMap(text -> text.lines().findFirst().orElseThrow(), x -> x));
    List<JavaClass> met =
        new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("io.github.stablecut")
                .stream()
                .filter(type -> type.isAssignableTo(StablecutException.class))
                // Users encounter StoreClosedException.
                .filter(type -> !type.isAssignableTo(ClosedException.class))
                .filter(type -> type.getModifiers().contains(JavaModifier.FINAL))
                .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(type -> !INNER.matcher(type.getPackageName()).find())
                .toList();

    assertThat(sections).hasSize(5);
    assertThat(met)
        .hasSizeGreaterThan(40)
        .filteredOn(type -> !type.isAssignableTo(OutcomeUnknownException.class))
        .allSatisfy(
            type ->
                assertThat(sectionOfGroup(type, sections))
                    .contains("`" + type.getSimpleName() + "`"));
  }

  /** The section of the nearest superclass that has one. */
  private static String sectionOfGroup(JavaClass type, Map<String, String> sections) {
    return type.getAllRawSuperclasses().stream()
        .map(JavaClass::getSimpleName)
        .filter(sections::containsKey)
        .findFirst()
        .map(sections::get)
        .orElseThrow(() -> new AssertionError(type.getName() + " is in no group"));
  }

  @Test
  void namesEveryOptionOfAStoreAndEveryLimit() throws IOException {
    String guide = read("docs/guide.md");
    for (Class<?> options : List.of(StoreOptions.class, StoreOptions.Limits.class)) {
      assertThat(options.getMethods())
          .extracting(Method::getName)
          .filteredOn(name -> name.startsWith("with"))
          .isNotEmpty()
          .allSatisfy(name -> assertThat(guide).containsPattern("[`.]" + name + "`"));
    }
  }

  @Test
  void linksToFilesThatExist() throws IOException {
    for (String document : documents()) {
      Matcher link =
          Pattern.compile("\\]\\((?!http|#)([^)#]+)(#[^)]*)?\\)").matcher(read(document));
      while (link.find()) {
        Path target = ROOT.resolve(document).resolveSibling(link.group(1)).normalize();
        assertThat(target).as(document).exists();
        if (link.group(2) != null) {
          assertThat(headings(target)).as(document).contains(link.group(2).substring(1));
        }
      }
    }
  }

  /** The names by which a document's headings are linked. */
  private static List<String> headings(Path document) throws IOException {
    return Files.readAllLines(document).stream()
        .filter(line -> line.startsWith("#"))
        .map(line -> line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^\\p{Alnum} -]", "").replace(' ', '-'))
        .toList();
  }

  /** All documents, relative to the root. */
  private static List<String> documents() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
      Stream<Path> top =
          Stream.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md").map(ROOT::resolve);
      return Stream.concat(top, files)
          .filter(file -> file.toString().endsWith(".md"))
          .map(file -> ROOT.relativize(file).toString())
          .toList();
    }
  }
}

package io.github.stablecut.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** The tutorial's application compiles, passes its tests and prints the documented output. */
final class TutorialTest {
  private static final Pattern FILES =
      Pattern.compile("(?s)\n`([a-zA-Z/]+[.]java)`:\n\n```java\n(.*?)```");
  private static final Pattern RUNS =
      Pattern.compile("[$] mvn -q compile exec:exec -Dargs=\"(.*)\"\nnoted: .*\n([{].*[}])\n");

  @TempDir private Path directory;
  private Path classes;
  private String tutorial;

  @BeforeEach
  void compile() throws IOException {
    Path document = Path.of("docs/tutorial.md");
    tutorial =
        Files.readString(Files.exists(document) ? document : Path.of("..").resolve(document));
    classes = Files.createDirectory(directory.resolve("classes"));
    List<String> arguments =
        new ArrayList<>(
            List.of("-Xlint:all,-processing,-path,-classfile", "-Werror", "-proc:none"));
    arguments.addAll(List.of("-d", classes.toString()));
    arguments.addAll(List.of("-cp", System.getProperty("java.class.path")));
    for (MatchResult file : FILES.matcher(tutorial).results().toList()) {
      Path source = directory.resolve(file.group(1));
      Files.createDirectories(source.resolveSibling("."));
      arguments.add(Files.writeString(source, file.group(2)).toString());
    }
    assertThat(arguments).filteredOn(argument -> argument.endsWith(".java")).hasSize(3);
    ByteArrayOutputStream messages = new ByteArrayOutputStream();
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, messages, arguments.toArray(String[]::new));
    assertThat(code).as(messages.toString(UTF_8)).isZero();
  }

  @Test
  void itsTestsPass() throws IOException {
    URL[] path = {classes.toUri().toURL()};
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    try (URLClassLoader loader = new URLClassLoader(path, before)) {
      thread.setContextClassLoader(loader);
      LauncherDiscoveryRequest request =
          LauncherDiscoveryRequestBuilder.request()
              .selectors(DiscoverySelectors.selectClass(loader, "lunch.VotesTest"))
              .filters(EngineFilter.includeEngines("junit-jupiter"))
              .build();
      LauncherFactory.create().execute(request, listener);
    } finally {
      thread.setContextClassLoader(before);
    }

    TestExecutionSummary summary = listener.getSummary();
    StringWriter failures = new StringWriter();
    summary.printFailuresTo(new PrintWriter(failures));
    assertThat(summary.getTestsSucceededCount()).as(failures.toString()).isEqualTo(5);
    assertThat(summary.getTestsFailedCount()).isZero();
  }

  @Test
  void printsTheDocumentedOutput() throws Exception {
    List<MatchResult> runs = RUNS.matcher(tutorial).results().toList();
    assertThat(runs).hasSize(3);
    for (MatchResult run : runs) {
      assertThat(run(run.group(1).split(" ")))
          .startsWith("noted: ")
          .endsWith(System.lineSeparator() + run.group(2) + System.lineSeparator());
    }
  }

  private String run(String... arguments) throws Exception {
    String path = classes + File.pathSeparator + System.getProperty("java.class.path");
    List<String> command = new ArrayList<>(ChildJvm.command("lunch.Main", arguments).command());
    command.set(command.indexOf("-cp") + 1, path);
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).isZero();
    return output;
  }
}

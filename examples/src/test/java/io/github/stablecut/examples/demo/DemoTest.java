package io.github.stablecut.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.command.CommandRunner;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The output and the files of {@code ./stablecut demo}. */
final class DemoTest {
  private static List<Path> leftovers() throws IOException {
    try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("stablecut-demo-"))
          .toList();
    }
  }

  @Test
  void printsItsStoryInEightyColumnsAndLosesNothing() throws IOException {
    List<Path> before = leftovers();
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();

    int code =
        CommandRunner.run(new Demo(), new PrintWriter(out), new PrintWriter(err), "--rounds", "1");

    assertThat(err.toString()).isEmpty();
    assertThat(code).as(out.toString()).isZero();
    assertThat(out.toString())
        .contains("=> on disk: likes = 1, tags = [crdt, liked]")
        .contains("=> still: likes = 1, tags = [crdt, liked]")
        .contains("=> then = 1, now = 101")
        .contains("=> likes was 101 and is 103")
        .contains("=> then = Draft, now = Final")
        .contains("=> title = Draft, tags = [crdt, liked]")
        .containsPattern("=> acknowledged ([0-9,]+) = recovered \\1: nothing lost")
        .doesNotContain("\u001b");
    assertThat(out.toString().lines())
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
    assertThat(leftovers()).isEqualTo(before);
  }
}

package io.github.stablecut.examples.verification;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.github.stablecut.examples.ChildJvm;
import io.github.stablecut.examples.Examples;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code examples/verification/run}, with what was compiled for the tests. */
final class VerificationScriptTest {
  private static final Path SCRIPT = Path.of("verification", "run").toAbsolutePath();

  /** The judges stay installed, because that takes minutes. */
  private static final Path TOOLS = Path.of("target", "verification", "tools").toAbsolutePath();

  private static final int SKIPPED = 77;

  @TempDir private Path directory;

  private String printed = "";

  private int run(String... args) throws Exception {
    Path output = directory.resolve("output");
    Process process =
        new ProcessBuilder(
                Stream.concat(Stream.of("bash", SCRIPT.toString()), Stream.of(args)).toList())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    int code = process.waitFor();
    printed = Files.readString(output);
    return code;
  }

  /** A script that runs the examples with the class path of this test. */
  private Path examples() throws Exception {
    List<String> command =
        Stream.concat(ChildJvm.command(Examples.class).command().stream(), Stream.of("\"$@\""))
            .toList();
    return Files.writeString(
        Files.createFile(
            directory.resolve("examples"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))),
        "#!/usr/bin/env bash\nexec " + command.stream().collect(Collectors.joining(" ")) + "\n",
        UTF_8);
  }

  @Test
  void refusesUnknownOptions() throws Exception {
    assertThat(run("--second", "3")).isEqualTo(2);
    assertThat(printed).isEqualTo("error: unknown option --second: see --help\n");
    assertThat(run("--seconds")).isEqualTo(2);
    assertThat(printed).isEqualTo("error: --seconds needs a value\n");
  }

  @Test
  @Tag("long")
  void theJudgesConfirmAllGuarantees() throws Exception {
    int code =
        run(
            "--examples",
            examples().toString(),
            "--tools",
            TOOLS.toString(),
            "--work",
            directory.resolve("work").toString());

    assumeFalse(code == SKIPPED, printed);
    assertThat(code).as(printed).isZero();
    assertThat(printed).contains("The judges find all", "lists-cluster-reads-writes");
  }
}

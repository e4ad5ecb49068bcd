package io.github.stablecut.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real file system loses its power under a real process. Only this shows a missing sync of a file
 * or of its directory: after {@code kill -9} the page cache is still there.
 */
@Tag("long")
final class PowerCutTest {
  private static final int CUTS = 5;
  private static final int UNENDING = 10_000_000;
  private static final String SCRIPT = "src/test/scripts/powercut.py";

  @TempDir Path directory;
  private String image = "";
  private String mount = "";

  @BeforeEach
  void mount() throws Exception {
    image = directory.resolve("image").toString();
    mount = directory.resolve("mount").toString();
    String output = script("create", image, mount);
    boolean mounted = output.endsWith("exit code 0");
    if (!mounted) {
      System.err.println("SKIPPED: no power is cut, because no loop device is mounted: " + output);
    }
    assumeTrue(mounted, "root and loop devices are needed");
  }

  @AfterEach
  void unmount() throws Exception {
    assertThat(script("destroy", image, mount)).isNotEmpty();
  }

  private static String script(String... arguments) throws Exception {
    return ChildJvm.run(
        Stream.concat(List.of("python3", SCRIPT).stream(), Arrays.stream(arguments)).toList());
  }

  /** This process must not open files on a file system that is to be unmounted. */
  private Path copyOf(Path journal, String name) throws IOException {
    Path copy = directory.resolve(name);
    try (Stream<Path> files = Files.walk(journal)) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(journal.relativize(file).toString()));
      }
    }
    return copy;
  }

  @Test
  void everythingThatWasAcknowledgedSurvivesAPowerCut() throws Exception {
    Path journal = Path.of(mount, "journal");
    Acknowledged acknowledged = new Acknowledged();
    int next = 0;
    for (int cut = 0; cut < CUTS; cut++) {
      Process child =
          ChildJvm.start(
              ChildJvm.command(
                  AppendingMain.class, journal.toString(), "4", "" + next, "" + UNENDING));
      try (BufferedReader output = ChildJvm.outputOf(child)) {
        assertThat(acknowledged.read(output, 3_000)).isTrue();
        assertThat(child.toHandle().destroyForcibly()).isTrue();
        acknowledged.readRest(output);
      } finally {
        child.destroyForcibly().waitFor();
      }

      assertThat(script("cut", mount)).endsWith("exit code 0");
      assertThat(script("remount", image, mount)).endsWith("exit code 0");

      next = acknowledged.checkAgainst(copyOf(journal, "after cut " + cut));
    }
    assertThat(acknowledged.count()).isGreaterThanOrEqualTo(CUTS * 3_000);
  }
}

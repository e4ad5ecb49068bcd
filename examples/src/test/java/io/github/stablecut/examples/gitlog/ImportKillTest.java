package io.github.stablecut.examples.gitlog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Store;
import io.github.stablecut.examples.ChildJvm;
import io.github.stablecut.examples.Examples;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An import that is killed with SIGKILL repeatedly ends with the same result as an undisturbed one.
 */
final class ImportKillTest {
  private static final int KILLED = 128 + 9;
  private static final int COMMITS = 6_000;

  @TempDir private Path directory;

  @Test
  void countsEveryCommitOnce() throws Exception {
    killAndCheck(3);
  }

  @Test
  @Tag("long")
  void countsEveryCommitOnceThroughThirtyKills() throws Exception {
    killAndCheck(30);
  }

  private void killAndCheck(int kills) throws Exception {
    Random random = new Random();
    List<Commit> commits = new RandomHistory(random.nextLong()).commits(COMMITS);
    Path log = Files.writeString(directory.resolve("log"), RandomHistory.log(commits), UTF_8);
    Path data = directory.resolve("data");
    int killed = 0;
    int code = KILLED;
    while (code == KILLED) {
      Process child = startImport(data, log);
      // The import, which may still be killed, gets a second and a half once the store exists.
      if (killed < kills && !child.waitFor(delay(data, random), TimeUnit.MILLISECONDS)) {
        child.destroyForcibly();
        killed++;
      }
      code = child.waitFor();
    }
    assertThat(code).isZero();
    assertThat(killed).as("imports that were killed before their end").isPositive();
    check(data, commits);
  }

  private Process startImport(Path data, Path log) throws Exception {
    return ChildJvm.command(
            Examples.class, "gitlog", "import", "--data", data.toString(), "--log", log.toString())
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("output").toFile())
        .start();
  }

  private static long delay(Path data, Random random) throws InterruptedException {
    while (!Files.exists(data)) {
      Thread.sleep(10);
    }
    return random.nextInt(1_500);
  }

  private static void check(Path data, List<Commit> commits) throws Exception {
    assertThat(CommandResult.top(data)).isEqualTo(PlainCount.of(commits));
    try (Store store = GitLog.open(data)) {
      for (int n = 1; n <= commits.size(); n++) {
        CommitToken token = CommitTokens.find(store, commits.get(n - 1).hash());
        Imported then = store.at(token.token()).read(Schema.IMPORTED).orElseThrow();
        assertThat(then.number()).isEqualTo(n).isEqualTo(token.number());
        assertThat(then.hash()).isEqualTo(token.hash());
      }
    }
  }
}

package io.github.stablecut.examples.gitlog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Store;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The behaviour of {@code gitlog}; the plain count is the oracle. */
final class GitLogTest {
  private static final List<Commit> COMMITS = new RandomHistory(7).commits(400);

  @TempDir private Path directory;
  private Path data;
  private Path log;

  @BeforeEach
  void prepare() {
    data = directory.resolve("data");
    log = directory.resolve("a log.txt");
  }

  private CommandResult importLog(String text) throws IOException {
    Files.writeString(log, text, UTF_8);
    return CommandResult.gitlog("import", "--data", data, "--log", log);
  }

  private CommandResult importCommits(List<Commit> commits) throws IOException {
    return importLog(RandomHistory.log(commits));
  }

  @Test
  void countsTheLogNowAndAsOfAnyCommit() throws IOException {
    CommandResult imported = importCommits(COMMITS);

    assertThat(imported.err()).isEmpty();
    assertThat(imported.code()).isZero();
    assertThat(imported.out()).contains("400 commits, 0 of them imported before");
    assertThat(CommandResult.top(data)).isEqualTo(PlainCount.of(COMMITS));
    for (int n : new int[] {1, 2, 127, 128, 129, 200, 399, 400}) {
      assertThat(CommandResult.top(data, "--at", COMMITS.get(n - 1).hash()))
          .isEqualTo(PlainCount.of(COMMITS.subList(0, n)));
    }
  }

  @Test
  void continuesAnEarlierImport() throws IOException {
    for (int n : new int[] {1, 150, 150, 400}) {
      assertThat(importCommits(COMMITS.subList(0, n)).code()).isZero();
    }

    assertThat(importCommits(COMMITS).out())
        .contains("400 commits, 400 of them imported before")
        .contains("imported 0 commits");
    assertThat(CommandResult.top(data)).isEqualTo(PlainCount.of(COMMITS));
    assertThat(CommandResult.top(data, "--at", COMMITS.get(148).hash()))
        .isEqualTo(PlainCount.of(COMMITS.subList(0, 149)));
  }

  @Test
  void readsEveryCommitAfterCheckpoints() throws IOException {
    for (int n : new int[] {100, 250, 400}) {
      importCommits(COMMITS.subList(0, n));
      try (Store store = GitLog.open(data)) {
        store.checkpoint();
      }
    }

    for (int n : new int[] {1, 100, 101, 399}) {
      assertThat(CommandResult.top(data, "--at", COMMITS.get(n - 1).hash()))
          .isEqualTo(PlainCount.of(COMMITS.subList(0, n)));
    }
    assertThat(CommandResult.top(data)).isEqualTo(PlainCount.of(COMMITS));
  }

  @Test
  void readsGzipWithAnyFileName() throws IOException {
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(log))) {
      out.write(RandomHistory.log(COMMITS).getBytes(UTF_8));
    }

    assertThat(CommandResult.gitlog("import", "--data", data, "--log", log).code()).isZero();
    assertThat(CommandResult.top(data)).isEqualTo(PlainCount.of(COMMITS));
  }

  @Test
  void printsTablesAndJson() throws IOException {
    importLog(
        """
        commit 00aa000000000000000000000000000000000001
        parents\s
        author Ada
        date 2024-02-01T09:16:58-08:00

        1000	0	a.txt
        -	-	"na\\303\\257ve.png"
        commit 00aa000000000000000000000000000000000002
        parents 00aa000000000000000000000000000000000001
        author Bob
        date 2024-02-02T09:16:58-08:00

        3	14	a.txt
        """);

    assertThat(CommandResult.gitlog("top", "--data", data).out())
        .isEqualToNormalizingNewlines(
            """
            as of 00aa000000000000000000000000000000000002  2024-02-02T09:16:58-08:00
            2 commits, 1,003 lines added, 14 lines deleted

              commits  added  deleted  author
                    1  1,000        0  Ada
                    1      3       14  Bob

              commits  added  deleted  authors  file
                    2  1,003       14        2  a.txt
                    1      0        0        1  naïve.png
            """);
    assertThat(CommandResult.gitlog("top", "--data", data, "--json", "-n", "1").out())
        .isEqualToNormalizingNewlines(
            """
            {
              "commits" : 2,
              "added" : 1003,
              "deleted" : 14,
              "authors" : [ {
                "author" : "Ada",
                "commits" : 1,
                "added" : 1000,
                "deleted" : 0
              } ],
              "files" : [ {
                "file" : "a.txt",
                "commits" : 2,
                "added" : 1003,
                "deleted" : 14,
                "authors" : 2
              } ]
            }
            """);
  }

  @Test
  void findsCommitsByUniquePrefixes() throws IOException {
    importCommits(COMMITS);
    String hash = COMMITS.get(9).hash();

    assertThat(CommandResult.top(data, "--at", hash.substring(0, 12).toUpperCase(Locale.ROOT)))
        .isEqualTo(PlainCount.of(COMMITS.subList(0, 10)));
    assertThat(topAt(hash.substring(0, 1)).err())
        .startsWith("error: " + hash.charAt(0) + " is ambiguous, because the hashes of ")
        .contains("give more digits");
    assertThat(topAt("0".repeat(40)).err())
        .startsWith("error: no commit whose hash begins with 000")
        .contains("was imported");
    assertThat(topAt("HEAD").err()).startsWith("error: \"HEAD\" is not the hash of a commit");
    assertThat(topAt("").err()).startsWith("error: \"\" is not the hash of a commit");
  }

  private CommandResult topAt(String commit) {
    CommandResult result = CommandResult.gitlog("top", "--data", data, "--at", commit);
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out()).isEmpty();
    return result;
  }

  @Test
  void refusesALogThatDoesNotBeginWithTheImportedCommits() throws IOException {
    importCommits(COMMITS);
    TopReport before = CommandResult.top(data);
    List<Commit> swapped = new ArrayList<>(COMMITS);
    Collections.swap(swapped, 3, 4);

    assertThat(importCommits(new RandomHistory(8).commits(500)).err())
        .contains("as commit 400, but the store has " + COMMITS.get(399).hash());
    assertThat(importCommits(COMMITS.subList(0, 399)).err())
        .contains("ends after 399 commits, but the store has 400");
    assertThat(importCommits(swapped).err()).contains("but other commits before it");
    assertThat(CommandResult.top(data)).isEqualTo(before);
  }

  @Test
  void namesAMalformedLineAndKeepsTheCommitsBeforeIt() throws IOException {
    List<Commit> two = COMMITS.subList(0, 2);
    String good = RandomHistory.log(two);
    long lines = good.lines().count();

    CommandResult result = importLog(good + "commit xyz\n");
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err())
        .startsWith("error: line " + (lines + 1) + " of " + log + " should be \"commit \" and ")
        .contains("but is \"commit xyz\"");
    assertThat(CommandResult.top(data)).isEqualTo(PlainCount.of(two));
    assertThat(importCommits(COMMITS).code()).isZero();
    assertThat(CommandResult.top(data)).isEqualTo(PlainCount.of(COMMITS));
  }

  @Test
  void namesATooLargeCommit() throws IOException {
    Commit large = new Commit("a".repeat(40), "x".repeat(40_000), "", List.of());

    CommandResult result = importCommits(List.of(COMMITS.get(0), large));
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err())
        .startsWith("error: commit " + large.hash() + ": bucket and key have 40,");
    assertThat(CommandResult.top(data)).isEqualTo(PlainCount.of(COMMITS.subList(0, 1)));
  }

  @Test
  void explainsInvalidInput() throws IOException {
    Path missing = directory.resolve("missing");
    assertThat(CommandResult.gitlog("import", "--data", data, "--log", missing).err())
        .isEqualToIgnoringNewLines("error: no file " + missing + ": check the path after --log");
    assertThat(CommandResult.gitlog("import", "--data", data, "--log", directory).err())
        .contains("is a directory: name a repository with --repo");
    assertThat(importLog("").err()).contains("has no commits to import");

    byte[] cut = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 1, 2};
    Files.write(log, cut);
    CommandResult result = CommandResult.gitlog("import", "--data", data, "--log", log);
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("can't be read after line 0");
  }

  @Test
  void printsItsUsageIfTheArgumentsAreWrong() {
    assertThat(CommandResult.gitlog().err()).contains("Missing required subcommand");
    assertThat(CommandResult.gitlog("import").err()).contains("--data");
    CommandResult both =
        CommandResult.gitlog("import", "--data", data, "--log", log, "--repo", data);
    assertThat(both.code()).isEqualTo(2);
    assertThat(both.err()).contains("mutually exclusive");
    assertThat(CommandResult.gitlog("top", "--data", data, "-n", "-1").code()).isEqualTo(2);
    assertThat(data).doesNotExist();
  }

  @Test
  void createsNoStoreForReading() {
    CommandResult result = CommandResult.gitlog("top", "--data", data);

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("no store in " + data);
    assertThat(data).doesNotExist();
  }
}

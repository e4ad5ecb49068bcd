package io.github.stablecut.examples.gitlog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.github.stablecut.examples.gitlog.TopReport.AuthorRow;
import io.github.stablecut.examples.gitlog.TopReport.FileRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code gitlog} on a repository that git has made. */
final class GitRepositoryTest {
  @TempDir private Path directory;
  private Path repository;
  private Path data;

  @BeforeEach
  void makeRepository() throws Exception {
    repository = directory.resolve("a repository");
    data = directory.resolve("data");
    try {
      git("init", "-q", "-b", "main", repository.toString());
    } catch (IOException e) {
      System.err.println("SKIPPED: gitlog was not tried on a repository, there is no git: " + e);
      abort("there is no git");
    }
  }

  private String git(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("GIT_CONFIG_GLOBAL", "/dev/null");
    builder.environment().put("GIT_CONFIG_SYSTEM", "/dev/null");
    if (Files.isDirectory(repository)) {
      builder.directory(repository.toFile());
    }
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as("%s: %s", command, output).isZero();
    return output.strip();
  }

  private void write(String file, String content) throws IOException {
    Path path = repository.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, content);
  }

  /** Commits everything and returns the hash. */
  private String commit(String author) throws IOException, InterruptedException {
    git("add", "-A");
    git(
        "-c",
        "user.name=" + author,
        "-c",
        "user.email=x@y",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "m");
    return git("rev-parse", "HEAD");
  }

  private CommandResult importRepository() {
    return CommandResult.gitlog("import", "--data", data, "--repo", repository);
  }

  @Test
  void readsMergesEmptyCommitsBinariesRenamesAndEveryName() throws Exception {
    write("dir/with space \"q\"\ttab ü.txt", "1\n2\n");
    write("plain", "1\n");
    String first = commit("Zoë \"Z\" O'Neil");
    git("checkout", "-q", "-b", "side");
    write("binary", "\0\1\2");
    commit("李雷");
    git("checkout", "-q", "main");
    Files.move(repository.resolve("plain"), repository.resolve("renamed"));
    commit("Zoë \"Z\" O'Neil");
    git("-c", "user.name=M", "-c", "user.email=x@y", "merge", "-q", "--no-ff", "-m", "m", "side");
    String empty = commit("E");

    CommandResult result = importRepository();
    assertThat(result.err()).isEmpty();
    assertThat(CommandResult.top(data))
        .isEqualTo(
            new TopReport(
                5,
                4,
                1,
                List.of(
                    new AuthorRow("Zoë \"Z\" O'Neil", 2, 4, 1),
                    new AuthorRow("E", 1, 0, 0),
                    new AuthorRow("M", 1, 0, 0),
                    new AuthorRow("李雷", 1, 0, 0)),
                List.of(
                    new FileRow("plain", 2, 1, 1, 1),
                    new FileRow("binary", 1, 0, 0, 1),
                    new FileRow("dir/with space \"q\"\ttab ü.txt", 1, 2, 0, 1),
                    new FileRow("renamed", 1, 1, 0, 1))));
    assertThat(CommandResult.top(data, "--at", first).commits()).isEqualTo(1);
    assertThat(CommandResult.top(data, "--at", empty).commits()).isEqualTo(5);

    write("plain", "again\n");
    commit("E");
    assertThat(importRepository().out())
        .contains("6 commits, 5 of them imported before")
        .contains("imported 1 commits");
  }

  @Test
  void reportsGitsErrors() throws Exception {
    assertThat(importRepository().err())
        .startsWith("error: git can't read the history of " + repository);

    Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    CommandResult result = CommandResult.gitlog("import", "--data", data, "--repo", elsewhere);
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("not a git repository");
    assertThat(data).doesNotExist();
  }

  @Test
  void refusesARewrittenHistory() throws Exception {
    write("plain", "1\n");
    commit("A");
    assertThat(importRepository().code()).isZero();

    git("-c", "user.name=A", "-c", "user.email=x@y", "commit", "-q", "--amend", "-m", "other");
    assertThat(importRepository().err())
        .contains("as commit 1, but the store has")
        .contains("history was rewritten");
  }
}

package io.github.stablecut.examples.gitlog;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A running {@code git log}. */
final class GitProcess implements LogSource {
  /** Environment variables that would make git use another repository than the named one. */
  private static final List<String> REDIRECTIONS =
      List.of("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE");

  private final Path repository;
  private final long commits;
  private final Process process;
  private final CompletableFuture<String> errors;

  private GitProcess(Path repository, long commits, Process process) {
    this.repository = repository;
    this.commits = commits;
    this.process = process;
    this.errors = errors(process);
  }

  /**
   * Starts {@code git log} in a repository.
   *
   * @throws GitLogException if git is not installed or finds no commits
   */
  static GitProcess start(Path repository) {
    Process counting = git(repository, List.of("rev-list", "--count", "HEAD"));
    CompletableFuture<String> errors = errors(counting);
    String count = read(counting.getInputStream()).strip();
    check(repository, counting, errors);
    return new GitProcess(repository, Long.parseLong(count), log(repository));
  }

  private static Process log(Path repository) {
    List<String> arguments = new ArrayList<>(List.of("-c", "log.showSignature=false"));
    arguments.addAll(CommitReader.ARGUMENTS);
    return git(repository, arguments);
  }

  private static Process git(Path repository, List<String> arguments) {
    List<String> command = new ArrayList<>(List.of("git", "-C", repository.toString()));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().keySet().removeAll(REDIRECTIONS);
    try {
      Process process = builder.start();
      process.getOutputStream().close();
      return process;
    } catch (IOException e) {
      throw new GitLogException(
          "can't run git: install it, or pass the repository's log with --log (" + e + ")", e);
    }
  }

  private static CompletableFuture<String> errors(Process process) {
    return CompletableFuture.supplyAsync(
        () -> read(process.getErrorStream()),
        task -> {
          Thread thread = new Thread(task, "git-errors");
          thread.setDaemon(true);
          thread.start();
        });
  }

  private static String read(InputStream in) {
    try {
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Checks the exit code of a process that has written all its output. */
  private static void check(Path repository, Process process, CompletableFuture<String> errors) {
    try {
      int code = process.waitFor();
      if (code != 0) {
        throw new GitLogException(
            "git can't read the history of %s: %s"
                .formatted(
                    repository,
                    errors.join().strip().lines().findFirst().orElse("exit code " + code)));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GitLogException("interrupted while git was reading " + repository, e);
    }
  }

  @Override
  public String name() {
    return repository.toString();
  }

  @Override
  public InputStream stream() {
    return process.getInputStream();
  }

  @Override
  public double fraction(long read) {
    return (double) read / commits;
  }

  @Override
  public void finish() {
    check(repository, process, errors);
  }

  @Override
  public void close() {
    process.destroy();
  }
}

package io.github.stablecut.examples.bench.guard;

import io.github.stablecut.examples.bench.guard.Git.Commit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** An earlier commit, checked out in a worktree of its own and built. */
public final class BaseBuild implements AutoCloseable {
  private final Git git;
  private final Path directory;
  private final boolean isKept;

  private BaseBuild(Git git, Path directory, boolean isKept) {
    this.git = git;
    this.directory = directory;
    this.isKept = isKept;
  }

  /**
   * Builds a commit, as its own {@code examples/run} does, unless its worktree is still there.
   *
   * @param isKept whether the worktree stays for the next run
   */
  public static BaseBuild of(Git git, Commit commit, boolean isKept)
      throws IOException, InterruptedException {
    Path directory = git.root().resolve("target").resolve("guard").resolve(commit.id());
    BaseBuild build = new BaseBuild(git, directory, isKept);
    if (!Files.isDirectory(directory)) {
      git.run("worktree", "add", "--detach", directory.toString(), commit.id());
    }
    int code =
        new ProcessBuilder(directory.resolve("examples/run").toString(), "bench", "--help")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start()
            .waitFor();
    if (code != 0) {
      throw new IOException(
          "commit %s was not built: see the messages above; its worktree is %s"
              .formatted(commit.id(), directory));
    }
    return build;
  }

  /** The class path of its store and libraries, with this program's own benchmarks. */
  public String classPath() {
    return ownClasses()
        + System.getProperty("path.separator")
        + directory.resolve("examples/target/quick/lib/*");
  }

  /** Returns the directory of this program's classes. */
  public static Path ownClasses() {
    return Path.of(BaseBuild.class.getProtectionDomain().getCodeSource().getLocation().getPath());
  }

  @Override
  public void close() {
    if (isKept) {
      return;
    }
    try {
      git.run("worktree", "remove", "--force", directory.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

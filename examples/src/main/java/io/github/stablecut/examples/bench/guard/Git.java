package io.github.stablecut.examples.bench.guard;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The repository that this program was built from. Immutable.
 *
 * @param root its directory
 */
public record Git(Path root) {
  /**
   * A commit.
   *
   * @param id abbreviated
   * @param time of the commit, in ISO 8601
   */
  public record Commit(String id, String time, String subject) {}

  /** The repository that contains a directory. */
  public static Git containing(Path directory) throws IOException, InterruptedException {
    return new Git(Path.of(run(directory, "rev-parse", "--show-toplevel")));
  }

  /** The commit of a name or an id. */
  public Commit commit(String name) throws IOException, InterruptedException {
    String[] parts = run("log", "-1", "--abbrev=12", "--format=%h%n%cI%n%s", name).split("\n", -1);
    return new Commit(parts[0], parts[1], parts[2]);
  }

  /** Whether files differ from the current commit. */
  public boolean isChanged() throws IOException, InterruptedException {
    return !run("status", "--porcelain", "--untracked-files=no").isEmpty();
  }

  /** Runs a command of Git, and returns its output. */
  @CanIgnoreReturnValue
  String run(String... arguments) throws IOException, InterruptedException {
    return run(root, arguments);
  }

  private static String run(Path directory, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("git", "-C", directory.toString()));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
    int code = process.waitFor();
    if (code != 0) {
      throw new IOException(
          "%s exited with code %d: see its messages above"
              .formatted(String.join(" ", command), code));
    }
    return output;
  }
}

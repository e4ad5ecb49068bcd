package io.github.stablecut.journal;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** A small ext4 file system on a loop device whose power can be cut. Needs root. */
final class LoopDisk implements AutoCloseable {
  private static final String SCRIPT = "src/test/scripts/powercut.py";

  private final Path image;
  private final Path mount;

  /** Creates and mounts it, or skips the test with a message on standard error. */
  LoopDisk(Path directory, int mebibytes) throws IOException {
    image = directory.resolve("image");
    mount = directory.resolve("mount");
    String output = run("create", image.toString(), mount.toString(), "" + mebibytes);
    boolean mounted = output.endsWith("exit code 0");
    if (!mounted) {
      System.err.println("SKIPPED: root, python3 and loop devices are needed: " + output);
    }
    assumeTrue(mounted, "no loop device is mounted");
  }

  Path mount() {
    return mount;
  }

  /** Loses everything unsynced. The writing process must have ended. */
  void cutPower() throws IOException {
    check(run("cut", mount.toString()));
    check(run("remount", image.toString(), mount.toString()));
  }

  /**
   * Copies a directory elsewhere, because this process must not open files on a disk to unmount.
   */
  void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  private static void check(String output) {
    if (!output.endsWith("exit code 0")) {
      throw new IllegalStateException(output);
    }
  }

  private static String run(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("python3", SCRIPT));
    command.addAll(Arrays.asList(arguments));
    return ChildJvm.run(command);
  }

  @Override
  public void close() throws IOException {
    check(run("destroy", image.toString(), mount.toString()));
  }
}

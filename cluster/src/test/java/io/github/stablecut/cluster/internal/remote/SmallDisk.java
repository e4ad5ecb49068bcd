package io.github.stablecut.cluster.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A small file system in memory. Needs root. */
public final class SmallDisk implements AutoCloseable {
  private static final int BLOCK = 4096;

  private final Path mount;

  /** Creates and mounts the file system, or skips the test with a message. */
  public SmallDisk(Path mount, int mebibytes) throws IOException {
    this.mount = Files.createDirectories(mount);
    String size = "size=" + mebibytes + "m";
    boolean isMounted = run("mount", "-t", "tmpfs", "-o", size, "none", mount.toString()) == 0;
    if (!isMounted) {
      System.err.println("SKIPPED: only root can mount a small file system");
    }
    assumeTrue(isMounted, "no small file system is mounted");
  }

  private static int run(String... command) throws IOException {
    try {
      return new ProcessBuilder(List.of(command)).inheritIO().start().waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException(String.join(" ", command));
    }
  }

  /** A directory on it. */
  public Path directory(String name) {
    return mount.resolve(name);
  }

  long usableBytes() {
    return mount.toFile().getUsableSpace();
  }

  /** Fills the disk until at most this number of bytes is free. */
  public void leave(long bytes) {
    try (OutputStream filler = Files.newOutputStream(filler())) {
      byte[] block = new byte[BLOCK];
      while (usableBytes() > bytes) {
        filler.write(block);
      }
    } catch (IOException e) {
      // Other threads were faster.
      assertThat(e).hasMessageContaining("No space left");
    }
  }

  /** Frees the space that {@link #leave} took. */
  public void free() throws IOException {
    Files.delete(filler());
  }

  private Path filler() {
    return mount.resolve("filler");
  }

  @Override
  public void close() throws IOException {
    // Unmounts lazily: memory mappings are released some time after they are closed.
    assertThat(run("umount", "--lazy", mount.toString())).isZero();
  }
}

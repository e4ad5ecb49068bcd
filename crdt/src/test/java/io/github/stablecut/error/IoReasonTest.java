package io.github.stablecut.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The words for failures of files. */
final class IoReasonTest {
  @TempDir private Path temporary;

  /** An action on a file. */
  private interface Action {
    Object run() throws IOException;
  }

  private static String reason(Action action) {
    try {
      throw new AssertionError("it was done: " + action.run());
    } catch (IOException e) {
      return IoReason.of(e);
    }
  }

  @Test
  void describesKnownExceptionClassesInWords() throws IOException {
    Path nowhere = temporary.resolve("nowhere");
    Path file = Files.createFile(temporary.resolve("file"));

    assertThat(reason(() -> Files.readAllBytes(nowhere))).isEqualTo("there is no " + nowhere);
    assertThat(reason(() -> Files.createFile(file))).isEqualTo(file + " is there already");
    assertThat(IoReason.of(new NotDirectoryException("x"))).isEqualTo("x is not a directory");
    assertThat(reason(() -> Files.deleteIfExists(temporary)))
        .isEqualTo(temporary + " is not empty");
    assertThat(reason(() -> Files.createFile(file.resolve("below"))))
        .isEqualTo(file.resolve("below") + ": Not a directory");
    assertThat(IoReason.of(new AccessDeniedException("/srv/x")))
        .isEqualTo("this user may not access /srv/x");
  }

  @Test
  void distinguishesAFullDiskFromOtherFailures() {
    Path file = temporary.resolve("none").resolve("file");

    assertThat(IoReason.isDiskFull(new IOException("No space left on device"), file)).isTrue();
    assertThat(IoReason.isDiskFull(new FileSystemException("x", null, "Disk quota exceeded"), file))
        .isTrue();
    assertThat(IoReason.isDiskFull(new AccessDeniedException("/srv/x"), file)).isFalse();
  }

  @Test
  void otherExceptionsShowTheirMessage() {
    assertThat(IoReason.of(new IOException("No space left on device")))
        .isEqualTo("No space left on device");
    assertThat(IoReason.of(new EOFException())).isEqualTo("it ended unexpectedly");
    assertThat(IoReason.of(new FileSystemException("x"))).isEqualTo("x");
  }
}

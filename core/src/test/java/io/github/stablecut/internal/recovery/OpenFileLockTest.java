package io.github.stablecut.internal.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.error.StoreInUseException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which openings of a file may hold locks together. */
final class OpenFileLockTest {
  @TempDir private Path directory;

  private Path file = Path.of("");

  @BeforeEach
  void create() throws IOException {
    file = Files.createFile(directory.resolve("LOCK"));
  }

  @Test
  void aLockBelongsToItsOpeningAndNotToTheProcess() throws IOException {
    try (OpenFileLock first = OpenFileLock.tryLock(file, false).orElseThrow()) {
      assertThat(first).isNotNull();
      for (int attempt = 0; attempt < 2; attempt++) {
        assertThat(OpenFileLock.tryLock(file, false)).isEmpty();
        assertThat(OpenFileLock.tryLock(file, true)).isEmpty();
        assertThat(OpenFileLock.tryProcess(file, false)).isEmpty();
        Files.readAllBytes(file);
      }
    }
    OpenFileLock.tryLock(file, false).orElseThrow().close();
  }

  @Test
  void releasesALockOnce() throws IOException {
    OpenFileLock first = OpenFileLock.tryLock(file, false).orElseThrow();
    first.close();
    try (OpenFileLock second = OpenFileLock.tryLock(file, false).orElseThrow()) {
      first.close();

      assertThat(second).isNotNull();
      assertThat(OpenFileLock.tryLock(file, false)).isEmpty();
    }
  }

  @Test
  void releasesADirectoryOnce() throws IOException {
    DirectoryLock first = DirectoryLock.acquire(directory);
    first.close();
    try (DirectoryLock second = DirectoryLock.acquire(directory)) {
      first.close();

      second.check();
      assertThatThrownBy(() -> DirectoryLock.acquire(directory))
          .isInstanceOf(StoreInUseException.class)
          .hasMessageContaining("this process");
    }
  }

  @Test
  void sharedLocksExcludeOnlyWriters() throws IOException {
    try (OpenFileLock first = OpenFileLock.tryLock(file, true).orElseThrow();
        OpenFileLock second = OpenFileLock.tryLock(file, true).orElseThrow()) {
      assertThat(first).isNotSameAs(second);
      assertThat(OpenFileLock.tryLock(file, false)).isEmpty();
    }
    OpenFileLock.tryLock(file, false).orElseThrow().close();
  }

  @Test
  void refusesASecondLockOfAProcessWithoutAnException() throws IOException {
    try (OpenFileLock first = OpenFileLock.tryProcess(file, false).orElseThrow()) {
      assertThat(first).isNotNull();
      assertThat(OpenFileLock.tryLock(file, false)).isEmpty();
      assertThat(OpenFileLock.tryProcess(file, false)).isEmpty();
    }
    OpenFileLock.tryProcess(file, false).orElseThrow().close();
  }
}

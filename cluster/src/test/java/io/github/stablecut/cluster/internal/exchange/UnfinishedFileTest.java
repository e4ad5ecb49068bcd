package io.github.stablecut.cluster.internal.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two writers create the same file concurrently. */
final class UnfinishedFileTest {
  @TempDir private Path directory;

  private Path target() {
    return directory.resolve("target");
  }

  @Test
  void refusesTheSecondWriterWithoutDisturbingTheFirst() throws IOException {
    try (UnfinishedFile first = UnfinishedFile.directory(target())) {
      Files.writeString(first.path().resolve("part"), "first");

      assertThatThrownBy(() -> UnfinishedFile.directory(target()).close())
          .isInstanceOf(TargetExistsException.class);

      assertThat(first.path().resolve("part")).hasContent("first");
      first.complete();
    }
    assertThat(target().resolve("part")).hasContent("first");
  }

  @Test
  void anUnfinishedFileReservesItsName() throws IOException {
    try (UnfinishedFile first = UnfinishedFile.file(target())) {
      assertThatThrownBy(() -> UnfinishedFile.file(target()).close())
          .isInstanceOf(TargetExistsException.class);
      assertThat(first.path()).exists();
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void keepsAFileThatAppearedMeanwhile() throws IOException {
    try (UnfinishedFile file = UnfinishedFile.file(target())) {
      Files.writeString(target(), "another writer's");

      assertThatThrownBy(file::complete).isInstanceOf(TargetExistsException.class);
    }
    assertThat(target()).hasContent("another writer's");
    assertThat(directory.resolve("target.unfinished")).doesNotExist();
  }

  @Test
  void keepsACompleteFile() throws IOException {
    try (UnfinishedFile file = UnfinishedFile.file(target())) {
      Files.writeString(file.path(), "whole");
      file.complete();
    }

    assertThat(target()).hasContent("whole");
    assertThat(directory.resolve("target.unfinished")).doesNotExist();
  }
}

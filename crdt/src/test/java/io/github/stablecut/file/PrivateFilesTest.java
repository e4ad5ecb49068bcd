package io.github.stablecut.file;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The permissions of new files and directories. */
final class PrivateFilesTest {
  @TempDir private Path directory;

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void aNewFileIsPrivate() throws IOException {
    Path file = directory.resolve("file");

    PrivateFiles.open(file, CREATE, WRITE).close();

    assertThat(mode(file)).isEqualTo("rw-------");
  }

  @Test
  void anExistingFileKeepsItsPermissions() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));

    PrivateFiles.open(file, CREATE, WRITE).close();

    assertThat(mode(file)).isEqualTo("rw-r-----");
  }

  @Test
  void restrictsALibrarysFileAfterwards() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));

    PrivateFiles.restrict(file);

    assertThat(mode(file)).isEqualTo("rw-------");
  }

  @Test
  void newDirectoriesArePrivateIncludingMissingParents() throws IOException {
    PrivateFiles.createDirectories(directory.resolve("a/b/c"));
    PrivateFiles.createDirectories(directory.resolve("a/b/c"));

    for (String path : new String[] {"a", "a/b", "a/b/c"}) {
      assertThat(mode(directory.resolve(path))).isEqualTo("rwx------");
    }
  }

  @Test
  void reportsAFileInPlaceOfADirectory() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));

    assertThatThrownBy(() -> PrivateFiles.createDirectories(file))
        .isInstanceOf(FileAlreadyExistsException.class);
  }
}

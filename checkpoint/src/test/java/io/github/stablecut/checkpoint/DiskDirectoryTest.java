package io.github.stablecut.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Behaviour specific to a directory on a disk. */
class DiskDirectoryTest extends DirectoryContract {
  @TempDir Path path = Path.of("");

  @Override
  Directory directory() throws IOException {
    return DiskDirectory.open(path.resolve("some").resolve("where"));
  }

  @Test
  void opensAnExistingDirectory() throws IOException {
    write(directory(), "a", "a");

    assertThat(directory().list()).containsExactly("a");
  }

  @Test
  void doesNotListDirectories() throws IOException {
    DiskDirectory directory = DiskDirectory.open(path);
    Files.createDirectory(path.resolve("journal"));

    assertThat(directory.list()).isEmpty();
  }

  @Test
  void freesTheSpaceOfADeletedFileThatIsStillMapped() throws IOException {
    Directory directory = directory();
    int mebibytes = 64;
    try (FileAppender file = directory.create("large")) {
      for (int i = 0; i < mebibytes; i++) {
        file.append(new byte[1 << 20], 0, 1 << 20);
      }
      file.force();
    }
    FileView view = directory.view("large");
    assertThat(view.getLong(1 << 20)).isZero();
    long before = directory.usableBytes();

    directory.delete("large");

    assertThat(directory.usableBytes() - before).isGreaterThan((mebibytes << 20) / 2);
    view.close();
  }

  @Test
  void keepsAFileThatABackupHasLinked() throws IOException {
    DiskDirectory directory = DiskDirectory.open(path.resolve("store"));
    write(directory, "run-1", "content");
    Path backup = path.resolve("backup");
    Files.createLink(backup, path.resolve("store").resolve("run-1"));

    directory.delete("run-1");

    assertThat(Files.readString(backup)).isEqualTo("content");
    assertThat(directory.list()).isEmpty();
  }

  /** Values read when the directory was last open may need the file. */
  @Test
  void keepsAnEarlierFileReadable() throws IOException {
    write(directory(), "run-1", "content");
    write(directory(), "run-2", "content");
    FileView view = directory().view("run-1");
    Directory opened = directory();

    opened.rename("run-2", "run-1");
    opened.delete("run-1");

    assertThat(view.length()).isEqualTo("content".length());
    assertThat(view.get(0, 7)).asString(UTF_8).isEqualTo("content");
    view.close();
  }

  @Test
  void readsThroughTheMapAfterAnInterruptClosedTheChannel() throws IOException {
    Directory directory = directory();
    byte[] content = new byte[3 * 4096];
    content[2 * 4096] = 7;
    try (FileAppender file = directory.create("a")) {
      file.append(content, 0, content.length);
    }
    try (FileView view = directory.view("a")) {
      Thread.currentThread().interrupt();

      assertThat(view.get(0, 1)).containsExactly(0);

      assertThat(Thread.interrupted()).isTrue();
      assertThat(view.get(2 * 4096, 1)).containsExactly(7);
    }
  }

  @Test
  void staysReadableAfterTheViewIsClosed() throws IOException {
    Directory directory = directory();
    write(directory, "a", "text");
    FileView view = directory.view("a");

    view.close();

    assertThat(new String(view.get(0, 4), UTF_8)).isEqualTo("text");
  }
}

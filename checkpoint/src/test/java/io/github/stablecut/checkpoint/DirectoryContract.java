package io.github.stablecut.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The behaviour of any directory without crashes. */
abstract class DirectoryContract {
  /** An empty directory. */
  abstract Directory directory() throws IOException;

  static void write(Directory directory, String name, String content) throws IOException {
    byte[] bytes = content.getBytes(UTF_8);
    try (FileAppender file = directory.create(name)) {
      file.append(bytes, 0, bytes.length);
    }
  }

  static String read(Directory directory, String name) throws IOException {
    return new String(directory.read(name, 1 << 20), UTF_8);
  }

  @Test
  void readsAppendedRecords() throws IOException {
    Directory directory = directory();
    byte[] bytes = "-one-two-".getBytes(UTF_8);

    try (FileAppender file = directory.create("a")) {
      file.append(bytes, 1, 3);
      file.append(bytes, 4, 0);
      file.append(bytes, 4, 4);
      file.force();
    }
    directory.force();

    assertThat(read(directory, "a")).isEqualTo("one-two");
    assertThat(directory.list()).containsExactly("a");
  }

  @Test
  void readsAnyPartOfALongFile() throws IOException {
    Directory directory = directory();
    byte[] content = new byte[50_000];
    new Random(1).nextBytes(content);
    try (FileAppender file = directory.create("long")) {
      file.append(content, 0, content.length);
    }

    try (FileView view = directory.view("long")) {
      Random random = new Random(2);
      for (int i = 0; i < 1_000; i++) {
        int from = random.nextInt(content.length);
        int count = random.nextInt(content.length - from + 1);

        assertThat(view.get(from, count))
            .isEqualTo(Arrays.copyOfRange(content, from, from + count));
      }
      assertThat(view.length()).isEqualTo(content.length);
      assertThat(view.getLong(4096))
          .isEqualTo(ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN).getLong(4096));
    }
  }

  @Test
  void readsAnEmptyFile() throws IOException {
    Directory directory = directory();
    write(directory, "empty", "");

    assertThat(read(directory, "empty")).isEmpty();
  }

  @Test
  void listsNamesInOrder() throws IOException {
    Directory directory = directory();
    write(directory, "b", "");
    write(directory, "a", "");
    write(directory, "c", "");

    assertThat(directory.list()).containsExactly("a", "b", "c");
  }

  @Test
  void renamesOverAnotherFile() throws IOException {
    Directory directory = directory();
    write(directory, "old", "old");
    write(directory, "new", "new");

    directory.rename("new", "old");

    assertThat(directory.list()).containsExactly("old");
    assertThat(read(directory, "old")).isEqualTo("new");
  }

  @Test
  void deletes() throws IOException {
    Directory directory = directory();
    write(directory, "a", "a");

    directory.delete("a");

    assertThat(directory.list()).isEmpty();
    assertThatThrownBy(() -> directory.view("a")).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> directory.delete("a")).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> directory.rename("a", "b")).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void doesNotCreateAFileTwice() throws IOException {
    Directory directory = directory();
    write(directory, "a", "a");

    assertThatThrownBy(() -> directory.create("a")).isInstanceOf(FileAlreadyExistsException.class);
    assertThat(read(directory, "a")).isEqualTo("a");
  }

  @Test
  void replacesASmallFile() throws IOException {
    Directory directory = directory();
    write(directory, "a.new", "left over");

    directory.replace("a", "one".getBytes(UTF_8));
    directory.replace("a", "two".getBytes(UTF_8));

    assertThat(read(directory, "a")).isEqualTo("two");
    assertThat(directory.list()).containsExactly("a");
  }

  @Test
  void refusesToReadAFileAboveTheLimit() throws IOException {
    Directory directory = directory();
    write(directory, "a", "four");

    assertThatThrownBy(() -> directory.read("a", 3))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(directory.pathOf("a"))
        .hasMessageContaining("4 bytes");
  }

  @Test
  void reportsTheFreeSpace() throws IOException {
    assertThat(directory().usableBytes()).isPositive();
  }
}

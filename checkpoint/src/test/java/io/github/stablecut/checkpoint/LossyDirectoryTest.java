package io.github.stablecut.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.checkpoint.testing.LossyDirectory;
import java.io.IOException;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The losses that a {@link LossyDirectory} simulates. */
class LossyDirectoryTest extends DirectoryContract {
  private final LossyDirectory directory = new LossyDirectory();

  @Override
  Directory directory() {
    return directory;
  }

  @Test
  void losesAnUnforcedName() throws IOException {
    try (FileAppender file = directory.create("a")) {
      file.append(new byte[] {1}, 0, 1);
      file.force();
    }

    assertThat(directory.afterPowerCut(item -> false).list()).isEmpty();
    assertThat(directory.afterKill().list()).containsExactly("a");
  }

  @Test
  void losesUnforcedBytes() throws IOException {
    write(directory, "a", "text");
    directory.force();

    assertThat(contents("a")).containsExactly("", "\0\0\0\0", "text");
  }

  @Test
  void keepsForcedBytes() throws IOException {
    try (FileAppender file = directory.create("a")) {
      file.append("text".getBytes(UTF_8), 0, 4);
      file.force();
      file.append("more".getBytes(UTF_8), 0, 4);
    }
    directory.force();

    assertThat(contents("a")).containsExactly("text", "text\0\0\0\0", "textmore");
  }

  @Test
  void aReadFailsOnceOnRequest() throws IOException {
    write(directory, "a", "text");

    directory.failReadOnce(1);
    assertThatThrownBy(() -> directory.view("a")).hasMessageContaining("injected fault");
    directory.failReadOnce(2);
    try (FileView view = directory.view("a")) {
      assertThatThrownBy(() -> view.get(0, 4))
          .isInstanceOf(CorruptCheckpointException.class)
          .hasMessageContaining("injected fault");
      assertThat(view.get(0, 4)).isEqualTo("text".getBytes(UTF_8));
    }
  }

  /** The contents that a boot may find in a file, over all combinations of losses. */
  private Set<String> contents(String name) throws IOException {
    Set<String> found = new TreeSet<>();
    for (int survivors = 0; survivors < 1 << directory.unforcedItems(); survivors++) {
      int mask = survivors;
      found.add(read(directory.afterPowerCut(item -> (mask >> item & 1) != 0), name));
    }
    return found;
  }

  @Test
  void losesSomePagesAndKeepsOthers() throws IOException {
    byte[] pages = new byte[3 * LossyDirectory.PAGE_BYTES];
    Arrays.fill(pages, (byte) 1);
    try (FileAppender file = directory.create("a")) {
      file.append(pages, 0, pages.length);
    }
    directory.force();

    byte[] onlyTheSecond = directory.afterPowerCut(item -> item == 1).read("a", pages.length);

    assertThat(onlyTheSecond).hasSize(2 * LossyDirectory.PAGE_BYTES);
    assertThat(onlyTheSecond[0]).isZero();
    assertThat(onlyTheSecond[LossyDirectory.PAGE_BYTES]).isEqualTo((byte) 1);
  }

  @Test
  void losesARenameCompletely() throws IOException {
    write(directory, "old", "old");
    write(directory, "new", "new");
    LossyDirectory settled = directory.afterKill();

    settled.rename("new", "old");

    assertThat(settled.unforcedItems()).isEqualTo(1);
    assertThat(read(settled.afterPowerCut(item -> false), "old")).isEqualTo("old");
    assertThat(read(settled.afterPowerCut(item -> false), "new")).isEqualTo("new");
    assertThat(read(settled.afterPowerCut(item -> true), "old")).isEqualTo("new");
    assertThat(settled.afterPowerCut(item -> true).list()).containsExactly("old");
  }

  @Test
  void mayFindADeletedFileCompleteEmptyOrGone() throws IOException {
    write(directory, "a", "text");
    LossyDirectory settled = directory.afterKill();

    settled.delete("a");

    assertThat(settled.unforcedItems()).isEqualTo(2);
    assertThat(read(settled.afterPowerCut(item -> false), "a")).isEqualTo("text");
    assertThat(read(settled.afterPowerCut(item -> item == 0), "a")).isEmpty();
    assertThat(settled.afterPowerCut(item -> item == 1).list()).isEmpty();
  }

  @Test
  void canCrashSeveralTimesFromTheSameState() throws IOException {
    write(directory, "a", "text");
    directory.force();

    LossyDirectory first = directory.afterKill();
    first.delete("a");

    assertThat(read(directory, "a")).isEqualTo("text");
    assertThat(read(directory.afterKill(), "a")).isEqualTo("text");
  }

  @Test
  void doesNothingAfterThePowerIsCut() throws IOException {
    directory.cutAfter(2);
    write(directory, "a", "text");

    assertThatThrownBy(directory::force).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> directory.create("b")).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> directory.delete("a")).isInstanceOf(IOException.class);
    assertThat(directory.operations()).isEqualTo(2);
    assertThat(read(directory.afterKill(), "a")).isEqualTo("text");
  }

  @Test
  void failsOnceOnRequest() throws IOException {
    directory.failAt(2);

    assertThatThrownBy(() -> write(directory, "a", "text"))
        .hasMessageContaining("injected fault in append");

    assertThat(read(directory, "a")).isEqualTo("te");
    write(directory, "b", "b");
  }

  @Test
  void isFullAtItsCapacity() throws IOException {
    directory.setCapacity(5);
    write(directory, "a", "text");

    assertThat(directory.usableBytes()).isEqualTo(1);
    assertThatThrownBy(() -> write(directory, "b", "text")).hasMessageContaining("no space left");
    directory.delete("a");
    directory.delete("b");
    write(directory, "c", "other");
  }

  @Test
  void zeroesADeletedFileForOpenViews() throws IOException {
    write(directory, "a", "text");
    try (FileView view = directory.view("a")) {
      directory.delete("a");

      assertThat(view.get(0, 4)).containsExactly(0, 0, 0, 0);
    }
  }
}

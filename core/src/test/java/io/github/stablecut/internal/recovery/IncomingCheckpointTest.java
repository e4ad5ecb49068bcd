package io.github.stablecut.internal.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.file.FileTrees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A replica continues with its old files or with the checkpoint of another one, never with a
 * mixture.
 */
final class IncomingCheckpointTest {
  @TempDir Path directory;
  private Path partition;
  private DirectoryLock lock;
  private boolean isFailing;

  @BeforeEach
  void create() throws IOException {
    lock = DirectoryLock.acquire(directory);
    partition = Files.createDirectories(directory.resolve("p2"));
    Files.createDirectories(partition.resolve("journal/sealed"));
    Files.createDirectories(partition.resolve("checkpoint"));
    Files.writeString(partition.resolve("journal/old"), "old");
    Files.writeString(partition.resolve("journal/sealed/old"), "old");
    Files.writeString(partition.resolve("checkpoint/run-1"), "old");
  }

  @AfterEach
  void unlock() {
    lock.close();
  }

  private IncomingCheckpoint incoming() {
    return new IncomingCheckpoint(partition, lock, this::begin);
  }

  private void begin(long first, long epoch) throws IOException {
    if (isFailing) {
      throw new IOException("injected");
    }
    Files.writeString(partition.resolve("journal/begun"), first + " " + epoch);
  }

  private void fetch(IncomingCheckpoint incoming) throws IOException {
    Files.writeString(incoming.begin().resolve("run-7"), "new");
  }

  private void assertNew() throws IOException {
    assertThat(Files.readString(partition.resolve("checkpoint/run-7"))).isEqualTo("new");
    assertThat(partition.resolve("checkpoint/run-1")).doesNotExist();
    assertThat(Files.readString(partition.resolve("journal/begun"))).isEqualTo("51 17");
    assertThat(partition.resolve("journal/old")).doesNotExist();
    assertThat(partition.resolve("journal/sealed")).doesNotExist();
    assertThat(partition.resolve("incoming")).doesNotExist();
    assertThat(partition.resolve("INSTALL")).doesNotExist();
  }

  @Test
  void replacesTheOldFiles() throws IOException {
    IncomingCheckpoint incoming = incoming();
    fetch(incoming);

    incoming.install(51, 17);

    assertNew();
  }

  @Test
  void deletesOnlyAnIncompleteCheckpoint() throws IOException {
    fetch(incoming());

    incoming().finish();

    assertThat(partition.resolve("incoming")).doesNotExist();
    assertThat(partition.resolve("journal/old")).exists();
    assertThat(partition.resolve("checkpoint/run-1")).exists();
  }

  @Test
  void resumesAfterACrashBehindTheMark() throws IOException {
    IncomingCheckpoint incoming = incoming();
    fetch(incoming);
    isFailing = true;
    assertThatThrownBy(() -> incoming.install(51, 17)).isInstanceOf(StoreIoException.class);
    assertThat(partition.resolve("INSTALL")).exists();
    isFailing = false;

    incoming().finish();

    assertNew();
  }

  @Test
  void resumesAfterACrashBetweenDeletingAndMoving() throws IOException {
    IncomingCheckpoint incoming = incoming();
    fetch(incoming);
    Path kept = directory.resolve("kept");
    Files.move(partition.resolve("incoming"), kept);
    isFailing = true;
    assertThatThrownBy(() -> incoming.install(51, 17)).isInstanceOf(StoreIoException.class);
    Files.move(kept, partition.resolve("incoming"));
    FileTrees.delete(partition.resolve("checkpoint"));
    isFailing = false;

    incoming().finish();

    assertNew();
  }

  @Test
  void refusesADamagedMark() throws IOException {
    fetch(incoming());
    Files.writeString(partition.resolve("INSTALL"), "stablecut install\nformat=1\nfirst=51\n");

    assertThatThrownBy(() -> incoming().finish())
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("INSTALL is damaged");
    assertThat(partition.resolve("journal/old")).exists();
  }
}

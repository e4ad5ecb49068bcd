package io.github.stablecut.cluster.command;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.CounterKey;
import io.github.stablecut.Key;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.journal.JvmFlags;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands for stores that nobody has open, as they are called. */
final class OfflineCommandsTest {
  private static final CounterKey COUNTER = Key.counter("b", "k");

  @TempDir private Path temporary;

  private Path data() {
    return temporary.resolve("data");
  }

  private void fill() {
    try (Store store = Stablecut.open(data())) {
      store.update(COUNTER.increment(3));
      store.checkpoint();
      for (int i = 0; i < 4; i++) {
        store.update(COUNTER.increment(1));
      }
    }
  }

  private Path damage() throws IOException {
    Path segment;
    try (Stream<Path> files = Files.walk(data().resolve("p0/journal"))) {
      segment = files.filter(file -> file.toString().endsWith(".cq4")).findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(segment);
    bytes[new String(bytes, ISO_8859_1).indexOf("b\0\1k")] ^= 1;
    Files.write(segment, bytes);
    return segment;
  }

  /** Opens a store, says so, and keeps it open until its input ends. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] args) throws IOException {
      try (Store store = Stablecut.open(Path.of(args[0]))) {
        System.out.println(store.status().epoch());
        while (System.in.read() >= 0) {
          // wait for the end
        }
      }
    }
  }

  private Process hold() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JvmFlags.all());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(Holder.class.getName(), data().toString()));
    Process holder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    assertThat(holder.inputReader().readLine()).isNotNull();
    return holder;
  }

  @Test
  void backupAndRestoreMakeTheSameStore() {
    fill();
    Path backup = temporary.resolve("backup");
    Path restored = temporary.resolve("restored");

    CommandResult written = CommandResult.of(new Backup(), data(), backup);
    CommandResult made = CommandResult.of(new Restore(), backup, restored);

    assertThat(written.code()).as(written.err()).isZero();
    assertThat(written.out()).contains("backed up " + data() + " into " + backup + ": token of");
    assertThat(made.code()).as(made.err()).isZero();
    assertThat(made.out()).isEqualTo("restored " + backup + " into " + restored + "\n");
    try (Store store = Stablecut.open(restored)) {
      assertThat(store.read(COUNTER)).isEqualTo(7);
    }
  }

  @Test
  void backupAndRestoreRefuseWhatIsNotThere() {
    Path nowhere = temporary.resolve("nowhere");
    CommandResult backup = CommandResult.of(new Backup(), nowhere, temporary.resolve("backup"));
    CommandResult restore = CommandResult.of(new Restore(), nowhere, data());

    assertThat(backup.code()).isEqualTo(1);
    assertThat(backup.err()).startsWith("error: " + nowhere + " holds no store");
    assertThat(nowhere).doesNotExist();
    assertThat(restore.code()).isEqualTo(1);
    assertThat(restore.err()).startsWith("error: " + nowhere + " holds no finished backup");
    assertThat(data()).doesNotExist();
    assertThat(CommandResult.of(new Backup(), data()).code()).isEqualTo(2);
    assertThat(CommandResult.of(new Restore()).code()).isEqualTo(2);
  }

  @Test
  void verifySaysThatAllIsWell() {
    fill();

    CommandResult sums = CommandResult.of(new Verify(), data());
    CommandResult full = CommandResult.of(new Verify(), data(), "--full");

    assertThat(sums.code()).isZero();
    assertThat(sums.out())
        .startsWith("all is well: 1 journal segments with ")
        .endsWith("entries\n");
    assertThat(full.code()).isZero();
    assertThat(full.out()).contains("; 1 objects were compared");
  }

  @Test
  void verifyNamesDamageWithFileAndPlace() throws IOException {
    fill();
    Path segment = damage();

    CommandResult result = CommandResult.of(new Verify(), data());

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out())
        .startsWith("damaged: segment 1 (" + segment + "), offset ")
        .contains("1 places are damaged");
  }

  @Test
  void aStoreInUseByAnotherProcessAndWhatIsNoStoreHaveACodeOfTheirOwn() throws Exception {
    fill();
    Process holder = hold();
    List<Object> readers = List.of(new Verify());
    for (Object command : readers) {
      CommandResult inUse = CommandResult.of(command, data());
      CommandResult nowhere = CommandResult.of(command, temporary.resolve("nowhere"));

      assertThat(inUse.code()).isEqualTo(2);
      assertThat(inUse.err()).contains("is open in another process, pid " + holder.pid());
      assertThat(nowhere.code()).isEqualTo(2);
      assertThat(nowhere.err()).contains("holds no store");
      assertThat(CommandResult.of(command).code()).isEqualTo(2);
    }
    CommandResult backup = CommandResult.of(new Backup(), data(), temporary.resolve("backup"));
    assertThat(backup.code()).isEqualTo(1);
    assertThat(backup.err()).contains("pid " + holder.pid());
    holder.outputWriter().close();
    assertThat(holder.waitFor()).isZero();
  }
}

package io.github.stablecut.checkpoint.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.checkpoint.CheckpointVersionException;
import io.github.stablecut.checkpoint.CorruptCheckpointException;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.checkpoint.ManifestFile;
import io.github.stablecut.checkpoint.RunEntry;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.crdt.Bytes;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The detection of damage in a run. */
class RunDamageTest {
  private static final IdHash HASH = SipHash.ofSeed(42);
  private static final int OBJECTS = 30;

  private final LossyDirectory directory = new LossyDirectory();
  private final TreeMap<Bytes, byte[]> states = new TreeMap<>();
  private ManifestFile name = new ManifestFile("run-1", VectorClock.ZERO, 1, 0);
  private byte[] content = new byte[0];

  @BeforeEach
  void write() throws IOException {
    for (int i = 0; i < OBJECTS; i++) {
      states.put(Bytes.utf8("object " + i), "x".repeat(i).getBytes(UTF_8));
    }
    name = Runs.write(directory, HASH, states).name();
    content = directory.read("run-1", 1 << 20);
  }

  /** Opens the run and reads all of it in every way; returns false if it reports damage. */
  private boolean readsAll() throws IOException {
    try {
      RunFile run = RunFile.open(directory, name);
      for (Map.Entry<Bytes, byte[]> state : states.entrySet()) {
        byte[] id = state.getKey().toArray();
        assertThat(run.find(id, HASH.of(id)).map(RunEntry::state))
            .hasValueSatisfying(found -> assertThat(found).isEqualTo(state.getValue()));
      }
      RunCursor cursor = new RunCursor(run, IdRange.all());
      for (Map.Entry<Bytes, byte[]> state : states.entrySet()) {
        assertThat(cursor.advance()).isTrue();
        assertThat(RunFormat.id(cursor.entry())).isEqualTo(state.getKey().toArray());
        assertThat(RunFormat.state(cursor.entry())).isEqualTo(state.getValue());
      }
      assertThat(cursor.advance()).isFalse();
      assertThat(run.notes()).containsExactly(1, 2, 3);
      return true;
    } catch (CorruptCheckpointException e) {
      assertThat(e).hasMessageContaining("run-1").hasMessageContaining("restore");
      return false;
    }
  }

  @Test
  void detectsAnyChangedByteOrIsUnaffected() throws IOException {
    List<Integer> harmless = new ArrayList<>();
    for (int at = 0; at < content.length; at++) {
      for (int flip : new int[] {0x01, 0x80, 0xff}) {
        directory.overwrite("run-1", at, content[at] ^ flip);
        if (readsAll()) {
          harmless.add(at);
        }
      }
      directory.overwrite("run-1", at, content[at]);
    }

    RunFooter footer = RunFile.open(directory, name).footer();
    assertThat(harmless)
        .allSatisfy(
            at -> assertThat((long) at).isBetween(footer.entriesEnd(), footer.tablesAt() - 1));
    assertThat(harmless).isNotEmpty();
  }

  /** The length in an entry is trusted only if the entry's checksum is right. */
  @Test
  void allocatesNothingForAWrongLength() throws IOException {
    directory.delete("run-1");
    states.clear();
    for (int i = 10; i < 40; i++) {
      states.put(Bytes.utf8("object " + i), new byte[2 << 20]);
    }
    name = Runs.write(directory, HASH, states).name();
    assertThat(readsAll()).isTrue();
    int lengthAt = RunFormat.HEADER_BYTES + RunFormat.LENGTH_AT;
    for (int mebibytes : new int[] {3, 40, 59, 200}) {
      directory.overwrite("run-1", lengthAt + 2, mebibytes << 4 & 0xff);
      directory.overwrite("run-1", lengthAt + 3, mebibytes >> 4);
      RunFile run = RunFile.open(directory, name);
      byte[] id = states.firstKey().toArray();
      RunCursor cursor = new RunCursor(run, IdRange.all());
      long before = allocatedBytes();

      assertThatThrownBy(() -> run.find(id, HASH.of(id)))
          .isInstanceOf(CorruptCheckpointException.class)
          .hasMessageContaining("damaged at offset 16");
      assertThatThrownBy(cursor::advance)
          .isInstanceOf(CorruptCheckpointException.class)
          .hasMessageContaining("damaged at offset 16");
      assertThat(allocatedBytes() - before).isLessThan(2 << 20);
    }
  }

  private static long allocatedBytes() {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  @Test
  void verifiesEveryByte() throws IOException {
    RunFooter footer = RunFile.open(directory, name).footer();
    for (int at = RunFormat.HEADER_BYTES; at < footer.sumsAt() + 4; at++) {
      directory.overwrite("run-1", at, content[at] ^ 1);
      List<CorruptCheckpointException> damage = new ArrayList<>();
      new RunVerification(RunFile.open(directory, name), HASH).run(damage::add);

      assertThat(damage).as("offset %d", at).hasSize(1);
      directory.overwrite("run-1", at, content[at]);
    }
  }

  @Test
  void namesFileAndOffset() throws IOException {
    directory.overwrite("run-1", RunFormat.HEADER_BYTES + 30, 'z');
    RunFile run = RunFile.open(directory, name);

    assertThatThrownBy(() -> new RunCursor(run, IdRange.all()).advance())
        .isInstanceOf(CorruptCheckpointException.class)
        .hasMessageStartingWith("run-1: damaged at offset 16: ");
  }

  @Test
  void detectsATruncatedFile() throws IOException {
    for (int length = 0; length < content.length; length += 7) {
      directory.delete("run-1");
      try (var file = directory.create("run-1")) {
        file.append(content, 0, length);
      }

      assertThatThrownBy(() -> RunFile.open(directory, name))
          .as("length %d", length)
          .isInstanceOf(CorruptCheckpointException.class)
          .hasMessageContaining("run-1");
    }
  }

  @Test
  void detectsAnotherRunInItsPlace() throws IOException {
    directory.delete("run-1");
    states.remove(Bytes.utf8("object 0"));
    Runs.write(directory, HASH, states);

    assertThatThrownBy(() -> RunFile.open(directory, name))
        .isInstanceOf(CorruptCheckpointException.class)
        .hasMessageContaining("not the file that the manifest names");
  }

  @Test
  void reportsAMissingFile() throws IOException {
    directory.delete("run-1");

    assertThatThrownBy(() -> RunFile.open(directory, name))
        .isInstanceOf(CorruptCheckpointException.class)
        .hasMessageContaining("run-1: the file is missing");
  }

  @Test
  void reportsANewerFormat() throws IOException {
    byte[] newer = content.clone();
    int trailer = newer.length - RunFormat.TRAILER_BYTES;
    int footerLength = RunFormat.getInt(newer, trailer);
    RunFormat.putInt(newer, RunFormat.HEADER_VERSION_AT, RunFormat.VERSION + 1);
    RunFormat.putInt(
        newer, RunFormat.HEADER_CRC_AT, RunFormat.crc32c(newer, 0, RunFormat.HEADER_CRC_AT));
    RunFormat.putInt(newer, trailer + RunFormat.TRAILER_VERSION_AT, RunFormat.VERSION + 1);
    RunFormat.putInt(
        newer,
        trailer + RunFormat.TRAILER_CRC_AT,
        RunFormat.crc32c(newer, trailer - footerLength, footerLength + RunFormat.TRAILER_CRC_AT));
    directory.delete("run-1");
    try (var file = directory.create("run-1")) {
      file.append(newer, 0, newer.length);
    }

    assertThatThrownBy(() -> RunFile.open(directory, name))
        .isInstanceOf(CheckpointVersionException.class)
        .hasMessageContaining("run-1 has format 3, this program reads up to 2");
  }
}

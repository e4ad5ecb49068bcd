package io.github.stablecut.cluster.command;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.journal.JournalDirectory;
import io.github.stablecut.journal.JvmFlags;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands for stores that no process has open. */
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
      segment =
          files
              .filter(file -> JournalDirectory.segmentOf(file.getFileName().toString()) > 0)
              .findFirst()
              .orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(segment);
    bytes[new String(bytes, ISO_8859_1).indexOf("b\0\1k")] ^= 1;
    Files.write(segment, bytes);
    return segment;
  }

  /** Opens a store, prints that, and keeps the store open until its input ends. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] args) throws IOException {
      try (Store store = Stablecut.open(Path.of(args[0]))) {
        System.out.println("open in epoch " + store.status().epoch());
        while (System.in.read() >= 0) {
          // wait for the end of the input
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
    assertThat(holder.inputReader().lines().anyMatch(line -> line.startsWith("open"))).isTrue();
    return holder;
  }

  @Test
  void aRestoredBackupEqualsTheStore() {
    fill();
    Path backup = temporary.resolve("backup");
    Path restored = temporary.resolve("restored");

    CommandResult written = CommandResult.of(new Backup(), data(), backup);
    CommandResult restoring = CommandResult.of(new Restore(), backup, restored);

    assertThat(written.code()).as(written.err()).isZero();
    assertThat(written.out()).contains("backed up " + data() + " into " + backup + ": token of");
    assertThat(restoring.code()).as(restoring.err()).isZero();
    assertThat(restoring.out()).isEqualTo("restored " + backup + " into " + restored + "\n");
    try (Store store = Stablecut.open(restored)) {
      assertThat(store.read(COUNTER)).isEqualTo(7);
    }
  }

  @Test
  void backupAndRestoreRefuseMissingDirectories() {
    Path nowhere = temporary.resolve("nowhere");
    CommandResult backup = CommandResult.of(new Backup(), nowhere, temporary.resolve("backup"));
    CommandResult restore = CommandResult.of(new Restore(), nowhere, data());

    assertThat(backup.code()).isEqualTo(2);
    assertThat(backup.err()).startsWith("error: there is no " + nowhere);
    assertThat(nowhere).doesNotExist();
    assertThat(restore.code()).isEqualTo(1);
    assertThat(restore.err()).startsWith("error: " + nowhere + " is not a complete backup");
    assertThat(data()).doesNotExist();
    assertThat(CommandResult.of(new Backup(), data()).code()).isEqualTo(2);
    assertThat(CommandResult.of(new Restore()).code()).isEqualTo(2);
  }

  @Test
  void backupVerifyNamesMissingAndChangedFiles() throws IOException {
    fill();
    Path backup = temporary.resolve("backup");
    assertThat(CommandResult.of(new Backup(), data(), backup).code()).isZero();

    CommandResult intact = CommandResult.of(new BackupVerify(), backup);
    assertThat(intact.code()).as(intact.err()).isZero();
    assertThat(intact.out())
        .startsWith("all is well: a backup of store ")
        .contains(" of 1 partitions");

    List<Path> files;
    try (Stream<Path> all = Files.list(backup.resolve("p0"))) {
      files = all.sorted().toList();
    }
    Files.delete(files.get(0));
    byte[] bytes = Files.readAllBytes(files.get(1));
    bytes[0] ^= 1;
    Files.delete(files.get(1)); // it may be a hard link to the store's file
    Files.write(files.get(1), bytes);
    CommandResult damaged = CommandResult.of(new BackupVerify(), backup);
    assertThat(damaged.code()).isEqualTo(1);
    assertThat(damaged.out())
        .contains("damaged: " + files.get(0) + ": it is missing")
        .contains("damaged: " + files.get(1) + ": its SHA-256 is ")
        .contains("2 files are damaged: a backup of store ");
    assertThat(CommandResult.of(new BackupVerify(), temporary.resolve("nowhere")).code())
        .isEqualTo(1);
  }

  @Test
  void everyCommandPrintsItsVersion() {
    for (Object command : List.of(new Verify(), new Get(), Status.command(), new Backup())) {
      CommandResult result = CommandResult.of(command, "--version");

      assertThat(result.code()).as(result.err()).isZero();
      assertThat(result.out()).isEqualTo(Main.version() + System.lineSeparator());
    }
  }

  @Test
  void verifyReportsAnIntactStore() {
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
  void verifyNamesTheFileAndOffsetOfDamage() throws IOException {
    fill();
    Path segment = damage();

    CommandResult result = CommandResult.of(new Verify(), data());

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out())
        .startsWith("damaged: segment 1 (" + segment + "), offset ")
        .contains("1 place is damaged");
  }

  @Test
  void inspectDescribesTheStore() throws IOException {
    fill();

    CommandResult table = CommandResult.of(new Inspect(), data());
    CommandResult json = CommandResult.of(new Inspect(), data(), "--json");

    assertThat(table.code()).as(table.err()).isZero();
    assertThat(table.out())
        .containsPattern("partitions.0.checkpoints.runs.0.entries +1\n")
        .containsPattern("formats.journal +2\n");
    JsonNode report = new ObjectMapper().readTree(json.out());
    assertThat(report.path("store").textValue()).hasSize(16);
    assertThat(report.path("formats").properties()).hasSize(3);
    assertThat(report.path("findings")).isEmpty();
    assertThat(report.path("partitions")).hasSize(1);
    JsonNode partition = report.path("partitions").path(0);
    JsonNode times = partition.path("times");
    assertThat(times.properties()).hasSize(6);
    assertThat(times.path("lowWatermark").isNull()).isTrue();
    assertThat(Instant.parse(times.path("checkpointTime").asText()))
        .isBeforeOrEqualTo(Instant.parse(times.path("maxCommitted").asText()));
    assertThat(partition.path("journal").path("transactions").asInt()).isEqualTo(5);
    assertThat(partition.path("journal").path("effects").asInt()).isEqualTo(5);
    assertThat(partition.path("journal").path("effectsSinceCheckpoint").asInt()).isEqualTo(4);
    assertThat(partition.path("checkpoints").path("objects").asInt()).isEqualTo(1);
    JsonNode run = partition.path("checkpoints").path("runs").path(0);
    assertThat(run.path("entries").asInt()).isEqualTo(1);
    assertThat(run.path("bytes").asLong())
        .isEqualTo(Files.size(Path.of(run.path("file").asText())));
  }

  @Test
  void inspectCountsAllocatedBytesWithoutHoles() throws Exception {
    Process holder = hold();
    holder.destroyForcibly().waitFor();

    CommandResult result = CommandResult.of(new Inspect(), data(), "--json");

    assertThat(result.code()).as(result.err()).isZero();
    JsonNode segment =
        new ObjectMapper().readTree(result.out()).at("/partitions/0/journal/segments/0");
    assertThat(segment.path("bytes").asLong()).isGreaterThan(8 << 20);
    assertThat(segment.path("allocatedBytes").asLong()).isBetween(1L, 4L << 20);
  }

  @Test
  void inspectReportsDamage() throws IOException {
    fill();
    Path segment = damage();

    CommandResult result = CommandResult.of(new Inspect(), data());

    assertThat(result.code()).isZero();
    assertThat(result.out())
        .containsPattern("findings.0 +segment 1 .*" + Pattern.quote(segment.toString()))
        .containsPattern("partitions.0.checkpoints.histories +none\n");
  }

  @Test
  void journalDumpPrintsRecordsInOrder() throws IOException {
    try (Store store = Stablecut.open(data())) {
      store.update(COUNTER.increment(3), Key.text("b", "t\u001b").insert(0, "x"));
      store.update(COUNTER.increment(4));
    }

    CommandResult text = CommandResult.of(new DumpJournal(), data());
    CommandResult json = CommandResult.of(new DumpJournal(), data(), "--json", "--key", "b/k");

    assertThat(text.code()).as(text.err()).isZero();
    assertThat(text.out())
        .contains("p0 segment 1 offset ")
        .contains(": transaction of 20")
        .contains("    \"b\"/\"k\", counter: Add[amount=3]")
        .contains(": clock ceiling of 20")
        .doesNotContain("\u001b");
    List<JsonNode> records = new ArrayList<>();
    for (String line : json.out().lines().toList()) {
      records.add(new ObjectMapper().readTree(line));
    }
    assertThat(records).hasSize(2).allMatch(record -> record.path("effects").size() == 1);
    assertThat(records.get(0).path("sequence").asLong())
        .isLessThan(records.get(1).path("sequence").asLong());
    assertThat(records.get(1).path("effects").path(0).path("effect").asText())
        .isEqualTo("Add[amount=4]");
    assertThat(records.get(1).path("effects").path(0).path("bucket").asText()).isEqualTo("b");
  }

  @Test
  void journalDumpPrintsTheStepsOfADistributedTransaction() throws IOException {
    try (Store store = Stablecut.open(data(), StoreOptions.defaults().withPartitions(2))) {
      for (int i = 0; i < 50; i++) {
        store.update(COUNTER.increment(3), Key.counter("b", "other" + i).increment(4));
      }
    }

    CommandResult text = CommandResult.of(new DumpJournal(), data());
    CommandResult json = CommandResult.of(new DumpJournal(), data(), "--json");

    assertThat(text.code()).as(text.err()).isZero();
    assertThat(text.out())
        .containsPattern("p0 .*: transaction of 20.*, 0-1-1 with partitions \\[1]\n +\"b\"/")
        .containsPattern("p0 .*: end of 0-1-1\n")
        .containsPattern("p1 .*: prepared at 20.*, 0-1-1\n +\"b\"/")
        .containsPattern("p1 .*: transaction of 20.*, 0-1-1\n +\"b\"/");
    List<String> kinds = new ArrayList<>();
    for (String line : json.out().lines().toList()) {
      JsonNode record = new ObjectMapper().readTree(line);
      if (record.path("id").asText().equals("0-1-1")) {
        kinds.add(record.path("partition").asText() + " " + record.path("kind").asText());
      }
    }
    assertThat(kinds).containsExactly("0 transaction", "0 end", "1 prepared", "1 transaction");
  }

  @Test
  void journalDumpFiltersByTime() throws Exception {
    Instant first;
    Instant second;
    CausalToken token;
    try (Store store = Stablecut.open(data())) {
      first = timeOf(store.update(COUNTER.increment(1)));
      do {
        token = store.update(COUNTER.increment(2));
        second = timeOf(token);
      } while (!second.isAfter(first));
    }

    String upToFirst = CommandResult.of(new DumpJournal(), data(), "--to", first).out();
    String fromSecond = CommandResult.of(new DumpJournal(), data(), "--from", second).out();
    String none = CommandResult.of(new DumpJournal(), data(), "--key", "b/x").out();

    assertThat(upToFirst).contains("amount=1").doesNotContain(second.toString());
    assertThat(fromSecond).contains("amount=2").doesNotContain("amount=1");
    assertThat(none).isEmpty();
    for (String printed : List.of(token.toString(), second + "+7", token.toText())) {
      assertThat(CommandResult.of(new DumpJournal(), data(), "--from", printed).out())
          .as(printed)
          .isEqualTo(fromSecond);
    }
    for (List<String> wrong :
        List.of(List.of("--from", "yesterday"), List.of("--key", "noslash"), List.of("--what"))) {
      List<Object> args = new ArrayList<>(wrong);
      args.add(0, data());
      CommandResult result = CommandResult.of(new DumpJournal(), args.toArray());
      assertThat(result.code()).isEqualTo(2);
      assertThat(result.err()).contains(wrong.get(wrong.size() - 1));
    }
  }

  @Test
  void journalDumpReportsATornTail() throws IOException {
    Path open = temporary.resolve("open");
    try (Store store = Stablecut.open(open)) {
      store.update(COUNTER.increment(3));
      try (Stream<Path> files = Files.walk(open)) {
        for (Path file : (Iterable<Path>) files::iterator) {
          Files.copy(file, data().resolve(open.relativize(file).toString()));
        }
      }
    }
    Path segment = damage();

    CommandResult result = CommandResult.of(new DumpJournal(), data());

    assertThat(result.code()).as(result.out()).isZero();
    assertThat(result.err()).startsWith("note: ").contains("a wrong checksum", segment.toString());
    assertThat(result.out()).doesNotContain("amount=3");
  }

  private static Instant timeOf(CausalToken token) {
    return Instant.ofEpochMilli(Timestamp.epochMillis(token.vector().max()));
  }

  @Test
  void journalDumpContinuesAfterDamageAndNamesIt() throws IOException {
    fill();
    Path segment = damage();

    CommandResult result = CommandResult.of(new DumpJournal(), data());

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).startsWith("damaged: segment 1 (" + segment + "), offset ");
    assertThat(result.out()).contains("amount=1").doesNotContain("amount=3");
  }

  @Test
  void aStoreInUseAndAMissingStoreExitWithCodeTwo() throws Exception {
    fill();
    Process holder = hold();
    List<Object> readers = List.of(new Verify(), new Inspect(), new DumpJournal());
    for (Object command : readers) {
      CommandResult inUse = CommandResult.of(command, data());
      CommandResult nowhere = CommandResult.of(command, temporary.resolve("nowhere"));

      assertThat(inUse.code()).isEqualTo(2);
      assertThat(inUse.err()).contains("is open in another process, pid " + holder.pid());
      assertThat(nowhere.code()).isEqualTo(2);
      assertThat(nowhere.err()).contains("there is no ");
      assertThat(CommandResult.of(command).code()).isEqualTo(2);
    }
    for (Object command : List.of(new Backup(), new Export())) {
      CommandResult inUse = CommandResult.of(command, data(), temporary.resolve("target"));
      assertThat(inUse.code()).isEqualTo(2);
      assertThat(inUse.err()).contains("pid " + holder.pid());
      assertThat(temporary.resolve("target")).doesNotExist();
    }
    holder.outputWriter().close();
    assertThat(holder.waitFor()).isZero();
  }
}

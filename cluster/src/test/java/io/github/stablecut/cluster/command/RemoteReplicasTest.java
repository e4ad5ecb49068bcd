package io.github.stablecut.cluster.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.Endpoint;
import io.github.stablecut.cluster.Server;
import io.github.stablecut.cluster.SettingsLoader;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exports, backups and verifications of a running server. */
final class RemoteReplicasTest {
  private static final CounterKey COUNTER = Key.counter("b", "k");

  /** Enough for several chunks of a response. */
  private static final int OBJECTS = 300;

  @TempDir private Path temporary;
  private Server server;
  private CausalToken first;

  @BeforeEach
  void start() {
    try (Store store = Stablecut.open(path("data"))) {
      first = store.update(COUNTER.increment(1));
      for (int i = 0; i < OBJECTS; i++) {
        store.update(
            COUNTER.increment(1),
            Key.register("texts", "t" + i, Codec.string()).assign("long ".repeat(200)));
      }
    }
    server =
        Server.start(
            SettingsLoader.defaults(path("data"))
                .withProtocol(Endpoint.loopback(0))
                .withOperations(Optional.of(Endpoint.loopback(0))));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Path path(String name) {
    return temporary.resolve(name);
  }

  private String url() {
    return "http://127.0.0.1:" + server.operationsAddress().orElseThrow().getPort();
  }

  @Test
  void exportsTheSameAsFromTheClosedDirectory() throws Exception {
    CommandResult served = CommandResult.of(new Export(), "--url", url(), path("served.jsonl"));
    CommandResult then =
        CommandResult.of(new Export(), "--url", url(), "--at", first.toText(), path("then.jsonl"));
    server.close();
    CommandResult closed = CommandResult.of(new Export(), path("data"), path("closed.jsonl"));

    assertThat(served.code()).as(served.err()).isZero();
    assertThat(served.out()).startsWith("exported 301 objects of " + url() + " into ");
    assertThat(closed.code()).as(closed.err()).isZero();
    assertThat(path("served.jsonl")).hasSameBinaryContentAs(path("closed.jsonl"));
    assertThat(then.code()).as(then.err()).isZero();
    assertThat(Files.readString(path("then.jsonl")))
        .isEqualTo("{\"bucket\":\"b\",\"key\":\"k\",\"type\":\"counter\",\"value\":1}\n");
  }

  @Test
  void aRefusedExportLeavesNoFile() {
    CommandResult result =
        CommandResult.of(new Export(), "--url", url(), "--at", "yesterday", path("x.jsonl"));

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("yesterday");
    assertThat(path("x.jsonl")).doesNotExist();
    assertThat(path("x.jsonl.unfinished")).doesNotExist();
  }

  @Test
  void writesABackupOnTheServersDisk() {
    CommandResult written = CommandResult.of(new Backup(), "--url", url(), path("backup"));
    CommandResult again = CommandResult.of(new Backup(), "--url", url(), path("backup"));
    CommandResult relative = CommandResult.of(new Backup(), "--url", url(), "backup");

    assertThat(written.code()).as(written.err()).isZero();
    assertThat(written.out()).startsWith("backed up " + url() + " into " + path("backup"));
    assertThat(again.code()).isEqualTo(1);
    assertThat(again.err()).contains("the server at " + url() + ": " + path("backup"));
    assertThat(relative.code()).isEqualTo(1);
    assertThat(relative.err()).contains("absolute path");
    Stablecut.restore(path("backup"), path("restored"));
    try (Store store = Stablecut.open(path("restored"))) {
      assertThat(store.read(COUNTER)).isEqualTo(OBJECTS + 1);
    }
  }

  @Test
  void verifyFindsADamagedRunAndLeavesNothing() throws Exception {
    CommandResult well = CommandResult.of(new Verify(), "--url", url());
    Path run;
    try (Stream<Path> files = Files.list(path("data/p0/checkpoint"))) {
      run =
          files
              .filter(file -> file.getFileName().toString().startsWith("run-"))
              .findFirst()
              .orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(run);
    bytes[bytes.length / 2] ^= 1;
    Files.write(run, bytes);
    CommandResult damaged = CommandResult.of(new Verify(), "--url", url());

    assertThat(well.code()).as(well.err()).isZero();
    assertThat(well.out()).startsWith("all is well: ");
    assertThat(damaged.code()).isEqualTo(1);
    assertThat(damaged.err() + damaged.out()).contains(run.getFileName().toString());
    assertThat(path("data/verifying.tmp")).doesNotExist();
  }

  @Test
  void describesTheFilesOfARunningServer() throws Exception {
    CommandResult served = CommandResult.of(new DumpJournal(), "--url", url(), "--key", "b/k");
    CommandResult named = CommandResult.of(new DumpJournal(), path("data"), "--key", "b/k");
    CommandResult inspected = CommandResult.of(new Inspect(), "--url", url(), "--json");
    assertThat(path("data/reading.tmp")).doesNotExist();
    server.close();
    CommandResult closed = CommandResult.of(new DumpJournal(), path("data"), "--key", "b/k");

    assertThat(served.code()).as(served.err()).isZero();
    assertThat(served.out()).isNotEmpty().isEqualTo(closed.out()).isEqualTo(named.out());
    assertThat(inspected.code()).as(inspected.err()).isZero();
    JsonNode partition = new ObjectMapper().readTree(inspected.out()).at("/partitions/0");
    Path segment = Path.of(partition.at("/journal/segments/0/file").asText());
    assertThat(segment.startsWith(path("data/p0/journal"))).as(segment.toString()).isTrue();
    assertThat(partition.at("/journal/transactions").asInt()).isEqualTo(OBJECTS + 1);
  }

  /** A record that is being written looks damaged. */
  @Test
  void reportsNoDamageOfABusyServer() throws Exception {
    AtomicBoolean isDone = new AtomicBoolean();
    CompletableFuture<Void> load =
        CompletableFuture.runAsync(
            () -> {
              while (!isDone.get()) {
                server.store().update(COUNTER.increment(1));
              }
            });
    try {
      for (int i = 0; i < 2; i++) {
        CommandResult dump = CommandResult.of(new DumpJournal(), "--url", url());
        CommandResult inspected = CommandResult.of(new Inspect(), "--url", url(), "--json");

        assertThat(dump.code()).as(dump.err()).isZero();
        assertThat(dump.err()).isEmpty();
        assertThat(inspected.code()).as(inspected.err()).isZero();
        assertThat(inspected.out()).doesNotContain("damaged");
      }
    } finally {
      isDone.set(true);
      load.join();
    }
  }

  /** A server may not be allowed to write next to its directory, or that may be another disk. */
  @Test
  void verifyWritesNothingBesideTheDirectory() throws Exception {
    Files.createDirectories(path("data/verifying.tmp/backup/left by a killed server"));
    CommandResult well;
    Path first;
    try (WatchService watch = temporary.getFileSystem().newWatchService()) {
      WatchKey created = temporary.register(watch, StandardWatchEventKinds.ENTRY_CREATE);

      well = CommandResult.of(new Verify(), "--url", url());
      Files.createFile(path("mark"));

      assertThat(watch.take()).isEqualTo(created);
      first = (Path) created.pollEvents().get(0).context();
    }
    assertThat(first).hasToString("mark");
    assertThat(well.code()).as(well.err()).isZero();
  }

  @Test
  void refusesABackupWithoutTheAdminToken() throws Exception {
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(
                        URI.create(url() + "/api/v1/backup?target=" + path("backup")))
                    .POST(HttpRequest.BodyPublishers.noBody())
                    .build(),
                HttpResponse.BodyHandlers.ofString());

    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(path("backup")).doesNotExist();
  }

  @Test
  void usesTheServerThatHasTheDirectoryOpen() throws Exception {
    Path data = path("data");

    CommandResult get = CommandResult.of(new Get(), "--data", data, "b", "k");
    CommandResult update =
        CommandResult.of(new UpdateObject(), "--data", data, "b", "k", "increment");
    CommandResult backup = CommandResult.of(new Backup(), data, path("backup"));
    CommandResult export = CommandResult.of(new Export(), data, path("x.jsonl"));
    CommandResult verify = CommandResult.of(new Verify(), data);

    assertThat(get.out()).as(get.err()).isEqualTo("301\n");
    assertThat(update.code()).as(update.err()).isZero();
    assertThat(server.store().read(COUNTER)).isEqualTo(302);
    assertThat(backup.out()).as(backup.err()).startsWith("backed up " + data + " into ");
    assertThat(export.out()).as(export.err()).startsWith("exported 301 objects of " + data);
    assertThat(verify.out()).as(verify.err()).startsWith("all is well");
    server.close();
    assertThat(data.resolve("OPERATORS")).doesNotExist();
  }

  @Test
  void ignoresTheUrlThatAKilledServerHasLeft() throws Exception {
    Path other = path("other");
    try (Store open = Stablecut.open(other)) {
      Files.copy(path("data/OPERATORS"), other.resolve("OPERATORS"));

      CommandResult get = CommandResult.of(new Get(), "--data", other, "b", "k");

      assertThat(get.code()).isEqualTo(2);
      assertThat(get.err()).contains("is open");
      assertThat(open.status().health().failures()).isEmpty();
    }
  }

  /** Another process may listen on the port of a killed server. */
  @Test
  void sendsNoTokenToAProcessWithoutTheDirectory() throws Exception {
    Path file = path("data/OPERATORS");
    List<String> asked = new CopyOnWriteArrayList<>();
    HttpServer other =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    other.createContext(
        "/",
        exchange -> {
          asked.add(exchange.getRequestURI().getPath());
          asked.addAll(exchange.getRequestHeaders().keySet());
          byte[] answer = "0".repeat(64).getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    other.start();
    try {
      String otherUrl = "http://127.0.0.1:" + other.getAddress().getPort();
      Files.writeString(file, otherUrl + Files.readString(file).replaceFirst("http:[^\n]*", ""));

      CommandResult get = CommandResult.of(new Get(), "--data", path("data"), "b", "k");

      assertThat(get.code()).isEqualTo(2);
      assertThat(get.err()).contains("is open");
      assertThat(asked).contains("/api/v1/owner").doesNotContain("Stablecut-operator");
      assertThat(asked).filteredOn(each -> each.startsWith("/")).hasSize(1);
    } finally {
      other.stop(0);
    }
  }

  @Test
  void onlyTheOwnerCanReadTheKeyOfTheProof() throws Exception {
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path("data/OPERATORS"))))
        .isEqualTo("rw-------");
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create(url() + "/api/v1/owner?challenge=a%20b")).build(),
                HttpResponse.BodyHandlers.ofString());

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("1 to 64 letters and digits");
  }

  @Test
  void openingADirectoryDeletesTheFileOfAKilledServer() throws Exception {
    Path other = path("other");
    Stablecut.open(other).close();
    Files.writeString(other.resolve("OPERATORS"), "http://127.0.0.1:1\n" + "0".repeat(64) + "\n");

    Stablecut.open(other).close();

    assertThat(other.resolve("OPERATORS")).doesNotExist();
  }

  @Test
  void refusesADirectoryTogetherWithAUrl() {
    CommandResult both = CommandResult.of(new Verify(), "--url", url(), path("data"));
    CommandResult neither = CommandResult.of(new Backup(), path("backup"));

    assertThat(both.code()).isEqualTo(2);
    assertThat(both.err()).contains("omit the directory");
    assertThat(neither.code()).isEqualTo(2);
    assertThat(neither.err()).contains("or a running server with --url");
  }
}

package io.github.stablecut.cluster;

import static io.github.stablecut.cluster.WireClient.add;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.stablecut.Pin;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Watch;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.network.HttpAccess;
import io.github.stablecut.cluster.internal.secret.ClusterSecret;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The admin port answers health checks, metrics, status and commands. */
final class OperationsTest {
  @TempDir private Path directory;
  private final HttpClient http = HttpClient.newHttpClient();
  private Server server;
  private WireClient client;

  @BeforeEach
  void start() throws IOException {
    server =
        Server.start(
            Settings.of(directory.resolve("data"))
                .withOperations(Optional.of(Endpoint.loopback(0))));
    client = new WireClient(server);
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    server.close();
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    URI uri =
        URI.create("http://127.0.0.1:" + server.operationsAddress().orElseThrow().getPort() + path);
    return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  /** The value of a metric, by its name and labels. */
  private double metric(String name) throws IOException, InterruptedException {
    return get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("there is no metric " + name));
  }

  @Test
  void isAliveAndReady() throws Exception {
    assertThat(get("/alive").statusCode()).isEqualTo(200);
    assertThat(get("/ready").body()).isEqualTo("ready\n");
    assertThat(get("/").statusCode()).isEqualTo(302);
    assertThat(get("/none").statusCode()).isEqualTo(404);
    assertThat(get("/none").body()).contains("/metrics");
  }

  private HttpResponse<String> post(String path, String type, String body)
      throws IOException, InterruptedException {
    URI uri =
        URI.create("http://127.0.0.1:" + server.operationsAddress().orElseThrow().getPort() + path);
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .header(HttpAccess.OPERATOR, ClusterSecret.of(ClusterSecret.userFile()).token())
            .header("Content-Type", type)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    return http.send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void refusesUnknownParametersByName() throws Exception {
    for (String path :
        List.of(
            "/ready?al",
            "/metrics?x=1",
            "/api/v1/export?from=1",
            "/api/v1/changes?buckets=b",
            "/console?x=1",
            "/console/console.js?x=1",
            "/console/api/live?x=1",
            "/console/api/objects/buckets?limit=1",
            "/console/api/objects/watch?bucket=YQ&from=1")) {
      assertThat(get(path).statusCode()).as(path).isEqualTo(400);
    }
    assertThat(get("/api/v1/objects?bucket=b&prefx=a%1b&limits=1").body())
        .isEqualTo(
            "/api/v1/objects has no parameter limits, prefx: it takes after, at, bucket, key, limit,"
                + " prefix\n");
    assertThat(get("/api/v1/objects?bucket=b&limit=1").statusCode()).isEqualTo(200);
    assertThat(get("/metrics?a%1b%5b31m").body())
        .isEqualTo("/metrics has no parameter a\\u001b[31m: it takes none\n");
  }

  @Test
  void refusesTooLargeHeadersWithTheLimit() throws Exception {
    assertThat(raw("GET /alive HTTP/1.1\r\nStablecut-Operator: " + "x".repeat(60_000)))
        .startsWith("HTTP/1.1 431 ")
        .contains("the headers have more than 8,192 bytes: send fewer or shorter ones");
  }

  @Test
  void aCommandWithAnUnknownParameterOrBodyChangesNothing() throws Exception {
    String update = "bucket=b&key=k&operation=increment&value=7&type=counter";
    String form = "application/x-www-form-urlencoded";

    HttpResponse<String> unknown = post("/api/v1/update", form, update + "&by=1");
    HttpResponse<String> json = post("/api/v1/update?" + update, "application/json", "{}");

    assertThat(unknown.statusCode()).isEqualTo(400);
    assertThat(unknown.body()).contains("has no parameter by: it takes bucket, key, operation,");
    assertThat(json.statusCode()).isEqualTo(400);
    assertThat(json.body()).contains("the body is not a form");
    assertThat(get("/api/v1/objects?bucket=b").body()).doesNotContain("\"k\"");
    assertThat(post("/api/v1/update", form, update).statusCode()).isEqualTo(200);
    assertThat(get("/api/v1/objects?bucket=b").body()).contains("\"k\"");
  }

  /** Sends a request unchanged, and reads the answer to its end. */
  private String raw(String request) throws IOException {
    InetSocketAddress address = server.operationsAddress().orElseThrow();
    try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
      socket.getOutputStream().write((request + "\r\n\r\n").getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  @Test
  void explainsUndecodableParameters() throws Exception {
    for (String path :
        List.of("/%zz", "/api/v1/cluster/move?partition=%zz&node=n1", "/alive?a=%", "/%4")) {
      assertThat(raw("GET " + path + " HTTP/1.1"))
          .startsWith("HTTP/1.1 400 ")
          .contains(
              "the parameters can't be decoded: a % is not followed by two hexadecimal digits");
    }
  }

  @Test
  void doesNotEchoTerminalControlCharacters() throws Exception {
    assertThat(get("/%1b%5b31m%c2%9b").body()).contains("not /\\u001b[31m\\u009b\n");
  }

  @Test
  void reportsAFullDiskWithoutAnyWrites() throws Exception {
    stop();
    long more = Files.getFileStore(directory).getTotalSpace();
    StoreOptions options =
        StoreOptions.defaults().withLimits(StoreOptions.Limits.defaults().withReserveBytes(more));
    server =
        Server.start(
            Settings.of(directory.resolve("full"))
                .withStore(options)
                .withOperations(Optional.of(Endpoint.loopback(0))));
    client = new WireClient(server);

    assertThat(get("/ready").statusCode()).isEqualTo(503);
    assertThat(get("/ready").body()).contains("bytes are free", "free some space");
    assertThat(metric("stablecut_ready")).isZero();
    assertThat(metric("stablecut_partitions_readonly")).isEqualTo(1);
    JsonNode journal = new ObjectMapper().readTree(get("/api/v1/status").body());
    assertThat(journal.at("/store/journal/problems/0").asText()).contains("bytes are free");
  }

  @Test
  void aFailedRequestDoesNotMakeTheServerUnready() throws Exception {
    assertThat(client.refused(new Request.Commit(Bytes.EMPTY), ErrorCode.NO_TRANSACTION))
        .isNotEmpty();

    assertThat(get("/ready").body()).isEqualTo("ready\n");
    assertThat(metric("stablecut_partitions_readonly")).isZero();
  }

  @Test
  void countsRequestsAndCommits() throws Exception {
    for (int i = 0; i < 7; i++) {
      client.update(add("a", 1));
    }
    assertThat(client.count("a")).isEqualTo(7);
    assertThat(client.begin().length()).isPositive();
    assertThat(client.refused(new Request.Commit(Bytes.EMPTY), ErrorCode.NO_TRANSACTION))
        .isNotEmpty();

    String requests = "stablecut_request_seconds_count";
    Eventually.holds(
        "all is counted", () -> metric(requests + "{kind=\"commit\",outcome=\"error\"}") == 1);
    assertThat(metric(requests + "{kind=\"static_update\",outcome=\"ok\"}")).isEqualTo(7);
    assertThat(metric(requests + "{kind=\"static_read\",outcome=\"ok\"}")).isEqualTo(1);
    assertThat(metric("stablecut_commit_seconds_count")).isEqualTo(7);
    assertThat(metric("stablecut_commit_seconds_bucket{le=\"+Inf\"}")).isEqualTo(7);
    assertThat(metric("stablecut_connections")).isEqualTo(1);
    assertThat(metric("stablecut_transactions_open")).isEqualTo(1);
    assertThat(metric("antidote_open_transactions")).isEqualTo(1);
    assertThat(metric("antidote_operations_total{type=\"update\"}")).isEqualTo(7);
    assertThat(metric("antidote_operations_total{type=\"read\"}")).isEqualTo(1);
    assertThat(metric("antidote_error_count")).isEqualTo(1);
    assertThat(metric("antidote_transaction{type=\"finished\"}")).isZero();
    assertThat(metric("stablecut_ready")).isEqualTo(1);
    assertThat(metric("stablecut_journal_records_total")).isGreaterThanOrEqualTo(7);
    assertThat(metric("stablecut_journal_syncs_total")).isGreaterThanOrEqualTo(7);
    assertThat(metric("stablecut_journal_bytes")).isPositive();
    assertThat(metric("stablecut_journal_largest_group")).isPositive();
    for (String name :
        List.of(
            "stablecut_checkpoint_bytes",
            "stablecut_low_watermark_age_seconds",
            "stablecut_checkpoint_age_seconds",
            "stablecut_failures",
            "stablecut_warnings",
            "process_uptime_seconds",
            "process_files_open_files",
            "jvm_threads_live_threads",
            "stablecut_objects",
            "stablecut_snapshots_open",
            "stablecut_cache_hits_total{level=\"0\"}",
            "stablecut_cache_misses_total")) {
      assertThat(metric(name)).as(name).isNotNegative();
    }
  }

  @Test
  void countsOpenHandlesByKind() throws Exception {
    try (Store remote = Stablecut.connect("stablecut://127.0.0.1:" + server.address().getPort())) {
      Pin pin = remote.pin(remote.snapshot().token());
      Watch watch = remote.watch("b");

      assertThat(metric("stablecut_handles_open{kind=\"pin\"}")).isEqualTo(1);
      assertThat(metric("stablecut_handles_open{kind=\"watch\"}")).isEqualTo(1);
      assertThat(metric("stablecut_handles_open{kind=\"scan\"}")).isZero();
      watch.close();
      pin.close();
    }
    Eventually.holds(
        "all handles are closed",
        () ->
            metric("stablecut_handles_open{kind=\"pin\"}") == 0
                && metric("stablecut_handles_open{kind=\"watch\"}") == 0);
  }

  @Test
  void measuresTheMachineAndTheBuildToo() throws Exception {
    assertThat(get("/metrics").body())
        .contains("jvm_memory_used_bytes{area=\"heap\"")
        .contains("disk_free_bytes{path=\"" + directory.resolve("data") + "\"}")
        .contains("stablecut_build_info{java=\"" + Runtime.version() + "\",version=")
        .doesNotContain("stablecut_cluster_");
  }

  @Test
  void returnsItsStatusAsJson() throws Exception {
    client.update(add("a", 1));
    assertThat(client.begin().length()).isPositive();

    HttpResponse<String> response = get("/api/v1/status");

    JsonNode status = new ObjectMapper().readTree(response.body());
    assertThat(response.headers().firstValue("content-type")).contains("application/json");
    assertThat(status.path("ready").asBoolean()).isTrue();
    assertThat(status.path("connections").asInt()).isEqualTo(1);
    assertThat(status.path("openTransactions").asInt()).isEqualTo(1);
    assertThat(status.at("/store/journal/records").asLong()).isPositive();
    assertThat(status.at("/store/times/lowWatermark").isNull()).isTrue();
    assertThat(status.at("/store/times/maxCommitted").asText()).startsWith("20");
    assertThat(status.at("/store/memory/cache").size()).isPositive();
  }
}

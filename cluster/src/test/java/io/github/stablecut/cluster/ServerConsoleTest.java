package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.web.testing.Client;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The console on a server's admin port. */
final class ServerConsoleTest {
  private static final CounterKey LIKES = Key.counter("posts", "likes");
  private static final String VALUE =
      "/console/api/objects/value?bucket=cG9zdHM&key=bGlrZXM&type=" + LIKES.type().typeId();

  @TempDir private Path directory;
  private Server server;
  private Client client;

  @BeforeEach
  void start() {
    server = start(Endpoint.loopback(0));
    client = client();
    server.store().update(LIKES.increment(3));
  }

  private Server start(Endpoint operations) {
    return Server.start(
        Settings.of(directory.resolve("data")).withOperations(Optional.of(operations)));
  }

  private Client client() {
    int port = server.operationsAddress().orElseThrow().getPort();
    return new Client(URI.create("http://127.0.0.1:" + port + "/"));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void thePageLoadsNothingFromOtherHosts() {
    HttpResponse<String> page = client.raw("/console");

    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
    assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
        .contains("default-src 'self'");
    assertThat(client.raw("/console/console.js").statusCode()).isEqualTo(200);
    assertThat(client.raw("/shared/style.css").statusCode()).isEqualTo(200);
    HttpResponse<String> root = client.raw("/");
    assertThat(root.statusCode()).isEqualTo(302);
    assertThat(root.headers().firstValue("Location")).contains("/console");
    assertThat(client.text("/nothing")).contains("/console");
  }

  @Test
  void windowsReceiveTheServersState() throws Exception {
    try (WireClient wire = new WireClient(server);
        Client.Events live = client.events("/console/api/live")) {
      JsonNode first = live.next().at("/frames/0");
      wire.begin();

      assertThat(first.path("name").asText()).contains(directory.toString());
      assertThat(first.path("partitions")).isNotEmpty();
      // On a busy machine other frames may have been sent before the request was answered and
      // counted.
      Eventually.holds(
          "the request is reported",
          () -> live.next().at("/frames/0/rates/requests").asDouble() > 0);
    }
  }

  @Test
  void showsTheObjectsToThisMachine() {
    assertThat(client.get(VALUE).body().at("/value/text").asText()).isEqualTo("3");
    try (Client.Events watch = client.events("/console/api/objects/watch?bucket=cG9zdHM")) {
      server.store().update(LIKES.increment(1));

      assertThat(watch.next().at("/changes/0/objects/0/name/text").asText()).isEqualTo("likes");
    }
  }

  @Test
  void doesNotShowTheObjectsOnAPublicPort() {
    server.close();
    server = start(new Endpoint("0.0.0.0", 0, Optional.empty(), true));
    client = client();

    assertThat(client.get(VALUE).status()).isEqualTo(403);
    assertThat(client.get(VALUE).error()).contains("SSH tunnel");
    assertThat(client.raw("/console/api/objects/watch?bucket=cG9zdHM").statusCode()).isEqualTo(403);
    assertThat(client.raw("/console").statusCode()).isEqualTo(200);
  }

  @Test
  void refusesTooManyWindowsUntilOneIsClosed() {
    List<Client.Events> windows = new ArrayList<>();
    try {
      for (int i = 0; i < 16; i++) {
        windows.add(client.events("/console/api/live"));
      }
      assertThat(client.raw("/console/api/live").statusCode()).isEqualTo(503);
      assertThat(client.get(VALUE).status()).isEqualTo(200);

      windows.remove(0).close();

      Client.Events again = client.events("/console/api/live");
      while (again.status() == 503) {
        again.close();
        LockSupport.parkNanos(5_000_000);
        again = client.events("/console/api/live");
      }
      windows.add(again);
      assertThat(again.next().path("frames")).isNotEmpty();
    } finally {
      windows.forEach(Client.Events::close);
    }
  }

  @Test
  void theServerEndsWithOpenWindows() {
    try (Client.Events live = client.events("/console/api/live")) {
      assertThat(live.next().path("frames")).isNotEmpty();

      server.close();

      assertThat(liveThreads()).isZero();
    }
  }

  private static long liveThreads() {
    long found = Long.MAX_VALUE;
    while (found > 0) {
      LockSupport.parkNanos(5_000_000);
      found =
          Thread.getAllStackTraces().keySet().stream()
              .filter(thread -> thread.getName().startsWith("stablecut-events-"))
              .count();
    }
    return found;
  }
}

package io.github.stablecut.cluster.internal.network;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.error.SnapshotTruncatedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The admin port answers despite slow requests and errors. */
class HttpServerTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final CountDownLatch blocked = new CountDownLatch(1);
  private final Set<String> asked = ConcurrentHashMap.newKeySet();
  private final Quiet quiet = new Quiet();
  private final HttpServer server =
      new HttpServer(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
          new HttpAccess(InetAddress.getLoopbackAddress(), "", Optional.empty()),
          new HttpHandler() {
            @Override
            public boolean isQuick(HttpRequest call) {
              return call.path().equals("/quick") || call.path().equals("/quick-error");
            }

            @Override
            public boolean isOfStore(HttpRequest call) {
              return call.path().startsWith("/store");
            }

            @Override
            public boolean isStream(HttpRequest call) {
              return call.path().equals("/events") || call.path().equals("/quiet");
            }

            @Override
            public HttpEvents events(HttpRequest call) {
              return call.path().equals("/quiet") ? quiet : new FailingEvents();
            }

            @Override
            public HttpResponse answer(HttpRequest call) {
              asked.add(call.path());
              if (call.path().equals("/slow") || call.path().equals("/store-slow")) {
                await(blocked);
              } else if (call.path().endsWith("error")) {
                throw new OutOfMemoryError("injected");
              }
              return HttpResponse.text(200, "answered");
            }
          });

  /** A stream without events. */
  private static final class Quiet implements HttpEvents {
    private final AtomicInteger heartbeats = new AtomicInteger();
    private final CountDownLatch closed = new CountDownLatch(1);

    @Override
    public Map<String, String> headers() {
      return Map.of();
    }

    @Override
    public byte[] heartbeat() {
      heartbeats.getAndIncrement();
      return HttpEvents.super.heartbeat();
    }

    @Override
    public Optional<byte[]> next(Duration longest) throws InterruptedException {
      closed.await(1, TimeUnit.MILLISECONDS);
      return Optional.empty();
    }

    @Override
    public void close() {
      closed.countDown();
    }
  }

  /** A stream that fails. */
  private static final class FailingEvents implements HttpEvents {
    @Override
    public Map<String, String> headers() {
      return Map.of();
    }

    @Override
    public Optional<byte[]> next(Duration longest) {
      throw new SnapshotTruncatedException("it is not kept\nany more");
    }

    @Override
    public void close() {}
  }

  @AfterEach
  void close() {
    blocked.countDown();
    server.close(Duration.ZERO);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private Socket send(String path) throws IOException {
    Socket socket = new Socket(server.address().getAddress(), server.address().getPort());
    socket.getOutputStream().write(("GET " + path + " HTTP/1.1\r\n\r\n").getBytes(UTF_8));
    return socket;
  }

  private String answer(String request) throws IOException {
    Socket socket = new Socket(server.address().getAddress(), server.address().getPort());
    socket.getOutputStream().write(request.getBytes(UTF_8));
    return receive(socket);
  }

  @Test
  void pagesOfOtherOriginsAreRefused() throws IOException {
    String own = "localhost:" + server.address().getPort();
    for (String foreign :
        List.of(
            "Sec-Fetch-Site: cross-site",
            "Origin: http://evil.example",
            "Origin: null",
            "Origin: http://localhost:1")) {
      for (String path : List.of("/quick", "/events", "/store", "/slow")) {
        String request = "GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n\r\n";
        assertThat(answer(request.formatted(path, own, foreign)))
            .as("%s, %s", path, foreign)
            .contains("403", "another origin's page");
      }
    }
    assertThat(asked).isEmpty();
    for (String fine :
        List.of("Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: none", "Origin: http://" + own)) {
      assertThat(answer("GET /quick HTTP/1.1\r\nHost: %s\r\n%s\r\n\r\n".formatted(own, fine)))
          .as(fine)
          .contains("200 OK");
    }
  }

  @Test
  void aRequestWithTwoHostsIsInvalid() throws IOException {
    for (List<String> hosts :
        List.of(List.of("localhost", "evil.example"), List.of("evil.example", "localhost"))) {
      assertThat(
              answer(
                  "GET /quick HTTP/1.1\r\nHost: %s\r\nHost: %s\r\n\r\n"
                      .formatted(hosts.get(0), hosts.get(1))))
          .contains("400 Bad Request", "one Host header");
    }
    assertThat(asked).isEmpty();
  }

  private static String receive(Socket from) throws IOException {
    try (from) {
      return new String(from.getInputStream().readAllBytes(), UTF_8);
    }
  }

  @Test
  void quickRequestsAreAnsweredWhileOthersWait() throws Exception {
    List<Socket> slow = new ArrayList<>();
    for (int i = 0; i < HttpServer.MAX_CONNECTIONS / 2; i++) {
      slow.add(send("/slow"));
    }

    assertThat(receive(send("/quick"))).contains("200 OK").contains("answered");

    blocked.countDown();
    for (Socket socket : slow) {
      assertThat(receive(socket)).contains("answered");
    }
  }

  @Test
  void requestsThatWaitForTheStoreDelayNoOthers() throws Exception {
    List<Socket> ofStore = new ArrayList<>();
    for (int i = 0; i < HttpServer.MAX_CONNECTIONS / 2; i++) {
      ofStore.add(send("/store-slow"));
    }

    assertThat(receive(send("/metrics"))).contains("answered");

    blocked.countDown();
    for (Socket socket : ofStore) {
      assertThat(receive(socket)).contains("answered");
    }
  }

  @Test
  void requestsOfDisconnectedClientsAreSkipped() throws Exception {
    List<Socket> before = new ArrayList<>();
    for (int i = 0; i < HttpServer.MAX_CONNECTIONS / 2; i++) {
      before.add(send("/store-slow"));
    }
    send("/store-gone").close();
    // The event loop has handled the disconnect before it accepts the second of these.
    assertThat(receive(send("/quick"))).contains("answered");
    assertThat(receive(send("/quick"))).contains("answered");

    blocked.countDown();

    assertThat(receive(send("/store-last"))).contains("answered");
    assertThat(asked).contains("/store-slow").doesNotContain("/store-gone");
    for (Socket socket : before) {
      socket.close();
    }
  }

  @Test
  void aFirstLineMayBeLongAndATooLongOneIsReported() throws Exception {
    int most = HttpServer.MAX_REQUEST_BYTES;

    assertThat(receive(send("/long?key=" + "k".repeat(most - 100)))).contains("answered");
    assertThat(receive(send("/long?key=" + "k".repeat(most))))
        .contains(" 414 ", "more than 524,288 bytes");
  }

  @Test
  void aNameThatIsNotUtf8IsRefused() throws Exception {
    assertThat(receive(send("/get?key=%ff"))).contains(" 400 ", "they are not UTF-8");
    assertThat(asked).isEmpty();
  }

  @Test
  void aFailedStreamReportsWhy() throws Exception {
    assertThat(receive(send("/events")))
        .contains("event: failed\ndata: it is not kept\\nany more\n\n");
  }

  @Test
  void theEndOfTheServerIsTheLastEvent() throws Exception {
    Socket socket = send("/quiet");
    assertThat(socket.getInputStream().read()).isEqualTo('H');

    server.close(PATIENCE);

    assertThat(receive(socket))
        .contains("event: failed\ndata: the server has stopped; resume after")
        .endsWith("\r\n0\r\n\r\n");
  }

  @Test
  void anAnswerInProgressArrivesAlthoughTheServerCloses() throws Exception {
    Socket idle = new Socket(server.address().getAddress(), server.address().getPort());
    Socket asking = send("/slow");
    Eventually.holds("the request is being handled", () -> asked.contains("/slow"));
    Thread closer = new Thread(() -> server.close(PATIENCE));
    closer.start();
    assertThat(receive(idle)).isEmpty();

    blocked.countDown();

    assertThat(receive(asking)).contains("200 OK").endsWith("answered\n");
    closer.join();
  }

  @Test
  void aRequestThatDoesNotEndDelaysClosingForALimitedTime() throws Exception {
    Socket asking = send("/slow");
    Eventually.holds("the request is being handled", () -> asked.contains("/slow"));

    server.close(Duration.ofMillis(50));

    assertThat(receive(asking)).isEmpty();
  }

  @Test
  void aDisconnectedClientIsDetectedWithoutSending() throws Exception {
    try (Socket socket = send("/quiet")) {
      assertThat(socket.getInputStream().read()).isEqualTo('H');
    }

    await(quiet.closed);
    assertThat(quiet.heartbeats).hasValueLessThan(5);
  }

  @Test
  void anErrorIsAnsweredAndEndsNoThread() throws Exception {
    for (int i = 0; i < 20; i++) {
      assertThat(receive(send("/error"))).contains(" 500 ").contains("see its log");
      assertThat(receive(send("/quick-error"))).contains(" 500 ");
    }

    assertThat(receive(send("/fast"))).contains("answered");
  }

  @Test
  void headIsAnsweredAsGetWithoutTheBody() throws Exception {
    Socket socket = new Socket(server.address().getAddress(), server.address().getPort());
    socket.getOutputStream().write("HEAD /any HTTP/1.1\r\n\r\n".getBytes(UTF_8));

    assertThat(receive(socket))
        .startsWith("HTTP/1.1 200 OK")
        .contains("content-length: 9\r\n")
        .endsWith("\r\n\r\n");
  }

  @Test
  void headOfAStreamIsRefused() throws Exception {
    Socket socket = new Socket(server.address().getAddress(), server.address().getPort());
    socket.getOutputStream().write("HEAD /events HTTP/1.1\r\n\r\n".getBytes(UTF_8));

    assertThat(receive(socket)).startsWith("HTTP/1.1 405 Method Not Allowed");
  }

  @Test
  void theNumberOfConnectionsIsLimited() throws Exception {
    List<Socket> open = new ArrayList<>();
    int closed = 0;
    for (int i = 0; i < 3 * HttpServer.MAX_CONNECTIONS; i++) {
      open.add(new Socket(server.address().getAddress(), server.address().getPort()));
    }
    for (Socket socket : open.subList(HttpServer.MAX_CONNECTIONS, open.size())) {
      closed += socket.getInputStream().read() < 0 ? 1 : 0;
    }

    assertThat(closed).isEqualTo(2 * HttpServer.MAX_CONNECTIONS);
    for (Socket socket : open) {
      socket.close();
    }
  }
}

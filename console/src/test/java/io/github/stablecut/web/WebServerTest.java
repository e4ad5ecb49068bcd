package io.github.stablecut.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.web.testing.Client;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the web server's answers and refusals, and slow or many readers. */
final class WebServerTest {
  /** A timeout that a reader without stalls meets even on a busy machine. */
  private static final Duration PATIENT = Duration.ofMinutes(1);

  private static final Duration IMPATIENT = Duration.ofMillis(40);

  private final AtomicInteger state = new AtomicInteger();
  private final Signal signal = new Signal();
  private final CountDownLatch isFlooding = new CountDownLatch(1);
  private WebServer server;
  private Client client;

  /** An endless feed whose events exceed the sockets' buffers. */
  private record Flood(CountDownLatch isAsked) implements Feed {
    private static final String LARGE = "x".repeat(1 << 20);

    @Override
    public Optional<Object> next(Duration longest) {
      isAsked.countDown();
      return Optional.of(LARGE);
    }

    @Override
    public void close() {}
  }

  @BeforeEach
  void start() throws IOException {
    start(PATIENT);
  }

  private void start(Duration patience) throws IOException {
    WebApp app =
        new WebApp()
            .get("/api/sum-of", arguments -> Map.of("sum", sum(arguments)), "a", "b")
            .get("/api/fault", arguments -> Map.of("never", List.of().get(0)))
            .get("/api/closed", arguments -> Map.of("never", closed()))
            .post("/api/sum", arguments -> Map.of("sum", sum(arguments)))
            .events("/api/events", arguments -> new LatestFeed(signal, state::get))
            .events("/api/flood", arguments -> new Flood(isFlooding));
    server =
        WebServer.start(app, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), patience);
    client = new Client(server.uri());
  }

  private static int sum(Arguments arguments) {
    return arguments.number("a", 0, 9) + arguments.number("b", 0, 9);
  }

  private static Object closed() {
    throw new StoreClosedException("the store is closed");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void awaitStreams(int number) {
    while (server.streams() != number) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void sharedFilesComeWithTheirTypeAndTakeNothingFromElsewhere() {
    HttpResponse<String> style = client.raw("/shared/style.css");

    assertThat(style.statusCode()).isEqualTo(200);
    assertThat(style.body()).contains("color-scheme");
    assertThat(style.headers().firstValue("Content-Type")).contains("text/css; charset=utf-8");
    assertThat(style.headers().firstValue("Content-Security-Policy").orElseThrow())
        .startsWith("default-src 'self'");
  }

  @Test
  void parametersAndBodiesAreArguments() {
    assertThat(client.get("/api/sum-of?a=2&b=3").body().get("sum").asInt()).isEqualTo(5);
    assertThat(client.post("/api/sum", "{'a':2,'b':3}").body().get("sum").asInt()).isEqualTo(5);
  }

  @Test
  void namesTheMissingThingAndTheExistingOnes() {
    Client.Answer answer = client.get("/api/smu");

    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.error()).contains("/api/sum");
    assertThat(client.get("/shared/../secret").status()).isEqualTo(404);
    assertThat(client.get("/shared/%2e%2e/secret").status()).isEqualTo(404);
  }

  @Test
  void theAnswerToAWrongMethodNamesTheRightOne() {
    HttpResponse<String> answer = client.raw("/api/sum");

    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(answer.headers().firstValue("Allow")).contains("POST");
    assertThat(client.post("/api/sum-of", "{}").status()).isEqualTo(405);
  }

  @Test
  void mistakesInArgumentsAreNamed() {
    assertThat(client.get("/api/sum-of?a=2").error()).isEqualTo("b is missing");
    assertThat(client.get("/api/sum-of?a=2&b=10").error())
        .isEqualTo("b is a number, 0 to 9, not \"10\"");
    assertThat(client.get("/api/sum-of?a=2&b").error()).contains("name=value");
    assertThat(client.get("/api/sum-of?a=2&b=3&a=4").error())
        .isEqualTo("a is given more than once");
    assertThat(client.post("/api/sum", "{'a':2,'b':'many'}").error()).contains("b is a number");
    assertThat(client.post("/api/sum", "[1]").error()).contains("JSON object");
    assertThat(client.post("/api/sum", "").error()).contains("JSON object");
    assertThat(client.post("/api/sum", "{'a':1,'a':2}").error()).contains("not JSON");
    assertThat(client.post("/api/sum", "{'a':").status()).isEqualTo(400);
    assertThat(client.post("/api/sum", "[".repeat(5_000)).status()).isEqualTo(400);
  }

  @Test
  void bodiesAreJsonAndOfALimitedSize() {
    assertThat(client.post("/api/sum", "'" + "x".repeat(70_000) + "'").status()).isEqualTo(413);
    HttpResponse<String> text =
        client.send(
            HttpRequest.newBuilder(server.uri().resolve("/api/sum"))
                .header("Content-Type", "text/plain")
                .POST(HttpRequest.BodyPublishers.ofString("{}")));
    assertThat(text.statusCode()).isEqualTo(415);
  }

  @Test
  void anInternalErrorTellsNothingOfTheInside() {
    Client.Answer answer = client.get("/api/fault");

    assertThat(answer.status()).isEqualTo(500);
    assertThat(answer.error()).isEqualTo("an internal error: see the log");
  }

  @Test
  void passesOnTheStoresMessage() {
    Client.Answer answer = client.get("/api/closed");

    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.error()).isEqualTo("the store is closed");
  }

  @Test
  void pagesOfElsewhereUnderAnotherNameAreRefused() throws IOException {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(request("/", "attacker.example"));

      String answer = new String(socket.getInputStream().readNBytes(12), UTF_8);
      assertThat(answer).isEqualTo("HTTP/1.1 403");
    }
  }

  @Test
  void pagesOfOtherOriginsAreRefusedWhateverTheyAsk() throws IOException {
    String own = "localhost:" + server.uri().getPort();
    for (String foreign :
        List.of(
            "Sec-Fetch-Site: cross-site",
            "Origin: http://evil.example",
            "Origin: null",
            "Origin: http://localhost:1",
            "Origin: http://" + own + ".evil.example")) {
      for (String path : List.of("/", "/api/sum-of?a=1&b=1", "/api/events")) {
        assertThat(statusLine(path, "Host: " + own, foreign))
            .as("%s, %s", path, foreign)
            .startsWith("HTTP/1.1 403");
      }
    }
    for (String fine :
        List.of("Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: none", "Origin: http://" + own)) {
      assertThat(statusLine("/api/sum-of?a=1&b=1", "Host: " + own, fine))
          .as(fine)
          .startsWith("HTTP/1.1 200");
    }
    assertThat(server.streams()).isZero();
  }

  @Test
  void aRequestWithTwoHostsIsInvalid() throws IOException {
    assertThat(statusLine("/", "Host: localhost", "Host: evil.example")).startsWith("HTTP/1.1 400");
    assertThat(statusLine("/", "Host: evil.example", "Host: localhost")).startsWith("HTTP/1.1 400");
  }

  private String statusLine(String path, String... headers) throws IOException {
    try (Socket socket = connect()) {
      String request = "GET %s HTTP/1.1\r\n%s\r\n\r\n";
      socket
          .getOutputStream()
          .write(request.formatted(path, String.join("\r\n", headers)).getBytes(UTF_8));
      return new String(socket.getInputStream().readNBytes(12), UTF_8);
    }
  }

  @Test
  void aSubscriberReceivesTheStateAndEachChange() {
    try (Client.Events events = client.events("/api/events")) {
      assertThat(events.next().asInt()).isZero();
      state.set(7);
      signal.raise();
      assertThat(events.next().asInt()).isEqualTo(7);
    }
  }

  @Test
  void aReaderThatTakesNothingIsCutOff() throws Exception {
    stop();
    start(IMPATIENT);
    try (Socket socket = connect()) {
      socket.getOutputStream().write(request("/api/flood", "localhost"));
      isFlooding.await();
      awaitStreams(0);
    }
    assertThat(client.get("/api/sum-of?a=1&b=1").status()).isEqualTo(200);
  }

  @Test
  void refusesASurplusWindowUntilAnotherIsClosed() throws IOException {
    List<Socket> windows = new ArrayList<>();
    try {
      for (int i = 0; i < WebServer.MAX_STREAMS; i++) {
        Socket window = connect();
        windows.add(window);
        window.getOutputStream().write(request("/api/events", "localhost"));
      }
      awaitStreams(WebServer.MAX_STREAMS);
      Client.Answer refused = client.get("/api/events");
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.error()).contains("close one");

      windows.remove(0).close();
      for (int i = 1; server.streams() == WebServer.MAX_STREAMS; i++) {
        state.set(i); // a window that has gone is noticed by the next write
        signal.raise();
      }
      try (Client.Events events = client.events("/api/events")) {
        assertThat(events.next().isInt()).isTrue();
      }
    } finally {
      for (Socket window : windows) {
        window.close();
      }
    }
  }

  private Socket connect() throws IOException {
    return new Socket(server.uri().getHost(), server.uri().getPort());
  }

  private static byte[] request(String path, String host) {
    return "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n".formatted(path, host).getBytes(UTF_8);
  }
}

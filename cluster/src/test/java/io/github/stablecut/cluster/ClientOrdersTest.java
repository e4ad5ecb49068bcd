package io.github.stablecut.cluster;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.service.DataCentreRequests;
import io.github.stablecut.crdt.Bytes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The commands about data centres that clients without a token may send to a server. */
final class ClientOrdersTest {
  private static final InetAddress HERE = InetAddress.getLoopbackAddress();
  private static final int MAX_WAITING = 16;

  @TempDir private Path directory;
  private final List<AutoCloseable> open = new ArrayList<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(DataCentreRequests.class);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @BeforeEach
  void listen() {
    log.start();
    logger.addAppender(log);
    logger.setAdditive(false);
  }

  @AfterEach
  void close() throws Exception {
    logger.setAdditive(true);
    logger.detachAppender(log);
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private <T extends AutoCloseable> T opened(T resource) {
    open.add(resource);
    return resource;
  }

  private ServerSettings settings() {
    return Settings.of(directory.resolve("data")).withDataCentre(DataCentreSettings.loopback(0));
  }

  private Server allowed() {
    return opened(Server.start(Settings.dataCentreOrders(settings())));
  }

  private static Request.ConnectDataCentres connectTo(int port) {
    return new Request.ConnectDataCentres(
        List.of(Bytes.utf8("stablecut 0123456789abcdef 127.0.0.1:" + port)));
  }

  private static Response call(Server server, Request request) throws IOException {
    try (WireClient client = new WireClient(server)) {
      return client.call(request);
    }
  }

  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, HERE)) {
      return socket.getLocalPort();
    }
  }

  @Test
  void refusesCommandsUnlessTheSettingsAllowThem() throws IOException {
    Server server = opened(Server.start(settings()));
    ServerSocketChannel other = opened(ServerSocketChannel.open());
    other.bind(new InetSocketAddress(HERE, 0)).configureBlocking(false);

    Response connected = call(server, connectTo(other.socket().getLocalPort()));
    Response created = call(server, new Request.CreateDataCentre(List.of()));

    assertThat(connected)
        .isInstanceOfSatisfying(
            Response.DataCentresNotConnected.class,
            refusal -> {
              assertThat(refusal.code()).isEqualTo(ErrorCode.NO_PERMISSIONS);
              assertThat(refusal.reason()).contains("dc connect", "replication.client-orders");
            });
    assertThat(created)
        .isInstanceOfSatisfying(
            Response.DataCentreNotCreated.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.NO_PERMISSIONS));
    assertThat(other.accept()).as("a connection of the server").isNull();
  }

  @Test
  void aSettingThatIsOffByDefaultAllowsCommands() {
    Map<String, Object> options = Map.of("data", "d", "replication.client-orders", true);

    assertThat(SettingsLoader.load(Optional.empty(), options).limits().dataCentreOrders()).isTrue();
    assertThat(SettingsLoader.defaults(Path.of("d")).limits().dataCentreOrders()).isFalse();
  }

  @Test
  void onlyTheLogNamesTheServiceAtAnAddress() throws Exception {
    ServerSocket other = opened(new ServerSocket(0, 1, HERE));
    CompletableFuture<Void> answered =
        CompletableFuture.runAsync(
            () -> {
              try (Socket accepted = other.accept()) {
                accepted.getOutputStream().write("SSH-2.0-OpenSSH_9.2\r\n".getBytes(US_ASCII));
                accepted.shutdownOutput();
                accepted.getInputStream().readAllBytes();
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    Server server = allowed();

    Response nobody = call(server, connectTo(closedPort()));
    Response somebody = call(server, connectTo(other.getLocalPort()));

    answered.join();
    assertThat(somebody).isEqualTo(nobody);
    assertThat(nobody)
        .isInstanceOfSatisfying(
            Response.DataCentresNotConnected.class,
            refusal ->
                assertThat(refusal.reason())
                    .contains("see the server's log")
                    .doesNotContain("127."));
    assertThat(log.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .hasSize(2)
        .anyMatch(line -> line.contains("nothing accepts connections there"))
        .anyMatch(line -> line.contains("not a data centre of Stablecut"));
  }

  @Test
  void aFloodOfCommandsWritesFewLogLines() throws IOException {
    Server server = allowed();
    int port = closedPort();
    try (WireClient client = new WireClient(server)) {
      for (int i = 0; i < 100; i++) {
        assertThat(client.call(connectTo(port)))
            .isInstanceOf(Response.DataCentresNotConnected.class);
      }
    }
    assertThat(log.list).hasSize(5);
  }

  @Test
  void aDescriptorCannotForgeLogLines() throws IOException {
    Server server = allowed();
    for (String forged :
        List.of(
            "x\r\n2026-11-28 14:00:00,000 ERROR FORGED\u001b[31mred",
            "stablecut 0123456789abcdef 127.0.0.1:1\u001b[31m\u202ered",
            "y".repeat(1_000_000))) {
      Request order = new Request.ConnectDataCentres(List.of(Bytes.utf8(forged)));
      assertThat(call(server, order))
          .isInstanceOfSatisfying(
              Response.DataCentresNotConnected.class,
              refusal ->
                  assertThat(refusal.reason())
                      .contains("not a descriptor")
                      .hasSizeLessThan(300)
                      .doesNotContain("\r", "\n", "\u001b", "\u202e"));
    }
    assertThat(log.list).isEmpty();
  }

  @Test
  void executesOneCommandAtATimeAndQueuesAFew() throws Exception {
    ServerSocket silent = opened(new ServerSocket(0, 50, HERE));
    Server server = allowed();
    int all = 3 * MAX_WAITING;
    List<CompletableFuture<Response>> answers = new ArrayList<>();
    for (int i = 0; i < all; i++) {
      WireClient client = opened(new WireClient(server));
      client.send(connectTo(silent.getLocalPort()));
      answers.add(received(client));
    }
    Socket first = opened(silent.accept());

    int refused = all - MAX_WAITING - 1;
    Eventually.holds(
        "the other commands are refused",
        () -> answers.stream().filter(CompletableFuture::isDone).count() == refused);
    assertThat(runningCommands()).isEqualTo(1);
    first.close();
    silent.close();
    List<ErrorCode> codes =
        answers.stream()
            .map(answer -> ((Response.DataCentresNotConnected) answer.join()).code())
            .toList();
    assertThat(codes.stream().filter(ErrorCode.BUSY::equals)).hasSize(refused);
  }

  private static CompletableFuture<Response> received(WireClient client) {
    CompletableFuture<Response> answer = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                answer.complete(client.receive());
              } catch (IOException | RuntimeException e) {
                answer.completeExceptionally(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return answer;
  }

  private static long runningCommands() {
    return Thread.getAllStackTraces().values().stream()
        .filter(
            stack ->
                Stream.of(stack)
                    .anyMatch(
                        frame ->
                            frame.getClassName().equals(DataCentreRequests.class.getName())
                                && frame.getMethodName().equals("connect")))
        .count();
  }
}

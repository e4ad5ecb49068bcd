package io.github.stablecut.cluster.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What is said to somebody who asks the wrong port. */
final class AdminPortTest {
  /** Asks a server that answers one connection with a text. */
  private static CommandResult ask(String answer) throws Exception {
    return ask(answer, new Status());
  }

  private static CommandResult ask(String answer, Object command, String... arguments)
      throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread server = new Thread(() -> answer(socket, answer));
      server.start();
      List<String> all =
          new ArrayList<>(List.of("--url", "http://127.0.0.1:" + socket.getLocalPort()));
      all.addAll(List.of(arguments));
      CommandResult result = CommandResult.of(command, all.toArray());
      server.join();
      return result;
    }
  }

  private static void answer(ServerSocket socket, String answer) {
    try (Socket connection = socket.accept()) {
      assertThat(connection.getInputStream().read()).isPositive();
      connection.getOutputStream().write(answer.getBytes(UTF_8));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aUrlThatIsNoneIsAWrongCall() {
    for (String url : new String[] {"foo", "127.0.0.1:3001", "ftp://host", "http://", "a b"}) {
      CommandResult result = CommandResult.of(new Status(), "--url", url);

      assertThat(result.code()).isEqualTo(2);
      assertThat(result.err()).contains("'" + url + "' is not a URL such as http://127.0.0.1:3001");
    }
  }

  @Test
  void argumentsThatCannotBeRightAreAWrongCall() {
    List<CommandResult> results =
        List.of(
            askNobody(ClusterStatus.command(), "--wait", "-1"),
            askNobody(ClusterStatus.command(), "--wait", "0"),
            askNobody(ClusterMove.command(), "-1", "n2"),
            askNobody(ClusterMove.command(), "0", ""),
            askNobody(ClusterReplicas.command(), "0"),
            askNobody(ClusterReplicas.command(), "2"),
            askNobody(DcConnect.command(), "nonsense"),
            askNobody(DcDetach.command(), "-1"));

    assertThat(results).extracting(CommandResult::code).containsOnly(2);
    assertThat(results.get(0).err()).contains("--wait takes seconds, at least 1", "Usage:");
    assertThat(askNobody(ClusterStatus.command(), "--wait", "1").code()).isEqualTo(1);
    assertThat(askNobody(ClusterReplicas.command(), "5").code()).isEqualTo(1);
    assertThat(askNobody(DcConnect.command(), "[::1]:7400").code()).isEqualTo(1);
  }

  /** Runs a command at a port where nobody listens. */
  private static CommandResult askNobody(Object command, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(0, List.of("--url", "http://127.0.0.1:1"));
    return CommandResult.of(command, all.toArray());
  }

  @Test
  void whatAnswersThereIsSaid() throws Exception {
    CommandResult protobuf = ask("\0\0\0\1x\r\n\r\n");
    CommandResult page = ask("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>");

    assertThat(protobuf.code()).isEqualTo(1);
    assertThat(protobuf.err()).contains("it speaks no HTTP: name a server's").hasLineCount(1);
    assertThat(page.code()).isEqualTo(1);
    assertThat(page.err()).contains("it speaks no JSON: name a server's").hasLineCount(1);
  }

  @Test
  void anOrderWithoutAnAnswerMayComeIntoForce(@TempDir Path directory) throws Exception {
    Path secret = directory.resolve("own").resolve("secret");
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      AdminPort port =
          CommandLine.populateCommand(
                  new AdminPort(),
                  "--url=http://127.0.0.1:" + socket.getLocalPort(),
                  "--secret=" + secret)
              .patient(Duration.ofMillis(300));

      assertThatThrownBy(() -> port.order("/api/v1/cluster/replicas"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("the order may still come into force; look at status");
    }
  }

  @Test
  void anOrderWhoseServerEndsMayComeIntoForce(@TempDir Path directory) throws Exception {
    Path secret = directory.resolve("own").resolve("secret");

    CommandResult result = ask("", DcDetach.command(), "--secret=" + secret, "1");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err())
        .contains("has not answered (", "): the order may still come into force; look at status")
        .hasLineCount(1);
  }

  @Test
  void aChangeWithoutAnAnswerMayHaveBeenMade() throws Exception {
    CommandResult result = ask("", new UpdateObject(), "b", "k", "increment");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err())
        .contains("nobody knows whether the object was changed; read it")
        .hasLineCount(1);
  }

  @Test
  void aServerThatEndsOrCanTellNoMoreChangesIsNoEndOfThem() throws Exception {
    String head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

    CommandResult ended = ask(head + ":\n\n", new WatchObjects(), "b");
    CommandResult failed = ask(head + "event: failed\ndata: not kept\n\n", new WatchObjects(), "b");
    String chunked = head.replace("\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\n");
    CommandResult broken = ask(chunked + "3\r\n:\n\n\r\n", new WatchObjects(), "b");

    assertThat(broken.code()).isEqualTo(1);
    assertThat(broken.err()).contains("broke off", "--after").hasLineCount(1);
    assertThat(ended.code()).isEqualTo(1);
    assertThat(ended.err()).contains("has ended; go on", "--after").hasLineCount(1);
    assertThat(failed.code()).isEqualTo(1);
    assertThat(failed.err()).contains("tells no more: not kept").hasLineCount(1);
  }

  @Test
  void nobodyThereIsSaid() throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }

    CommandResult result = CommandResult.of(new Status(), "--url", "http://127.0.0.1:" + port);

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err())
        .startsWith("error: no server answers at http://127.0.0.1:" + port + ": start one")
        .hasLineCount(1);
  }
}

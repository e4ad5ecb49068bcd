package io.github.stablecut.cluster.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.cluster.command.cluster.ClusterMove;
import io.github.stablecut.cluster.command.cluster.ClusterReplicas;
import io.github.stablecut.cluster.command.cluster.ClusterStatus;
import io.github.stablecut.cluster.command.cluster.DcConnect;
import io.github.stablecut.cluster.command.cluster.DcDetach;
import io.github.stablecut.cluster.internal.secret.ClusterSecret;
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

/** Commands report a port where no server answers as expected. */
final class AdminPortTest {
  /** Runs a command against a server that answers one connection with a text. */
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
  void refusesInvalidUrls() {
    for (String url : new String[] {"foo", "127.0.0.1:3001", "ftp://host", "http://", "a b"}) {
      CommandResult result = CommandResult.of(new Status(), "--url", url);

      assertThat(result.code()).isEqualTo(2);
      assertThat(result.err()).contains("'" + url + "' is not a URL such as http://127.0.0.1:3001");
    }
  }

  @Test
  void refusesInvalidArguments() {
    assertThat(ClusterSecret.of(ClusterSecret.userFile()).token()).isNotEmpty();
    List<CommandResult> results =
        List.of(
            runWithoutServer(ClusterStatus.command(), "--wait", "-1"),
            runWithoutServer(ClusterStatus.command(), "--wait", "0"),
            runWithoutServer(ClusterMove.command(), "-1", "n2"),
            runWithoutServer(ClusterMove.command(), "0", ""),
            runWithoutServer(ClusterReplicas.command(), "0"),
            runWithoutServer(ClusterReplicas.command(), "2"),
            runWithoutServer(DcConnect.command(), "nonsense"),
            runWithoutServer(DcDetach.command(), "-1"));

    assertThat(results).extracting(CommandResult::code).containsOnly(2);
    assertThat(results.get(0).err()).contains("--wait takes seconds, at least 1", "Usage:");
    assertThat(runWithoutServer(ClusterStatus.command(), "--wait", "1").code()).isEqualTo(1);
    assertThat(runWithoutServer(ClusterReplicas.command(), "5").code()).isEqualTo(1);
    assertThat(runWithoutServer(DcConnect.command(), "[::1]:7400").code()).isEqualTo(1);
  }

  private static Path secret(Path directory) {
    Path file = directory.resolve("own").resolve("secret");
    assertThat(ClusterSecret.of(file).token()).isNotEmpty();
    return file;
  }

  /** Runs a command with a URL where no process listens. */
  private static CommandResult runWithoutServer(Object command, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(0, List.of("--url", "http://127.0.0.1:1"));
    return CommandResult.of(command, all.toArray());
  }

  @Test
  void namesTheOtherProtocol() throws Exception {
    CommandResult protobuf = ask("\0\0\0\1x\r\n\r\n");
    CommandResult page = ask("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>");

    assertThat(protobuf.code()).isEqualTo(1);
    assertThat(protobuf.err()).contains("it answers without HTTP: give a server's").hasLineCount(1);
    assertThat(page.code()).isEqualTo(1);
    assertThat(page.err()).contains("it answers without JSON: give a server's").hasLineCount(1);
  }

  @Test
  void refusesASecretThatDoesNotExist(@TempDir Path directory) {
    Path secret = directory.resolve("no.secret");

    for (Object command :
        List.of(ClusterStatus.command(), DcDetach.command(), new UpdateObject(), new Get())) {
      List<String> words =
          command instanceof UpdateObject
              ? List.of("b", "k", "increment")
              : command instanceof Get
                  ? List.of("b", "k")
                  : command instanceof DcDetach ? List.of("1") : List.of();
      List<String> all = new ArrayList<>(List.of("--secret", secret.toString()));
      all.addAll(words);

      CommandResult result = runWithoutServer(command, all.toArray(String[]::new));

      assertThat(result.code()).as(command.toString()).isEqualTo(2);
      assertThat(result.err()).contains("there is no file " + secret).hasLineCount(1);
    }
    assertThat(secret).doesNotExist();
  }

  @Test
  void aChangeWithoutAnAnswerMayTakeEffect(@TempDir Path directory) throws Exception {
    Path secret = secret(directory);
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      AdminPort port =
          CommandLine.populateCommand(
                  new AdminPort(),
                  "--url=http://127.0.0.1:" + socket.getLocalPort(),
                  "--secret=" + secret)
              .withCommandTimeout(Duration.ofMillis(300));

      assertThatThrownBy(() -> port.execute("/api/v1/cluster/replicas"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("the change may still take effect; look at status");
    }
  }

  @Test
  void aChangeWhoseServerStopsMayTakeEffect(@TempDir Path directory) throws Exception {
    Path secret = secret(directory);

    CommandResult result = ask("", DcDetach.command(), "--secret=" + secret, "1");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err())
        .contains("did not answer (", "): the change may still take effect; look at status")
        .hasLineCount(1);
  }

  @Test
  void anUpdateWithoutAnAnswerMayHaveBeenCommitted() throws Exception {
    CommandResult result = ask("", new UpdateObject(), "b", "k", "increment");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err())
        .contains("the object may or may not have changed; read it")
        .hasLineCount(1);
  }

  @Test
  void theEndOfAStreamOfChangesIsAFailure() throws Exception {
    String head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

    CommandResult ended = ask(head + ":\n\n", new WatchObjects(), "b");
    CommandResult failed = ask(head + "event: failed\ndata: not kept\n\n", new WatchObjects(), "b");
    String chunked = head.replace("\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\n");
    CommandResult broken = ask(chunked + "3\r\n:\n\n\r\n", new WatchObjects(), "b");

    assertThat(broken.code()).isEqualTo(1);
    assertThat(broken.err()).contains("broke: the server has stopped", "--after").hasLineCount(1);
    assertThat(ended.code()).isEqualTo(1);
    assertThat(ended.err()).contains("has stopped; resume", "--after").hasLineCount(1);
    assertThat(failed.code()).isEqualTo(1);
    assertThat(failed.err()).contains("ended the stream: not kept").hasLineCount(1);
  }

  @Test
  void reportsThatNoServerAnswers() throws Exception {
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

package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Reader;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.cluster.command.cluster.DcConnect;
import io.github.stablecut.cluster.command.cluster.DcDetach;
import io.github.stablecut.cluster.command.cluster.DcRemove;
import io.github.stablecut.cluster.command.cluster.DcStatus;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.replication.DataCentre;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Administrators and AntidoteDB's clients make servers data centres of each other. */
final class DataCentreServersTest {
  private static final CounterKey LIKES = Key.counter("posts", "likes");

  @TempDir private Path directory;
  private final List<Server> servers = new ArrayList<>();

  /** The output and the exit code of a command. */
  private record CommandResult(int code, String out, String err) {}

  private Server start(String name, DataCentreSettings settings) {
    return start(
        Settings.dataCentreOrders(Settings.of(directory.resolve(name))).withDataCentre(settings));
  }

  private Server start(ServerSettings settings) {
    Server server = Server.start(settings.withOperations(Optional.of(Endpoint.loopback(0))));
    servers.add(server);
    return server;
  }

  private Server start(String name, String... joins) {
    return start(name, DataCentreSettings.loopback(0, joins));
  }

  @AfterEach
  void stop() {
    servers.forEach(Server::close);
  }

  private static String listens(Server server) {
    return "127.0.0.1:" + server.store().dataCentres().port().orElseThrow();
  }

  private static CommandResult run(Server server, Object command, String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(
        List.of("--url", "http://127.0.0.1:" + server.operationsAddress().orElseThrow().getPort()));
    int code =
        CommandRunner.run(
            command,
            new PrintWriter(out, true),
            new PrintWriter(err, true),
            all.toArray(String[]::new));
    return new CommandResult(code, out.toString(), err.toString());
  }

  private static long likesAfter(Server server, CausalToken token) {
    try (Transaction transaction =
        server.store().begin(TransactionOptions.defaults().after(token))) {
      return ((Reader) transaction).read(LIKES);
    }
  }

  private static Store clientOf(Server server) {
    return Stablecut.connect("stablecut://127.0.0.1:" + server.address().getPort());
  }

  private static Bytes descriptor(Server server) throws IOException {
    try (WireClient client = new WireClient(server)) {
      return ((Response.ConnectionDescribed) client.call(new Request.DescribeConnection()))
          .descriptor();
    }
  }

  private static Response connect(Server server, List<Bytes> descriptors) throws IOException {
    try (WireClient client = new WireClient(server)) {
      return client.call(new Request.ConnectDataCentres(descriptors));
    }
  }

  @Test
  void settingsConnectTwoServersAndTokensAreValidAtBoth() {
    Server frankfurt = start("frankfurt");
    Server dublin = start("dublin", listens(frankfurt));
    try (Store here = clientOf(frankfurt);
        Store there = clientOf(dublin)) {
      CausalToken token = here.update(LIKES.increment(2));
      try (Transaction transaction = there.begin(TransactionOptions.defaults().after(token))) {
        assertThat(transaction.read(LIKES)).isEqualTo(2);
      }
    }
    CommandResult status = run(dublin, DcStatus.command());
    assertThat(status.code).as(status.err).isZero();
    assertThat(status.out).contains("NUMBER", listens(frankfurt), "is active", "reports this");
  }

  @Test
  void antidotesMessagesConnectFreshServersInAnyOrder() throws Exception {
    List<Server> fresh = List.of(start("a"), start("b"), start("c"));
    List<Bytes> descriptors = new ArrayList<>();
    for (Server server : fresh) {
      try (WireClient client = new WireClient(server)) {
        assertThat(client.call(new Request.CreateDataCentre(List.of("antidote@127.0.0.1"))))
            .isEqualTo(new Response.DataCentreCreated());
      }
      descriptors.add(descriptor(server));
    }
    for (Server server : fresh) {
      assertThat(connect(server, descriptors)).isEqualTo(new Response.DataCentresConnected());
    }
    CausalToken token = fresh.get(0).store().update(LIKES.increment(1));
    assertThat(likesAfter(fresh.get(1), token)).isEqualTo(1);
    token = fresh.get(1).store().update(LIKES.increment(1));
    assertThat(likesAfter(fresh.get(2), token)).isEqualTo(2);
    assertThat(fresh.get(2).store().dataCentres().all()).hasSize(3);
    Eventually.holds(
        "all are members",
        () ->
            fresh.get(2).store().dataCentres().all().stream()
                .allMatch(one -> one.state() == DataCentre.State.MEMBER));
    // Repeated, the message changes nothing.
    assertThat(connect(fresh.get(2), descriptors)).isEqualTo(new Response.DataCentresConnected());
    assertThat(fresh.get(2).store().read(LIKES)).isEqualTo(2);
  }

  @Test
  void aNewServerJoinsOneWithDataAndTwoServersWithDataAreRefused() throws Exception {
    Server written = start("written");
    CausalToken token = written.store().update(LIKES.increment(3));
    Server fresh = start("fresh");
    List<Bytes> both = List.of(descriptor(fresh), descriptor(written));
    assertThat(connect(written, both)).isEqualTo(new Response.DataCentresConnected());
    assertThat(connect(fresh, both)).isEqualTo(new Response.DataCentresConnected());
    assertThat(likesAfter(fresh, token)).isEqualTo(3);

    Server other = start("other");
    other.store().update(LIKES.increment(1));
    try (WireClient client = new WireClient(other)) {
      assertThat(client.unconnected(List.of(descriptor(other), descriptor(written))))
          .contains("see the server's log", "without data");
      assertThat(client.unconnected(List.of(Bytes.utf8("stablecut 127.0.0.1"))))
          .contains("not a descriptor");
      assertThat(client.unconnected(List.of(Bytes.utf8("stablecut 0000000000000001"))))
          .contains("does not listen for other data centres", "--dc-listen");
    }
    assertThat(other.store().read(LIKES)).isEqualTo(1);
  }

  @Test
  void administratorsConnectDetachAndRemove() throws Exception {
    Server first = start("first");
    CausalToken token = first.store().update(LIKES.increment(1));
    Server second = start("second");
    Server third = start("third");
    CommandResult refused = run(first, DcConnect.command(), listens(second));
    assertThat(refused.code).isEqualTo(1);
    assertThat(refused.err).contains("connect the new one to this one instead");

    for (Server server : List.of(second, third)) {
      CommandResult result = run(server, DcConnect.command(), listens(first));
      assertThat(result.code).as(result.err).isZero();
      assertThat(result.out).contains(listens(first));
      assertThat(likesAfter(server, token)).isEqualTo(1);
    }
    assertThat(run(second, DcConnect.command(), listens(first)).code).isZero();

    CausalToken last = third.store().update(LIKES.increment(1));
    CommandResult removed = run(third, DcRemove.command());
    assertThat(removed.code).as(removed.err).isZero();
    assertThatThrownBy(() -> third.store().update(LIKES.increment(1)))
        .isInstanceOf(StablecutException.class);
    assertThat(likesAfter(first, last)).isEqualTo(2);
    assertThat(likesAfter(second, last)).isEqualTo(2);
    Eventually.holds(
        "the third data centre is detached",
        () -> run(first, DcStatus.command()).out.contains("is detached"));

    assertThat(run(first, DcDetach.command(), "7").err).contains("there is no data centre 7");
    assertThat(run(first, DcDetach.command(), "0").err).contains("can't detach itself");
    assertThat(run(first, DcDetach.command(), "1").code).isZero();
    assertThat(first.store().dataCentres().all().get(1).state())
        .isEqualTo(DataCentre.State.DETACHED);
  }

  @Test
  void aServerWithoutReplicationSaysHowToEnableIt() {
    Server alone =
        Server.start(
            Settings.of(directory.resolve("alone"))
                .withOperations(Optional.of(Endpoint.loopback(0))));
    servers.add(alone);
    assertThat(run(alone, DcStatus.command()).err).contains("--dc-listen");
    assertThat(run(alone, DcConnect.command(), "127.0.0.1:1").err).contains("--dc-listen");
    assertThat(run(alone, DcDetach.command(), "1").err).contains("--dc-listen");
    assertThat(run(alone, DcRemove.command()).err).contains("--dc-listen");
  }

  @Test
  void refusesIncompleteDataCentreSettings() {
    Map<String, Object> options =
        new HashMap<>(
            Map.of("data", directory.resolve("data").toString(), "port", 0, "operations.port", 0));
    options.put("replication.join", List.of("127.0.0.1:1"));
    assertThatThrownBy(() -> SettingsLoader.load(Optional.empty(), options))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("--dc-listen");
    options.put("replication.listen", "127.0.0.1");
    assertThatThrownBy(() -> SettingsLoader.load(Optional.empty(), options))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("replication.listen is host:port");
  }

  @Test
  void refusesAPublicAddressWithoutTlsUnlessInsecureIsSet() {
    DataCentreSettings open =
        new DataCentreSettings(
            "0.0.0.0:0",
            Optional.empty(),
            List.of(),
            Duration.ofDays(1),
            false,
            Optional.empty(),
            false);
    assertThatThrownBy(() -> start("open", open))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("set replication.tls, set replication.listen to 127.0.0.1, or set");
  }

  @Test
  void readsTheAdminTokenFromTheConfiguredFile() throws Exception {
    Path secret = directory.resolve("operators.secret");

    Server server =
        start(
            Settings.of(directory.resolve("with a secret"))
                .withSecret(secret)
                .withDataCentre(DataCentreSettings.loopback(0)));

    assertThat(run(server, DcDetach.command(), "7", "--secret", secret.toString()).err)
        .contains("there is no data centre 7");
    Path other = directory.resolve("other.secret");
    assertThat(run(server, DcDetach.command(), "7", "--secret", other.toString()).err)
        .doesNotContain("there is no data centre 7");
  }

  @Test
  void withTlsBothPresentCertificatesOfOneAuthority() throws Exception {
    PemKeys.make(directory, "own", "EC");
    TlsFiles keys =
        new TlsFiles(
            directory.resolve("own.crt"),
            directory.resolve("own.key"),
            Optional.of(directory.resolve("own.crt")));
    Server first = start("first", secured(keys));
    CausalToken token = first.store().update(LIKES.increment(1));
    Server second = start("second", secured(keys, listens(first)));
    assertThat(likesAfter(second, token)).isEqualTo(1);
    assertThatThrownBy(() -> start("third", listens(first)))
        .isInstanceOf(StablecutException.class)
        .hasMessageContaining("can't become a data centre");
  }

  private static DataCentreSettings secured(TlsFiles keys, String... joins) {
    return new DataCentreSettings(
        "127.0.0.1:0",
        Optional.empty(),
        List.of(joins),
        Duration.ofDays(1),
        false,
        Optional.of(keys),
        false);
  }

  @Test
  void aKilledServerCatchesUp() throws Exception {
    Server first = start("first");
    Path data = directory.resolve("killed");
    String[] more = {"--dc-listen", "127.0.0.1:0", "--dc-join", listens(first)};
    try (ServerProcess killed = ServerProcess.startWith(data, more);
        Store there = Stablecut.connect("stablecut://127.0.0.1:" + killed.address().getPort())) {
      CausalToken token = there.update(LIKES.increment(5));
      assertThat(likesAfter(first, token)).isEqualTo(5);
      killed.kill();
    }
    first.store().update(LIKES.increment(1));
    CausalToken missed = first.store().update(LIKES.increment(1));
    try (ServerProcess again = ServerProcess.startWith(data, more);
        Store there = Stablecut.connect("stablecut://127.0.0.1:" + again.address().getPort());
        Transaction transaction = there.begin(TransactionOptions.defaults().after(missed))) {
      assertThat(transaction.read(LIKES)).isEqualTo(7);
    }
  }
}
